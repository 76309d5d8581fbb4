"""The part of `verify` that checks words in which letters cancel each other: what LEFT leaves of them.

The certificate gives each symbol an image, a letter or nothing, those of the clause for the symbols of its
parts. At each *spot* (the state, the head's row, the classes of its column and of those beside it, the part
of its column) it has a word of tokens (`reduced_words`), or says that nothing, or something, is left. The
*value* of a word is what the clause leaves of it.

(V15) Theorem, reduced words. Take the strip of (V12). Let
       (a) the word of the spot of each element at the start have the value of the clause's own word, in which
           part j is F(j) on the right, after U(0) if the head is in that part;
       (b) for each element e, symbol that it may read, and element f that the step leads to, the word of f's
           spot, written in what there was before the step, have the value of that of e's spot; or let f's
           spot say that nothing is left, or something, where e's says so or its word shows it;
       (c) at each element in which LEFT halts, what stands in the world be one stretch, in one row, and the
           word of its spot as it is, where nothing of that is crossed out or erased; of a clause that chooses
           between texts, the one that it chooses for what the spot says.
     Then on every declared input, if LEFT halts, it leaves what its output clause says.
     By (V8), after each step some element stands for what there is, and only groups can be beside the head
     that a chain of grams leads to: other words are empty. A step writes one cell. If the head goes to the
     right, the images of its column come to the end of N on the left, and those of the next column, T, are
     the first letters of N or F on the right, and the new U. To the left it is mirrored. So words that are
     put in for names are what the names stand for. Words that differ by pairs that cancel have the same value
     (`reduced_clauses`), whatever unknown words are around them. So the value of the spot's word is that of
     the clause's own word after each step, and what is said of it is true.
"""

from __future__ import annotations

from typing import Any

from compiler.verifier.limits import LIMITS
from compiler.verifier.tables import MOVES, Rules, are_numbers, check
from compiler.verifier.values.facts import Surroundings
from compiler.verifier.values.reduced_clauses import PartWord, reduced_clause
from compiler.verifier.values.reduced_words import Name, Reducing, Tokens, Unknown, backwards, known, put_into
from compiler.verifier.values.results import Results
from compiler.verifier.values.strips import FRESH, WHERE, Element, ValueStrip

REDUCED_PARTS = {"rows", "row", "near", "far", "dim", "classes", "marks", "kinds", "images", "invariants"}
Classes = tuple[int, ...]
Spot = tuple[int, int, Classes, Classes, Classes, int]  # state, row, left, head and right column, part
LEFT_SIDE, RIGHT_SIDE = 0, 1


