"""Microseconds an iteration, for one model and many.

python benchmarks/training.py [TASK...] [--device cpu|cuda] [--models N]
python benchmarks/training.py --ways [--device cpu|cuda]

*By length*: batches as the recipe `proof` draws them. *Ways*: random traces, ever longer, and ever more
states; our kernels, and in PyTorch a scan and steps one after the other, captured as a graph on a GPU.
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
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan  # noqa: E402
from gridlang.learners.traces.dataset import Traces  # noqa: E402
from gridlang.learners.train.dfst import scan  # noqa: E402
from gridlang.learners.train.engine import Engine, Shape, TrainingJob, fresh  # noqa: E402
from gridlang.learners.train.engine_choice import open_engine  # noqa: E402
from gridlang.learners.train.engine_cpu import CpuEngine  # noqa: E402
from gridlang.learners.train.engine_cuda import CudaEngine  # noqa: E402
from gridlang.learners.train.engine_torch import TorchEngine, in_turn  # noqa: E402
from gridlang.learners.train.recipes import changed, load_recipe  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.outcomes import Outcome  # noqa: E402

TASKS = ("add2", "add10", "mult2", "mult10")
WARM_UP = 40


def microseconds(task: str, models: int, device: str, seconds: float, bands: int = 1) -> float:
    """Of one iteration of all models, by the paper's recipe on the paper's data, but for the bands."""
    program = load(ROOT / "examples" / f"{task}.grid", {})
    traces = make_traces(program, [sampling_plan(program.table, "paper")])
    recipe = changed(load_recipe("paper", task), bands=bands)
    shape, seeds = Shape(len(traces.symbols), recipe.dim), tuple(range(models))
    engine = open_engine(device, TrainingJob(traces, shape, recipe, seeds, fresh(shape, seeds)))
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        engine.advance(recipe.adam_schedule(done, count))
        done += count

    advance(WARM_UP)
    return seconds_an_iteration(advance, seconds, WARM_UP, time.perf_counter) * 1e6


SIZES = (
    *((12, 4, 32, steps) for steps in (64, 256, 1_024, 4_096, 16_384)),
    *((12, 4, 1, steps) for steps in (64, 512, 4_096, 32_768, 262_144)),
    *((states, 12, 32, 64) for states in (20, 32, 64, 108, 128, 251, 500, 1_000)),
)  # states, symbols, traces, steps


def ways(device: str, seconds: float) -> None:
    """A line for each size; a way that cannot serve it, or has no room, has a dash."""
    print(f"{'states, symbols, traces, steps':<32}{'kernels':>12}{'a scan':>12}{'in turn':>12}")
    for states, symbols, count, steps in SIZES:
        job = _random_job(states, symbols, count, steps)
        engines: list[Callable[[], Engine]] = [
            partial(CudaEngine if device == "cuda" else CpuEngine, job),
            partial(TorchEngine, job, device, how=scan),
            partial(TorchEngine, job, device, how=in_turn),
        ]
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
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"of {', '.join(TASKS)}; all unless given")
    parser.add_argument("--device", default="cuda" if gpu_count() else "cpu")
    parser.add_argument("--models", type=int, help="trained together; 132 unless given, or 2 on a CPU")
    parser.add_argument("--seconds", type=float, default=1.0, help="to measure for, about")
    parser.add_argument("--ways", action="store_true", help="random traces, by length and by states")
    options = parser.parse_args()
    if options.ways:
        ways(options.device, options.seconds)
        return
    if unknown := set(options.tasks) - set(TASKS):
        parser.error(f"there is no task named {', '.join(sorted(unknown))}")
    many = options.models or (132 if options.device == "cuda" else 2)
    heads = ("one model", "by length", f"{many} models", "by length")
    print(f"{'microseconds an iteration':<26}{''.join(f'{head:>12}' for head in heads)}")
    bands = 1, load_recipe("proof").bands
    for task in options.tasks or TASKS:
        count = many if task != "mult10" else min(many, 8)
        found = [
            microseconds(task, models, options.device, options.seconds, each)
            for models in (1, count)
            for each in bands
        ]
        note = f"  ({count} models)" if count != many else ""
        print(f"{task:<26}{''.join(f'{each:>12,.1f}' for each in found)}{note}", flush=True)


if __name__ == "__main__":
    ends_with(main)
