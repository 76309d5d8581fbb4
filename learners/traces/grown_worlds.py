"""Worlds that grow under an agent's walk: a cell gets its symbol when the agent first reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gridlang.table import DELTAS, Table
from gridlang.world import Cell, World


class FreshCell(NamedTuple):
    """A cell that the agent is about to read for the first time."""

    cell: Cell
    number: int  # So many cells were read before it.
    step: int  # So many steps were done before it.
    state: int
    known: list[int]  # The agent has a rule for these symbols in this state.


ChooseSymbol = Callable[[FreshCell], int | None]  # None ends the walk before the cell is read.


def grown_world(
    table: Table,
    choose: ChooseSymbol,
    steps: int,
    start: Cell = (0, 0),
    uses: list[list[int]] | None = None,
) -> World:
    """The world that was chosen cell by cell, until the agent halts, is stuck, or has done so many steps.

    Each rule that is applied, the halt too, is counted in `uses` (states, symbols) before the next choice.
    """
    first: dict[Cell, int] = {}
    now: dict[Cell, int] = {}
    # They are kept by state: a walk comes back to a few states again and again.
    known: dict[int, list[int]] = {}
    cell, state = start, 0
    for step in range(steps):
        row = table.rows[state]
        read = now.get(cell)
        if read is None:
            if state not in known:
                known[state] = [symbol for symbol, entry in enumerate(row) if entry is not None]
            read = choose(FreshCell(cell, len(first), step, state, known[state]))
            if read is None:
                break
            first[cell] = read
        entry = row[read]
        if entry is None:
            break
        if uses is not None:
            uses[state][read] += 1
        if entry.is_idle(read):
            break
        now[cell] = entry.write
        (x, y), (dx, dy) = cell, DELTAS[entry.move]
        cell, state = (x + dx, y + dy), entry.next
    return World({cell: table.symbols[symbol] for cell, symbol in first.items()}, start)
