"""Small formulas and conditions over parameters and the symbol read, as values at many cells at once.

The cost of a formula is the number of its words, so that the shortest that fits is taken; of equals sums come
before differences, and words before numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[np.int64]
Truth = npt.NDArray[np.bool_]
# variables, of a letter each; not those in quotes, which are symbols
VARIABLES, READ = re.compile(r"(?<!')\b[a-z]\b(?!')"), re.compile(r"(?<!')\bd\b(?!')")
ATOM, PRODUCT, SUM, CHOICE = range(4)  # how tightly a formula binds
OPERATORS = 2  # of a formula, besides mod, div and comparison
SQUARE = 4.0  # more words for a product of a word with itself
PROBES = 6  # cells that rule out most formulas


class Formula(NamedTuple):
    cost: float
    text: str
    values: Column
    binds: int
    modulo: Formula | None = None  # what it is the rest of

    def inside(self) -> str:
        """As the formatter writes it within another: `(v+d)`, `(v*d + c)`."""
        text = self.text.replace(" ", "") if self.text.count(" ") == 2 and "*" not in self.text else self.text
        return self.text if self.binds < SUM else f"({text})"


class Formulas:
    """All small formulas over some words, the shortest first; two that agree at all cells are one."""

    def __init__(self, words: Mapping[str, Column], base: int) -> None:
        self._seen: set[bytes] = set()
        self.base = base
        size = len(next(iter(words.values())))
        basic = [Formula(1, word, column, ATOM) for word, column in words.items()]
        basic = [formula for formula in basic if self._is_new(formula)]
        numbers = {base: "base", base - 1: "base - 1", 1: "1"}
        known = [
            Formula(1.1 if n == 1 else 1.3, text, np.full(size, n, np.int64), ATOM if n != base - 1 else SUM)
            for n, text in numbers.items()
        ]
        found, level = list(basic), basic
        for depth in range(OPERATORS):
            level = [new for one in level for new in self._joined(one, basic + known, depth)]
            found += level
        for one in list(found):
            found += self._reduced(one, base)
        for one in [f for f in found if f.binds < CHOICE][: len(basic) * 40]:
            found += self._chosen(one, basic + known)
        found.sort(key=lambda f: f.cost)
        self.all = found
        self.values = np.ascontiguousarray(np.stack([f.values for f in found], axis=1))  # (cells, formulas)

    def _is_new(self, formula: Formula) -> bool:
        key = formula.values.tobytes()
        new = key not in self._seen
        self._seen.add(key)
        return new

    def _joined(self, one: Formula, leaves: list[Formula], depth: int) -> list[Formula]:
        new = []
        for leaf in leaves:
            cost = one.cost + leaf.cost + 1
            made = [
                Formula(cost, f"{one.text} + {leaf.text}", one.values + leaf.values, SUM),
                Formula(cost + 0.1, f"{one.text} - {leaf.inside()}", one.values - leaf.values, SUM),
            ]
            if one.binds < SUM:
                text = f"{one.text}*{leaf.inside()}"
                square = SQUARE if leaf.text in one.text else 0.1
                made.append(Formula(cost + square, text, one.values * leaf.values, PRODUCT))
            if not depth:
                text = f"{leaf.text} - {one.text}"
                made.append(Formula(cost + 0.2, text, leaf.values - one.values, SUM))
            new += [formula for formula in made if self._is_new(formula)]
        return new

    def _reduced(self, one: Formula, base: int) -> list[Formula]:
        made = (
            Formula(one.cost + 2, f"{one.inside()} mod base", one.values % base, PRODUCT, one),
            Formula(one.cost + 2, f"{one.inside()} div base", one.values // base, PRODUCT),
        )
        return [formula for formula in made if self._is_new(formula)]

    def _chosen(self, one: Formula, leaves: list[Formula]) -> list[Formula]:
        new = []
        for leaf in leaves:
            for sign, truth in (("<", one.values < leaf.values), ("==", one.values == leaf.values)):
                text = f"1 if {one.text} {sign} {leaf.text} else 0"
                made = Formula(one.cost + leaf.cost + 5, text, truth.astype(np.int64), CHOICE)
                new += [made] if self._is_new(made) else []
        return new

    def fitting(self, wanted: Column, at: npt.NDArray[np.intp]) -> Formula | None:
        """The shortest formula with the wanted values at some cells."""
        alive = np.arange(len(self.all))
        for i in at[:: max(1, len(at) // PROBES)]:
            alive = alive[self.values[i, alive] == wanted[i]]
        for i in alive.tolist():
            if np.array_equal(self.values[at, i], wanted[at]):
                return self.all[i]
        return None

    def carry_of(self, rest: Formula | None) -> Formula | None:
        """What is carried where the rest is written: `x div base` of `x mod base`, for the cost of a word."""
        whole = rest.modulo if rest else None
        return whole and Formula(1, f"{whole.inside()} div base", whole.values // self.base, PRODUCT)

    def most_fitting(self, wanted: Column, at: npt.NDArray[np.intp]) -> tuple[Formula, Truth]:
        """The formula with the wanted value at most of the cells, and at which."""
        hits = self.values[at] == wanted[at, None]
        best = int(hits.sum(axis=0).argmax())
        return self.all[best], hits[:, best]


class Condition(NamedTuple):
    cost: float
    text: str
    opposite: str
    holds: Truth

    def negated(self) -> Condition:
        return Condition(self.cost, self.opposite, self.text, ~self.holds)


class Word(NamedTuple):
    """A parameter, or the symbol read; words of one sort are compared, and all but moves have sums."""

    name: str
    sort: int
    values: Column


NUMBERS, MOVES = -1, -2  # sorts; others are a class of symbols that are no digits


def conditions(words: Sequence[Word], said: Callable[[int, int], str]) -> list[Condition]:
    """Comparisons of words, and of words and sums with what they may be; the shortest first."""
    found: list[Condition] = []
    seen: set[bytes] = set()

    def add(cost: float, text: str, opposite: str, holds: Truth) -> None:
        key, other = holds.tobytes(), (~holds).tobytes()
        if not holds.all() and holds.any() and key not in seen and other not in seen:
            seen.update((key, other))
            found.append(Condition(cost, text, opposite, holds))

    for one, other in combinations(words, 2):
        if one.sort == other.sort:
            a, b = one.name, other.name
            add(3, f"{a} == {b}", f"{a} != {b}", one.values == other.values)
            if one.sort != MOVES:
                add(3, f"{a} < {b}", f"{a} >= {b}", one.values < other.values)
                add(3, f"{a} > {b}", f"{a} <= {b}", one.values > other.values)
    for word in words:
        for value in sorted(set(word.values.tolist())):
            add(*_compared(1, word.name, word.values, value, partial(said, word.sort), word.sort == NUMBERS))
            if word.sort == NUMBERS:
                add(*_below(1, word.name, word.values, value, partial(said, NUMBERS)))
    for one, other in combinations([word for word in words if word.sort != MOVES], 2):
        for sign, values in (("+", one.values + other.values), ("-", one.values - other.values)):
            text = f"{one.name} {sign} {other.name}"
            for value in sorted(set(values.tolist())):
                add(*_compared(3, text, values, value, partial(said, NUMBERS)))
                add(*_below(3, text, values, value, partial(said, NUMBERS)))
    return sorted(found, key=lambda condition: condition.cost)


Said = Callable[[int], str]


def _compared(
    cost: float, text: str, values: Column, value: int, said: Said, ordered: bool = True
) -> tuple[float, str, str, Truth]:
    """The condition and its opposite: `c == 0` with `c == 1` if c is 0 or 1, else with `c > 0`."""
    rest = sorted(set(values.tolist()) - {value})
    sign = ">" if ordered and rest[:1] > [value] else "<" if ordered and rest[-1:] < [value] else "!="
    opposite = f"{text} == {said(rest[0])}" if len(rest) == 1 else f"{text} {sign} {said(value)}"
    return cost + 2, f"{text} == {said(value)}", opposite, values == value


def _below(cost: float, text: str, values: Column, value: int, said: Said) -> tuple[float, str, str, Truth]:
    above = sorted(set(values[values >= value].tolist()))
    opposite = f"{text} == {said(value)}" if len(above) == 1 else f"{text} >= {said(value)}"
    return cost + 2, f"{text} < {said(value)}", opposite, values < value
