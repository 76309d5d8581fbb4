"""A model in closed loop: what its outputs decide is written, and what it then reads is its next input.

`decide` is the one definition of what outputs mean; the loops in C and CUDA repeat it and name it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.simulation.simulate import Action, Record, Run, StepBuffer, kept_in
from gridlang.compiler.tensors.dfst import Floats
from gridlang.compiler.tensors.model import Model
from gridlang.outcomes import End, Outcome, Reason, outcome_of
from gridlang.table import BLANK, DELTAS, MOVES
from gridlang.world import Cell, World, is_far


class Decision(NamedTuple):
    """What a model does on one symbol, by its own numbers."""

    write: int
    move: int


def decide(outputs: Floats, symbols: int, strict: bool = False) -> Decision | None:
    """What outputs (symbols + moves,) decide; None where the model is stuck.

    The largest output wins, and of equal ones that of the lowest index. Outputs that are all zero mean stuck,
    and of a strict model those none of which is positive.
    """
    # Counting is what `any` and `all` do, at a third of the cost on vectors this short.
    if not np.count_nonzero(outputs) or np.count_nonzero(np.isfinite(outputs)) < len(outputs):
        return None
    if strict and not outputs.max() > 0:
        return None
    return Decision(int(outputs[:symbols].argmax()), int(outputs[symbols:].argmax()))


NO_RULE: dict[End, End] = dict.fromkeys(
    (Reason.ALL_ZERO, Reason.NONE_POSITIVE), Outcome.STUCK
)  # there is none


def why_stuck(outputs: Floats) -> Reason:
    """Why these outputs decide nothing."""
    if not np.isfinite(outputs).all():
        return Reason.NOT_FINITE
    return Reason.NONE_POSITIVE if outputs.any() else Reason.ALL_ZERO


def run_by_equations(
    model: Model,
    world: World,
    steps: int,
    *,
    trace: bool = False,
    progress: Callable[[int], None] = lambda _: None,
    record: Record | None = None,
) -> Run:
    """Runs a model in Python, exactly by its equations.

    `record` is given the steps in columns, many at a time, as numbers of the model's symbols and moves.
    """
    symbols, moves = model.symbols, model.moves
    place = {symbol: i for i, symbol in enumerate(symbols)}
    empty = place[model.metadata.get("blank", BLANK)]
    cells: dict[Cell, int] = {cell: place[symbol] for cell, symbol in world.cells.items()}
    shifts = [DELTAS[MOVES.index(move)] for move in moves]
    k, stay, strict = len(symbols), moves.index("S") if "S" in moves else None, model.strict
    stepper = model.stepper()
    step, state = stepper.step, stepper.start()
    x, y = world.start
    actions: list[Action] = []
    keep = kept_in(actions, symbols, moves, record) if trace else record
    recorded = StepBuffer(keep) if keep else None
    end: End = Outcome.BUDGET
    done = 0
    most_cells, per_report = LIMITS.cells, LIMITS.steps_per_report
    while done < steps:
        if len(cells) > most_cells:
            end = Reason.MEMORY
            break
        symbol = cells.get((x, y), empty)
        outputs, after = step(state, symbol)
        decision = decide(outputs, k, strict)
        if decision is None:
            why = why_stuck(outputs)
            end = NO_RULE.get(why, why)
            break
        write, move = decision
        dx, dy = shifts[move]
        if is_far((x + dx, y + dy)):
            end = Reason.FAR
            break
        state = after
        done += 1
        if done % per_report == 0:
            progress(done)
        if recorded:
            recorded.add(symbol, write, move)
        cells[x, y] = write
        x, y = x + dx, y + dy
        if write == symbol and move == stay:
            end = Outcome.HALTED
            break
    if recorded:
        recorded.flush()
    outcome, reason = outcome_of(end)
    final = World({cell: BLANK if s == empty else symbols[s] for cell, s in cells.items()}, (x, y))
    under, kept = symbols[cells.get((x, y), empty)], tuple(actions) if trace else None
    return Run(outcome, done, model.state_name(state), (x, y), under, final, kept, None, reason)
