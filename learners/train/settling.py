"""Models are refitted while they are trained; one whose refitted weights are sure of all traces has settled.

Long before training has made one point of the vectors of a state, they show which machine it learns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gridlang.compiler.native.build import CannotBuild
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.learners.train.engine import Engine, State, TrainingJob, flatten
from gridlang.learners.train.limits import LIMITS
from gridlang.learners.train.recipes import Floats


class Settled(NamedTuple):
    """What is known of a refitted model."""

    iteration: int
    states: int
    loss: float


class Settling:
    """Looks a few times in a run which models have settled; those are trained no further."""

    def __init__(
        self, job: TrainingJob, engine: Engine, as_model: Callable[[Floats], Dfst], before: Mapping[str, Any]
    ) -> None:
        """Of a run that goes on from the state of a job, and what the checkpoint there tells."""
        self.job, self.engine, self.as_model = job, engine, as_model
        self.models = {int(model): Settled(*each) for model, each in before.get("settled", {}).items()}
        self.weights = {model: job.state.weights[model] for model in self.models}
        engine.freeze(list(self.models))
        shares = LIMITS.refits if job.recipe.refit else ()
        self.parts = [max(1, round(share * job.recipe.iterations)) for share in shares]
        early = (LIMITS.grain << twice for twice in range(min(self.parts, default=0).bit_length()))
        self.points = frozenset([*self.parts, *(point for point in early if point < min(self.parts))])

    def at(self, iteration: int, losses: Floats) -> None:
        """Refits the other models if this iteration is a point; before all parts, those of low loss.

        Without a C compiler none settles.
        """
        if iteration not in self.points:
            return
        from gridlang.learners.train.refitting import Refitting  # imports what other recipes need not

        state, refitting = self.engine.state(), Refitting(self.job.traces)
        likely = (losses < LIMITS.likely) | (iteration in self.parts)
        alive = np.flatnonzero(likely & (state.diverged < 0)).tolist()
        others = (model for model in alive if model not in self.models)
        for model in others:
            try:
                fit = refitting.sure(self.as_model(state.weights[model]))
            except CannotBuild:
                return
            if fit is not None:
                self.models[model] = Settled(iteration, fit.states, fit.loss)
                self.weights[model] = flatten(fit.model)
        self.engine.freeze(list(self.models))

    def state(self) -> State:
        """The state so far, with the weights that were refitted."""
        state = self.engine.state()
        for model, weights in self.weights.items():
            state.weights[model], state.diverged[model] = weights, -1
        return state
