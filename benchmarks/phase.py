"""How many traces a random machine takes, by its states and by who learns it: benchmarks/phase.py.

Records go to benchmarks/results/phase.json, the figure to docs/results; the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, product
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import gridlang as gl  # noqa: E402
from benchmarks.timing import ends_with  # noqa: E402
from gridlang.compiler.extraction.asking import ask  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.evaluation.prediction import prediction_of  # noqa: E402
from gridlang.learners.reports.line_charts import Line, Panel, charts  # noqa: E402
from gridlang.learners.traces.dataset import Traces  # noqa: E402
from gridlang.learners.train.recipes import changed, load_recipe  # noqa: E402
from gridlang.learners.train.refitting import Refitting  # noqa: E402
from gridlang.learners.train.run import TrainingPlan, train  # noqa: E402

RULES = {"reads": "random read sequences", "inputs": "runs on declared inputs"}
SIZES = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000)  # traces of up to 60 steps
MERGED = {10: 4, 30: 4, 100: 4, 300: 4, 1_000: 1}  # machines, by their states
TRAINED = {10: 4, 30: 2}  # of these; one training of 100 states takes minutes of a core
METHODS = ("merging", "gradients, refitted", "gradients alone", "queries")
RECORD, FIGURE = ROOT / "benchmarks" / "results" / "phase.json", ROOT / "docs" / "results" / "phase.svg"


def machine(states: int, draw: int) -> gl.Program:
    """Rules keep the symbol four times of five, and halt once in twenty; runs take ten steps or more."""
    for attempt in count():
        random = Random(f"{states} {draw} {attempt}")
        source = "agent drawn\nalphabet\n  bit = 0..1\ninput a = bit+\nstart q0\n"
        for q in range(states):
            source += f"state q{q}\n"
            for x in "_01":
                write, after = x if random.random() < 0.8 else random.choice("_01"), random.randrange(states)
                act = f"write {write}, {random.choice('LRRRR')} -> q{after}"
                source += f"  {x} : {'halt' if random.random() < 0.05 else act}\n"
        program = gl.loads(source)
        if all(traced(program, rule, 100, 0).steps >= 1_000 for rule in RULES):
            break
    return program


def traced(program: gl.Program, rule: str, many: int, seed: int) -> Traces:
    return gl.trace(program, rule, count=many, long=20, steps=60, seed=seed)


def needed(program: gl.Program, rule: str, states: int) -> Iterator[tuple[str, int | None]]:
    """The traces from which 99 of 100 fresh ones are predicted; by merging, or gradients told `states`."""
    fresh, pool = traced(program, rule, 1_000, 1), traced(program, rule, SIZES[-1], 2)
    found: dict[str, int | None] = {}
    for size in SIZES:
        own = pool[:size]
        models = {"merging": gl.train(own, method="merge")[0]} if not states else {}
        if states:
            recipe = replace(changed(load_recipe("proof"), dim=states), refit=False)
            model = models["gradients alone"] = train(TrainingPlan(own, recipe, (0,)))[0].model
            fit = Refitting(own).sure(model)
            models["gradients, refitted"] = fit.model if fit else model
        right = {name for name in models if prediction_of(models[name], fresh).predicted >= 0.99 * len(fresh)}
        found = {name: found.get(name) or (size if name in right else None) for name in models}
        if None not in found.values():
            break
    yield from found.items()


def figure(record: dict[str, Any]) -> str:
    """Medians over machines, the least and the most; what never sufficed counts as twice the most."""
    panels = []
    for rule, title in RULES.items():
        lines = []
        for method in METHODS:
            at: dict[int, list[int]] = {}
            for key, row in record.items():
                if key.startswith(f"{rule}/") and method in row:
                    at.setdefault(int(key.split("/")[1]), []).append(row[method] or 2 * SIZES[-1])
            found = dict(sorted(at.items()))
            for how, of in ((median, ""), (min, method), (max, method)):
                lines.append(Line(method, list(found), [how(each) for each in found.values()], of))
        panels.append(Panel(title, "states", lines, x_log=True, y_log=True))
    return charts("Traces until 99 % of fresh ones are predicted; queries until all are", panels, METHODS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RECORD)
    parser.add_argument("--only", default="", help="what keys of the record begin with")
    options = parser.parse_args()
    record = json.loads(options.results.read_text()) if options.results.exists() else {}
    for how, name in ((MERGED, "merged"), (TRAINED, "trained")):
        for rule, n, draw in product(RULES, how, range(max(how.values()))):
            key, begun = f"{rule}/{n}/{draw}/{name}", time.process_time()
            if draw >= how[n] or key in record or not key.startswith(options.only):
                continue
            program = machine(n, draw)
            record[key] = dict(needed(program, rule, n if how is TRAINED else 0))
            if how is MERGED:
                record[key]["queries"] = ask(program.table, "table").queries
            record[key]["seconds"] = round(time.process_time() - begun, 1)
            print(key, record[key], flush=True)
            write_whole(options.results, json.dumps(record, indent=1) + "\n")
    if options.results == RECORD:
        write_whole(FIGURE, figure(record))


if __name__ == "__main__":
    ends_with(main)
