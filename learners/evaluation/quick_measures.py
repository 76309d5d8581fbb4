"""RLG and margin by a bounded number of steps.

They are for models that are still trained: `evaluate` says more of a model, and takes as long as that takes.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.lockstep.cpu import NativeModel, NativeRun, library_for
from gridlang.compiler.lockstep.lockstep import Case, matched
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.learners.evaluation.evaluate import LADDER, RLG, largest_length, suite_of
from gridlang.learners.traces.dataset import Traces
from gridlang.outcomes import Outcome, Reason
from gridlang.table import Table

Arrays = tuple[npt.NDArray[Any], ...]


class Reach(NamedTuple):
    """The largest length passed, with all below it on the ladder, and whether it may be more."""

    length: int
    beyond: bool


class LengthMeasure:
    """RLG against an agent that declares its inputs, by at most this many steps; suites are made once."""

    def __init__(self, table: Table, steps: int) -> None:
        self.table, self.steps = table, steps
        self.lengths = [length for length in LADDER if length <= largest_length(table)]
        self.suites: dict[int, list[Case]] = {}

    def of(self, dfst: Dfst) -> Reach:
        """CannotBuild without a C compiler; GridError if the alphabets differ."""
        native, left, passed = NativeModel(matched(dfst, self.table)), self.steps, 0
        for length in self.lengths:
            if length not in self.suites:
                self.suites[length] = list(suite_of(self.table, length, RLG, 0).cases())
            for case in self.suites[length]:
                with NativeRun(native, case) as run:
                    ending = run.go(left)
                    left -= run.steps()
                if ending is Reason.DIFFERS:
                    return Reach(passed, False)
                if ending in (Outcome.BUDGET, Reason.MEMORY):
                    return Reach(passed, True)
            passed = length
        return Reach(passed, True)


class MarginMeasure:
    """The least lead of the right outputs over all others, on about this many steps; below 0 is wrong."""

    def __init__(self, traces: Traces, steps: int) -> None:
        count = min(len(traces), max(1, round(steps / float(traces.length.mean()))))
        sample = np.linspace(0, len(traces) - 1, count).astype(np.int64)  # spread over all of them
        columns = [np.ascontiguousarray(rows[sample], np.int16) for rows in (traces.x, traces.s, traces.m)]
        self.arrays: Arrays = (*columns, np.ascontiguousarray(traces.length[sample], np.int32))

    def of(self, dfst: Dfst) -> float | None:
        """None where numbers are no longer finite; CannotBuild for a DFST without a C compiler."""
        library = library_for(len(dfst.h0), len(dfst.symbols), len(dfst.moves), dfst.strict)
        tensors = (np.ascontiguousarray(tensor, np.float32) for tensor in (dfst.A, dfst.B, dfst.C, dfst.h0))
        model = library.lockstep_model(*tensors)
        if not model:
            raise MemoryError("there is no memory for the model")
        try:
            lead = float(library.lockstep_lead(model, *self.arrays[0].shape, *self.arrays))
            return lead if isfinite(lead) else None
        finally:
            library.lockstep_forget(model)
