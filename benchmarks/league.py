"""The league: which method learns an agent exactly, from how many traces of which kind.

    python benchmarks/league.py                             everything, where it was left; days on two cores
    python benchmarks/league.py --methods merge sat         what needs no GPU
    python benchmarks/league.py --methods dfst --seconds 540    a piece of a long run; call again to go on
    python benchmarks/league.py --methods dfst --only-train    on a GPU; another call judges
    python benchmarks/league.py --tables                    every entry of the record, as tables
    python benchmarks/league.py --page                      its page and figure, from the record

One criterion: the table that is learned is *proven* to do what its expert does on all declared inputs, or on
all worlds. A draw is a seed of the traces, and of the weights where a method has some. All settings are
below; records go to benchmarks/results/league.json, one entry a task, rule, method and number of traces.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.league_draws import (  # noqa: E402
    Learned,
    Question,
    one_table,
    traces_of,
    verdict_on,
    weights_in,
)
from benchmarks.league_networks import Networks, clock, keep, kept, train_together  # noqa: E402
from benchmarks.league_page import all_tables, write_page  # noqa: E402
from benchmarks.timing import OutOfTime, ends_with  # noqa: E402
from gridlang.compiler.traces.dataset import Traces, traces_to_bytes  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.methods.registry import METHODS, OURS  # noqa: E402
from gridlang.learners.runtime.hardware import cores  # noqa: E402
from gridlang.learners.runtime.processes import in_processes  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.program import Program  # noqa: E402
from gridlang.table_json import table_to_json  # noqa: E402

TASKS = ("add2", "add10", "mult2", "mult10", "subtract", "compare", "palindrome")
BLIND = ("paper", "uniform", "scrambled", "random-reads")  # None of them looks at the expert's states.
# These do; `both` is half greedy inputs, half worlds.
RULES = (*BLIND, "greedy", "worlds", "both", "reads", "characteristic")
SIZES = (20, 50, 100, 200, 500, 1_000, 2_000, 4_000)
DRAWS, FIRST_DRAW = 16, 20_000  # No other experiment here uses these seeds.
LONGEST = 500  # steps of a trace
SAT_SIZES, SAT_SECONDS = (20, 50, 100), 10.0  # More traces are beyond a solver's reach in this time.
NETWORK_SIZES = (200, 4_000)  # A network takes minutes for what merging does in milliseconds.
PATIENCE = 20.0  # seconds to judge a model at one scope; what takes longer mostly stays unknown
SCOPES = ("worlds", "inputs")
PASSIVE = [method.name for method in OURS if not method.asks]
ORDER = sorted(PASSIVE, key=lambda name: METHODS[name].trained)  # tables first


class Cell(NamedTuple):
    """One entry of the record: draws of some traces each, learned by one method."""

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
        asked: dict[bytes, list[Learned]] = {}  # What several draws came to is asked about once.
        for each in learned:
            if each.model and not draws[each.draw]["worlds"]:
                asked.setdefault(weights_in(each.model), []).append(each)
        questions = [Question(same[0].draw, scope, same[0].model, expert) for same in asked.values()]
        for done in in_processes(verdict_on, questions, cores(), PATIENCE, one_core=True):
            if time.monotonic() > deadline:
                raise OutOfTime
            proven, states, seconds = done.answer or (None, 0, PATIENCE)
            for each in asked[weights_in(done.task.model)]:
                draw = draws[each.draw]
                draw |= {scope: proven, "judging": round(draw["judging"] + seconds, 3)}
                draw["states"] = states or draw["states"]
                if scope == "worlds" and proven:
                    draw["inputs"] = True
    return [draws[draw] for draw in sorted(draws)]


def _ended(draw: Mapping[str, Any]) -> bool:
    """Whether a table was learned in time; where none was, there are no states, and nothing was undecided."""
    return draw["states"] is not None or draw["inputs"] is not False


def cells_of(task: str, rule: str, method: str) -> list[Cell]:
    sizes = SAT_SIZES if method == "sat" else NETWORK_SIZES if METHODS[method].network else SIZES
    return [Cell(task, rule, method, size) for size in sizes]


class League:
    """The record on disk, and what is still to be done."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.path, self.device = Path(options.results) / "league.json", options.device
        self.work, self.sizes, self.only_train = Path(options.work), options.sizes, options.only_train
        self.deadline = time.monotonic() + options.seconds
        self.record: dict[str, Any] = json.loads(self.path.read_text()) if self.path.exists() else {}

    def run(self, task: str, rule: str, method: str) -> None:
        """The cells of one line of the figure that are not in the record yet."""
        wanted = [cell for cell in cells_of(task, rule, method) if cell.size in self.sizes]
        cells = [cell for cell in wanted if cell.key not in self.record]
        if not cells:
            return
        program = load(ROOT / "examples" / f"{task}.grid", {})
        if not METHODS[method].trained:
            for cell in wanted:
                if cell in cells:
                    learned = list(learned_tables(cell, self._draws(program, cell)))
                    self._keep(cell, learned, program, clock(on_gpu=False))
                if not any(map(_ended, self.record[cell.key]["draws"])):
                    return  # What ends in time on no draw does not with more traces either.
            return
        networks = self._networks(program, wanted)
        for cell in [] if self.only_train else cells:
            first = wanted.index(cell) * DRAWS
            ours = networks.learned[first : first + DRAWS]
            self._keep(
                cell, [each._replace(draw=each.draw - first) for each in ours], program, networks.clock
            )

    def _networks(self, program: Program, cells: list[Cell]) -> Networks:
        """All draws of all cells, trained together; those of a call before where there are some."""
        sizes = [str(cell.size) for cell in cells]
        folder = self.work / "-".join((cells[0].task, cells[0].rule, cells[0].method, *sizes))
        path = Path(f"{folder}.zip")
        if path.exists():
            return kept(path)
        parts = [traces for cell in cells for traces in self._draws(program, cell)]
        seeds = tuple(cell.seed + draw for cell in cells for draw in range(DRAWS))
        networks = train_together(cells[0].method, parts, seeds, self.device, folder, self.deadline)
        keep(networks, path)
        return networks

    def _draws(self, program: Program, cell: Cell) -> list[Traces]:
        self._check()
        draws = range(FIRST_DRAW, FIRST_DRAW + DRAWS)
        return [traces_of(program, cell.rule, cell.size, draw, LONGEST) for draw in draws]

    def _keep(self, cell: Cell, learned: list[Learned], program: Program, seconds_of: dict[str, Any]) -> None:
        self._check()
        draws = judged(learned, program, self.deadline)
        self.record[cell.key] = {**cell._asdict(), **seconds_of, "draws": draws}
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
    parser.add_argument("--methods", nargs="+", default=ORDER, choices=ORDER)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, choices=SIZES)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of one call")
    parser.add_argument("--results", default=str(ROOT / "benchmarks" / "results"))
    parser.add_argument("--work", default="runs/league", help="where training goes on from")
    parser.add_argument("--only-train", action="store_true", help="networks; another call judges them")
    parser.add_argument("--page", action="store_true", help="write the page and the figure alone")
    parser.add_argument("--tables", action="store_true", help="print every entry of the record")
    options = parser.parse_args()
    league = League(options)
    if options.tables:
        print(all_tables(league.record, options.tasks, options.rules))
        return 0
    if options.page:
        write_page(league.record, TASKS, Path(options.results), ROOT / "docs")
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
