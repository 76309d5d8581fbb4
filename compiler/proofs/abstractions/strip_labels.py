"""Labels of the columns of a strip, and how much of them is told apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gridlang.compiler.automata.explore import strong_components
from gridlang.compiler.proofs.abstractions.columns import FRESH
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.table import Table

StripLabel = tuple[tuple[int, ...], int, int]  # cells from the top row down, place, mark


class StripDetail(NamedTuple):
    """How much is told apart: columns known beside the head, marks, kinds, columns that a place looks ahead,
    whether written symbols are dimmed to their classes, and whether a column remembers all marks that it had.
    """

    depth: int
    marks: tuple[int, ...]
    kinds: tuple[int, ...]
    ahead: int
    dimmed: bool
    remembers: bool = False


def families_and_states(table: Table) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What marks and kinds tell apart: families and states of an agent; of a large one its cycles, if few.

    Grams grow with a power of the kinds.
    """
    families, states = table.family_numbers(), tuple(range(len(table.states)))
    if len(states) > LIMITS.most_kinds:
        steps = [(state, entry.next) for state, _, entry in table.entries()]
        states = tuple(strong_components(len(states), steps))
        states = states if max(states) < LIMITS.most_kinds else (0,) * len(states)
    return families if max(families) < LIMITS.most_kinds else states, states


def strip_details(left: Table) -> Iterator[StripDetail]:
    """What to try, from coarse to fine."""
    families, states = families_and_states(left)
    for dimmed in (True, False):
        for depth in (1, 2):
            yield StripDetail(depth, families, families, 0, dimmed)
            if depth == 1:
                yield StripDetail(depth, families, families, 0, dimmed, remembers=True)
            yield StripDetail(depth, families, states, 1, dimmed)
            yield StripDetail(depth, states, states, 2, dimmed)


def symbol_classes(table: Table) -> tuple[int, ...]:
    """A number for each symbol; symbols have the same if the same named classes contain them."""
    numbers: dict[object, int] = {}
    classes = [(name, chars) for name, chars in table.classes if len(chars) > 1]
    alike = [tuple(name for name, chars in classes if symbol in chars) or symbol for symbol in table.symbols]
    return tuple(numbers.setdefault(names, len(numbers)) for names in alike)


class Marks:
    """Marks that states leave: their own numbers, or one for all that a column had and the last of them."""

    def __init__(self, of_states: Sequence[int], remembers: bool) -> None:
        self.of_states, self.remembers = of_states, remembers
        self._number: dict[tuple[frozenset[int], int], int] = {}
        self._had: list[frozenset[int]] = []

    def after(self, before: int, state: int) -> int:
        """The mark of a column with a mark, or none, after a state has acted on it."""
        last = self.of_states[state]
        if not self.remembers:
            return last
        key = (self._past(before) | {last}, last)
        if key not in self._number:
            self._number[key] = len(self._had)
            self._had.append(key[0])
        return self._number[key]

    def _past(self, mark: int) -> frozenset[int]:
        return frozenset() if mark == FRESH else self._had[mark]

    def evidence(self) -> Sequence[int | list[int]]:
        """For each state its mark, or what it leaves on each mark, none first; 0 where it never acts.

        -1 - p for what state p leaves.
        """
        if not self.remembers:
            return self.of_states
        pasts = [self._past(mark) for mark in range(FRESH, len(self._had))]
        return [
            [self._number.get((past | {last}, last), 0) for past in pasts] if first == state else -1 - first
            for state, last in enumerate(self.of_states)
            for first in [self.of_states.index(last)]
        ]


class StripLabels:
    """Labels by number, and the coarse number of each."""

    def __init__(self, classes: tuple[int, ...], low: int, high: int) -> None:
        self.low, self.height, self.classes = low, high - low + 1, classes
        self.members = [
            tuple(s for s, other in enumerate(classes) if other == number)
            for number in range(max(classes) + 1)
        ]
        self.labels: list[StripLabel] = []
        self.coarse: list[int] = []
        self.rough: list[StripLabel] = []  # labels by classes, by coarse number
        self._number: dict[StripLabel, int] = {}
        self._coarse_number: dict[StripLabel, int] = {}
        self._written: dict[tuple[int, int, int, int, bool], int] = {}

    def number(self, label: StripLabel) -> int:
        number = self._number.get(label)
        if number is None:
            number = self._number[label] = len(self.labels)
            cells, place, mark = label
            rough = (tuple([self.classes[s] if s >= 0 else -1 - s for s in cells]), place, mark)
            self.labels.append(label)
            if rough not in self._coarse_number:
                self._coarse_number[rough] = len(self.rough)
                self.rough.append(rough)
            self.coarse.append(self._coarse_number[rough])
        return number

    def on_row_0(self, symbol: int, place: int) -> int:
        """A column that was never acted on: a symbol on row 0, all else blank."""
        cells = [0] * self.height
        cells[-self.low] = symbol
        return self.number((tuple(cells), place, FRESH))

    def symbols(self, cell: int) -> tuple[int, ...]:
        return (cell,) if cell >= 0 else self.members[-1 - cell]

    def written(self, label: int, row: int, symbol: int, mark: int, dimmed: bool) -> int:
        key = (label, row, symbol, mark, dimmed)
        after = self._written.get(key)
        if after is None:
            after = self._written[key] = self._after(*key)
        return after

    def _after(self, label: int, row: int, symbol: int, mark: int, dimmed: bool) -> int:
        before, place, _ = self.labels[label]
        cells = list(before)
        cells[row - self.low] = symbol
        if dimmed:
            several = [s >= 0 and len(self.members[self.classes[s]]) > 1 for s in cells]
            cells = [-1 - self.classes[s] if many else s for s, many in zip(cells, several, strict=True)]
        return self.number((tuple(cells), place, mark))
