"""Training on the CPU in C compiled for the size of a model, with the mathematics of the other engines."""

from __future__ import annotations

import ctypes
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from compiler.simulation.native.build import THIS_CPU, load_library
from gridlang.table import MOVES
from learners.runtime.hardware import cores
from learners.training.engine import State, TrainingJob
from learners.training.model import Floats
from learners.training.recipes import AdamSchedule

SOURCE = Path(__file__).parent / "engine_cpu.c"
FLAGS = (*THIS_CPU, "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-pthread")
MOST_THREADS = 4  # The C code splits a batch into so many parts, and a part has one thread.
NO_MEMORY = -2  # The C code answers this where it cannot allocate its buffers.

Integers = npt.NDArray[np.integer[Any]]


class _RunConstants(ctypes.Structure):
    """What a run does not change; as `struct run_constants` in C."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("x", "s", "m", "length")),
        *((name, ctypes.c_int64) for name in ("count", "steps", "batch")),
        *((name, ctypes.c_float) for name in ("clip", "beta1", "beta2", "rest1", "rest2", "eps")),
        ("threads", ctypes.c_int32),
    ]


@lru_cache(maxsize=32)
def library_for(symbols: int, dim: int) -> ctypes.CDLL:
    """The trainer of models of this size; CannotBuild without a compiler."""
    flags = (*FLAGS, f"-DSYMBOLS={symbols}", f"-DDIM={dim}")
    library = load_library(SOURCE.read_text(encoding="utf-8"), flags, ("train_advance", "train_order"))
    word, long, pointer = ctypes.c_uint32, ctypes.c_int64, ctypes.c_void_p
    library.train_order.restype = None
    library.train_order.argtypes = [word, long, long, long, pointer]
    library.train_advance.restype = long
    library.train_advance.argtypes = [pointer, word, *[pointer] * 3, long, long, *[pointer] * 4]
    return library


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
        self.library = library_for(symbols, dim)
        self.size = symbols * (dim + symbols + len(MOVES)) * dim + dim
        data = [np.ascontiguousarray(rows, np.int16) for rows in (x, s, m)]
        data_length = np.ascontiguousarray(length, np.int32)
        self.kept_alive = (*data, data_length)
        self.constants = _RunConstants(
            *(rows.ctypes.data for rows in data),
            data_length.ctypes.data,
            *(*x.shape, batch),
            *(clip, beta1, beta2, 1 - beta1, 1 - beta2, eps),
            min(threads or cores(), MOST_THREADS),
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
        answer = self.library.train_advance(
            ctypes.byref(self.constants),
            seed & 0xFFFFFFFF,
            *(vector.ctypes.data for vector in (weights, momentum, variance)),
            first,
            len(losses),
            *(vector.ctypes.data for vector in (step, root, keep, losses)),
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
