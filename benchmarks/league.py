"""The league: which method learns an agent exactly, from how many traces of which kind.

    python benchmarks/league.py                             everything, where it was left; days on two cores
    python benchmarks/league.py --methods merge sat         what needs no GPU
    python benchmarks/league.py --methods dfst --seconds 540    a piece of a long run; call again to go on
    python benchmarks/league.py --page                      docs/league.md and its figure, from the record

One criterion: the table that is learned is *proven* to do what its expert does on all declared inputs, or on
all worlds. A draw is a seed of the traces, and of the weights where a method has some. All settings are
below; records go to benchmarks/results/league.json, one entry a task, rule, method and number of traces.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.league_draws import Learned, Question, one_table, stacked, traces_of, verdict_on  # noqa: E402
from benchmarks.league_page import write_page  # noqa: E402
from benchmarks.timing import OutOfTime, ends_with  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.program import Program  # noqa: E402
from gridlang.table_json import table_to_json  # noqa: E402
from learners.methods.train import train_by_method  # noqa: E402
from learners.networks.network import model_to_bytes  # noqa: E402
from learners.runtime.hardware import cores, gpu_count  # noqa: E402
from learners.runtime.processes import in_processes  # noqa: E402
from learners.traces.dataset import Traces, traces_to_bytes  # noqa: E402
from learners.training.methods import DFST, METHODS, NETWORKS, TABLES, method_of, usual_recipe  # noqa: E402
from learners.training.recipes import load_recipe  # noqa: E402
from learners.training.train import TrainingPlan, TrainingProgress  # noqa: E402

TASKS = ("add2", "add10", "mult2", "mult10", "subtract", "compare", "palindrome")
RULES = ("paper", "greedy", "worlds", "both", "reads")  # `both` is half inputs, half worlds.
SIZES = (20, 50, 100, 200, 500, 1_000, 2_000, 4_000)
DRAWS, FIRST_DRAW = 16, 20_000  # No other experiment here uses these seeds.
LONGEST = 500  # steps of a trace
SAT_SIZES, SAT_SECONDS = (20, 50, 100), 10.0  # More traces are beyond a solver's reach in this time.
NETWORK_SIZES = (200, 4_000)  # A network takes minutes for what merging does in milliseconds.
PATIENCE = 20.0  # seconds to judge a model at one scope; what takes longer mostly stays unknown
SCOPES = ("worlds", "inputs")


class Cell(NamedTuple):
    """One entry of the record: so many draws of so many traces, learned by one method."""

    task: str
    rule: str
    method: str
    size: int

    @property
    def key(self) -> str:
        return f"{self.task}/{self.rule}/{self.method}/{self.size}"

    @property
    def seed(self) -> int:
        """Of the weights of its first draw; cells that are trained together share none."""
        return FIRST_DRAW + DRAWS * SIZES.index(self.size)


def learned_tables(cell: Cell, parts: list[Traces]) -> Iterator[Learned]:
    """State merging or the smallest machine, each draw in a process of its own."""
    tasks = [(cell.method, SAT_SECONDS, traces_to_bytes(part)) for part in parts]
    waiting = {data: [draw for draw, task in enumerate(tasks) if task[2] == data] for *_, data in tasks}
    for done in in_processes(one_table, tasks, cores(), 4 * SAT_SECONDS, one_core=True):
        draw = waiting[done.task[2]].pop()
        seconds, model = done.answer or (4 * SAT_SECONDS, b"")
        yield Learned(draw, len(parts[draw]), seconds, model)


def learned_networks(
    cells: list[Cell], parts: list[list[Traces]], device: str, work: Path, deadline: float
) -> dict[Cell, list[Learned]]:
    """All draws of all sizes trained together, each on its own share of the traces."""
    flat = [traces for draws in parts for traces in draws]
    whole, shares = stacked(flat)
    seeds = tuple(cell.seed + draw for cell in cells for draw in range(DRAWS))
    recipe = load_recipe(usual_recipe(cells[0].method, "proof"))
    plan = TrainingPlan(whole, recipe, seeds, device, method=method_of(cells[0].method), shares=shares)

    def watch(at: TrainingProgress) -> None:
        print(f"\r{cells[0].key} {at.iteration:,}/{at.iterations:,}", end="", file=sys.stderr, flush=True)
        if time.monotonic() > deadline:
            raise OutOfTime

    sizes = [str(cell.size) for cell in cells]
    folder = work / "-".join((cells[0].task, cells[0].rule, cells[0].method, *sizes))
    models = train_by_method(plan, str(folder), resume=True, progress=watch)
    print(file=sys.stderr)
    learned: dict[Cell, list[Learned]] = {}
    for number, model in enumerate(models):
        cell, draw = cells[number // DRAWS], number % DRAWS
        weights = model_to_bytes(model.model) if model.diverged < 0 else b""
        part = Learned(draw, len(flat[number]), model.seconds / len(models), weights)
        learned.setdefault(cell, []).append(part)
    return learned


def judged(learned: list[Learned], program: Program, deadline: float) -> list[dict[str, Any]]:
    """Each draw's verdict at each scope; what is proven on all worlds is proven on inputs."""
    expert = table_to_json(program.table)
    draws: dict[int, dict[str, Any]] = {
        each.draw: {
            "draw": each.draw,
            "traces": each.traces,
            "seconds": round(each.seconds, 3),
            "judging": 0.0,
            "states": None,
            "worlds": None if each.model else False,
            "inputs": None if each.model else False,
        }
        for each in learned
    }
    for scope in SCOPES:
        asked = [each for each in learned if each.model and not draws[each.draw]["worlds"]]
        questions = [Question(each.draw, scope, each.model, expert) for each in asked]
        for done in in_processes(verdict_on, questions, cores(), PATIENCE, one_core=True):
            if time.monotonic() > deadline:
                raise OutOfTime
            proven, states, seconds = done.answer or (None, 0, PATIENCE)
            draw = draws[done.task.draw]
            draw |= {scope: proven, "judging": round(draw["judging"] + seconds, 3)}
            draw["states"] = states or draw["states"]
            if scope == "worlds" and proven:
                draw["inputs"] = True
    return [draws[draw] for draw in sorted(draws)]