class ReducedCheck:
    """A strip with words at its spots."""

    def __init__(self, left: Rules, part: dict[str, Any]) -> None:
        check(set(part) == REDUCED_PARTS, WHERE, "something is missing or unknown")
        self.strip = ValueStrip(left, part, False)
        self.surroundings = Surroundings(self.strip)
        self.clause = reduced_clause(
            left, [{left.symbols[s] for s in some} for some in self.strip.places.symbols_of]
        )
        self.reducing = Reducing(self.clause)
        self.images = self._images(part["images"])
        self.names = self._names()
        self.invariants = self._invariants(part["invariants"])
        self.row = part["row"]
        check(type(self.row) is int and self.row in self.strip.rows, WHERE, "its row is not of the strip")

    def _images(self, images: Any) -> list[str]:
        symbols = self.strip.left.symbols
        texts = isinstance(images, list) and all(isinstance(image, str) for image in images)
        check(texts and len(images) == len(symbols), WHERE, "its images are not one for each symbol")
        short = images[0] == "" and max(map(len, images)) < 2
        check(short, WHERE, "an image is more than one letter, or the blank has one")
        same = all(images[symbols.index(symbol)] == image for symbol, image in self.clause.images.items())
        check(same, WHERE, "its images are not those of the output clause")
        return list(images)

    def _names(self) -> dict[Name, frozenset[str]]:
        """All unknown words beside the head, with the images that their cells may have."""
        names: dict[Name, frozenset[str]] = {}
        for side in (LEFT_SIDE, RIGHT_SIDE):
            for j, symbols in enumerate(self.strip.places.symbols_of):
                names["F", side, j] = frozenset(self.images[s] for s in symbols)
            for y in self.strip.rows:
                for c, members in enumerate(self.strip.members):
                    names["N", side, y, c] = frozenset(self.images[s] for s in members)
        return names

    def _invariants(self, listed: Any) -> dict[Spot, Tokens | bool]:
        whole = isinstance(listed, list) and len(listed) <= LIMITS.value_elements
        check(whole, WHERE, "its invariants are none, or too many")
        invariants: dict[Spot, Tokens | bool] = {}
        for entry in listed:
            check(isinstance(entry, list) and len(entry) == 7, WHERE, "an entry of its invariants is none")
            p, y, *columns, part, says = entry
            classes = [are_numbers(column, 0, len(self.strip.members)) for column in columns]
            check(are_numbers([p, y, part], -LIMITS.number) and all(classes), WHERE, "there is no such spot")
            left, head, right = (tuple(column) for column in columns)
            spot = p, y, left, head, right, part
            check(spot not in invariants, WHERE, "a spot stands twice")
            check(isinstance(says, bool | list), WHERE, "a spot has no word")
            invariants[spot] = says if isinstance(says, bool) else [self._token(token) for token in says]
        return invariants

    def _token(self, token: Any) -> str | Unknown:
        if isinstance(token, str):
            check(len(token) == 1, WHERE, "a token is not one letter")
            return token
        known = isinstance(token, list) and len(token) > 1 and isinstance(token[0], str)
        check(known and are_numbers(token[1:], -LIMITS.number), WHERE, "a token is none")
        *name, back = token
        cell = len(name) == 2 and name[0] == "U" and name[1] in self.strip.rows
        check((cell or tuple(name) in self.names) and back in (0, 1), WHERE, "there is no such word")
        return Unknown(tuple(name), back == 1)

    def at(self, element: Element) -> Tokens | bool:
        """What the certificate says at an element."""
        p, y, left, _, right = element
        rough = self.strip.rough
        _, _, head, part = self.strip.node(element)
        spot = p, y, rough[left].cells, head, rough[right].cells, part
        check(spot in self.invariants, WHERE, "a spot has no word")
        return self.invariants[spot]

    def check(self) -> None:
        """(a), (b) and (c)."""
        results = Results(self.strip, self.row)
        for element in self.strip.starts:
            self._check_start(element)
        many = 0
        for element in self.strip.elements:
            for symbol in self.strip.reads(element):
                if self.strip.halts(element[0], symbol):
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
        around = _Around(self, element)
        self._check_same(around, around.reduced(tokens), self.at(element))

    def _check_same(self, around: _Around, tokens: Tokens, says: Tokens | bool) -> None:
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
        step = _Step(self, element, symbol, later)
        tokens = step.reduced(put_into(_Around(self, element, symbol).known(before), step.found))
        if isinstance(after, bool):
            self._check_same(step, tokens, after)
        else:
            self._check_same(step, tokens, put_into(step.later.known(after), step.left))

    def _check_end(self, results: Results, element: Element, symbol: int) -> None:
        result, says, around = results.at(element, symbol), self.at(element), _Around(self, element, symbol)
        if self.clause.verdict is not None:
            check(isinstance(says, bool), WHERE, "LEFT may halt where it is not known what is left of a word")
            text = self.clause.verdict[0 if says else 1]
            for left, column, right in result.columns:
                one = text and left.is_blank and right.is_blank and self._spells(column.symbols, text)
                check(one, WHERE, "LEFT may halt where a result is not what its output clause says")
            check(not text or not result.may_be_empty, WHERE, "LEFT may halt without a result")
            return
        check(not isinstance(says, bool), WHERE, "LEFT may halt where a word is not known")
        assert not isinstance(says, bool)
        tokens = around.reduced(says)
        all_left = self.reducing.is_left(tokens, around.images)
        check(all_left, WHERE, "LEFT may halt where a word is not reduced")
        stands = backwards(tokens) if self.clause.back else tokens
        wanted = self._standing(around)
        check(stands == wanted, WHERE, "LEFT may halt where a result is not what its output clause says")

    def _spells(self, symbols: tuple[int, ...], text: str) -> bool:
        return [self.strip.left.symbols[symbol] for symbol in symbols] == [text]

    def _standing(self, around: _Around) -> Tokens:
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

    def _beside(self, around: _Around, side: int) -> Tokens:
        """The words on a side, in their order."""
        names = [name for name in around.names if name[1] == side and any(self._symbols(name))]
        one = len(names) < 2 or all(name[0] == "F" for name in names)
        check(one, WHERE, "LEFT may halt where it is not known in which order words stand")
        return [Unknown(name, False) for name in sorted(names)]


