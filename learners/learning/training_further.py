"""Models that have not converged on their own traces are trained further.

A program extracted from such a model would reflect its training, not its data. Most models can be refitted
after a twentieth of the iterations that fit, so the first training is that short. A model that cannot is
trained longer. One that then still errs on its traces sits on a plateau: it starts afresh from other weights,
with a lower rate and more dimensions. Each such training has its own folder within that of the round, and is
resumable.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from compiler.simulation.native.build import CannotBuild
from gridlang.diagnostics import fail
from learners.evaluation.quick_measures import MarginMeasure
from learners.learning.limits import LIMITS
from learners.methods.registry import train_by_method
from learners.training.engine import AnyShape, flatten
from learners.training.journal import NAMES
from learners.training.limits import LIMITS as TRAINING
from learners.training.recipes import Floats, Recipe
from learners.training.train import Trained, TrainedFurther, TrainingPlan, TrainingProgress

AGAIN, AFRESH = "again", "afresh"
RESTART_SEED_STEP = 15_485_863  # from the seed of one start's weights to the next's: near seeds share none
STARTS_A_ROUND = 1 + LIMITS.most_times


def start_weights(shape: AnyShape, seeds: Sequence[int], start: int) -> Floats:
    """The weights, (models, parameters), of the start of this number; number 0 is the seed's own."""
    return np.stack([shape.initial(seed + RESTART_SEED_STEP * start) for seed in seeds])


class Unconverged(NamedTuple):
    """A model that has not converged on its own traces, why, and how its training goes on."""

    seed: int
    reason: str
    how: str  # AGAIN, AFRESH
    recipe: Recipe

    def __str__(self) -> str:
        rate = f"rate {self.recipe.lr:.1e}, {self.recipe.iterations:,} iterations"
        wide = f", {self.recipe.dim} dimensions"
        going = f"training on, {rate}" if self.how == AGAIN else f"beginning afresh, {rate}{wide}"
        return f"seed {self.seed} has not converged on its own traces: {self.reason}; {going}"


class _Standing(NamedTuple):
    """A model, its least lead on the traces, and whether further training failed to improve it."""

    model: Trained
    lead: float
    stalled: bool = False

    @property
    def rank(self) -> tuple[bool, float]:
        """Larger is better: sure models by their losses, before others by their leads."""
        sure = self.lead >= TRAINING.sure
        return sure, -self.model.loss if sure else self.lead


class Further(NamedTuple):
    """How models that have not converged are trained further."""

    widen: bool  # whether to more dimensions
    start: int  # the number of the start that they have had


def train_seeds(
    plan: TrainingPlan,
    further: Further | None,
    folder: str,
    resume: bool,
    on_event: Callable[[str | TrainingProgress | Unconverged], None] = lambda _: None,
) -> TrainedFurther:
    """All seeds of a plan, trained in a folder; those that have not converged further, if that is wanted."""
    models = train_by_method(plan, folder, resume=resume, on_event=on_event)
    if not models:
        hint = "`train --method sat` with more --seconds and --most-states may find one"
        told = f"no machine was found that is consistent with {len(plan.traces):,} traces"
        raise fail("G227", told, hint)
    if further is None:
        return TrainedFurther(list(models), models[0].seconds, 0)
    trained = trained_further(plan, models, folder, **further._asdict(), on_event=on_event)
    return trained._replace(seconds=trained.seconds + models[0].seconds)


