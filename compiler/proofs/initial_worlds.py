"""Grounds: what may stand in a world before the first step, cell by cell and neighbour by neighbour.

A cell has a label: its symbol, its row, its column and its mark. Rows three or more away from row 0 are one;
a column is told by where in the input it lies. On the ground of all worlds there is one place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from compiler.proofs.input_automaton import RowAutomaton

FAR = 3  # rows from here on, up and down, are one place
BEFORE = -1  # the columns left of the input
FRESH = -1  # the mark of a cell that was never acted on
UP, DOWN, LEFT_, RIGHT_ = range(4)
BACK = (DOWN, UP, RIGHT_, LEFT_)
MOST_COLUMNS = 2_000

Label = tuple[int, int, int, int]  # symbol, row, column, mark


class Columns(NamedTuple):
    """Where in an input a column lies: `steps[column][symbol]` are the places that the next one may be.

    Every row of a declared input, blanks after it, is a path from one of the starts.
    """

    starts: tuple[int, ...]
    steps: tuple[tuple[tuple[int, ...], ...], ...]


def columns_of(automaton: RowAutomaton, ahead: int = 0) -> Columns:
    """A column is the state that its row is in before it, and the next ones, as many as are looked ahead.

    Where that makes too many columns, fewer are looked ahead.
    """
    follows = [sorted({after for after in row if after is not None}) for row in automaton.steps]
    starts: list[tuple[int, ...]] = [(0,)]
    for _ in range(ahead):
        starts = [(*run, after) for run in starts for after in follows[run[-1]]]
    number = {run: index for index, run in enumerate(starts)}
    runs, steps = list(starts), []
    for run in runs:
        if ahead and len(runs) > MOST_COLUMNS:
            return columns_of(automaton, ahead - 1)
        later = [(*run[1:], after) for after in follows[run[-1]]]
        for one in later:
            if one not in number:
                number[one] = len(runs)
                runs.append(one)
        steps.append(
            tuple(tuple(number[one] for one in later if one[0] == to) for to in automaton.steps[run[0]])
        )
    return Columns(tuple(range(len(starts))), tuple(steps))


class Ground(NamedTuple):
    """What stands in the world before the first step."""

    starts: tuple[Label, ...]  # of the cell under the head
    pairs: tuple[tuple[int, Label, Label], ...]  # direction, label, and the label on that side
    columns: Columns | None = None


def all_worlds(symbols: int) -> Ground:
    """Any symbol anywhere; all cells are one place."""
    labels = tuple((symbol, 0, 0, FRESH) for symbol in range(symbols))
    return Ground(labels, tuple((d, a, b) for d in (DOWN, RIGHT_) for a in labels for b in labels))


def declared_inputs(columns: Columns) -> Ground:
    """An input on row 0 from column 0, blanks around it."""
    starts = tuple(label for column in columns.starts for label in _fresh(columns, 0, column))
    return Ground(starts, tuple(_pairs(columns)), columns)


def _pairs(columns: Columns) -> Iterator[tuple[int, Label, Label]]:
    for row in range(-FAR, FAR + 1):
        lower = {-FAR: (-FAR, 1 - FAR), FAR: (FAR,)}.get(row, (row + 1,))
        for column in range(BEFORE, len(columns.steps)):
            for label in _fresh(columns, row, column):
                for later in _after(columns, row, column, label[0]):
                    yield from ((RIGHT_, label, other) for other in _fresh(columns, row, later))
                for below in lower:
                    yield from ((DOWN, label, other) for other in _fresh(columns, below, column))


def _after(columns: Columns, row: int, column: int, symbol: int) -> set[int]:
    """The places that the next column may be."""
    if column == BEFORE:
        return {BEFORE, *columns.starts}
    steps = columns.steps[column]
    return set(steps[symbol]) if row == 0 else {after for afters in steps for after in afters}


def _fresh(columns: Columns, row: int, column: int) -> list[Label]:
    """What a cell may hold that was never acted on."""
    if row != 0 or column == BEFORE:
        return [(0, row, column, FRESH)]
    return [(symbol, row, column, FRESH) for symbol, after in enumerate(columns.steps[column]) if after]
