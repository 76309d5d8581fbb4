"""Learning from noisy traces, over tasks, rates and seeds: what is judged wrong, and what is proven.

    python benchmarks/noise.py add2                            1, 5, 10 and 20 %, 4 draws each, 400 worlds
    python benchmarks/noise.py add2 add10 --seconds 540        a piece of a long run; call again to go on
    python benchmarks/noise.py mult2 --rates 1,5 --draws 2 --device cuda
    python benchmarks/noise.py add2 --in writes,moves --rates 5 --draws 12

Each draw has worlds, noise and models of its own seed. The clean traces and the expert are looked at when a
draw is learned, to measure it, and never before. Records go to benchmarks/results/noise.json, one for each
draw as soon as it is done; a draw that is recorded with the same settings is not run again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.timing import OutOfTime, ends_with  # noqa: E402
from gridlang.compiler.traces.dataset import Traces  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.learning.learn_text import cleaning_line  # noqa: E402
from gridlang.learners.learning.noisy_rounds import learn_noisy  # noqa: E402
from gridlang.learners.methods.noise.cleaning import CleaningPlan, RoundOfCleaning  # noqa: E402
from gridlang.learners.methods.noise.corruption import EVEN, ROW_OF, SHAPES, corrupted, kinds_of  # noqa: E402
from gridlang.learners.methods.noise.decoding import Accounts  # noqa: E402
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan  # noqa: E402
from gridlang.learners.training.recipes import changed, load_recipe  # noqa: E402
from gridlang.loading import load  # noqa: E402

# Worlds of each task: the probe's for add2, then what `trace` would take.
WORLDS = {"add2": 400, "add10": 4_000, "mult2": 4_000, "mult10": 20_000}
RATES = "1,5,10,20"
FORMAT = "gridlang-noise-benchmark/2"


class Comparison(NamedTuple):
    """Steps that are judged wrong against those that are."""

    true_wrong: int
    judged_wrong: int
    both: int

    @property
    def precision(self) -> float:
        return self.both / max(self.judged_wrong, 1)

    @property
    def recall(self) -> float:
        return self.both / max(self.true_wrong, 1)

    def as_json(self) -> dict[str, Any]:
        shares = {"precision": round(self.precision, 4), "recall": round(self.recall, 4)}
        return {**self._asdict(), **shares}


def compared(seen: Traces, told: Accounts, clean: Traces) -> Comparison:
    """What was judged, beside the traces as they were before noise."""
    judged, true = _differ(seen, told), _differ(seen, clean)
    return Comparison(int(true.sum()), int(judged.sum()), int((judged & true).sum()))


def _differ(seen: Traces, other: Traces | Accounts) -> np.ndarray:
    rows = [getattr(seen, name) != getattr(other, name) for name in ROW_OF.values()]
    return np.logical_or.reduce(rows) & (seen.x >= 0)


def measured(task: str, percent: float, draw: int, options: argparse.Namespace) -> dict[str, Any]:
    """One draw from its traces to the final measurement."""
    deadline = options.deadline

    clock: dict[str, float] = {}

    def check(at: str) -> None:
        if at.startswith("training on cleaned"):
            clock.setdefault("cleaning_cpu_seconds", time.process_time() - cpu)
        if time.monotonic() > deadline:
            raise OutOfTime

    places = (ROOT / folder / f"{task}.grid" for folder in ("examples", "benchmarks/agents"))
    program = load(next(path for path in places if path.exists()), {})
    worlds = options.worlds or WORLDS.get(task, 2_000)
    clean = make_traces(program, [sampling_plan(program.table, f"peek-worlds:{worlds}")], draw)
    kinds = kinds_of(options.kinds)
    noisy = corrupted(clean, percent / 100, kinds, draw, options.shape)
    recipe = changed(load_recipe("proof", task), iterations=options.iterations)
    plan = CleaningPlan(recipe, options.rounds, draw, options.device)
    begun, cpu = time.monotonic(), time.process_time()

    def told(event: str | RoundOfCleaning) -> None:
        if isinstance(event, str):
            check(event)
        else:
            print(f"  {cleaning_line(event)}", file=sys.stderr, flush=True)

    learned = learn_noisy(
        noisy,
        plan,
        tuple(range(draw * 100, draw * 100 + options.seeds)),
        program.table,
        on_event=told,
    )
    clock |= {"seconds": time.monotonic() - begun, "cpu_seconds": time.process_time() - cpu}
    return {
        **settings(task, percent, draw, options),
        **compared(noisy, learned.cleaned.best.accounts, clean).as_json(),
        **learned.cleaned.judgement.as_json(),
        "rounds": learned.cleaned.rounds,
        "found_again": learned.cleaned.found_again,
        "states": len(learned.cleaned.best.table.states),
        "verdicts": learned.verdicts,
        "models": [seed.as_json() for seed in learned.seeds],
        **{name: round(value, 1) for name, value in clock.items()},
    }


def settings(task: str, percent: float, draw: int, options: argparse.Namespace) -> dict[str, Any]:
    """What tells one record from another."""
    return {
        "task": task,
        "percent": percent,
        "in": options.kinds,
        "draw": draw,
        "worlds": options.worlds or WORLDS.get(task, 2_000),
        "most_rounds": options.rounds,
        "iterations": options.iterations,
        **({"as": options.shape} if options.shape != EVEN else {}),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tasks", nargs="+", help="names of examples, or of agents of benchmarks")
    parser.add_argument("--rates", default=RATES, help=f"in percent, {RATES} unless given")
    parser.add_argument("--in", dest="kinds", default="reads,writes,moves")
    parser.add_argument("--as", dest="shape", choices=SHAPES, default=EVEN)
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--first", type=int, default=0, help="the first draw")
    parser.add_argument("--seeds", type=int, default=1, help="models that learn from cleaned traces")
    parser.add_argument("--worlds", type=int)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--record", default=str(ROOT / "benchmarks" / "results" / "noise.json"))
    options = parser.parse_args()
    options.deadline = time.monotonic() + options.seconds
    path = Path(options.record)
    records: list[dict[str, Any]] = json.loads(path.read_text())["draws"] if path.exists() else []
    cases = [
        (task, float(percent), draw)
        for task in options.tasks
        for percent in options.rates.split(",")
        for draw in range(options.first, options.first + options.draws)
    ]
    for task, percent, draw in cases:
        wanted = settings(task, percent, draw, options)
        if any(wanted.items() <= record.items() for record in records):
            continue
        print(f"{task} at {percent:g} %, draw {draw}", file=sys.stderr, flush=True)
        try:
            records.append(measured(task, percent, draw, options))
        except OutOfTime:
            print("out of time; call again to go on", file=sys.stderr)
            return 1
        write_whole(path, json.dumps({"format": FORMAT, "draws": records}, indent=1) + "\n")
        print(line(records[-1]), flush=True)
    return 0


def line(record: dict[str, Any]) -> str:
    """One draw in words."""
    models = sum("proven" in model["verdicts"].values() for model in record["models"])
    verdicts = ", ".join(f"{verdict} on {scope}" for scope, verdict in record["verdicts"].items())
    judged = f"{record['judged_wrong']:,} judged of {record['true_wrong']:,} wrong"
    shares = f"precision {record['precision']:.3f}, recall {record['recall']:.3f}"
    spent = f"{record['cpu_seconds']:.0f} s of CPU"
    case = f"{record['task']} {record['percent']:g} %"
    return f"{case}: {judged}, {shares}; {verdicts}; {models} models proven; {spent}"


if __name__ == "__main__":
    ends_with(main, "; the same command goes on with what is done")
