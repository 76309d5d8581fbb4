"""The fifteen tasks of Delétang et al.: traces, trains, extracts, proves, and tests at ten times the length.

    python benchmarks/suite.py                              all tasks, four seeds each
    python benchmarks/suite.py --seconds 540                a piece of a long run; call again to go on
    python benchmarks/suite.py --tasks parity_check reverse_string --seeds 2 --device cpu
    python benchmarks/suite.py --page                       the tables of its page, from the record

The record is benchmarks/results/suite.json; rounds with their models and certificates go to --work.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.learning_runs import LearnClock, seconds_of  # noqa: E402
from benchmarks.pages import results, with_table  # noqa: E402
from benchmarks.suite_tasks import TASKS, Task  # noqa: E402
from benchmarks.timing import OutOfTime, ends_with  # noqa: E402
from gridlang.compiler.engines import execute  # noqa: E402
from gridlang.compiler.lockstep.cpu import cpu_backend  # noqa: E402
from gridlang.compiler.lockstep.lockstep import Until, matched, nobody  # noqa: E402
from gridlang.compiler.tensors.dfst import read_dfst  # noqa: E402
from gridlang.diagnostics import counted  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.learning.counterexamples import world_count  # noqa: E402
from gridlang.learners.learning.learn import learn  # noqa: E402
from gridlang.learners.learning.rounds import TRACES, Learned, round_folder  # noqa: E402
from gridlang.learners.learning.settings import LearnConfig  # noqa: E402
from gridlang.learners.runtime.hardware import cores  # noqa: E402
from gridlang.learners.traces.dataset import Traces, read_traces  # noqa: E402
from gridlang.learners.train.recipes import changed, load_recipe  # noqa: E402
from gridlang.loading import load  # noqa: E402
from gridlang.outcomes import Outcome  # noqa: E402
from gridlang.table import Table  # noqa: E402
from gridlang.world import World, string_world  # noqa: E402

PAGE = ROOT / "docs" / "research" / "suite.md"
TIMES = 10  # the length of test inputs, over that of the longest input in the traces
FAR = 500  # symbols of the longest test inputs of the paper, on which fewer are tried, since runs are long
NEAR_INPUTS, FAR_INPUTS = 100, 20
STEPS = 10_000_000  # of a run


class Tested(NamedTuple):
    """On how many test inputs of a length the answer was right."""

    length: int
    inputs: int
    right: int


def config_for(task: Task, options: argparse.Namespace) -> LearnConfig:
    program = load(ROOT / "examples" / "suite" / f"{task.name}.grid", {})
    return LearnConfig(
        program=program,
        recipe=changed(load_recipe("proof"), iterations=options.iterations),
        seeds=tuple(range(options.seed, options.seed + options.seeds)),
        scope="inputs",
        rounds=options.rounds,
        device=options.device,
        patience=options.patience,
        worlds=world_count(program.table, "worlds"),  # States that inputs do not tell apart are told apart.
    )


def questions(task: Task, training_length: int) -> dict[int, list[str]]:
    """Test inputs by their length: ten times that of the traces, and that of the paper's longest."""
    near = TIMES * training_length
    counts = {near: NEAR_INPUTS} if near >= FAR else {near: NEAR_INPUTS, FAR: FAR_INPUTS}
    drawn = Random(f"{task.name} test")
    return {length: [task.draw(drawn, length) for _ in range(many)] for length, many in counts.items()}


def answered(task: Task, table: Table, inputs: list[str]) -> list[bool]:
    """Which inputs a program answers as the definition says, exactly, and nothing else on the grid."""
    runs = (execute(table, string_world(text), STEPS) for text in inputs)
    return [
        run.outcome == Outcome.HALTED and run.result == task.answer(text)
        for text, run in zip(inputs, runs, strict=True)
    ]


def program_test(task: Task, table: Table, asked: dict[int, list[str]]) -> list[Tested]:
    return [Tested(length, len(some), sum(answered(task, table, some))) for length, some in asked.items()]


def model_test(
    task: Task, model: str, expert: Table, asked: dict[int, list[str]], clock: LearnClock
) -> list[Tested]:
    """The float weights in closed loop: right where each step is the expert's, and its answer right."""
    dfst, results = read_dfst(model), []
    for length, inputs in asked.items():
        worlds: list[str | World] = list(inputs)
        outcomes = cpu_backend(matched(dfst, expert))(worlds, Until(), nobody)
        right = zip(outcomes, answered(task, expert, inputs), strict=True)
        results.append(
            Tested(
                length,
                len(inputs),
                sum(bool(run and run.ending == Outcome.HALTED) and known for run, known in right),
            )
        )
        clock.check()
    return results


