"""A DFST in closed loop, in C: what `run_by_equations` does, some hundred times as fast.

Sums are added in another order, so where two outputs are as good as equal, rounding may decide otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TypeGuard

import numpy as np

from gridlang.compiler.native.build import THIS_CPU
from gridlang.compiler.native.c_library import CLibrary
from gridlang.compiler.simulation.native.agents import WIDE_CELLS
from gridlang.compiler.simulation.native.engine import NativeWorld
from gridlang.compiler.simulation.native.sources import source_on_worlds
from gridlang.compiler.simulation.simulate import Run
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.outcomes import ENDS, End, Outcome, Reason
from gridlang.table import BLANK, MOVES, Table
from gridlang.world import World

AT_ONCE = 100_000_000  # products between two looks at the keyboard


@cache
def _library(cell: str) -> CLibrary:
    source = partial(source_on_worlds, Path(__file__).with_name("closed_loop.c"), cell=cell)
    return CLibrary(source, *THIS_CPU, "-O3", "-ffp-contract=fast")


def can_run(model: object) -> TypeGuard[Dfst]:
    """Whether this is a DFST with the symbols and moves in the order of tables."""
    return isinstance(model, Dfst) and model.symbols[0] == BLANK and model.moves == tuple(MOVES)


def run_in_c(model: Dfst, world: World, steps: int, progress: Callable[[int], None]) -> Run:
    """The run of a model; CannotBuild without a compiler."""
    k, d = len(model.symbols), len(model.h0)
    both = np.concatenate([model.A, model.B, model.C], axis=1)  # (k, rows, d)
    weights = np.ascontiguousarray(both.transpose(0, 2, 1), np.float32)
    hidden, room = np.array(model.h0, np.float32), np.zeros(both.shape[1], np.float32)
    blank = Table("model", model.symbols, ("q",), ((None,) * k,))
    library = _library("uint8_t" if k < WIDE_CELLS else "uint16_t")
    loop = library.structs["loop"](weights, d, k, hidden, room)
    with NativeWorld(blank, world, rows=False) as machine:
        ended: End = Outcome.BUDGET
        done, at_once = 0, max(1, AT_ONCE // (d * both.shape[1]))
        while machine.fits and done < steps:
            size = min(at_once, steps - done)
            ended = ENDS[library.closed_loop(loop, machine.handle, size)]
            before, done = done, machine.where()[0]
            progress(done)
            if ended != Outcome.BUDGET or done - before < size:
                break
        *_, x, y = machine.where()
        final = machine.take_world()
    outcome, reason = (ended, None) if isinstance(ended, Outcome) else (Outcome.STUCK, ended)
    if outcome == Outcome.BUDGET and done < steps:
        reason = Reason.MEMORY
    under = final.cells.get((x, y), BLANK)
    return Run(outcome, done, model.state_name(hidden), (x, y), under, final, None, None, reason)
