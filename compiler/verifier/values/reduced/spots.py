"""The part of `verify` that checks words in which letters cancel each other: what LEFT leaves of them.

The certificate gives each symbol an image, a letter or nothing, those of the clause for the symbols of its
parts. At each *spot* (the state, the head's row, the classes of its column and of those beside it, the part
of its column; where the strip is not dim, the cells of its column instead of their classes) it has a word of
tokens (`reduced.words`), or says that nothing, or something, is left. A spot that is not listed has the
longest word of those where the head's column is the same. The *value* of a word is what the clause leaves of
it.

(V15) Theorem, reduced words. Take the strip of (V12). Let
       (a) the word of the spot of each element at the start have the value of the clause's own word, in which
           part j is F(j) on the right, after U(0) if the head is in that part;
       (b) for each element e, symbol that it may read, and element f that the step leads to, the word of f's
           spot, written in what there was before the step, have the value of that of e's spot; or let f's
           spot say that nothing is left, or something, where e's says so or its word shows it;
       (c) at each element in which LEFT halts, what stands in the world be one stretch, in one row, and the
           word of its spot as it is, where nothing of that is crossed out or erased; of a clause that chooses
           between texts, the one that it chooses for what the spot says, or its word shows.
     Then on every declared input, if LEFT halts, it leaves what its output clause says. Of an acceptor, let
     (c) be that the clause says `accept` for what is said where LEFT halts, `stuck` where it is stuck: then
     every run that ends does so as the clause says.
     By (V8), after each step some element stands for what there is, and only groups can be beside the head
     that a chain of grams leads to: other words are empty. Words that are put in for names are what the names
     stand for (`reduced.steps`). Words that differ by pairs that cancel have the same value
     (`reduced.clauses`), whatever unknown words are around them. So the value of the spot's word is that of
     the clause's own word after each step, and what is said of it is true.
     Of mirror images, a word without the same letter at both ends is its mirror image exactly if the word is;
     one of a letter or none is, and one whose ends are different letters is not.
"""

from __future__ import annotations

from typing import Any

from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import Rules, Wrong, check
from gridlang.compiler.verifier.values.reduced.clauses import PartWord, Verdict
from gridlang.compiler.verifier.values.reduced.proof import LEFT_SIDE, RIGHT_SIDE, ReducedProof
from gridlang.compiler.verifier.values.reduced.steps import Around, Step
from gridlang.compiler.verifier.values.reduced.words import Name, Tokens, Unknown, backwards, known, put_into
from gridlang.compiler.verifier.values.results import Results
from gridlang.compiler.verifier.values.strips import WHERE, Element


