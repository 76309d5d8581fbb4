"""What a recipe leaves open, from the size of the model and the length of the traces; no agent's name counts.

The rate falls with the number of weights and the length of the traces, and grows with the batch: a batch
shows each rule of a large agent seldom, long traces add up what is wrong, and where the rate is too high for
that, Adam's steps undo what was learned, and seeds end on a plateau. Iterations grow with the length of the
traces, which are chains of products, and with the root of the number of weights.
"""

from __future__ import annotations

from dataclasses import replace
from math import cbrt, sqrt

import numpy as np

from learners.traces.dataset import Traces
from learners.training.limits import LIMITS
from learners.training.recipes import FITTED, NO_DECAY, Recipe


def fitted(recipe: Recipe, weights: int, traces: Traces) -> Recipe:
    """The recipe of a model of this size with nothing left open; what it says itself stays."""
    length = float(np.percentile(traces.length, LIMITS.long_share))
    return replace(
        recipe,
        lr=recipe.lr or _rate(weights * length / min(recipe.batch, len(traces))),
        iterations=recipe.iterations or max(recipe.least, _whole(LIMITS.effort * (length + sqrt(weights)))),
        decay=_decay(weights, length) if recipe.decay == FITTED else recipe.decay,
    )


def _rate(noise: float) -> float:
    return _two_digits(LIMITS.highest_rate * min(1.0, cbrt(LIMITS.quiet / noise)))


def _decay(weights: int, length: float) -> float:
    if length > LIMITS.long:
        return NO_DECAY
    return _two_digits(LIMITS.strongest_decay * min(1.0, LIMITS.tiny / weights))


def _whole(iterations: float) -> int:
    return max(1, round(iterations / LIMITS.grain)) * LIMITS.grain


def _two_digits(number: float) -> float:
    """Rounded, so that records are readable."""
    return float(f"{number:.1e}")
