"""A network in closed loop on a world: what it says is done, and what it then reads is its next input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from compiler.closed_loop import NOT_FINITE, decide
from compiler.dfst import Model, symbols_of
from compiler.simulate import (
    BUDGET,
    HALTED,
    MAX_CELLS,
    MEMORY_SPENT,
    STEPS_PER_REPORT,
    STUCK,
    Action,
    Record,
    Run,
    StepBuffer,
)
from gridlang.table import BLANK, DELTAS, MOVES
from gridlang.world import Cell, World
from learners.networks.closed_loop import Stepper


class ActingModel(Model, Protocol):
    """A model that is stepped, and what it is called where the state of a run is told."""

    @property
    def called(self) -> str: ...

    def stepper(self) -> Stepper: ...


def run_network(
    network: ActingModel,
    world: World,
    steps: int = 10_000_000,
    *,
    trace: bool = False,
    progress: Callable[[int], None] = lambda _: None,
    record: Record | None = None,
) -> Run:
    """Runs a network by its equations; as `run_dfst` does for a DFST."""
    symbols = symbols_of(network)
    place = {symbol: number for number, symbol in enumerate(symbols)}
    cells: dict[Cell, int] = {cell: place[symbol] for cell, symbol in world.cells.items()}
    stepper, k, empty = network.stepper(), len(symbols), place[BLANK]
    (x, y), state = world.start, stepper.start()
    actions: list[Action] = []
    recorded = StepBuffer(record) if record else None
    outcome, reason, done = BUDGET, "", 0
    while done < steps and len(cells) <= MAX_CELLS:
        symbol = cells.get((x, y), empty)
        outputs, state = stepper.step(state, symbol)
        decision = decide(outputs, k)
        if decision is None:
            outcome, reason = STUCK, NOT_FINITE
            break
        write, move = decision
        done += 1
        if done % STEPS_PER_REPORT == 0:
            progress(done)
        if trace:
            actions.append(Action(symbols[symbol], symbols[write], MOVES[move]))
        if recorded:
            recorded.add(symbol, write, move)
        cells[x, y] = write
        dx, dy = DELTAS[move]
        x, y = x + dx, y + dy
        if write == symbol and MOVES[move] == "S":
            outcome = HALTED
            break
    if recorded:
        recorded.flush()
    if outcome == BUDGET and done < steps:
        reason = MEMORY_SPENT
    final = World({cell: symbols[number] for cell, number in cells.items()}, (x, y))
    under = symbols[cells.get((x, y), empty)]
    kept = tuple(actions) if trace else None
    return Run(outcome, done, network.called, (x, y), under, final, kept, None, reason)
