"""The league: which method learns an agent exactly from traces that nobody chose by a look at it.

    python benchmarks/league.py draw      the traces of all draws, and tables merged from them, judged
    python benchmarks/league.py train     on a GPU, as traces are there
    python benchmarks/league.py judge     verdicts on what was trained; waits for `train` to end
    python benchmarks/league.py page      joins the record, and shows it in docs/research/league.md

A draw is a sample of traces, and for a trained method one initialisation. No method is told the expert's
number of states. All settings are in league_lines.py, written before the runs. The record is
benchmarks/results/league.json; traces and models that are still to be judged lie in --work.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import league_judging as judging  # noqa: E402
from benchmarks.league_lines import (  # noqa: E402
    DRAWS,
    FIRST_DRAW,
    FRESH,
    HOPELESS,
    LINES,
    PATIENCE,
    REFITTED,
    RUNS,
    SETTINGS,
    SIZES,
    STEPS,
    TRAINED,
    Line,
)
from benchmarks.league_models import Learned, Models, clock, keep, kept, trained  # noqa: E402
from benchmarks.league_page import figure, written_page  # noqa: E402
from benchmarks.timing import OutOfTime, ends_with  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.methods.registry import METHODS  # noqa: E402
from gridlang.learners.runtime.hardware import cores, gpu_count  # noqa: E402
from gridlang.learners.runtime.processes import in_processes  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.table_json import table_to_json  # noqa: E402


class League:
    """The files of a run."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.work, self.results = Path(options.work), Path(options.results)
        self.deadline, self.draws = time.monotonic() + options.seconds, options.draws
        self.cores = options.cores or cores()
        self.lines = [line for line in LINES if not options.lines or line.name in options.lines]
        self.work.mkdir(parents=True, exist_ok=True)

    def draw_of(self, line: Line, draw: int) -> judging.Draw:
        """The draw of this number; that before the first is of fresh traces."""
        count = RUNS[line.rule] if draw >= 0 else FRESH
        file = self.work / f"{line.name.replace('/', '-')}-{draw}.npz"
        return judging.Draw(line.task, line.rule, FIRST_DRAW + draw, count, line.longest, STEPS, str(file))

    def keys(self) -> list[tuple[int, int]]:
        """The sizes and draws of a line, in the order that they are trained in."""
        return [(size, draw) for size in SIZES for draw in range(self.draws)]

    def recorded(self, line: Line, draws: int) -> None:
        """Makes the traces that are not there yet."""
        wanted = [self.draw_of(line, draw) for draw in range(-1, draws)]
        missing = [draw for draw in wanted if not Path(draw.file).exists()]
        for done in in_processes(judging.recorded, missing, self.cores, 300, one_core=True):
            if done.problem:
                raise RuntimeError(f"{done.task}: {done.problem}")

    def keep(self, line: Line, method: str, about: dict[str, Any], rows: dict[tuple[int, int], Any]) -> None:
        """Adds the entries of a line to the record."""
        path = self.results / f"league-{line.name}-{method}.json"
        entries = {}
        for size in SIZES:
            draws = [rows[key] for key in sorted(rows) if key[0] == size]
            key = f"{line.task}/{line.rule}/{method}/{size}"
            entries[key] = {**line._asdict(), "method": method, "size": size, **about, "draws": draws}
            told = {name: sum(draw[name] is True for draw in draws) for name in ("fits", "inputs", "worlds")}
            whole = sum(draw["fresh"] == draw["asked"] for draw in draws)
            print(f"{key}: {told}, all fresh traces {whole}, of {len(draws)}", flush=True)
        write_whole(path, json.dumps(entries) + "\n")

    def judged(
        self, line: Line, method: str, learned: dict[tuple[int, int], Learned]
    ) -> dict[tuple[int, int], Any]:
        """What is known of each model; a proof on all worlds is one on inputs."""
        learned = self._refitted(line, learned) if method == "refit" else learned
        expert = table_to_json(load(judging.EXAMPLES / f"{line.task}.grid", {}).table)
        fresh = self.draw_of(line, -1).file
        rows: dict[tuple[int, int], Any] = {}
        asked = {
            key: judging.Question(key, each.model, expert, self.draw_of(line, key[1]).file, key[0], fresh)
            for key, each in learned.items()
        }
        for key, each in learned.items():
            rows[key] = {
                "draw": key[1],
                "traces": each.traces,
                "seconds": round(each.seconds, 3),
                "judging": 0.0,
            }
            lost = False if not each.model else None
            rows[key] |= {"fits": lost, "fresh": 0, "asked": FRESH, "digest": "", "states": None}
            rows[key] |= {"worlds": lost, "inputs": lost, "by": ""}
        models = [question for question in asked.values() if question.model]
        for done in self._asked(judging.measured, models):
            if done.answer:
                rows[done.task.key] |= done.answer._asdict() | {"digest": done.answer.digest[:12]}
        hopeful = [q for q in models if rows[q.key]["fresh"] >= (1 - HOPELESS) * rows[q.key]["asked"]]
        for question in models:
            if question not in hopeful:
                rows[question.key] |= {"worlds": False, "inputs": False}
        network = METHODS[method].network if method in METHODS else False
        by, ask = ("asking", judging.by_asking) if network else ("clusters", judging.by_clusters)
        for scope in ("worlds", "inputs"):
            todo = [q._replace(scope=scope) for q in hopeful if rows[q.key][scope] is not True]
            for done in self._asked(ask, todo):
                self._note(rows[done.task.key], scope, by, done.answer, done.seconds)
        return rows

    def _refitted(
        self, line: Line, learned: dict[tuple[int, int], Learned]
    ) -> dict[tuple[int, int], Learned]:
        """The models refitted to their own traces, where that can be."""
        questions = (
            judging.Question(key, each.model, "", self.draw_of(line, key[1]).file, key[0], "")
            for key, each in learned.items()
            if each.model
        )
        for done in self._asked(judging.refit, questions):
            if done.answer:
                before = learned[done.task.key]
                seconds, model = done.answer
                learned[done.task.key] = before._replace(seconds=before.seconds + seconds, model=model)
        return learned

    def _asked(self, work: Callable[..., Any], tasks: Iterable[Any]) -> Iterable[Any]:
        return in_processes(work, tasks, self.cores, PATIENCE, one_core=True)

    @staticmethod
    def _note(row: dict[str, Any], scope: str, by: str, found: judging.Found | None, seconds: float) -> None:
        row["judging"] = round(row["judging"] + (found.seconds if found else seconds), 3)
        if found is None or found.proven is None:
            return
        if found.proven:
            row |= {scope: True, "states": found.states, "by": by}
            row["inputs"] = True  # inputs are worlds
        elif row[scope] is None:
            row |= {scope: False, "states": row["states"] or found.states or None}


