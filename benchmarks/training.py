"""Microseconds an iteration, for one model and many.

python benchmarks/training.py [TASK...] [--device cpu|cuda] [--models N]

*By length*: batches as the recipe `proof` draws them.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.timing import ends_with, seconds_an_iteration  # noqa: E402
from gridlang.learners.runtime.hardware import gpu_count  # noqa: E402
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan  # noqa: E402
from gridlang.learners.train.engine import Shape, TrainingJob, fresh  # noqa: E402
from gridlang.learners.train.engine_choice import open_engine  # noqa: E402
from gridlang.learners.train.recipes import changed, load_recipe  # noqa: E402
from gridlang.loading import load  # noqa: E402

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"of {', '.join(TASKS)}; all unless given")
    parser.add_argument("--device", default="cuda" if gpu_count() else "cpu")
    parser.add_argument("--models", type=int, help="trained together; 132 unless given, or 2 on a CPU")
    parser.add_argument("--seconds", type=float, default=1.0, help="to measure for, about")
    options = parser.parse_args()
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
