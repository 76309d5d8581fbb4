"""The part of `verify` that checks results: where LEFT halts, the world holds what its output clause says.

The evidence is that of (V8), on inputs, and its places tell more: for each column of the input and each place
to the left of it, what is *wanted* there: a symbol, -1 to the left of a number, -2 for nothing.

(V9) Theorem, results. Let LEFT and RIGHT be the same table. Let the conditions of (V8) hold, and
       (a) for each declared input, let there be a path of places with its symbols, blanks after it, and to
           the left of it, on which is wanted what the output clause says of this input (`readings`);
       (b) at each element in which LEFT halts, and for each chain of grams to its left and to its right that
           begins with what the element knows, let every column hold what is wanted: all cells blank but the
           one in the row of the result, and that one blank for -2 (B); the symbol, or 0 for -1 (D); or blank
           for -1, or where a 0 of a number is wanted (Z). The columns of a number must be Z … Z D … D B … B
           from left to right, with a D.
     Then, on every declared input, if LEFT halts, the result is what the clause says: in the row of the
     result stand the wanted symbols, for a number perhaps with zeros before it or without zeros at its
     beginning, and nothing else in the world.
     The places of (a) label the columns of the first world, and no step changes a place; by (V8) an element
     stands for the world at the halt with these places, so its columns are such chains: each is a gram of the
     kind of LEFT's state, and begins as the one nearer to the head goes on. Outside of the strip all is
     blank.
     For (a), all inputs are read at once: the clauses of input and output together, and the set of places
     where one may be. A path to the left, and one after the end, goes on for ever with the last thing wanted.

A run that has left the strip in a descent may halt there: so there must be no descents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gridlang.compiler.verifier.clauses.conditions import declared
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.clauses.outputs import Word
from gridlang.compiler.verifier.clauses.readings import ORDERED, Reading, held, reading_of
from gridlang.compiler.verifier.clauses.verdicts import NOTHING
from gridlang.compiler.verifier.columns import read_columns
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.reaching import leading_to
from gridlang.compiler.verifier.strips import StripsCheck
from gridlang.compiler.verifier.tables import Rules, are_lists, are_numbers, check

PARTS = {"row", "anchor", "before", "beside", "expects", "expects_before"}
Node = tuple[int, Any]  # the states of the input clause, as a set, and the state of the reading


def check_results(left: Rules, right: Rules, evidence: dict[str, Any], stuck: str) -> tuple[int, int, int]:
    """(V9); counts as for strips."""
    where = "evidence, result"
    result = evidence["result"]
    check(left.output and stuck == "never", "claim", "there is no output clause, or it may be stuck")
    check(set(result) == PARTS, where, "something is missing or unknown")
    check(not evidence["descents"], "evidence, descents", "there must be none where results are claimed")
    return _ResultsCheck(left, right, evidence, stuck, result).check()


class _ResultsCheck(StripsCheck):
    """A strip whose places tell what is wanted."""

    def __init__(
        self, left: Rules, right: Rules, evidence: dict[str, Any], stuck: str, result: dict[str, Any]
    ) -> None:
        self.result = result
        super().__init__(left, right, "inputs", evidence, stuck)
        self.row = result["row"]
        exists = type(self.row) is int and self.low <= self.row <= self.high
        check(exists, "evidence, result", "its row is not of the strip")

    def _read_columns(self, scope: str, columns: dict[str, Any] | None) -> None:
        """Places with what is wanted there: (a)."""
        where = "evidence, columns"
        self.starts, steps = read_columns(self.left, scope, columns)
        self.before, self.beside, self.steps = self.result["before"], self.result["beside"], steps
        check(are_lists(self.before) and are_lists(self.beside), where, "there must be lists of them")
        lefts = [to for row in (*self.before, *self.beside) for to in row]
        exist = are_numbers(lefts, 0, len(self.before)) and self.before
        check(exist, where, "one to the left does not exist")
        once = len(self.beside) == len(self.starts) == len(set(self.starts))
        check(once, where, "a start stands twice")
        for name, size in (("expects", len(steps)), ("expects_before", len(self.before))):
            wanted = self.result[name]
            known = are_numbers(wanted, NOTHING, len(self.left.symbols)) and len(wanted) == size
            check(known, "evidence, result", "what is wanted does not exist")
        clause = declared(self.left)
        self.reading = reading_of(self.left, clause, self._anchor())
        _Cover(self.left, clause, self.reading, self.starts, steps, self.result).check()

    def _anchor(self) -> tuple[str, int] | None:
        anchor = self.result["anchor"]
        if anchor is None:
            return None
        side, offset = anchor
        known = side in ("start", "end") and type(offset) is int and abs(offset) <= 100
        check(known, "evidence, result", "it does not say where the text stands")
        return side, offset

    def check(self) -> tuple[int, int, int]:
        counts = super().check()
        seen: set[tuple[int, int, Word, str]] = set()
        for element in self.halts:  # (b)
            p, depth = element[0], self.depth
            here = self._column(element[3 + depth])
            sides = ((-1, element[3 : 3 + depth]), (1, element[4 + depth :]))
            work = [(side, self.kinds[p], near, here) for side, near in sides]
            while work:
                chain = work.pop()
                if chain not in seen:
                    seen.add(chain)
                    work += self._further(*chain)
        return counts

    def _further(self, side: int, kind: int, near: Word, before: str) -> Iterator[tuple[int, int, Word, str]]:
        """The next columns of a chain, which must be as they are wanted."""
        for label, *beyond in self.ahead[side][kind].get(near, ()):
            here = self._column(label)
            pair = before + here if side > 0 else here + before
            check(self.reading.zero is None or pair in ORDERED, "evidence", "a result has a gap")
            yield side, kind, tuple(beyond), here

    def _column(self, label: int) -> str:
        """B, D or Z; Wrong if a column may not be as it is wanted."""
        *cells, place, _ = self.labels[label]
        cell = cells.pop(self.row - self.low)
        wanted = self.result["expects"][place] if place >= 0 else self.result["expects_before"][-1 - place]
        check(not any(cells), "evidence", "LEFT may halt where more stands than a result")
        return held(cell, wanted, self.reading.zero)


class _Cover:
    """(V9) (a): every input has a path of places on which is wanted what the clause says of it."""

    def __init__(
        self,
        left: Rules,
        clause: InputClause,
        reading: Reading,
        starts: list[int],
        steps: list[list[list[int]]],
        result: dict[str, Any],
    ) -> None:
        self.left, self.clause, self.reading = left, clause, reading
        self.starts, self.steps, self.result = starts, steps, result
        blank = any("_" in symbols for symbols, _ in clause.reads.values())
        check(not blank, "left", "a blank may stand in an input, so its end cannot be seen")
        blanks = {
            place: steps[place][0] for place in range(len(steps)) if result["expects"][place] == NOTHING
        }
        self.nothing_after = _endless(blanks)
        rest = range(len(result["before"]))
        self.rest = _endless(
            {
                place: result["before"][place]
                for place in rest
                if result["expects_before"][place] == reading.left
            }
        )

    def check(self) -> None:
        onward = self._onward()
        ends = [node for node in onward if self._after(node) is not None]
        live = leading_to(ends, {node: [to for *_, to in steps] for node, steps in onward.items()})
        work: list[tuple[frozenset[int], Node]] = []
        for state, outwards in self.reading.starts:
            near = {
                place
                for place, lefts in zip(self.starts, self.result["beside"], strict=True)
                if any(self._spells(left, outwards) for left in lefts)
            }
            work.append((frozenset(near), (self.clause.start(), state)))
        seen = set(work)
        for places, node in work:
            check(
                len(seen) <= LIMITS.cover_sets,
                "evidence, columns",
                f"more than {LIMITS.cover_sets:,} sets of places are refused",
            )
            if node not in live:
                continue
            after = self._after(node)
            check(after is None or self._ends(places, after), "evidence, columns", "an input is left out")
            for symbol, wanted, later in onward[node]:
                fits = [place for place in places if self.result["expects"][place] == wanted]
                new = frozenset(to for place in fits for to in self.steps[place][symbol]), later
                if new not in seen:
                    seen.add(new)
                    work.append(new)

    def _after(self, node: Node) -> Word | None:
        here, state = node
        return self.reading.ended(state) if self.clause.may_end(here) else None

    def _onward(self) -> dict[Node, list[tuple[int, int, Node]]]:
        """All states of both clauses: a symbol, what is wanted in its column, and the next state of both."""
        onward: dict[Node, list[tuple[int, int, Node]]] = {}
        work: list[Node] = [(self.clause.start(), state) for state, _ in self.reading.starts]
        for node in work:
            if node in onward:
                continue
            check(len(onward) <= LIMITS.cover_sets, "left", "its clauses have too many states")
            onward[node] = []
            for number, symbol in enumerate(self.left.symbols):
                there = self.clause.step(node[0], symbol)
                if not there:
                    continue
                steps = self.reading.step(node[1], self.clause.part_read(node[0], symbol), symbol)
                onward[node] += [(number, wanted, (there, later)) for later, wanted in steps]
            work += [later for _, _, later in onward[node]]
        return onward

    def _spells(self, left: int, outwards: Word) -> bool:
        """Whether a path to the left wants these, and then the rest for ever."""
        here = {left}
        for wanted in outwards:
            fits = [place for place in here if self.result["expects_before"][place] == wanted]
            here = {to for place in fits for to in self.result["before"][place]}
        return bool(here & self.rest)

    def _ends(self, places: Iterable[int], after: Word) -> bool:
        """Whether a path of blanks wants these, and then nothing for ever."""
        here = set(places)
        for wanted in after:
            fits = [place for place in here if self.result["expects"][place] == wanted]
            here = {to for place in fits for to in self.steps[place][0]}
        return bool(here & self.nothing_after)


def _endless(steps: dict[int, list[int]]) -> set[int]:
    """The places from which a path goes on for ever within these."""
    places = set(steps)
    while ends := {place for place in places if not places & set(steps[place])}:
        places -= ends
    return places