def judged_as(method: str) -> tuple[str, ...]:
    """The methods that the models of one are judged as."""
    return (method, "refit") if method == REFITTED else (method,)


def draw(league: League) -> None:
    """Traces of every line, and what state merging makes of them."""
    for line in league.lines:
        league.recorded(line, league.draws)
        (league.work / f"{line.name}.drawn").touch()
    record = join_record(league)
    for line in league.lines:
        if f"{line.task}/{line.rule}/merge/{SIZES[-1]}" in record:
            continue
        tasks = [
            judging.Merging((size, draw), league.draw_of(line, draw).file, size)
            for size in SIZES
            for draw in range(league.draws)
        ]
        learned = {}
        for done in in_processes(judging.merged, tasks, league.cores, 4 * PATIENCE, one_core=True):
            seconds, model = done.answer or (4 * PATIENCE, b"")
            learned[done.task.key] = Learned(done.task.key[1], done.task.size, seconds, model)
        league.keep(line, "merge", clock(on_gpu=False), league.judged(line, "merge", learned))


def train_all(league: League) -> None:
    """All draws of all sizes of a line together, line by line while there is time."""
    record = join_record(league)
    for method, line in TRAINED:
        path = league.work / f"{line.name}-{method}.zip"
        entries = [f"{line.task}/{line.rule}/{name}/{SIZES[-1]}" for name in judged_as(method)]
        if path.exists() or line not in league.lines or all(entry in record for entry in entries):
            continue
        if time.monotonic() > league.deadline:
            break
        while not (league.work / f"{line.name}.drawn").exists():
            time.sleep(0.2)
        keys = league.keys()
        parts = [judging.first_traces(league.draw_of(line, draw).file, size) for size, draw in keys]
        seeds = tuple(FIRST_DRAW + SIZES.index(size) * league.draws + draw for size, draw in keys)
        begun = time.monotonic()
        try:
            models = trained(method, SETTINGS[method], parts, seeds, league.deadline)
        except OutOfTime:
            print(f"no time for {path.name}", flush=True)
            continue
        seconds = (time.monotonic() - begun) / len(models)
        learned = [
            Learned(n, len(parts[n]), seconds, model.model.to_bytes() if model.diverged < 0 else b"")
            for n, model in enumerate(models)
        ]
        about = {**clock(gpu_count() > 0), **SETTINGS[method], "iterations": models[0].iterations}
        keep(Models(learned, about), path)
        print(f"trained {path.name}: {seconds * len(models):.1f} s", flush=True)
    (league.work / "trained").touch()


def judge(league: League) -> None:
    """Judges the models of each line as they come."""
    record = join_record(league)
    while True:
        ended = (league.work / "trained").exists()
        for method, line in TRAINED:
            path = league.work / f"{line.name}-{method}.zip"
            for name in judged_as(method):
                key = f"{line.task}/{line.rule}/{name}/{SIZES[-1]}"
                part = league.results / f"league-{line.name}-{name}.json"
                if not path.exists() or part.exists() or key in record:
                    continue
                if time.monotonic() > league.deadline:
                    return
                models = kept(path)
                learned = dict(zip(league.keys(), models.learned, strict=True))
                league.keep(line, name, models.clock, league.judged(line, name, learned))
        if ended:
            return
        time.sleep(0.5)


def join_record(league: League) -> dict[str, Any]:
    """All entries, in one file."""
    path = league.results / "league.json"
    record = json.loads(path.read_text()) if path.exists() else {}
    for part in sorted(league.results.glob("league-*.json")):
        record |= json.loads(part.read_text())
    write_whole(path, json.dumps(record, sort_keys=True) + "\n")
    return record


def page(league: League) -> None:
    """The table and the figure of the league's page."""
    record = join_record(league)
    place = ROOT / "docs" / "research" / "league.md"
    write_whole(place, written_page(place.read_text(encoding="utf-8"), record))
    write_whole(ROOT / "docs" / "assets" / "league.svg", figure(record))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    stages = {"draw": draw, "train": train_all, "judge": judge, "page": page}
    parser.add_argument("stage", choices=stages)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--lines", nargs="+", metavar="TASK-RULE", help="some of them, to draw and to train")
    parser.add_argument("--cores", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which nothing new begins")
    parser.add_argument("--results", default=str(ROOT / "benchmarks" / "results"))
    parser.add_argument("--work", default="runs/league", help="traces, and models to be judged")
    options = parser.parse_args()
    stages[options.stage](League(options))
    return 0


if __name__ == "__main__":
    ends_with(main)
