"""Initial worlds: what may stand in a world before the first step, cell by cell and neighbour by neighbour.

A cell has a label: its symbol, its row, its column and its mark. For declared inputs, rows three or more away
from row 0 are one row, and a column is told by where in the input it lies. For all worlds there is one row
and one column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from compiler.automata.explore import TooLarge, explore
from compiler.proofs.abstractions.adjacency import DOWN, RIGHTWARDS, Label
from compiler.proofs.abstractions.input_automaton import MOST_STATES, RowAutomaton

# Rows from here on, up and down, are one row: each more that is told apart costs labels for every column, and
# two on either side are enough to know the input from what is written beside it. The verifier knows it too.
FAR = 3
BEFORE = -1  # The columns left of the input have no number in `Columns`.
FRESH = -1  # A cell that was never acted on has this mark; marks that states leave count from 0.
# An automaton is never larger, so its columns always fit where nothing is looked ahead.
MOST_COLUMNS = MOST_STATES


class Columns(NamedTuple):
    """Where in an input a column lies: `steps[column][symbol]` are those that the next one may be.

    Every row of a declared input, blanks after it, is a path from one of the starts.
    """

    starts: tuple[int, ...]
    steps: tuple[tuple[tuple[int, ...], ...], ...]


class Anchor(NamedTuple):
    """Where a text stands: so many columns from the first of the input, or from the first one after it."""

    end: bool
    offset: int


class ExpectedColumns(NamedTuple):
    """Places with what is wanted there; those left of the input count -1, -2 … in labels, and here 0, 1 …

    `beside` has, for each start, what may lie to the left of it, and `before` what lies left of that.
    """

    columns: Columns
    beside: tuple[tuple[int, ...], ...]
    before: tuple[tuple[int, ...], ...]
    expects: tuple[int, ...]  # a symbol, or a negative number for none
    expects_before: tuple[int, ...]
    numeric: bool
    anchor: Anchor


Run = tuple[int, ...]  # The automaton goes through these states, one column after the other.


def columns_of(automaton: RowAutomaton, ahead: int = 0) -> Columns:
    """Which columns are told apart: by the automaton's state before a column, and by the next states.

    In `a = digit+, '+', b = digit+` the columns of a, of the sign, of b and after the end are told apart
    without looking ahead; with one state looked ahead the last digit of a is told from the others. Where
    that makes too many columns, fewer states are looked ahead.
    """
    follows = [sorted({after for after in row if after is not None}) for row in automaton.steps]
    starts: list[Run] = [(0,)]
    for _ in range(ahead):
        starts = [(*run, after) for run in starts for after in follows[run[-1]]]

    def later(run: Run) -> Iterable[tuple[int, Run]]:
        return ((after, (*run[1:], after)) for after in follows[run[-1]])

    try:
        runs = explore(starts, later, MOST_COLUMNS).nodes
    except TooLarge:
        return columns_of(automaton, ahead - 1)
    number = {run: index for index, run in enumerate(runs)}

    def columns_after(run: Run, to: int | None) -> tuple[int, ...]:
        return tuple(number[after] for _, after in later(run) if after[0] == to)

    steps = tuple(tuple(columns_after(run, to) for to in automaton.steps[run[0]]) for run in runs)
    return Columns(tuple(range(len(starts))), steps)


class InitialWorlds(NamedTuple):
    """What may stand in a world before the first step, by labels and by pairs of neighbours."""

    starts: tuple[Label, ...]  # The cell under the head has one of these.
    pairs: tuple[tuple[int, Label, Label], ...]  # The second label may stand on that side of the first.
    columns: Columns | None = None  # None stands for all worlds.


def all_worlds(symbols: int) -> InitialWorlds:
    """Any symbol anywhere; all cells are in one row and one column."""
    labels = tuple((symbol, 0, 0, FRESH) for symbol in range(symbols))
    return InitialWorlds(labels, tuple((d, a, b) for d in (DOWN, RIGHTWARDS) for a in labels for b in labels))


def declared_inputs(columns: Columns) -> InitialWorlds:
    """An input on row 0 from column 0, blanks around it."""
    starts = tuple(label for column in columns.starts for label in _fresh(columns, 0, column))
    return InitialWorlds(starts, tuple(_pairs(columns)), columns)


def _pairs(columns: Columns) -> Iterator[tuple[int, Label, Label]]:
    """Every label above and left of every other that it may stand beside."""
    for row in range(-FAR, FAR + 1):
        lower = {-FAR: (-FAR, 1 - FAR), FAR: (FAR,)}.get(row, (row + 1,))
        for column in range(BEFORE, len(columns.steps)):
            for label in _fresh(columns, row, column):
                for later in _after(columns, row, column, label[0]):
                    yield from ((RIGHTWARDS, label, other) for other in _fresh(columns, row, later))
                for below in lower:
                    yield from ((DOWN, label, other) for other in _fresh(columns, below, column))


def _after(columns: Columns, row: int, column: int, symbol: int) -> set[int]:
    """What the next column may be."""
    if column == BEFORE:
        return {BEFORE, *columns.starts}
    steps = columns.steps[column]
    return set(steps[symbol]) if row == 0 else {after for afters in steps for after in afters}


def _fresh(columns: Columns, row: int, column: int) -> list[Label]:
    """The labels that a cell may have that was never acted on."""
    if row != 0 or column == BEFORE:
        return [(0, row, column, FRESH)]
    return [(symbol, row, column, FRESH) for symbol, after in enumerate(columns.steps[column]) if after]
