"""Columns of declared inputs: which are told apart, by where in an input they lie."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from gridlang.compiler.automata.explore import TooLarge, explore
from gridlang.compiler.proofs.abstractions.input_automaton import RowAutomaton
from gridlang.compiler.proofs.limits import LIMITS

LEFT_SIDE, RIGHT_SIDE = 0, 1  # of the head
BEFORE = -1  # The columns left of the input have no number in `Columns`.
FRESH = -1  # A cell that was never acted on has this mark; marks that states leave count from 0.


class Columns(NamedTuple):
    """Where in an input a column lies: `steps[column][symbol]` are those that the next one may be.

    Every row of a declared input, blanks after it, is a path from one of the starts.
    """

    starts: tuple[int, ...]
    steps: tuple[tuple[tuple[int, ...], ...], ...]


class Anchor(NamedTuple):
    """Where a text stands: columns from the first one of the input, or from the first one after it."""

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
    zero: int | None  # of a number
    anchor: Anchor


Run = tuple[int, ...]  # states of the automaton, column by column


@lru_cache(maxsize=16)
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
        runs = explore(starts, later, LIMITS.most_input_states).nodes
    except TooLarge:
        return columns_of(automaton, ahead - 1)
    number = {run: index for index, run in enumerate(runs)}

    def columns_after(run: Run, to: int | None) -> tuple[int, ...]:
        return tuple(number[after] for _, after in later(run) if after[0] == to)

    steps = tuple(tuple(columns_after(run, to) for to in automaton.steps[run[0]]) for run in runs)
    return Columns(tuple(range(len(starts))), steps)
