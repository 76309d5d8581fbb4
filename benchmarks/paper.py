"""The paper's table and plots, reproduced: trains, evaluates, and writes a record and a picture of each task.

    python benchmarks/paper.py add2                    all of one task
    python benchmarks/paper.py add2 add10 mult2 mult10 all of them
    python benchmarks/paper.py add2 --seed 100         with other seeds
    python benchmarks/paper.py mult10 --only paper --seconds 540   a piece of a long run; call again to go on

Records go to benchmarks/results/, pictures to docs/results/, runs with their checkpoints to --work.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.timing import OutOfTime, ends_with  # noqa: E402
from gridlang.compiler.tensors.dfst import Dfst, dfst_to_bytes  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.evaluation.evaluate import Evaluator  # noqa: E402
from gridlang.learners.reports.line_charts import Line, Panel, charts  # noqa: E402
from gridlang.learners.runtime.json_records import objects_in  # noqa: E402
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan  # noqa: E402
from gridlang.learners.train.recipes import changed, load_recipe  # noqa: E402
from gridlang.learners.train.run import Trained, TrainingPlan, TrainingProgress, train  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.program import Program  # noqa: E402

LADDER = (1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 60, 80, 100, 140, 200, 300)
WATCHED = 8  # seeds of a curve


@dataclass(frozen=True)
class Task:
    """What the paper reports, and what counts as generalising here."""

    name: str
    published: int  # RLG
    threshold: int  # digits at which a seed generalises
    seeds: int
    worlds: int  # random ones
    ladder: int  # longest inputs of a curve
    paper_seeds: int


TASKS = {
    task.name: task
    for task in (
        Task("add2", 3850, 100, 32, 400, 300, 32),
        Task("add10", 2450, 100, 32, 1_000, 300, 32),
        Task("mult2", 600, 40, 32, 1_000, 300, 1),
        Task("mult10", 180, 20, 8, 2_000, 40, 4),
    )
}
# What is trained: recipe, and the data that it is given.
EXPERIMENTS = ("paper", "fast", "fast-greedy", "fast-worlds")


def plan_for(task: Task, experiment: str, program: Program, options: argparse.Namespace) -> TrainingPlan:
    """The traces, recipe and seeds of an experiment; the data do not depend on the seeds."""
    recipe, _, data = experiment.partition("-")
    table = program.table
    plans = [sampling_plan(table, "paper", greedy=data == "greedy")]
    if data == "worlds":  # with the inputs, except for add2, which needs none
        worlds = sampling_plan(table, "peek-worlds", count=task.worlds)
        plans = [worlds] if task.name == "add2" else [*plans, worlds]
    count = options.seeds or (task.paper_seeds if recipe == "paper" else task.seeds)
    seeds = tuple(range(options.seed, options.seed + count))
    how = changed(load_recipe(recipe, task.name), iterations=options.iterations)
    return TrainingPlan(make_traces(program, plans, 0), how, seeds, options.device)


def largest(task: Task, program: Program, dfst: Dfst) -> int:
    lengths = [length for length in LADDER if length <= task.ladder]
    evaluator = Evaluator(dfst, program.table)
    return max(takewhile(lambda length: evaluator.at(length).passed, lengths), default=0)


def run(task: Task, experiment: str, options: argparse.Namespace) -> dict[str, Any] | None:
    """One experiment from its checkpoint, if there is one, to its record; None if time ran out."""
    program = load(ROOT / "examples" / f"{task.name}.grid", {})
    plan = plan_for(task, experiment, program, options)
    folder = Path(options.work) / f"{task.name}-{experiment}"
    folder.mkdir(parents=True, exist_ok=True)
    known = folder / "run.json"
    made = json.loads(known.read_text()) if known.exists() else None  # by the call that began the run
    deadline, told = time.monotonic() + options.seconds, [0]

    def watch(at: TrainingProgress) -> None:
        if sys.stderr.isatty() or at.iteration * 10 // at.iterations > told[0]:
            told[0] = at.iteration * 10 // at.iterations
            line = f"{task.name} {experiment}: {at.iteration:,}/{at.iterations:,}  {1e6 / at.rate:.0f} us/it"
            end = "\r" if sys.stderr.isatty() else "\n"
            print(f"{line}  loss {np.nanmedian(at.losses):.2e}", end=end, file=sys.stderr, flush=True)
        if time.monotonic() > deadline:
            raise OutOfTime

    try:
        models = train(plan, str(folder), resume=True, on_event=watch)
    except OutOfTime:
        print(f"\n{task.name} {experiment}: out of time; call again to go on", file=sys.stderr)
        return None
    print(file=sys.stderr)
    made = made or json.loads(known.read_text())
    return record(task, experiment, program, plan, models, made, folder, options)


def given(options: argparse.Namespace) -> list[str]:
    """The options that change what is recorded, as they are typed."""
    numbers = {"seed": options.seed, "seeds": options.seeds, "iterations": options.iterations}
    return [word for name, n in numbers.items() if n is not None for word in (f"--{name}", str(n))]


def record(
    task: Task,
    experiment: str,
    program: Program,
    plan: TrainingPlan,
    models: list[Trained],
    made: dict[str, Any],
    folder: Path,
    options: argparse.Namespace,
) -> dict[str, Any]:
    """Evaluates all seeds, and the best at the published length; writes the record and the model."""
    begun = time.monotonic()
    rlg = [largest(task, program, model.model) if model.diverged < 0 else 0 for model in models]
    best = best_seed(task, program, models, rlg)
    published = Evaluator(models[best].model, program.table).at(task.published)
    metrics, measures = (objects_in(str(folder / f"{each}.jsonl")) for each in ("metrics", "measures"))
    training = json.loads(models[best].model.metadata["training"])
    passed = sum(length >= task.threshold for length in rlg)
    iterations = max(model.iterations for model in models)
    result = {
        "task": task.name,
        "experiment": experiment,
        "command": " ".join(("python benchmarks/paper.py", task.name, "--only", experiment, *given(options))),
        "recipe": plan.recipe.as_json(),
        "dim": plan.shape.dim,
        "parameters": plan.shape.parameters,
        "data": training["data"],
        **{key: made[key] for key in ("engine", "gpu", "versions")},
        "seconds": {
            "training": round(models[0].seconds, 1),
            "evaluation": round(time.monotonic() - begun, 1),
        },
        "microseconds_an_iteration": round(models[0].seconds / iterations * 1e6, 1),
        "threshold": task.threshold,
        "share": [passed, len(models)],
        "seeds": [
            {"seed": m.seed, "loss": _finite(m.loss), "rlg_at_least": length, "diverged": m.diverged}
            for m, length in zip(models, rlg, strict=True)
        ],
        "best": {
            "seed": models[best].seed,
            "digits": task.published,
            "rlg": published.passed,
            "steps": published.steps,
            "seconds": round(published.seconds, 2),
            "margin": published.margin.value if published.margin else None,
        },
        "loss": _thinned(metrics),
        "rlg": [
            {"iteration": at["iteration"], "rlg": [n or 0 for n in at["rlg"][:WATCHED]]} for at in measures
        ],
    }
    Path(options.results).mkdir(parents=True, exist_ok=True)
    write_whole(Path(options.results) / f"{task.name}-{experiment}.json", json.dumps(result) + "\n")
    write_whole(folder / "best.safetensors", dfst_to_bytes(models[best].model))
    print(f"{task.name} {experiment}: {passed} of {len(models)} seeds pass {task.threshold} digits; the best")
    print(f"  {'passes' if result['best']['rlg'] else 'fails'} RLG({task.published}), {result['best']}")
    return result


def best_seed(task: Task, program: Program, models: list[Trained], rlg: list[int]) -> int:
    """The largest margin among those that pass at a tenth of the published length; else the longest."""
    order = sorted(range(len(models)), key=lambda i: (-rlg[i], models[i].diverged >= 0, models[i].loss))

    def margin(i: int) -> float:
        tenth = Evaluator(models[i].model, program.table).at(task.published // 10)
        return tenth.margin.value if tenth.passed and tenth.margin else 0.0

    return max(order, key=margin)


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)


def _thinned(metrics: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """About sixty points of the loss, evenly on a logarithmic scale: median, least and most of the seeds."""
    if not metrics:
        return []  # all were lost before the first line
    total = metrics[-1]["iteration"]
    places = {min(len(metrics) - 1, int(len(metrics) * 10 ** (-3 * i / 60))) for i in range(61)}
    points = []
    for place in sorted(places):
        losses = [loss for loss in metrics[place]["loss"] if loss is not None]
        if losses:
            numbers = {"median": float(np.median(losses)), "least": min(losses), "most": max(losses)}
            points.append({"iteration": metrics[place]["iteration"], **numbers})
    return [point for point in points if point["iteration"] <= total]


def draw(task: Task, options: argparse.Namespace) -> None:
    """The paper's two appendix plots: the loss, and RLG, against iterations."""
    found = []
    for experiment in EXPERIMENTS:
        path = Path(options.results) / f"{task.name}-{experiment}.json"
        if path.exists():
            found.append(json.loads(path.read_text()))
    if not found:
        return
    losses = [line for r in found for line in _drawn(r["experiment"], r["loss"])]
    lengths = []
    for r in found:
        points = [
            {**p, "median": float(np.median(p["rlg"])), "least": min(p["rlg"]), "most": max(p["rlg"])}
            for p in r["rlg"]
        ]
        lengths += _drawn(r["experiment"], points)
    panels = [
        Panel("training loss", "iterations", losses, x_log=True, y_log=True),
        Panel("RLG, digits", "iterations", lengths, x_log=True),
    ]
    Path(options.pictures).mkdir(parents=True, exist_ok=True)
    title = f"{task.name}: median over seeds; thin: least and most"
    write_whole(Path(options.pictures) / f"{task.name}.svg", charts(title, panels, EXPERIMENTS))


def _drawn(name: str, points: list[dict[str, Any]]) -> list[Line]:
    """The median over seeds, and thin lines of the least and the most."""
    at = [float(point["iteration"]) for point in points]
    columns = {each: [float(point[each]) for point in points] for each in ("median", "least", "most")}
    return [Line(name, at, y, "" if each == "median" else name) for each, y in columns.items()]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", nargs="+", choices=TASKS)
    parser.add_argument("--only", choices=EXPERIMENTS, action="append", help="not all experiments")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, help="how many, if not what the task says")
    parser.add_argument("--iterations", type=int, help="how many, if not what the recipe says")
    parser.add_argument("--device", default="auto")
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="of training, for each experiment"
    )
    parser.add_argument("--work", default="runs", help="where runs are kept")
    parser.add_argument("--results", default=str(ROOT / "benchmarks" / "results"))
    parser.add_argument("--pictures", default=str(ROOT / "docs" / "results"))
    options = parser.parse_args()
    finished = True
    for name in options.tasks:
        for experiment in options.only or EXPERIMENTS:
            finished &= run(TASKS[name], experiment, options) is not None
        draw(TASKS[name], options)
    return 0 if finished else 1


if __name__ == "__main__":
    ends_with(main, "; the same command goes on with what is done")
