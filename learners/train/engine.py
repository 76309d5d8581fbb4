"""Training: a job for many models, its order of traces, its state, and the protocol of engines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from gridlang.learners.traces.dataset import Traces
from gridlang.learners.train.recipes import AdamSchedule, Floats, Recipe
from gridlang.table import MOVES

if TYPE_CHECKING:
    from gridlang.compiler.tensors.dfst import Dfst

Ints = npt.NDArray[np.int64]
WORDS = npt.NDArray[np.unsignedinteger[Any]]

ROUNDS = 6  # A Feistel network of four rounds looks random already; two more cost little.


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


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Everything that training changes, for all models at once."""

    iteration: int
    weights: Floats  # (models, parameters)
    mean: Floats  # Adam's first moment
    variance: Floats  # Adam's second moment
    diverged: Ints  # (models,) the iteration at which a model was lost, or -1


def fresh(shape: Shape, seeds: tuple[int, ...]) -> State:
    """Before the first iteration."""
    weights = np.stack([shape.initial(seed) for seed in seeds])
    zeros = np.zeros_like(weights)
    return State(0, weights, zeros, zeros.copy(), np.full(len(seeds), -1, np.int64))


class TrainingJob(NamedTuple):
    """What an engine trains: models of one shape, a seed each, from a state on."""

    traces: Traces
    shape: Shape
    recipe: Recipe
    seeds: tuple[int, ...]
    state: State

    @property
    def batch(self) -> int:
        """Traces in an iteration: what the recipe says, or all where there are fewer."""
        return min(self.recipe.batch, len(self.traces))

    @property
    def ranked(self) -> Ints:
        """The traces as `batches` numbers them: the shortest first where there are bands."""
        if self.recipe.bands < 2:
            return np.arange(len(self.traces))
        return np.argsort(self.traces.length, kind="stable")


class Engine(Protocol):
    """Trains the models of a job a piece at a time; how it cuts its work changes no bit of the result."""

    name: str

    def advance(self, schedule: AdamSchedule) -> Floats:
        """One iteration for each entry of the schedule; the losses, (models, iterations)."""

    def freeze(self, models: list[int]) -> None:
        """Trains these models no further; their losses are NaN from here on, as those of lost ones."""

    def state(self) -> State:
        """The state so far, on the host."""


def batches(seed: int, count: int, first: int, iterations: int, batch: int, bands: int = 1) -> Ints:
    """The traces (iterations, batch) of the iterations from `first` on, out of `count`.

    Every epoch is a permutation, given by the seed alone. A position in the stream of traces is mapped by a
    Feistel network, so that any iteration can be computed without those before it. Of several bands, into
    which traces sorted by length are cut, each batch is from one, and their order is shuffled; traces that
    fill no batch, others in each epoch, are left out. In `dealing.c` is the same function.
    """
    each = np.arange(first, first + iterations, dtype=np.uint64).repeat(batch)
    place = np.tile(np.arange(batch, dtype=np.uint64), iterations)
    if bands > 1 and count >= 2 * batch:
        return _banded(seed, count, each, place, batch, bands).reshape(iterations, batch)
    positions = each * np.uint64(batch) + place
    at, key = positions % np.uint64(count), _key(seed, positions // np.uint64(count))
    return _shuffled(at, key, np.full(at.shape, count)).reshape(iterations, batch)


def _banded(seed: int, count: int, iteration: WORDS, place: WORDS, batch: int, bands: int) -> Ints:
    every = count // batch  # batches of an epoch
    bands, key = min(bands, every), _key(seed, iteration // np.uint64(every))
    number = _shuffled(iteration % np.uint64(every), key, np.full(key.shape, every))
    band = ((number + 1) * bands - 1) // every
    begin, end = (edge * every // bands * batch for edge in (band, band + 1))
    at = (number * batch - begin).astype(np.uint64) + place
    rank = begin + _shuffled(at, _mixed(key + band.astype(np.uint32) + np.uint32(1)), end - begin)
    return (rank * count + (_mixed(key) % np.uint32(count)).astype(np.int64)) // (every * batch)


def _key(seed: int, epoch: WORDS) -> WORDS:
    own = _mixed(np.array([seed & 0xFFFFFFFF], np.uint32))
    return _mixed(own + _mixed(epoch.astype(np.uint32) + np.uint32(0x9E3779B9)))


def _shuffled(place: WORDS, key: WORDS, count: Ints) -> Ints:
    """Each place walks the network's cycle until it is below its `count` again."""
    found = np.empty(len(place), np.int64)
    for most in np.unique(count).tolist():
        half = max(1, ((most - 1).bit_length() + 1) // 2)
        outside = np.flatnonzero(count == most)
        found[outside] = place[outside]
        while len(outside):
            found[outside] = _network(found[outside].astype(np.uint32), key[outside], half)
            outside = outside[found[outside] >= most]
    return found


def _network(value: WORDS, key: WORDS, half: int) -> WORDS:
    """A permutation of the numbers of 2 * half bits."""
    mask = np.uint32((1 << half) - 1)
    left, right = value >> np.uint32(half), value & mask
    for turn in range(ROUNDS):
        salt = np.uint32(turn * 0x85EBCA6B & 0xFFFFFFFF)
        left, right = right, left ^ (_mixed(right + key + salt) & mask)
    return left << np.uint32(half) | right


def _mixed(word: WORDS) -> WORDS:
    """Spreads every bit over the whole word (the end of murmur3)."""
    word = (word ^ word >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    word = (word ^ word >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return word ^ word >> np.uint32(16)
