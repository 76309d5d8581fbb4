"""Recurrent networks in lockstep in C: the expert walks, and the network follows what it read."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from compiler.simulation.simulate import BUDGET
from compiler.tensors.closed_loop import NOT_FINITE
from learners.evaluation.expert_walks import ExpertWalk
from learners.evaluation.lockstep import (
    DIFFERS,
    Action,
    Case,
    LockstepOutcome,
    Margin,
    Mistake,
    NetworkMatch,
    mistake_at,
)
from learners.methods.networks.recurrent_native import FollowReport, NativeWeights, library

AT_ONCE = 65_536  # The steps of an expert that are held at once; they take 400 kB.


def recurrent_runs(match: NetworkMatch) -> Callable[[Case], RecurrentRun]:
    """What makes runs of a GRU or an LSTM; CannotBuild without a C compiler."""
    library()
    weights = NativeWeights(match.network)
    return lambda case: RecurrentRun(match, weights, case)


class RecurrentRun:
    """One network on one case; free it by leaving its `with`."""

    def __init__(self, match: NetworkMatch, weights: NativeWeights, case: Case) -> None:
        self.match, self.weights = match, weights
        self.walk = ExpertWalk(match.table, case)
        self.state = match.network.h0
        self.numbers = np.array(match.wanted_writes, np.int32)
        self.told = FollowReport()
        self.told.x, self.told.y = self.walk.world.start
        for margin in self.told.margins:
            margin.least = np.inf

    def __enter__(self) -> RecurrentRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.walk.__exit__()

    def go(self, steps: int) -> str:
        """Goes on for at most so many steps: how it ended, budget if it did not."""
        ending, left = BUDGET, steps
        while left > 0 and ending == BUDGET:
            walked = self.walk.go(min(left, AT_ONCE))
            columns = [np.ascontiguousarray(column) for column in walked[:3]]
            follows = library().network_follow(
                *(self.weights.address, self.state.ctypes.data, self.numbers.ctypes.data, len(columns[0])),
                *(column.ctypes.data for column in columns),
                ctypes.byref(self.told),
            )
            left -= len(columns[0])
            ending = walked.ending if follows else DIFFERS
        return ending

    def steps(self) -> int:
        return int(self.told.steps)

    def outcome(self, ending: str) -> LockstepOutcome:
        margins = (
            Margin(m.least, m.step, (m.x, m.y)) if np.isfinite(m.least) else None for m in self.told.margins
        )
        wrong = self._mistake() if ending == DIFFERS else None
        return LockstepOutcome(ending, self.steps(), wrong, *margins)

    def _mistake(self) -> Mistake:
        match, told = self.match, self.told
        got = None if told.stuck else Action(match.writes[told.write], match.moves[told.move])
        moment, look = self.walk.moment_after(self.steps())
        return mistake_at(match, moment, got, NOT_FINITE if told.stuck else "", look)