def trained_further(
    plan: TrainingPlan,
    models: Sequence[Trained],
    folder: str,
    *,
    widen: bool,
    start: int = 0,
    on_event: Callable[[str | TrainingProgress | Unconverged], None],
) -> TrainedFurther:
    """The models, the unconverged ones trained further; `widen` allows those more dimensions.

    They had the start of this number; a fresh one has a later number.
    Without a C compiler convergence is not measured, and all models stay as they are.
    """
    measure = MarginMeasure(plan.traces, plan.traces.steps)
    try:
        first = _standings(models, measure)
    except CannotBuild:
        return TrainedFurther(list(models), 0.0, 0)
    standings = {each.model.seed: each for each in first}
    late = _unconverged(first, _longer(plan.recipe, 1), widen, LIMITS.settled_first, early=True)
    seeds, seconds = len(late), 0.0
    for time in range(1, LIMITS.most_times + 1):
        groups: dict[str, list[Unconverged]] = {}  # what is trained together, by the name of its folder
        for each in late:
            on_event(each)
            # Models that were begun afresh before are wider than others.
            groups.setdefault(f"{each.how}-{time}-{each.recipe.dim}", []).append(each)
        for name, some in groups.items():
            begun = _weights(plan, some, standings, start + time)
            done = _trained(begun, os.path.join(folder, name), on_event)
            seconds += done[0].seconds
            for after in _standings(done, measure):
                before = standings[after.model.seed]
                # a better model is never replaced by a worse one
                better = after.rank > before.rank
                standings[after.model.seed] = after if better else before._replace(stalled=True)
        still = (standings[each.seed] for each in late)
        late = _unconverged(still, _longer(plan.recipe, time + 1), widen, LIMITS.settled)
    return TrainedFurther([standings[model.seed].model for model in models], seconds, seeds)


def _longer(recipe: Recipe, time: int) -> Recipe:
    """The recipe of a later training: longer, and at a lower rate."""
    iterations = LIMITS.times**time * recipe.iterations
    return replace(recipe, iterations=iterations, lr=recipe.lr / LIMITS.slower**time)


def _standings(models: Iterable[Trained], measure: MarginMeasure) -> list[_Standing]:
    return [_Standing(model, _lead(model, measure)) for model in models]


def _lead(model: Trained, measure: MarginMeasure) -> float:
    """By how much what is right leads all else on the traces, at least; minus infinity where it diverged."""
    lead = measure.of(model.dfst) if model.diverged < 0 else None
    return -np.inf if lead is None else lead


def _unconverged(
    standings: Iterable[_Standing], longer: Recipe, widen: bool, settled: float, early: bool = False
) -> list[Unconverged]:
    """The models to train further, and how; so `early` none is on a plateau."""
    late = []
    for model, lead, stalled in standings:
        dim = len(model.dfst.h0)
        wide = max(dim, min(LIMITS.widest, round(LIMITS.wider * dim))) if widen else dim
        if not np.isfinite(lead):
            reason = "it diverged"
        elif lead <= 0:
            reason = f"it errs there, loss {model.loss:.1e}"
        elif lead < TRAINING.sure:
            reason = f"what is right leads by only {lead:.2f} there"
        elif model.loss > settled:
            reason = f"its loss is still {model.loss:.1e}"
        else:
            continue
        goes_on = (early and np.isfinite(lead)) or lead >= TRAINING.sure
        how = AGAIN if goes_on and not stalled else AFRESH
        late.append(Unconverged(model.seed, reason, how, replace(longer, dim=dim if how == AGAIN else wide)))
    return late


def _weights(
    plan: TrainingPlan, late: Sequence[Unconverged], standings: dict[int, _Standing], start: int
) -> TrainingPlan:
    """The plan for models that are trained further together, with the weights that they begin with."""
    how, recipe = late[0].how, late[0].recipe
    seeds = tuple(each.seed for each in late)
    further = replace(plan, recipe=recipe, seeds=seeds, begun=None)
    if how == AGAIN:
        begun = np.stack([flatten(standings[seed].model.dfst) for seed in seeds])
    else:
        begun = start_weights(further.shape, seeds, start)
    return replace(further, begun=begun)


def _trained(
    plan: TrainingPlan, folder: str, on_event: Callable[[str | TrainingProgress], None]
) -> list[Trained]:
    resume = any(os.path.exists(os.path.join(folder, name)) for name in NAMES)
    return train_by_method(plan, folder, resume=resume, on_event=on_event)