class ReducedCheck(ReducedProof):
    """A proof whose words are held against the steps of the strip."""

    def check(self) -> None:
        """(a), (b) and (c)."""
        results = Results(self.strip, self.row)
        for element in self.strip.starts:
            self._check_start(element)
        many = 0
        for element in self.strip.elements:
            for symbol in self.strip.reads(element):
                if self.clause.accepts and not self.strip.steps(element[0], symbol):
                    self._check_acceptance(element, symbol)
                elif self.strip.halts(element[0], symbol):
                    self._check_end(results, element, symbol)
                elif self.strip.steps(element[0], symbol):
                    for later in self.strip.follows(element, symbol):
                        many += 1
                        check(many <= LIMITS.value_steps, WHERE, "its strip has too many steps")
                        self._check_step(element, symbol, later)

    def _check_start(self, element: Element) -> None:
        here = self.strip.places.told[self.strip.labels[element[3]].place].part
        tokens: Tokens = []
        for each in self.clause.word:
            if isinstance(each, PartWord):
                cell = [Unknown(("U", 0), False)] if each.part == here else []
                word: Tokens = [*cell, Unknown(("F", RIGHT_SIDE, each.part), False)]
                tokens += backwards(word) if each.back else word
            else:
                tokens.append(each)
        around = Around(self, element)
        self._check_same(around, around.reduced(tokens), self.at(element))

    def _check_same(self, around: Around, tokens: Tokens, says: Tokens | bool) -> None:
        """That what a spot says is so, where the value is that of these tokens."""
        if isinstance(says, bool):
            shown = self.reducing.is_empty(tokens, around.images) is says
            check(shown, WHERE, "it is not known whether nothing is left of a word")
        else:
            check(around.reduced(says) == tokens, WHERE, "a word is not kept by a step")

    def _check_step(self, element: Element, symbol: int, later: Element) -> None:
        before, after = self.at(element), self.at(later)
        if isinstance(before, bool):
            check(after is before, WHERE, "a spot does not say what the one before it says")
            return
        step = Step(self, element, symbol, later)
        tokens = step.reduced(put_into(Around(self, element, symbol).known(before), step.found))
        if isinstance(after, bool):
            self._check_same(step, tokens, after)
        else:
            self._check_same(step, tokens, put_into(step.later.known(after), step.left))

    def _check_acceptance(self, element: Element, symbol: int) -> None:
        halts = self.strip.halts(element[0], symbol)
        said = self._chosen(Around(self, element, symbol), self.at(element))
        check(said is halts, WHERE, "LEFT may end otherwise than its output clause says")

    def _chosen(self, around: Around, says: Tokens | bool) -> Verdict:
        """What the clause chooses, by what is said at a spot or by what its word shows."""
        if not isinstance(says, bool):
            says = self.reducing.is_empty(around.reduced(says), around.images)  # type: ignore[assignment]
        check(
            says is not None, WHERE, "LEFT may end where it is not known whether anything is left of a word"
        )
        assert self.clause.verdict is not None
        return self.clause.verdict[not says]

    def _check_end(self, results: Results, element: Element, symbol: int) -> None:
        says, around = self.at(element), Around(self, element, symbol)
        if self.clause.verdict is not None:
            text = tuple(self.strip.left.symbols.index(one) for one in str(self._chosen(around, says)))
            stands_alone = results.spells(element, symbol, text)
            check(stands_alone, WHERE, "LEFT may halt where a result is not what its output clause says")
            return
        results.at(element, symbol)
        if isinstance(says, bool):
            raise Wrong(WHERE, "LEFT may halt where a word is not known")
        tokens = around.reduced(says)
        all_left = self.reducing.is_left(tokens, around.images)
        check(all_left, WHERE, "LEFT may halt where letters that cancel still stand side by side")
        stands = backwards(tokens) if self.clause.back else tokens
        same = stands == self._standing(around)
        check(same, WHERE, "LEFT may halt where a result is not what its output clause says")

    def _standing(self, around: Around) -> Tokens:
        """The result, each of its symbols its own image."""
        head = [Unknown(("U", self.row), False)]
        tokens = [*self._beside(around, LEFT_SIDE), *head, *self._beside(around, RIGHT_SIDE)]
        members = [s for name in around.names for s in self._symbols(name)]
        members += around.symbols(self.row)
        own = all(self.images[s] == (self.strip.left.symbols[s] if s else "") for s in members)
        check(own, WHERE, "LEFT may halt where a result has a symbol with another image")
        return known(tokens, around.images)

    def _symbols(self, name: Name) -> list[int]:
        """The symbols of a word beside the head, if it is in the row of the results."""
        if name[0] == "F":
            return sorted(self.strip.places.symbols_of[name[2]]) if self.row == 0 else []
        return self.strip.members[name[3]] if name[2] == self.row else []

    def _beside(self, around: Around, side: int) -> Tokens:
        """The words on a side, in their order."""
        names = [name for name in around.names if name[1] == side and any(self._symbols(name))]
        one = len(names) < 2 or all(name[0] == "F" for name in names)
        check(one, WHERE, "LEFT may halt where it is not known in which order words stand")
        return [Unknown(name, False) for name in sorted(names)]


def check_reduced(left: Rules, part: dict[str, Any], accepts: bool) -> int:
    """(V15), of an acceptor or not; how many elements there are. Wrong if the part does not show it."""
    reduced = ReducedCheck(left, part)
    check(reduced.clause.accepts is accepts, WHERE, "its kind is not that of its output clause")
    reduced.check()
    return len(reduced.strip.elements)
