"""The part of `verify` that knows where a column lies in the first world, as far as (V12) tells it.

The columns of a declared input are read from the left, by the states in which the input clause may be, and by
two distances: from the first column and from the last. Each is told up to a bound; the second is guessed, and
only right guesses come to the end. Columns before and after the input are counted outwards, up to as many.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gridlang.compiler.verifier.clauses.conditions import declared
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.reaching import leading_to
from gridlang.compiler.verifier.tables import Rules, check


class Place(NamedTuple):
    """What is told of a column; None for what is not."""

    part: int  # of the input; -1 before it, the number of parts after it
    from_first: int | None  # its number, counted from the input's first column
    from_end: int | None  # the same from the first column after the input


Reading = tuple[int, int, int]  # states of the clause before a column, its distances from first and last


class Places:
    """All places, and what may stand in each, with the place that is next to it."""

    def __init__(self, left: Rules, near: int, far: int) -> None:
        self.clause, self.symbols = declared(left), left.symbols
        blank = any("_" in symbols for symbols, _ in self.clause.reads.values())
        check(not blank, "left", "a blank may stand in an input, so its end cannot be seen")
        self.near, self.far, self.parts = near, far, len(self.clause.ends)
        check(self.parts <= LIMITS.parts, "left", "its input clause has too many parts")
        number = {symbol: index for index, symbol in enumerate(left.symbols)}
        self.symbols_of = [{number[name] for name in names} for names in self.clause.symbols_by_part]
        before = [Place(-1, -n if n <= near else None, None) for n in range(1, near + 2)]
        after = [Place(self.parts, None, n if n < far else None) for n in range(far + 1)]
        self.told = before + after
        self.before, self.after = 0, near + 1  # the first to each side
        self.outermost = {-1: near, 1: len(self.told) - 1}
        # (symbol, next place); to the left of the input, outwards
        self.onward = [[(0, min(n + 1, near))] for n in range(near + 1)]
        self.onward += [[(0, min(n + 1, len(self.told) - 1))] for n in range(near + 1, len(self.told))]
        self.starts = [self.after] * self.clause.may_end(self.clause.start())
        self._read()

    def _read(self) -> None:
        first = [(self.clause.start(), 0, rest) for rest in range(self.far + 1)]
        steps = self._steps(first)
        ends = [reading for reading, onward in steps.items() if any(to is None for *_, to in onward)]
        onwards = {reading: [to for *_, to in onward if to] for reading, onward in steps.items()}
        leads = leading_to(ends, onwards)
        live = [reading for reading in steps if reading in leads]
        number: dict[tuple[Reading, int], int] = {}
        of: dict[Reading, list[int]] = {}
        for reading in live:
            _, distance, rest = reading
            of[reading] = []
            for part in sorted({part for _, part, to in steps[reading] if to is None or to in leads}):
                number[reading, part] = len(self.told)
                of[reading].append(len(self.told))
                told = distance if distance < self.near else None, -1 - rest if rest < self.far else None
                self.told.append(Place(part, *told))
                self.onward.append([])
        for reading in live:
            for symbol, part, to in steps[reading]:
                if to is None or to in leads:
                    onward = self.onward[number[reading, part]]
                    onward += [(symbol, place) for place in ([self.after] if to is None else of[to])]
        self.starts += [place for reading in first for place in of.get(reading, ())]

    def _steps(self, first: list[Reading]) -> dict[Reading, list[tuple[int, int, Reading | None]]]:
        """From each reading a symbol, its part, and the next reading; None where the input ends."""
        steps: dict[Reading, list[tuple[int, int, Reading | None]]] = {}
        work = list(first)
        for reading in work:
            if reading in steps:
                continue
            check(len(steps) < LIMITS.column_sets, "left", "its input clause has too many places")
            steps[reading] = list(self._onward(*reading))
            work += [to for _, _, to in steps[reading] if to is not None]
        return steps

    def _onward(self, here: int, distance: int, rest: int) -> Iterator[tuple[int, int, Reading | None]]:
        later = [rest - 1] if rest < self.far else [rest, rest - 1]  # -1: this was the last
        for number, symbol in enumerate(self.symbols):
            there = self.clause.step(here, symbol)
            if not there:
                continue
            part = self.clause.part_read(here, symbol)
            if -1 in later and self.clause.may_end(there):
                yield number, part, None
            for less in later:
                if less >= 0:
                    yield number, part, (there, min(distance + 1, self.near), less)