def cells_of(task: str, rule: str, method: str) -> list[Cell]:
    sizes = SAT_SIZES if method == "sat" else NETWORK_SIZES if method in NETWORKS else SIZES
    return [Cell(task, rule, method, size) for size in sizes]


class League:
    """The record on disk, and what is still to be done."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.path, self.device = Path(options.results) / "league.json", options.device
        self.work, self.sizes = Path(options.work), options.sizes
        self.deadline = time.monotonic() + options.seconds
        self.record: dict[str, Any] = json.loads(self.path.read_text()) if self.path.exists() else {}

    def run(self, task: str, rule: str, method: str) -> None:
        """The cells of one line of the figure that are not in the record yet."""
        wanted = [cell for cell in cells_of(task, rule, method) if cell.size in self.sizes]
        cells = [cell for cell in wanted if cell.key not in self.record]
        if not cells:
            return
        program = load(ROOT / "examples" / f"{task}.grid", {})
        if method in TABLES:
            for cell in cells:
                learned = list(learned_tables(cell, self._draws(program, cell)))
                self._keep(cell, learned, program)
                if not any(each.model for each in learned):
                    return  # What ends in time on no draw does not with more traces either.
            return
        # Those that are judged already are in the run that is gone on with, too.
        parts = [self._draws(program, cell) for cell in wanted]
        models = learned_networks(wanted, parts, self.device, self.work, self.deadline)
        for cell in cells:
            self._keep(cell, models[cell], program)

    def _draws(self, program: Program, cell: Cell) -> list[Traces]:
        self._check()
        draws = range(FIRST_DRAW, FIRST_DRAW + DRAWS)
        return [traces_of(program, cell.rule, cell.size, draw, LONGEST) for draw in draws]

    def _keep(self, cell: Cell, learned: list[Learned], program: Program) -> None:
        self._check()
        draws = judged(learned, program, self.deadline)
        on_gpu = cell.method not in TABLES and self.device != "cpu" and gpu_count() > 0
        clock = {"cores": cores(), "gpu": on_gpu}  # Seconds of training are of the GPU, or of all cores.
        self.record[cell.key] = {**cell._asdict(), **clock, "draws": draws}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, json.dumps(self.record, indent=None, sort_keys=True) + "\n")
        counts = ", ".join(f"{sum(draw[s] is True for draw in draws)} on {s}" for s in SCOPES)
        seconds = sum(draw["seconds"] for draw in draws) / len(draws)
        print(f"{cell.key}: proven {counts} of {len(draws)}; {seconds:.2f} s each", flush=True)

    def _check(self) -> None:
        if time.monotonic() > self.deadline:
            raise OutOfTime


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", nargs="+", default=TASKS, choices=TASKS)
    parser.add_argument("--rules", nargs="+", default=RULES, choices=RULES)
    parser.add_argument("--methods", nargs="+", default=(*TABLES, DFST, *NETWORKS), choices=METHODS)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, choices=SIZES)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of one call")
    parser.add_argument("--results", default=str(ROOT / "benchmarks" / "results"))
    parser.add_argument("--work", default="runs/league", help="where training goes on from")
    parser.add_argument("--page", action="store_true", help="write the page and the figure alone")
    options = parser.parse_args()
    league = League(options)
    if options.page:
        write_page(league.record, TASKS, RULES, ROOT / "docs")
        return 0
    try:
        for method in options.methods:
            for task in options.tasks:
                for rule in options.rules:
                    league.run(task, rule, method)
    except OutOfTime:
        print("out of time; call again to go on", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    ends_with(main, "; the same command goes on with what is done")
