"""Snapped inference step by step, as its equations say it: slow, and what `snapped_table` is held against."""

from __future__ import annotations

from gridlang.compiler.extraction.snapped_inference import (
    StateCodebook,
    decided,
    state_of,
)
from gridlang.compiler.simulation.simulate import Action, Run
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.model import symbols_of
from gridlang.outcomes import Outcome, Reason
from gridlang.table import BLANK, DELTAS, MOVES
from gridlang.world import World


def run_snapped(
    dfst: Dfst, book: StateCodebook, world: World, steps: int = 10_000_000, *, trace: bool = False
) -> Run:
    """A snapped run with all its float32 products, step by step: slow, and what (25) is about."""
    symbols, names = symbols_of(dfst), book.table.symbols
    cells, (x, y), state = dict(world.cells), world.start, state_of(book, dfst.h0)
    actions: list[Action] = []
    outcome, done = Outcome.BUDGET, 0
    reason: Reason | None = None
    while done < steps:
        read = cells.get((x, y), BLANK)
        symbol = symbols.index(read)
        seen = state is not None and book.table.rows[state][names.index(read)] is not None
        choice = decided(dfst, book.centre[state], symbol) if state is not None and seen else None
        if state is None or choice is None:
            outcome, reason = Outcome.STUCK, Reason.OFF_CODEBOOK
            break
        done, action = done + 1, Action(read, symbols[choice[0]], dfst.moves[choice[1]])
        actions.append(action)
        cells[x, y] = action.write
        dx, dy = DELTAS[MOVES.index(action.move)]
        x, y = x + dx, y + dy
        if action.write == read and action.move == "S":
            outcome = Outcome.HALTED
            break
        state = state_of(book, dfst.A[symbol] @ book.centre[state])
    name = "" if state is None else book.table.states[state]
    left = World({cell: symbol for cell, symbol in cells.items() if symbol != BLANK}, (x, y))
    under = cells.get((x, y), BLANK)
    return Run(outcome, done, name, (x, y), under, left, tuple(actions) if trace else None, None, reason)
