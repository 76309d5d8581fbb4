"""RLG and margin by a bounded number of steps, a whole suite or sample in one call of C.

They are for models that are still trained: `evaluate` says more of a model, and takes as long as that takes.
"""

from __future__ import annotations

from math import isfinite
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.lockstep.cpu import NativeModel, cells_of, library_for
from gridlang.compiler.lockstep.lockstep import WORLD_BYTES, matched
from gridlang.compiler.tensors.dfst import Dfst, Floats
from gridlang.compiler.tensors.model import Follower, Model
from gridlang.learners.evaluation.evaluate import LADDER, RLG, largest_length, suite_of
from gridlang.learners.traces.dataset import Traces
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
        self.suites: dict[int, Arrays] = {}
        self.lock = Lock()  # several threads measure, and one of them makes a suite

    def of(self, dfst: Model) -> Reach:
        """CannotBuild without a C compiler; GridError if the alphabets differ."""
        native = NativeModel(matched(dfst, self.table))
        left, passed = np.array([self.steps], np.int64), 0
        for length in self.lengths:
            suite = self._suite(length)
            answer = native.library.lockstep_inputs(
                *(native.handle, native.entries, WORLD_BYTES),
                *(len(suite[0]) - 1, *suite, left),
            )
            if answer <= 0:
                return Reach(passed, answer < 0)
            passed = length
        return Reach(passed, True)

    def _suite(self, length: int) -> Arrays:
        """The inputs of one length end to end: where each starts, columns and rows for all, symbols."""
        with self.lock:
            if length not in self.suites:
                inputs = [str(case) for case in suite_of(self.table, length, RLG, 0).cases()]
                starts = np.cumsum([0, *map(len, inputs)], dtype=np.int64)
                columns, rows, symbols = cells_of(self.table.symbols, "".join(inputs))
                longest = max(map(len, inputs))
                self.suites[length] = (starts, columns[:longest], rows[:longest], symbols)
            return self.suites[length]


class MarginMeasure:
    """The least lead of the right outputs over all others, on about this many steps; below 0 is wrong."""

    def __init__(self, traces: Traces, steps: int) -> None:
        count = min(len(traces), max(1, round(steps / float(traces.length.mean()))))
        sample = np.linspace(0, len(traces) - 1, count).astype(np.int64)  # spread over all of them
        columns = [np.ascontiguousarray(rows[sample], np.int16) for rows in (traces.x, traces.s, traces.m)]
        self.arrays: Arrays = (*columns, np.ascontiguousarray(traces.length[sample], np.int32))

    def of(self, model: Model) -> float | None:
        """None where numbers are no longer finite; CannotBuild for a DFST without a C compiler."""
        follower = model.follower()
        lead = self._in_c(model) if follower is None else self._followed(follower, len(model.symbols))
        return lead if isfinite(lead) else None

    def _followed(self, follower: Follower, symbols: int) -> float:
        x, s, m, length = self.arrays
        longest = int(length.max())
        reads, *wanted = (np.maximum(part[:, :longest], 0).astype(np.int64) for part in (x, s, m))
        parts = np.split(follower.follow(reads)[0], [symbols], -1)
        leads = [_lead(part, right) for part, right in zip(parts, wanted, strict=True)]
        return float(np.minimum(*leads)[np.arange(longest) < length[:, None]].min())

    def _in_c(self, dfst: Model) -> float:
        assert isinstance(dfst, Dfst)
        library = library_for(len(dfst.h0), len(dfst.symbols), len(dfst.moves), dfst.strict)
        tensors = (np.ascontiguousarray(tensor, np.float32) for tensor in (dfst.A, dfst.B, dfst.C, dfst.h0))
        model = library.lockstep_model(*tensors)
        if not model:
            raise MemoryError("there is no memory for the model")
        try:
            return float(library.lockstep_lead(model, *self.arrays[0].shape, *self.arrays))
        finally:
            library.lockstep_forget(model)


def _lead(shares: Floats, wanted: npt.NDArray[np.int64]) -> Floats:
    """The lead of the right output over the largest other, (traces, steps)."""
    right = np.take_along_axis(shares, wanted[..., None], -1)
    np.put_along_axis(shares, wanted[..., None], -1.0, -1)
    lead: Floats = right[..., 0] - shares.max(-1)
    return lead
