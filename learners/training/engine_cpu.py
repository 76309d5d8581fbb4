"""Training on the CPU in C compiled for the size of a model, with the mathematics of the other engines."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from compiler.simulation.native.build import THIS_CPU
from compiler.simulation.native.c_library import CLibrary
from gridlang.table import MOVES
from learners.runtime.hardware import cores
from learners.training.engine import State, TrainingJob
from learners.training.model import Floats
from learners.training.recipes import AdamSchedule

SOURCE = Path(__file__).with_suffix(".c")
FLAGS = (*THIS_CPU, "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-pthread")
NO_MEMORY = -2  # the answer of C where it cannot allocate its buffers

Integers = npt.NDArray[np.integer[Any]]


@lru_cache(maxsize=32)
def library_for(symbols: int, dim: int) -> CLibrary:
    """The trainer of models of this size."""
    return CLibrary(SOURCE, *FLAGS, SYMBOLS=symbols, DIM=dim)


class CpuEngine:
    """Many models on the CPU: each on a core of its own, or one on all of them."""

    name = "native"

    def __init__(self, job: TrainingJob) -> None:
        traces, recipe, state = job.traces, job.recipe, job.state
        self.seeds, self.iteration = job.seeds, state.iteration
        self.weights, self.mean, self.variance = (
            np.array(array, np.float32) for array in (state.weights, state.mean, state.variance)
        )
        self.diverged = state.diverged.copy()
        self.shares = job.each_share
        self.trainers = {
            share: CpuTrainer(
                *(traces.x[share.rows], traces.s[share.rows], traces.m[share.rows]),
                traces.length[share.rows],
                *job.shape,
                batch=job.batch,
                clip=recipe.clip,
                beta1=recipe.beta1,
                beta2=recipe.beta2,
                eps=recipe.epsilon,
                threads=1 if len(job.seeds) > 1 else None,
            )
            for share in set(self.shares)
        }

    def advance(self, schedule: AdamSchedule) -> Floats:
        """Trains on; the losses, (models, iterations)."""

        def one(model: int) -> Floats:
            losses, self.diverged[model] = self.trainers[self.shares[model]].advance(
                self.seeds[model],
                *(self.weights[model], self.mean[model], self.variance[model]),
                self.iteration,
                *schedule,
                int(self.diverged[model]),
            )
            return losses

        with ThreadPoolExecutor(cores()) as pool:
            losses = np.stack(list(pool.map(one, range(len(self.seeds)))))
        self.iteration += len(schedule.step)
        return losses

    def state(self) -> State:
        """Where it stands."""
        weights, mean, variance = self.weights.copy(), self.mean.copy(), self.variance.copy()
        return State(self.iteration, weights, mean, variance, self.diverged.copy())


class CpuTrainer:
    """Runs iterations of training on traces (N, T), padded with -1, in batches drawn by `batch_order`.

    The result is the same, bit for bit, for any number of threads and any split of iterations into calls.
    """

    def __init__(
        self,
        x: Integers,
        s: Integers,
        m: Integers,
        length: Integers,
        symbols: int,
        dim: int,
        batch: int,
        clip: float,
        beta1: float,
        beta2: float,
        eps: float,
        threads: int | None = None,
    ) -> None:
        _validate(x, s, m, length, symbols)
        if min(symbols, dim, batch) < 1 or eps <= 0:
            raise ValueError("symbols, dim, batch and eps must be positive")
        library = library_for(symbols, dim)
        self.train = library.train_advance
        self.size = symbols * (dim + symbols + len(MOVES)) * dim + dim
        self.constants = library.structs["run_constants"](
            *(np.ascontiguousarray(rows, np.int16) for rows in (x, s, m)),
            np.ascontiguousarray(length, np.int32),
            *(*x.shape, batch),
            *(clip, beta1, beta2, 1 - beta1, 1 - beta2, eps),
            threads or cores(),
        )

    def advance(
        self,
        seed: int,
        weights: Floats,
        momentum: Floats,
        variance: Floats,
        first: int,
        step: Floats,
        root: Floats,
        keep: Floats,
        diverged: int,
    ) -> tuple[Floats, int]:
        """Runs the iterations from `first` on, one for each entry of `step`, and changes the three vectors.

        Answers the losses before each iteration, and the iteration that diverged (-1: none); from there on
        losses are NaN and nothing is changed.
        """
        losses = np.full(len(step), np.nan, np.float32)
        if diverged >= 0:
            return losses, diverged
        for vector in (weights, momentum, variance):
            _expect(vector, self.size)
            if not vector.flags.writeable:
                raise ValueError("the vectors are changed in place, and one is read-only")
        for vector in (step, root, keep):
            _expect(vector, len(losses))
        vectors = (weights, momentum, variance)
        answer: int = self.train(
            self.constants, seed & 0xFFFFFFFF, *vectors, first, len(losses), step, root, keep, losses
        )
        if answer == NO_MEMORY:
            raise MemoryError("there is no memory to train in")
        return losses, answer


def _validate(x: Integers, s: Integers, m: Integers, length: Integers, symbols: int) -> None:
    """C reads what these name: nothing may lie outside."""
    count, steps = x.shape
    if not count or s.shape != x.shape or m.shape != x.shape or length.shape != (count,):
        raise ValueError("traces are three tables of one shape, with a length for each row")
    if length.min() < 1 or length.max() > steps:
        raise ValueError(f"a trace has 1 to {steps} steps")
    inside = np.arange(steps) < length[:, None]
    if ((s < 0) != (m < 0))[inside].any():
        raise ValueError("a step both writes and moves, or does neither")
    # Where the agent is stuck it writes nothing and moves nowhere, which is -1.
    for rows, least, bound in ((x, 0, symbols), (s, -1, symbols), (m, -1, len(MOVES))):
        if rows[inside].min() < least or rows[inside].max() >= bound:
            raise ValueError(f"a trace holds a number outside 0..{bound - 1}")


def _expect(vector: Floats, size: int) -> None:
    if vector.dtype != np.float32 or vector.shape != (size,) or not vector.flags.c_contiguous:
        raise ValueError(f"expected {size} float32 numbers in a row")
