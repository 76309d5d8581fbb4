"""Learning until proven, over many seeds: trains, extracts, proves, and writes a record of each task.

    python benchmarks/proofs.py add2 add10               32 seeds each
    python benchmarks/proofs.py mult2 --seconds 540      a piece of a long run; call again to go on
    python benchmarks/proofs.py minus10 maze             of benchmarks/agents, which nothing was tuned for
    python benchmarks/proofs.py add2 --seeds 4 --iterations 20000 --device cpu

Records go to benchmarks/results/TASK.proofs.json, the source of the best model to TASK.learned.grid
beside them; rounds with their models and certificates go to --work.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.learning_runs import LearnClock, history_of, seconds_of  # noqa: E402
from benchmarks.timing import OutOfTime, ends_with  # noqa: E402
from gridlang.compiler.tensors.dfst import table_to_dfst  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.evaluation.evaluate import Evaluator  # noqa: E402
from gridlang.learners.learning.learn import learn  # noqa: E402
from gridlang.learners.learning.rounds import Learned  # noqa: E402
from gridlang.learners.learning.settings import LearnConfig  # noqa: E402
from gridlang.learners.runtime.hardware import cores  # noqa: E402
from gridlang.learners.train.recipes import changed, load_recipe  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.program import Program  # noqa: E402
from gridlang.table import Table  # noqa: E402


class Task(NamedTuple):
    """An agent, how it is learned, and a tenth of the length at which its program is tested."""

    path: Path
    seeds: int
    scope: str
    digits: int = 0

    @property
    def name(self) -> str:
        return self.path.stem


EXAMPLES, AGENTS = ROOT / "examples", ROOT / "benchmarks" / "agents"
TASKS = {
    task.name: task
    for task in (
        Task(EXAMPLES / "add2.grid", 32, "worlds", 300),
        Task(EXAMPLES / "add10.grid", 32, "worlds", 300),
        Task(EXAMPLES / "mult2.grid", 32, "worlds", 80),
        Task(EXAMPLES / "mult10.grid", 8, "worlds", 20),
        *(Task(path, 4, "inputs") for path in sorted(AGENTS.glob("*.grid"))),
    )
}


def exact(task: Task, table: Table, expert: Table) -> dict[str, Any] | None:
    """The extracted program as exact tensors, at ten times the length."""
    if not task.digits:
        return None
    tested = Evaluator(table_to_dfst(table), expert).at(10 * task.digits, time.monotonic() + 200)
    return {"digits": tested.digits, "rlg": tested.passed, "steps": tested.steps, "seconds": tested.seconds}


def run(task: Task, options: argparse.Namespace) -> bool:
    """One task from where it stands to its record; False if time ran out."""
    program = load(task.path, {})
    config = config_for(task, program, options)
    folder = Path(options.work) / f"{task.name}-proofs"
    clock = LearnClock(config, time.monotonic() + options.seconds)
    try:
        learned = learn(config, str(folder), resume=True, on_event=clock.on_event)
    except OutOfTime:
        print(f"{task.name}: out of time; call again to go on", file=sys.stderr)
        return False
    record(task, config, learned, options)
    return True


def config_for(task: Task, program: Program, options: argparse.Namespace) -> LearnConfig:
    return LearnConfig(
        program=program,
        recipe=changed(load_recipe("proof", task.name), iterations=options.iterations),
        seeds=tuple(range(options.seed, options.seed + (options.seeds or task.seeds))),
        scope=options.scope or task.scope,
        rounds=options.rounds,
        worlds=options.worlds,
        device=options.device,
        patience=options.patience,
    )


def record(task: Task, config: LearnConfig, learned: Learned, options: argparse.Namespace) -> None:
    """Writes what was found, and the source of the best model."""
    table, best = config.program.table, learned.best
    made = json.loads((Path(learned.folder) / "round-1" / "run.json").read_text())
    source = Path(learned.file(best, "grid")).read_text() if best is not None else ""
    results = Path(options.results)
    results.mkdir(parents=True, exist_ok=True)
    data = {
        "task": task.name,
        "command": f"python benchmarks/proofs.py {' '.join(options.given)}",
        "recipe": config.recipe.as_json(),
        "expert_states": len(table.states),
        "scope": config.scope,
        **{key: made[key] for key in ("engine", "gpu", "versions")},
        "cores": cores(),
        "seeds": len(config.seeds),
        "proven": len(learned.proven),
        "rounds": len(learned.rounds),
        "rounds_to_proof": dict(Counter(str(learned.last[seed][0]) for seed in learned.proven)),
        "traces": [each.traces for each in learned.rounds],
        "hard_cases": [each.hard for each in learned.rounds],
        **seconds_of(learned),
        "digits": task.digits,
        "best": best,
        "exact": exact(task, load_text(source, results, task), table) if source else None,
        **history_of(learned),
    }
    write_whole(results / f"{task.name}.proofs.json", json.dumps(data, indent=1) + "\n")
    print(
        f"{task.name}: {data['proven']} of {data['seeds']} proven at {config.scope} in "
        f"{data['rounds']} rounds, {data['training_seconds']} s of training, "
        f"{data['judging_seconds']} s of proving; exact {data['exact']}"
    )


def load_text(source: str, results: Path, task: Task) -> Table:
    """The table of an extracted source, which is kept beside the record."""
    path = results / f"{task.name}.learned.grid"
    write_whole(path, source)
    return load(path, {}).table


def _what_matters(arguments: list[str]) -> list[str]:
    """Without the options that say where a record is made, and in how many pieces."""
    elsewhere = ("--work", "--results", "--seconds", "--device")
    return [
        word
        for before, word in zip(["", *arguments], arguments, strict=False)
        if before not in elsewhere and not word.startswith(elsewhere)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", nargs="+", choices=TASKS, metavar="AGENT")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--scope", choices=("worlds", "inputs"))
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--iterations", type=int, help="of a round")
    parser.add_argument("--worlds", type=int, help="random worlds of the first round")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--patience", type=float, default=300, help="seconds for the judgement of a model")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of one call, for each task")
    parser.add_argument("--work", default="runs", help="where rounds are kept")
    parser.add_argument("--results", default=str(ROOT / "benchmarks" / "results"))
    options = parser.parse_args()
    options.given = _what_matters(sys.argv[1:])
    finished = [run(TASKS[name], options) for name in options.tasks]
    return 0 if all(finished) else 1


if __name__ == "__main__":
    ends_with(main, "; the same command goes on with what is done")
