"""A model in closed loop: what its outputs decide is written, and what it then reads is its next input.

`decide` is the one definition of what outputs mean; the loops in C and CUDA repeat it and name it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gridlang.compiler.native.build import CannotBuild
from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.simulation.simulate import Action, Record, Run, StepBuffer, kept_in
from gridlang.compiler.tensors.dfst import Floats
from gridlang.compiler.tensors.model import Model
from gridlang.outcomes import Outcome, Reason
from gridlang.table import BLANK, DELTAS, MOVES
from gridlang.terminal.notes import tell_once
from gridlang.world import Cell, World


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


def why_stuck(outputs: Floats) -> Reason:
    """Why these outputs decide nothing."""
    if not np.isfinite(outputs).all():
        return Reason.NOT_FINITE
    return Reason.NONE_POSITIVE if outputs.any() else Reason.ALL_ZERO


def run_model(
    model: Model,
    world: World,
    steps: int = 10_000_000,
    *,
    trace: bool = False,
    progress: Callable[[int], None] = lambda _: None,
    record: Record | None = None,
) -> Run:
    """Runs a model in closed loop, and reports the steps done; long runs of a DFST in C."""
    from gridlang.compiler.tensors.native_loop import can_run, run_in_c

    if steps > LIMITS.short and not trace and record is None and can_run(model):
        short = run_by_equations(model, world, LIMITS.short)
        if short.outcome != Outcome.BUDGET or short.reason:
            return short
        try:
            return run_in_c(model, world, steps, progress)
        except CannotBuild as error:
            tell_once(f"{error}; running in Python, which is slower")
    return run_by_equations(model, world, steps, trace=trace, progress=progress, record=record)


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
    outcome, done = Outcome.BUDGET, 0
    reason: Reason | None = None
    most_cells, per_report = LIMITS.cells, LIMITS.steps_per_report
    while done < steps and len(cells) <= most_cells:
        symbol = cells.get((x, y), empty)
        outputs, after = step(state, symbol)
        decision = decide(outputs, k, strict)
        if decision is None:
            outcome, why = Outcome.STUCK, why_stuck(outputs)
            reason = why if why is Reason.NOT_FINITE else None  # Otherwise there is no rule.
            break
        write, move = decision
        state = after
        done += 1
        if done % per_report == 0:
            progress(done)
        if recorded:
            recorded.add(symbol, write, move)
        cells[x, y] = write
        dx, dy = shifts[move]
        x, y = x + dx, y + dy
        if write == symbol and move == stay:
            outcome = Outcome.HALTED
            break
    if recorded:
        recorded.flush()
    if outcome == Outcome.BUDGET and done < steps:
        reason = Reason.MEMORY
    final = World({cell: BLANK if s == empty else symbols[s] for cell, s in cells.items()}, (x, y))
    under, kept = symbols[cells.get((x, y), empty)], tuple(actions) if trace else None
    return Run(outcome, done, model.state_name(state), (x, y), under, final, kept, None, reason)
