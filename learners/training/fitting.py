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
from learners.training.recipes import FITTED, NO_DECAY, Recipe

HIGHEST_RATE = 1e-2
QUIET = 500_000 / 32  # Up to so many weights times steps for each trace of a batch, the highest rate is fine.
EFFORT = 200  # iterations for each step of a trace, and for each unit of the root of the number of weights
GRAIN = 1_000  # Iterations are a multiple of it.
LONG_SHARE = 95  # The traces count as long as this percentage of them: a few that are longer do not matter.
STRONGEST_DECAY, TINY = 3e-2, 1_000  # So strong is decay for up to so many weights.
LONG = 200  # Over so many steps the bias of any decay would add up.


def fitted(recipe: Recipe, weights: int, traces: Traces) -> Recipe:
    """The recipe of a model of so many weights with nothing left open; what it says itself stays as it is."""
    length = float(np.percentile(traces.length, LONG_SHARE))
    return replace(
        recipe,
        lr=recipe.lr or _rate(weights * length / min(recipe.batch, len(traces))),
        iterations=recipe.iterations or max(recipe.least, _whole(EFFORT * (length + sqrt(weights)))),
        decay=_decay(weights, length) if recipe.decay == FITTED else recipe.decay,
    )


def _rate(noise: float) -> float:
    return _two_digits(HIGHEST_RATE * min(1.0, cbrt(QUIET / noise)))


def _decay(weights: int, length: float) -> float:
    return NO_DECAY if length > LONG else _two_digits(STRONGEST_DECAY * min(1.0, TINY / weights))


def _whole(iterations: float) -> int:
    return max(1, round(iterations / GRAIN)) * GRAIN


def _two_digits(number: float) -> float:
    """So that what is recorded can be read."""
    return float(f"{number:.1e}")
