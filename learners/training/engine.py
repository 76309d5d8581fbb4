"""What trains: a job for many models, the state it changes, and the engines that move it on."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from gridlang.table import MOVES
from learners.traces.dataset import Traces
from learners.training.recipes import AdamSchedule, Floats, Recipe

if TYPE_CHECKING:
    from compiler.tensors.dfst import Dfst

Ints = npt.NDArray[np.int64]


class AnyShape(Protocol):
    """The sizes of a model: a DFST, or a network, as `learners.methods.networks.shapes` has them."""

    @property
    def dim(self) -> int: ...

    @property
    def parameters(self) -> int: ...

    def initial(self, seed: int) -> Floats: ...


class Shape(NamedTuple):
    """How many symbols, and how many states.

    The parameters of a DFST are one flat vector: for each symbol the rows of A, B and C stacked, then h0.
    """

    symbols: int
    dim: int

    @property
    def rows(self) -> int:
        """Rows of A[x], B[x] and C[x] together."""
        return self.dim + self.seen

    @property
    def seen(self) -> int:
        """Numbers that a step shows: the symbol written, and the move."""
        return self.symbols + len(MOVES)

    @property
    def parameters(self) -> int:
        return self.symbols * self.rows * self.dim + self.dim

    def initial(self, seed: int) -> Floats:
        """The paper's start: A = I, B = C = 0, h0 uniform in (0, 1) and then of length one."""
        stacked = np.zeros((self.symbols, self.rows, self.dim), np.float32)
        stacked[:, : self.dim] = np.eye(self.dim, dtype=np.float32)
        h0 = np.random.default_rng(seed).uniform(size=self.dim)
        return np.concatenate([stacked.ravel(), (h0 / np.linalg.norm(h0)).astype(np.float32)])

    def tensors(self, flat: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """A, B, C and h0 of a flat vector."""
        stacked = flat[: -self.dim].reshape(self.symbols, self.rows, self.dim)
        A, B, C = np.split(stacked, [self.dim, self.dim + self.symbols], axis=1)
        return A.copy(), B.copy(), C.copy(), flat[-self.dim :].copy()


def flatten(dfst: Dfst) -> Floats:
    """The flat vector of a model."""
    stacked = np.concatenate([dfst.A, dfst.B, dfst.C], 1)
    return np.concatenate([stacked.ravel(), dfst.h0]).astype(np.float32)


Sizes = TypeVar("Sizes", bound=AnyShape)


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


def fresh(shape: AnyShape, seeds: tuple[int, ...]) -> State:
    """Before the first iteration."""
    weights = np.stack([shape.initial(seed) for seed in seeds])
    zeros = np.zeros_like(weights)
    return State(0, weights, zeros, zeros.copy(), np.full(len(seeds), -1, np.int64))


class Share(NamedTuple):
    """The traces that one model learns from: `number` of those of the job, from `first` on."""

    first: int
    number: int

    @property
    def rows(self) -> slice:
        """Where they lie among the traces of the job."""
        return slice(self.first, self.first + self.number)


class TrainingJob(NamedTuple, Generic[Sizes]):
    """What an engine trains: models of one shape, a seed each, from a state on.

    All learn from the same traces, or each from a share of its own.
    """

    traces: Traces
    shape: Sizes
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


class Engine(Protocol):
    """Trains the models of a job a piece at a time; how it cuts its work changes no bit of the result."""

    name: str

    def advance(self, schedule: AdamSchedule) -> Floats:
        """One iteration for each entry of the schedule; the losses, (models, iterations)."""

    def state(self) -> State:
        """Where it stands, on the host."""
