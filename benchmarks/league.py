"""The league: which method learns an agent exactly from traces that nobody chose by a look at it.

    python benchmarks/league.py           what is missing in the record: days without a GPU
    python benchmarks/league.py --only add2-inputs --methods merge gru --draws 4 --sizes 200 1000
    python benchmarks/league.py --page    the table of its page, and no more

A draw is a sample of traces, and for what is trained one initialisation. No method is told the expert's
number of states. The record is benchmarks/results/league.json, shown in docs/research/league.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import product, starmap
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

import gridlang as gl  # noqa: E402
from benchmarks.pages import with_table  # noqa: E402
from benchmarks.timing import ends_with  # noqa: E402
from gridlang.compiler.judging.equivalence_query import judge  # noqa: E402
from gridlang.compiler.tensors.model import Model  # noqa: E402
from gridlang.diagnostics import GridError  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.evaluation.prediction import prediction_of  # noqa: E402
from gridlang.learners.runtime.hardware import cores, gpu_count  # noqa: E402
from gridlang.learners.runtime.processes import in_processes  # noqa: E402
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan  # noqa: E402
from gridlang.learners.traces.dataset import Traces, digest  # noqa: E402
from gridlang.learners.train.recipes import changed, load_recipe  # noqa: E402
from gridlang.learners.train.refitting import Refitting  # noqa: E402
from gridlang.learners.train.run import TrainingPlan, train  # noqa: E402
from gridlang.loading import load  # noqa: E402

DRAWS, FIRST_DRAW = 64, 700_000  # No other experiment here uses these seeds.
SIZES = (50, 200, 1_000, 4_000)  # different traces; fewer where a rule shows no more
RUNS = {"inputs": 4_000, "reads": 4_000, "worlds": 16_000}  # of which SIZES are
FRESH = 1_000  # other traces by the same rule
HOPELESS = 0.02  # a model that errs on more of the fresh traces is wrong, and no proof is tried
STEPS = 200  # of a trace on an input
RIVALS = ("gru", "lstm", "ssm", "gated")  # of benchmarks/rivals.py
METHODS = ("merge", "dfst", "refit", *RIVALS)
WIDTH = 32  # of DFSTs, chosen on an agent that is in no line
PATIENCE = 1_200  # seconds of a core for one model, from its traces to the verdict
DASH = "–"  # neither predicted nor proven
PAGE = ROOT / "docs" / "research" / "league.md"


class Line(NamedTuple):
    """An agent, and a rule that does not look at it; repetitions in its inputs."""

    task: str
    rule: str
    longest: int = 5

    @property
    def name(self) -> str:
        return f"{self.task}-{self.rule}"


LINES = (
    Line("add2", "worlds"),
    Line("add2", "reads"),
    Line("add2", "inputs"),
    Line("palindrome", "inputs", 8),
    Line("palindrome", "reads"),
    Line("add10", "inputs"),
    Line("add10", "reads"),
    Line("mult2", "reads"),
    Line("mult2", "worlds"),
    Line("subtract", "inputs"),
    Line("compare", "reads"),
    Line("mult10", "reads"),
)


class Entry(NamedTuple):
    """A draw of a line, as many of its traces, and what learns from them."""

    line: Line
    method: str  # `refit` is `dfst`, refitted: both come from one training
    size: int
    draw: int

    def key(self, method: str) -> str:
        return f"{self.line.task}/{self.line.rule}/{method}/{self.size}"


def drawn(line: Line, draw: int, count: int) -> Traces:
    """The traces of a draw; that before the first is of fresh ones."""
    program = load(ROOT / "examples" / f"{line.task}.grid", {})
    sizes = {"long": line.longest, "steps": STEPS} if line.rule == "inputs" else {}
    plan = sampling_plan(program.table, line.rule, count=count, **sizes)
    return make_traces(program, [plan], FIRST_DRAW + draw)


def played(entry: Entry) -> dict[str, dict[str, Any]]:
    """What became of an entry, by method."""
    traces = drawn(entry.line, entry.draw, RUNS[entry.line.rule])
    own = traces[: entry.size]
    fresh = drawn(entry.line, -1, FRESH)
    return {
        method: {
            "draw": entry.draw,
            "traces": len(own),
            "digest": digest(own)[:12],
            "seconds": round(seconds, 3),
        }
        | judged(model, entry.line.task, own, fresh)
        for method, seconds, model in learned(entry, own)
    }


def learned(entry: Entry, traces: Traces) -> Iterator[tuple[str, float, Model]]:
    """The models of a method, and the seconds of a processor that each took."""
    begun = time.process_time()
    seed = FIRST_DRAW + SIZES.index(entry.size) * DRAWS + entry.draw
    if entry.method == "merge":
        model: Model = gl.train(traces, method="merge")[0]
    elif entry.method == "dfst":
        recipe = replace(changed(load_recipe("proof"), dim=WIDTH), refit=False)
        model = train(TrainingPlan(traces, recipe, (seed,)))[0].model
    else:
        from benchmarks.rivals import trained, wrapped  # needs PyTorch

        expert = gl.load(str(ROOT / "examples" / f"{entry.line.task}.grid"))
        model = wrapped(trained(entry.method, traces, seed), traces, expert)
    yield entry.method, time.process_time() - begun, model
    if entry.method == "dfst":
        fit = Refitting(traces).sure(model)
        yield "refit", time.process_time() - begun, fit.model if fit else model


def judged(model: Model, task: str, own: Traces, fresh: Traces) -> dict[str, Any]:
    """Whether it fits its traces, predicts fresh ones, and is proven; on all worlds is also on inputs."""
    expert, begun = load(ROOT / "examples" / f"{task}.grid", {}).table, time.process_time()
    told = prediction_of(model, fresh)
    row: dict[str, Any] = {"fits": prediction_of(model, own).consistent}
    row |= {"fresh": told.predicted, "asked": told.traces, "inputs": False, "worlds": False, "states": None}
    if told.predicted >= (1 - HOPELESS) * told.traces:
        for scope in ("worlds", "inputs"):
            try:
                answer = judge(model, expert, scope, snapped=True, tell_drift=False)
            except GridError:
                row[scope] = None
                continue
            row |= {scope: answer.verdict.equivalent, "states": answer.extraction.states or row["states"]}
            if row["worlds"]:
                row["inputs"] = True
                break
    return row | {"judging": round(time.process_time() - begun, 3)}


def missing(options: argparse.Namespace, record: dict[str, Any]) -> list[Entry]:
    """Draws that are asked for and not in the record."""
    lines = [line for line in LINES if not options.only or line.name in options.only]
    asked = product(lines, options.methods, options.sizes, range(options.draws))
    return [entry for entry in starmap(Entry, asked) if entry.draw not in draws_of(record, entry)]


def draws_of(record: dict[str, Any], entry: Entry) -> list[int]:
    return [row["draw"] for row in record.get(entry.key(entry.method), {}).get("draws", ())]


def table(record: dict[str, Any]) -> str:
    """Of all draws, those that predict all fresh traces, are proven on inputs, and on worlds."""
    methods = METHODS[:3]  # of the rivals there is one entry
    lines = [f"| agent, traces by | traces | {' | '.join(methods)} |", f"|---|---:|{'---:|' * len(methods)}"]
    for line in LINES:
        named = f"{line.task}, `{line.rule}`"
        for size in SIZES:
            draws = [
                record.get(Entry(line, method, size, 0).key(method), {}).get("draws", [])
                for method in methods
            ]
            cells = [cell(rows) for rows in draws]
            if any(each not in ("", DASH) for each in cells):
                lines.append(f"| {named} | {size:,} | {' | '.join(cells)} |")
                named = ""
    return "\n".join(lines)


def cell(rows: list[dict[str, Any]]) -> str:
    """`46/30?16/0`: 46 predict all, 30 are proven on inputs and 16 undecided; `of 4` where draws are few."""
    predict = sum(row["fresh"] == row["asked"] for row in rows)
    inputs, worlds = (sum(row[scope] is True for row in rows) for scope in ("inputs", "worlds"))
    unknown = sum(row["inputs"] is None for row in rows)
    shown = f"{predict}/{inputs}{f'?{unknown}' if unknown else ''}/{worlds}"
    few = f" of {len(rows)}" if len(rows) < DRAWS else ""
    return "" if not rows else DASH + few if shown == "0/0/0" else shown + few


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    trained = [method for method in METHODS if method != "refit"]
    parser.add_argument("--only", nargs="+", metavar="TASK-RULE", choices=[line.name for line in LINES])
    parser.add_argument("--methods", nargs="+", choices=trained, default=trained, help="dfst gives refit too")
    parser.add_argument("--sizes", nargs="+", type=int, choices=SIZES, default=SIZES)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--results", default=str(ROOT / "benchmarks" / "results" / "league.json"))
    parser.add_argument("--page", action="store_true", help="write the table of the page, and no more")
    options = parser.parse_args()
    path = Path(options.results)
    record = json.loads(path.read_text()) if path.exists() else {}
    if options.page:
        write_whole(PAGE, with_table(PAGE.read_text(encoding="utf-8"), table(record)))
        return 0
    about = {"cores": cores(), "gpu": gpu_count() > 0, "command": f"league.py {' '.join(sys.argv[1:])}"}
    for done in in_processes(played, missing(options, record), cores(), PATIENCE):
        entry: Entry = done.task
        for method, row in (done.answer or {}).items():
            kept = record.setdefault(entry.key(method), {**entry.line._asdict(), "method": method, **about})
            kept["size"] = entry.size
            kept["draws"] = sorted([*kept.get("draws", ()), row], key=lambda each: each["draw"])
            print(f"{entry.key(method)} {row}", flush=True)
        write_whole(path, json.dumps(record, sort_keys=True) + "\n")
        if done.problem:
            print(f"{entry}: {done.problem}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    ends_with(main)
