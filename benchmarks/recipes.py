"""The recipes `proof` and `fast` on logs of Mealy machines, as `gridlang train LOG` takes them.

    python benchmarks/recipes.py            writes benchmarks/results/recipes.json, and prints the table

Machines and words are those of benchmarks/mealy.py. A model is *exact* if the table extracted from it is
bisimilar to the machine, which no method sees. Both recipes have their own rate and iterations, one seed, and
one core.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import mealy  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.runtime.hardware import cores  # noqa: E402
from gridlang.learners.runtime.processes import in_processes  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "recipes.json"
MACHINES = ("coffee", "turnstile", "handshake", "elevator", "random5", "random10", "random20")
WORDS, DRAWS, FIRST_DRAW = (100, 300, 1_000), 4, 100  # other draws than those of mealy.json
RECIPES = ("proof", "fast")
PATIENCE = 300.0  # seconds of one core


class Job(NamedTuple):
    """One log, and the recipe that a model of it is trained by."""

    machine: str
    words: int
    draw: int
    recipe: str


def learned(job: Job) -> dict[str, Any]:
    """Whether the model is exact, the share of fresh steps that it predicts, and its seconds."""
    hidden = mealy.machine_of(job.machine, job.draw)
    words = mealy.words_of(hidden, job.words, mealy.LONGEST, f"{job.machine} {job.words} {job.draw}")
    fresh = mealy.words_of(hidden, mealy.FRESH, mealy.FRESH_LONGEST, f"{job.machine} {job.draw} fresh")
    begun = time.process_time()
    rules = mealy.by_dfst(words, job.recipe, None)
    seconds = round(time.process_time() - begun, 2)
    share = round(mealy.predicted(rules, fresh), 4)
    return {**job._asdict(), "exact": mealy.exact(hidden, rules), "predicted": share, "seconds": seconds}


def table(record: list[dict[str, Any]]) -> str:
    """Exact models of all draws, and the mean share predicted, by machine and recipe."""
    head = "| log of | words | proof: exact | predicted | fast: exact | predicted |"
    lines = [head, "|---|---:|---:|---:|---:|---:|"]
    for machine, words in product(MACHINES, WORDS):
        cells = []
        for recipe in RECIPES:
            some = [
                row
                for row in record
                if (row["machine"], row["words"], row["recipe"]) == (machine, words, recipe)
            ]
            if some:
                exact, share = (
                    sum(row["exact"] for row in some),
                    sum(row["predicted"] for row in some) / len(some),
                )
                cells += [f"{exact} of {len(some)}", f"{100 * share:.1f} %"]
        if cells:
            lines.append(f"| {machine} | {words:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", default=str(RESULTS))
    parser.add_argument("--machines", nargs="+", default=MACHINES)
    parser.add_argument("--words", nargs="+", type=int, default=WORDS)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--recipes", nargs="+", default=RECIPES, choices=RECIPES)
    parser.add_argument("--cores", type=int, default=cores())
    parser.add_argument("--table", action="store_true", help="what is recorded")
    options = parser.parse_args()
    path = Path(options.results)
    record = json.loads(path.read_text()) if path.exists() else []
    if not options.table:
        done = {Job(*(row[name] for name in Job._fields)) for row in record}
        draws = range(FIRST_DRAW, FIRST_DRAW + options.draws)
        jobs = (Job(*each) for each in product(options.machines, options.words, draws, options.recipes))
        todo = [job for job in jobs if job not in done]
        for ended in in_processes(learned, todo, options.cores, PATIENCE, one_core=True):
            record.append(
                ended.answer
                or {**ended.task._asdict(), "exact": False, "predicted": 0.0, "seconds": PATIENCE}
            )
            write_whole(path, json.dumps(record) + "\n")
    print(table(record))
    return 0


if __name__ == "__main__":
    sys.exit(main())