def longest_input(traces: Traces) -> int:
    """In symbols; pictures of random worlds, which end with a newline, are no inputs."""
    return max(len(text) for text in traces.inputs if not text.endswith("\n"))


def record(task: Task, config: LearnConfig, learned: Learned, clock: LearnClock) -> dict[str, Any]:
    """What was learned, and how it answers; tests of models that were made before are made again."""
    table = config.program.table
    traces = read_traces(str(Path(round_folder(learned.folder, len(learned.rounds))) / TRACES))
    made = json.loads((Path(learned.folder) / "round-1" / "run.json").read_text())
    length = longest_input(traces)
    asked = questions(task, length)
    seeds = []
    for seed, (number, result) in learned.last.items():
        program, model = Path(learned.file(seed, "grid")), Path(learned.file(seed, "safetensors"))
        proven = seed in learned.proven
        seeds.append(
            {
                "seed": seed,
                "verdict": result.verdict,
                "reason": result.reason,
                "round": number,
                "states": result.states,
                "program": program_test(task, load(program, {}).table, asked) if proven else None,
                "model": model_test(task, str(model), table, asked, clock) if model.exists() else None,
            }
        )
        clock.check()
    return {
        "task": task.name,
        "settings": config.identity(),
        **{key: made[key] for key in ("engine", "gpu", "versions")},
        "cores": cores(),
        "states": len(table.states),
        "symbols": len(table.symbols),
        "rules": table.transitions,
        "iterations": config.recipe.iterations,
        "rounds": len(learned.rounds),
        "traces": [each.traces for each in learned.rounds],
        "training_length": length,
        "longest_trace": int(traces.length.max()),
        **seconds_of(learned),
        "proven": len(learned.proven),
        "seeds": seeds,
    }


def run(task: Task, options: argparse.Namespace, deadline: float) -> dict[str, Any]:
    """One task from where it stands to its record; raises OutOfTime."""
    config = config_for(task, options)
    settings = hashlib.sha256(json.dumps(config.identity(), sort_keys=True).encode()).hexdigest()
    folder = Path(options.work) / "suite" / f"{task.name}-{settings[:8]}"  # Other settings never go on there.
    clock = LearnClock(config, deadline)
    learned = learn(config, str(folder), resume=True, on_event=clock.on_event)
    return record(task, config, learned, clock)


def is_done(data: dict[str, Any] | None, config: LearnConfig) -> bool:
    """Whether a record is of these settings, and more rounds would change nothing or are not asked for."""
    if data is None or data["settings"] != config.identity():
        return False
    return bool(data["proven"] == len(config.seeds) or data["rounds"] >= config.rounds)


def told(data: dict[str, Any]) -> str:
    """A task in a line: how many seeds are proven, and what they answer."""
    programs = [test for seed in data["seeds"] for test in seed["program"] or ()]
    models = [test for seed in data["seeds"] for test in seed["model"] or ()]
    shares = [f"{sum(t[2] for t in tests):,} of {sum(t[1] for t in tests):,}" for tests in (programs, models)]
    return (
        f"{data['task']}: {data['proven']} of {len(data['seeds'])} proven on every input in "
        f"{counted(data['rounds'], 'round')}; trained on inputs of up to {data['training_length']} symbols, "
        f"right at {TIMES} times as many and more: programs {shares[0]}, models {shares[1]}; "
        f"{data['training_seconds']} s of training, {data['judging_seconds']} s of proving"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--rounds", type=int, default=3, help="of learning, at most")
    parser.add_argument("--iterations", type=int, help="of a round, for all tasks")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--patience", type=float, default=300, help="seconds for the judgement of a model")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of this call")
    parser.add_argument("--work", default="runs", help="where rounds are kept")
    parser.add_argument("--results", default=str(ROOT / "benchmarks" / "results" / "suite.json"))
    parser.add_argument(
        "--page", action="store_true", help="write the tables of the suite's page, and no more"
    )
    options = parser.parse_args()
    path, deadline = Path(options.results), time.monotonic() + options.seconds
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if options.page:
        write_whole(PAGE, with_table(PAGE.read_text(encoding="utf-8"), results(known)))
        return 0
    for name in options.tasks:
        if not is_done(known.get(name), config_for(TASKS[name], options)):
            try:
                known[name] = run(TASKS[name], options, deadline)
            except OutOfTime:
                print(f"{name}: out of time; call again to go on", file=sys.stderr)
                return 1
            write_whole(path, json.dumps(known, indent=1) + "\n")
        print(told(known[name]), flush=True)
    return 0


if __name__ == "__main__":
    ends_with(main, "; the same command goes on with what is done")
