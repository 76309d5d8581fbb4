"""Models that have not converged on their own traces are trained further.

A program extracted from such a model would reflect its training, not its data. Most models can be refitted
after a twentieth of the iterations that fit, so the first training is that short; others are trained longer,
at a lower rate. One that then still errs sits on a plateau, and is left to the next round, which begins from
other weights. Each training has a folder within that of the round, and is resumable.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gridlang.compiler.native.build import CannotBuild
from gridlang.diagnostics import fail
from gridlang.learners.evaluation.quick_measures import MarginMeasure
from gridlang.learners.learning.limits import LIMITS
from gridlang.learners.methods.registry import train_by_method
from gridlang.learners.training.engine import flatten
from gridlang.learners.training.journal import NAMES
from gridlang.learners.training.limits import LIMITS as TRAINING
from gridlang.learners.training.recipes import Recipe
from gridlang.learners.training.train import Trained, TrainedFurther, TrainingPlan, TrainingProgress


class Unconverged(NamedTuple):
    """A model that has not converged on its own traces, why, and the recipe of its further training."""

    seed: int
    reason: str
    recipe: Recipe

    def __str__(self) -> str:
        rate = f"rate {self.recipe.lr:.1e}, {self.recipe.iterations:,} iterations"
        return f"seed {self.seed} has not converged on its own traces: {self.reason}; training on, {rate}"


class _Standing(NamedTuple):
    """A model, and its least lead on the traces."""

    model: Trained
    lead: float

    @property
    def rank(self) -> tuple[bool, float]:
        """Larger is better: sure models before others, then by their losses."""
        return self.lead >= TRAINING.sure, -self.model.loss

    def reason(self, settled: float) -> str:
        """Why it has not converged; empty if it has, or diverged, so that training cannot continue."""
        if not np.isfinite(self.lead):
            return ""
        if self.lead <= 0:
            return f"it errs there, loss {self.model.loss:.1e}"
        if self.lead < TRAINING.sure:
            return f"what is right leads by only {self.lead:.2f} there"
        return f"its loss is still {self.model.loss:.1e}" if self.model.loss > settled else ""


def train_seeds(
    plan: TrainingPlan,
    goes_on: bool,
    folder: str,
    resume: bool,
    on_event: Callable[[str | TrainingProgress | Unconverged], None] = lambda _: None,
) -> TrainedFurther:
    """All seeds of a plan, trained in a folder; those that have not converged further, if that is wanted."""
    models = train_by_method(plan, folder, resume=resume, on_event=on_event)
    if not models:
        hint = "change the settings of the method, or use another one"
        told = f"no machine was found that is consistent with {len(plan.traces):,} traces"
        raise fail("G227", told, hint)
    if not goes_on:
        return TrainedFurther(list(models), models[0].seconds, 0)
    trained = trained_further(plan, models, folder, on_event)
    return trained._replace(seconds=trained.seconds + models[0].seconds)


def trained_further(
    plan: TrainingPlan,
    models: Sequence[Trained],
    folder: str,
    on_event: Callable[[str | TrainingProgress | Unconverged], None],
) -> TrainedFurther:
    """The models, the unconverged ones trained further.

    Without a C compiler convergence is not measured, and all models stay as they are.
    """
    measure = MarginMeasure(plan.traces, plan.traces.steps)
    try:
        standings = {model.seed: _Standing(model, _lead(model, measure)) for model in models}
    except CannotBuild:
        return TrainedFurther(list(models), 0.0, 0)
    further, seconds, settled, recipe = set[int](), 0.0, LIMITS.settled_first, plan.recipe
    for time in range(1, LIMITS.most_times + 1):
        recipe = replace(recipe, iterations=LIMITS.times * recipe.iterations, lr=recipe.lr / LIMITS.slower)
        late = {seed: each for seed, each in standings.items() if each.reason(settled)}
        if not late:
            break
        for seed, each in late.items():
            on_event(Unconverged(seed, each.reason(settled), recipe))
        begun = np.stack([flatten(each.model.dfst) for each in late.values()])
        longer = replace(plan, recipe=recipe, seeds=tuple(late), begun=begun)
        done = _trained(longer, os.path.join(folder, f"again-{time}"), on_event)
        for model in done:  # a better model is never replaced by a worse one
            after = _Standing(model, _lead(model, measure))
            standings[model.seed] = max(standings[model.seed], after, key=lambda each: each.rank)
        further, seconds, settled = further | set(late), seconds + done[0].seconds, LIMITS.settled
    return TrainedFurther([standings[model.seed].model for model in models], seconds, len(further))


def _lead(model: Trained, measure: MarginMeasure) -> float:
    """The least lead of the right outputs on the traces; minus infinity if it diverged."""
    lead = measure.of(model.dfst) if model.diverged < 0 else None
    return -np.inf if lead is None else lead


def _trained(
    plan: TrainingPlan, folder: str, on_event: Callable[[str | TrainingProgress], None]
) -> list[Trained]:
    resume = any(os.path.exists(os.path.join(folder, name)) for name in NAMES)
    return train_by_method(plan, folder, resume=resume, on_event=on_event)
