"""How much of noisy traces is judged wrong, how sure that is, and the rate of the noise."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from learners.methods.noise.corruption import KINDS, ROW_OF, Rates
from learners.methods.noise.decoding import Accounts
from learners.methods.noise.limits import LIMITS
from learners.traces.dataset import Traces

TWO_SIDED = 1.96  # Standard deviations around a share that hold 95 % of all cases.


class Judgement(NamedTuple):
    """What is judged of the traces of a file; a step is wrong if its read, its write or its move is."""

    steps: int
    wrong: int  # steps judged wrong
    sure: int  # of these, where another account of the trace is unlikely
    by_kind: dict[str, int]
    rates: Rates
    bounds: dict[str, tuple[float, float]]  # the 95 % interval of each rate

    def as_json(self) -> dict[str, Any]:
        return {
            "steps": self.steps,
            "judged_wrong": self.wrong,
            "judged_surely": self.sure,
            "by_kind": self.by_kind,
            "rates": self.rates.as_json(),
            "bounds": {kind: [round(side, 5) for side in both] for kind, both in self.bounds.items()},
        }


def judgement(seen: Traces, told: Accounts) -> Judgement:
    """Each record that is not as the likeliest account has it is judged wrong.

    The rates are expected over all accounts: where a read and a write are equally likely to be the wrong one,
    the likeliest account always blames the same of them.
    """
    valid, steps = seen.x >= 0, seen.steps
    wrong = {kind: (getattr(told, row) != getattr(seen, row)) & valid for kind, row in ROW_OF.items()}
    some = np.logical_or.reduce(list(wrong.values()))
    return Judgement(
        steps=steps,
        wrong=int(some.sum()),
        sure=int((some & (told.sure >= LIMITS.sure)).sum()),
        by_kind={kind: int(wrong[kind].sum()) for kind in KINDS},
        rates=told.rates,
        bounds={kind: interval(rate * steps, steps) for kind, rate in told.rates.by_kind.items()},
    )


def interval(hits: float, trials: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson's)."""
    if not trials:
        return 0.0, 1.0
    share, square = hits / trials, TWO_SIDED**2 / trials
    middle, half = share + square / 2, TWO_SIDED * sqrt(share * (1 - share) / trials + square / trials / 4)
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))
