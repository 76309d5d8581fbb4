"""Natural numbers by which no row of a system goes up and some go down, found in whole numbers.

The vectors by which no row goes up are a cone. A ray of it along which some row falls is found by the simplex
method, as what may grow without end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from random import Random
from typing import Any, Protocol, TypeVar


class _Ordered(Protocol):
    def __lt__(self, other: Any, /) -> bool: ...
    def __hash__(self) -> int: ...


V = TypeVar("V", bound=_Ordered)
CONSTANT, GAIN = -1, -2  # beside the numbers of variables
DRAWN = 2**20


def ray(rows: Sequence[Mapping[V, int]]) -> dict[V, int] | None:
    """Natural numbers by which each row is at most 0, and some are below; None if there are none."""
    names = sorted({variable for row in rows for variable in row})
    number = {variable: len(rows) + index for index, variable in enumerate(names)}
    found = _Dictionary([{number[v]: -a for v, a in row.items() if a} for row in rows]).ray()
    return None if found is None else {names[v - len(rows)]: by for v, by in found.items()}


class _Dictionary:
    """Slacks of rows, and variables, some written by others: `scale * basic = constant + sum of a * other`.

    First all slacks are numbered, then all variables. Slacks begin as drawn numbers instead of 0: rays stay
    the same, and each pivot moves, so none is done twice. The gain is the sum of all slacks.
    """

    def __init__(self, rows: list[dict[int, int]]) -> None:
        drawn = Random(0)
        self.slacks = len(rows)
        gain: dict[int, int] = {}
        for row in rows:
            row[CONSTANT] = drawn.randrange(1, DRAWN)
            for v, a in row.items():
                gain[v] = gain.get(v, 0) + a
        self.written = {GAIN: gain, **dict(enumerate(rows))}
        self.scale = dict.fromkeys(self.written, 1)

    def ray(self) -> dict[int, int] | None:
        while True:
            gain = self.written[GAIN]
            entering = max((v for v in gain if v != CONSTANT), key=gain.__getitem__, default=None)
            if entering is None or gain[entering] <= 0:
                return None
            falling = [v for v, row in self.written.items() if v != GAIN and row.get(entering, 0) < 0]
            if not falling:
                return self._along(entering)
            self._pivot(entering, min(falling, key=lambda v: self._room(v, entering)))

    def _room(self, basic: int, entering: int) -> Fraction:
        """How far a variable may grow until another is 0."""
        row = self.written[basic]
        return Fraction(row.get(CONSTANT, 0), -row[entering])

    def _along(self, entering: int) -> dict[int, int]:
        """By how much all variables grow with one, the others that nothing is written for kept."""
        grown = {entering: Fraction(1)}
        for basic, row in self.written.items():
            if entering in row:
                grown[basic] = Fraction(row[entering], self.scale[basic])
        found = {v: by for v, by in grown.items() if v >= self.slacks}
        whole = lcm(*(by.denominator for by in found.values()))
        return {v: int(by * whole) for v, by in found.items()}

    def _pivot(self, entering: int, leaving: int) -> None:
        row, scale = self.written.pop(leaving), self.scale.pop(leaving)
        by = -row.pop(entering)
        row[leaving] = -scale
        for basic, other in self.written.items():
            a = other.pop(entering, 0)
            if a:
                self._replace(basic, other, a, row, by)
        self.written[entering], self.scale[entering] = row, by

    def _replace(self, basic: int, other: dict[int, int], a: int, row: dict[int, int], by: int) -> None:
        """Puts a row in the place of a variable that stood `a` times in another."""
        for v in other:
            other[v] *= by
        for v, b in row.items():
            other[v] = other.get(v, 0) + a * b
            if not other[v]:
                del other[v]
        scale = self.scale[basic] * by
        common = gcd(scale, *other.values())
        self.scale[basic] = scale // common
        if common > 1:
            for v in other:
                other[v] //= common
