"""Microseconds an iteration of random traces, ever longer, and of ever more states.

python benchmarks/training.py [--device cpu|cuda] [--work N]

Three ways: our kernels, and in PyTorch a scan and steps one after the other, captured as a graph on a GPU.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.timing import ends_with, seconds_an_iteration  # noqa: E402
from gridlang.learners.runtime.cuda import CannotLaunch  # noqa: E402
from gridlang.learners.runtime.hardware import gpu_count  # noqa: E402
from gridlang.learners.traces.dataset import Traces  # noqa: E402
from gridlang.learners.train.dfst import scan  # noqa: E402
from gridlang.learners.train.engine import Engine, Shape, TrainingJob, fresh  # noqa: E402
from gridlang.learners.train.engine_cpu import CpuEngine  # noqa: E402
from gridlang.learners.train.engine_cuda import CudaEngine  # noqa: E402
from gridlang.learners.train.engine_torch import TorchEngine, in_turn  # noqa: E402
from gridlang.learners.train.recipes import changed, load_recipe  # noqa: E402
from gridlang.outcomes import Outcome  # noqa: E402

SIZES = (
    *((12, 4, 32, steps) for steps in (64, 256, 1_024, 4_096, 16_384)),
    *((12, 4, 1, steps) for steps in (64, 512, 4_096, 32_768, 262_144)),
    *((states, 12, 32, 64) for states in (20, 32, 64, 108, 128, 251, 500, 1_000)),
)  # states, symbols, traces, steps
LONGEST_IN_TURN = 16_384  # steps; to capture more as a graph takes minutes


def ways(device: str, seconds: float, work: int) -> None:
    """A line for each size; a way that cannot serve it, or has no room, has a dash."""
    print(f"{'states, symbols, traces, steps':<32}{'kernels':>12}{'a scan':>12}{'in turn':>12}")
    for states, symbols, count, steps in (size for size in SIZES if size[0] ** 2 * size[2] * size[3] <= work):
        job = _random_job(states, symbols, count, steps)
        engines: list[Callable[[], Engine]] = [
            partial(CudaEngine if device == "cuda" else CpuEngine, job),
            partial(TorchEngine, job, device, how=scan),
            partial(TorchEngine, job, device, how=in_turn),
        ][: 3 if steps <= LONGEST_IN_TURN else 2]
        cells = [_cell(engine, job, seconds) for engine in engines]
        print(f"{f'{states}, {symbols}, {count}, {steps:,}':<32}{''.join(cells)}", flush=True)


def _cell(opened: Callable[[], Engine], job: TrainingJob, seconds: float) -> str:
    try:
        engine = opened()
        engine.advance(job.recipe.adam_schedule(0, 3))
        spent = seconds_an_iteration(
            lambda count: engine.advance(job.recipe.adam_schedule(3, count)), seconds, 1, time.perf_counter
        )
    except (CannotLaunch, torch.OutOfMemoryError):
        return f"{'-':>12}"
    return f"{spent * 1e6:>12,.0f}"


def _random_job(states: int, symbols: int, count: int, steps: int) -> TrainingJob:
    random = np.random.default_rng(0)
    x, s, m = (random.integers(0, bound, (count, steps), np.int16) for bound in (symbols, symbols, 5))
    names = ("_", *(chr(ord("a") + i) for i in range(symbols - 1)))
    ending = (Outcome.BUDGET,) * count
    traces = Traces(x, s, m, np.full(count, steps, np.int32), ending, ("",) * count, names, "random")
    shape = Shape(symbols, states)
    recipe = changed(load_recipe("paper"), clip=0.1)
    return TrainingJob(traces, shape, recipe, (0,), fresh(shape, (0,)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda" if gpu_count() else "cpu")
    parser.add_argument("--seconds", type=float, default=1.0, help="to measure for, about")
    parser.add_argument("--work", type=int, help="leave out sizes of more states^2 * traces * steps")
    options = parser.parse_args()
    ways(options.device, options.seconds, options.work or sys.maxsize)


if __name__ == "__main__":
    ends_with(main)