class _Around:
    """What is known at an element, perhaps where a symbol is read."""

    def __init__(self, of: ReducedCheck, element: Element, symbol: int | None = None) -> None:
        self.of = of
        facts = of.surroundings.facts[of.surroundings.at(element, symbol)]
        self.cells = facts.cells
        self.names: set[Name] = set()
        for side, groups in enumerate(facts.groups):
            for fresh, part, y, group in groups:
                self.names.add(("F", side, part) if fresh else ("N", side, y, group))

    def symbols(self, y: int) -> list[int]:
        """What the cell in a row of the head's column may hold."""
        cell = self.cells[y - self.of.strip.grain.low]
        return [cell] if cell >= 0 else self.of.strip.members[-1 - cell]

    def images(self, name: Name) -> frozenset[str]:
        if name[0] in ("U", "T"):
            return frozenset(self.of.images[s] for s in self.symbols(name[1]))
        return self.of.names[name] if name in self.names else frozenset([""])

    def known(self, tokens: Tokens) -> Tokens:
        return known(tokens, self.images)

    def reduced(self, tokens: Tokens) -> Tokens:
        return self.of.reducing.reduced(self.known(tokens))


class _Step(_Around):
    """What is known before and after a step; and words for names.

    Words are written in U, in T, in names of words behind the head as they are before the step, and in names
    of words ahead of it as they are after.
    """

    def __init__(self, of: ReducedCheck, element: Element, symbol: int, later: Element) -> None:
        super().__init__(of, element, symbol)
        self.later = _Around(of, later)
        strip, y = of.strip, element[1]
        write, move, _ = strip.left.does[element[0], symbol]
        side = MOVES[move][0]
        written: Tokens = [of.images[write]] if of.images[write] else []
        cells: dict[int, Tokens] = {row: [Unknown(("U", row), False)] for row in strip.rows}
        cells[y] = written
        self.found: dict[Name, Tokens] = {}  # for names before the step
        self.left: dict[Name, Tokens] = {}  # for names after it
        if side == 0:
            self.left = {("U", row): cell for row, cell in cells.items()}
            return
        ahead, behind = (RIGHT_SIDE, LEFT_SIDE) if side > 0 else (LEFT_SIDE, RIGHT_SIDE)
        column, place, mark = strip.rough[strip.coarse[later[3]]]
        for row, group in zip(strip.rows, column, strict=True):
            cell: Tokens = [Unknown(("T", row), False)]
            self.left["U", row] = cell
            part = strip.places.told[place].part
            name: Name = ("N", ahead, row, group) if mark != FRESH else ("F", ahead, part)
            if mark != FRESH or (row == 0 and 0 <= part < strip.places.parts):
                rest: Tokens = [Unknown(name, False)]
                self.found[name] = cell + rest if side > 0 else rest + cell
        column = strip.rough[later[2 if side > 0 else 4]].cells
        for row, group in zip(strip.rows, column, strict=True):
            name = ("N", behind, row, group)
            more: Tokens = [Unknown(name, False)]
            self.left[name] = more + cells[row] if side > 0 else cells[row] + more

    def images(self, name: Name) -> frozenset[str]:
        """An unknown word that is empty before or after the step is empty, if the step does not change it."""
        if name[0] == "T":
            return self.later.images(name)
        if name[0] == "U":
            return super().images(name)
        changed = name in self.found or name in self.left
        there = [name in self.names] if name in self.left else [name in self.later.names]
        if not changed:
            there.append(name in self.names)
        return self.of.names[name] if all(there) else frozenset([""])


def check_reduced(left: Rules, part: dict[str, Any]) -> int:
    """(V15); how many elements there are. Wrong if the part does not show it."""
    reduced = ReducedCheck(left, part)
    reduced.check()
    return len(reduced.strip.elements)
