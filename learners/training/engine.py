"""What trains: a job for many models, the state it changes, and the engines that move it on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from learners.networks.shapes import NetworkShape
from learners.traces.dataset import Traces
from learners.training.model import Floats, Shape, initial
from learners.training.recipes import AdamSchedule, Recipe

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Everything that training changes, for all models at once."""

    iteration: int
    weights: Floats  # (models, parameters)
    mean: Floats  # It is Adam's first moment.
    variance: Floats  # It is Adam's second moment.
    diverged: Ints  # (models,) the iteration at which a model was lost, or -1


def fresh(shape: Shape | NetworkShape, seeds: tuple[int, ...]) -> State:
    """Before the first iteration."""
    first = shape.initial if isinstance(shape, NetworkShape) else partial(initial, shape)
    weights = np.stack([first(seed) for seed in seeds])
    return State(
        0, weights, np.zeros_like(weights), np.zeros_like(weights), np.full(len(seeds), -1, np.int64)
    )


class TrainingJob(NamedTuple):
    """What an engine trains: models of one shape on the same traces, a seed each, from a state on."""

    traces: Traces
    shape: Shape
    recipe: Recipe
    seeds: tuple[int, ...]
    state: State

    @property
    def batch(self) -> int:
        """Traces in an iteration: what the recipe says, or all where there are fewer."""
        return min(self.recipe.batch, len(self.traces))


class NetworkJob(NamedTuple):
    """What is trained of networks: all of one architecture and one size, otherwise as a job of DFSTs."""

    traces: Traces
    shape: NetworkShape
    recipe: Recipe
    seeds: tuple[int, ...]
    state: State

    @property
    def batch(self) -> int:
        """Traces in an iteration: what the recipe says, or all where there are fewer."""
        return min(self.recipe.batch, len(self.traces))


class Engine(Protocol):
    """Trains the models of a job a piece at a time; how it cuts its work changes no bit of the result."""

    name: str

    def advance(self, schedule: AdamSchedule) -> Floats:
        """One iteration for each entry of the schedule; the losses, (models, iterations)."""

    def state(self) -> State:
        """Where it stands, on the host."""
