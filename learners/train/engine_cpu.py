"""Training on the CPU in C compiled for the size of a model, with the mathematics of the other engines."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

import numpy as np

from gridlang.compiler.native.build import THIS_CPU
from gridlang.compiler.native.c_library import CLibrary
from gridlang.learners.runtime.hardware import cores
from gridlang.learners.train.engine import State, TrainingJob
from gridlang.learners.train.recipes import AdamSchedule, Floats

SOURCES = tuple(Path(__file__).parent / name for name in ("dealing.c", "engine_cpu.c"))
FLAGS = (*THIS_CPU, "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-pthread")
NO_MEMORY = -2  # the answer of C where it cannot allocate its buffers


@lru_cache(maxsize=32)
def library_for(symbols: int, dim: int) -> CLibrary:
    """The trainer of models of this size."""
    text = "".join(path.read_text("utf-8") for path in SOURCES)
    return CLibrary(lambda: text, *FLAGS, SYMBOLS=symbols, DIM=dim)


class CpuEngine:
    """Many models on the CPU: each on a core of its own, or one on all of them.

    The result is the same, bit for bit, for any number of threads and any split of iterations into calls.
    """

    name = "native"

    def __init__(self, job: TrainingJob, threads: int | None = None) -> None:
        traces, recipe, state = job.traces, job.recipe, job.state
        self.seeds, self.iteration = job.seeds, state.iteration
        self.weights, self.mean, self.variance = (
            np.array(array, np.float32) for array in (state.weights, state.mean, state.variance)
        )
        assert self.weights.shape == self.mean.shape == self.variance.shape
        assert self.weights.shape == (len(job.seeds), job.shape.parameters)
        self.diverged = state.diverged.copy()
        library = library_for(*job.shape)
        self.train = library.train_advance
        columns, ranked = (traces.x, traces.s, traces.m, traces.length), job.ranked
        self.constants = library.structs["run_constants"](
            *(array[ranked] for array in columns),
            *(len(traces), traces.x.shape[1], job.batch, recipe.bands, recipe.clip),
            *(recipe.beta1, recipe.beta2, 1 - recipe.beta1, 1 - recipe.beta2, recipe.epsilon),
            threads or (1 if len(job.seeds) > 1 else cores()),
        )

    def advance(self, schedule: AdamSchedule) -> Floats:
        """Trains on; the losses, (models, iterations)."""
        count = len(schedule.step)
        losses = np.full((len(self.seeds), count), np.nan, np.float32)

        def train(model: int) -> None:
            if self.diverged[model] >= 0:
                return
            answer: int = self.train(
                *(self.constants, self.seeds[model] & 0xFFFFFFFF),
                *(self.weights[model], self.mean[model], self.variance[model]),
                *(self.iteration, count, *schedule, losses[model]),
            )
            if answer == NO_MEMORY:
                raise MemoryError("there is no memory to train in")
            self.diverged[model] = answer

        with ThreadPoolExecutor(cores()) as pool:
            list(pool.map(train, range(len(self.seeds))))
        self.iteration += count
        return losses

    def freeze(self, models: list[int]) -> None:
        """Trains these models no further."""
        self.diverged[models] = self.iteration

    def state(self) -> State:
        """The state so far."""
        weights, mean, variance = self.weights.copy(), self.mean.copy(), self.variance.copy()
        return State(self.iteration, weights, mean, variance, self.diverged.copy())
