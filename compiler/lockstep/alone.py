"""A model in closed loop. A DFST in C does what `run_by_equations` does, some hundred times as fast.

Sums are added in another order, so where two outputs are as good as equal, rounding may decide otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

import numpy as np

from gridlang.compiler.lockstep.cpu import library_for
from gridlang.compiler.native.build import CannotBuild
from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.simulation.native.engine import NativeWorld
from gridlang.compiler.simulation.simulate import Record, Run
from gridlang.compiler.tensors.closed_loop import NO_RULE, run_by_equations
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.model import Model
from gridlang.outcomes import ENDS, End, Outcome, Reason, outcome_of
from gridlang.table import BLANK, MOVES, Table
from gridlang.terminal.notes import tell_once
from gridlang.world import World

AT_ONCE = 100_000_000  # products between two looks at the keyboard


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
    if steps > LIMITS.short and not trace and record is None and can_run(model):
        short = run_by_equations(model, world, LIMITS.short)
        if short.outcome != Outcome.BUDGET or short.reason:
            return short
        try:
            return run_in_c(model, world, steps, progress)
        except CannotBuild as error:
            tell_once(f"{error}; running in Python, which is slower")
    return run_by_equations(model, world, steps, trace=trace, progress=progress, record=record)


def can_run(model: object) -> TypeGuard[Dfst]:
    """Whether this is a DFST with the symbols and moves in the order of tables."""
    return isinstance(model, Dfst) and model.symbols[0] == BLANK and model.moves == tuple(MOVES)


def run_in_c(model: Dfst, world: World, steps: int, progress: Callable[[int], None] = lambda _: None) -> Run:
    """The run of a model; CannotBuild without a compiler."""
    k, d, moves = len(model.symbols), len(model.h0), len(model.moves)
    tensors = [np.ascontiguousarray(each, np.float32) for each in (model.A, model.B, model.C, model.h0)]
    hidden = tensors[-1].copy()
    blank = Table("model", model.symbols, ("q",), ((None,) * k,))
    library = library_for(d, k, moves, model.strict)
    weights = library.own(hidden, "lockstep_model", "lockstep_forget", *tensors)
    with NativeWorld(blank, world, rows=False) as machine:
        end: End = Outcome.BUDGET if machine.fits else Reason.MEMORY
        done, at_once = 0, max(1, AT_ONCE // (d * (d + k + moves)))
        while end is Outcome.BUDGET and done < steps:
            end = ENDS[library.lockstep_alone(weights, hidden, machine.handle, min(at_once, steps - done))]
            done = machine.where()[0]
            progress(done)
        *_, x, y = machine.where()
        final = machine.take_world()
    outcome, reason = outcome_of(NO_RULE.get(end, end))
    under = final.cells.get((x, y), BLANK)
    return Run(outcome, done, model.state_name(hidden), (x, y), under, final, None, None, reason)
