"""What trains: a job for many models, the state it changes, and the engines that move it on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from learners.traces.dataset import Traces
from learners.training.model import Floats, Shape, initial
from learners.training.recipes import AdamSchedule, Recipe

Ints = npt.NDArray[np.int64]


class NetworkShape(Protocol):
    """An architecture and its sizes, as `learners.methods.networks.shapes` has them."""

    @property
    def dim(self) -> int: ...

    @property
    def parameters(self) -> int: ...

    def initial(self, seed: int) -> Floats: ...


AnyShape = TypeVar("AnyShape")


def networks(module: str) -> Any:
    """A module of the networks, which lie above training: imported when they are asked for."""
    return import_module(f"learners.methods.networks.{module}")


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Everything that training changes, for all models at once."""

    iteration: int
    weights: Floats  # (models, parameters)
    mean: Floats  # Adam's first moment
    variance: Floats  # Adam's second moment
    diverged: Ints  # (models,) the iteration at which a model was lost, or -1


def fresh(shape: Shape | NetworkShape, seeds: tuple[int, ...]) -> State:
    """Before the first iteration."""
    first = partial(initial, shape) if isinstance(shape, Shape) else shape.initial
    weights = np.stack([first(seed) for seed in seeds])
    return State(
        0, weights, np.zeros_like(weights), np.zeros_like(weights), np.full(len(seeds), -1, np.int64)
    )


class Share(NamedTuple):
    """The traces that one model learns from: `number` of those of the job, from `first` on."""

    first: int
    number: int

    @property
    def rows(self) -> slice:
        """Where they lie among the traces of the job."""
        return slice(self.first, self.first + self.number)


class _Job(NamedTuple, Generic[AnyShape]):
    """What an engine trains: models of one shape, a seed each, from a state on.

    All learn from the same traces, or each from a share of its own.
    """

    traces: Traces
    shape: AnyShape
    recipe: Recipe
    seeds: tuple[int, ...]
    state: State
    shares: tuple[Share, ...] = ()  # one a model; empty where each has all traces

    @property
    def each_share(self) -> tuple[Share, ...]:
        """The traces of each model."""
        return self.shares or (Share(0, len(self.traces)),) * len(self.seeds)

    @property
    def batch(self) -> int:
        """Traces in an iteration: what the recipe says, or those of the largest share where they are fewer.

        A model with a smaller share sees some of its traces twice in an iteration.
        """
        return min(self.recipe.batch, max(share.number for share in self.each_share))


class TrainingJob(_Job[Shape]):
    """A job of DFSTs."""


class NetworkJob(_Job[NetworkShape]):
    """A job of networks, all of one architecture and one size."""


class Engine(Protocol):
    """Trains the models of a job a piece at a time; how it cuts its work changes no bit of the result."""

    name: str

    def advance(self, schedule: AdamSchedule) -> Floats:
        """One iteration for each entry of the schedule; the losses, (models, iterations)."""

    def state(self) -> State:
        """Where it stands, on the host."""
