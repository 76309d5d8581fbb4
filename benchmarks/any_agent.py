"""Learning agents that nobody tuned for, until proven: written as a new user would, four seeds each.

    python benchmarks/any_agent.py                        all of them
    python benchmarks/any_agent.py minus10 --seconds 540  a piece of a long run; call again to go on
    python benchmarks/any_agent.py minus2 --device cpu --seeds 2

The agents are in benchmarks/agents. What became of each seed goes to benchmarks/results/any_agent.json;
rounds with their models and proofs go to --work.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.learning_runs import LearnClock, history_of, seconds_of  # noqa: E402
from benchmarks.timing import OutOfTime, ends_with  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.learning.learn import learn  # noqa: E402
from gridlang.learners.learning.learn_text import unproven_lines  # noqa: E402
from gridlang.learners.learning.rounds import Learned  # noqa: E402
from gridlang.learners.learning.settings import LearnConfig, learn_config  # noqa: E402
from gridlang.loading import load  # noqa: E402

AGENTS = ROOT / "benchmarks" / "agents"
NAMES = sorted(path.stem for path in AGENTS.glob("*.grid"))


def run(name: str, options: argparse.Namespace, deadline: float) -> dict[str, Any] | None:
    """One agent from where it stands to what became of its seeds; None if time ran out."""
    program = load(AGENTS / f"{name}.grid", {})
    config = learn_config(
        program,
        recipe="proof",
        iterations=options.iterations,
        dim=None,
        seed=options.seed,
        seeds=options.seeds,
        scope="inputs",
        rounds=options.rounds,
        worlds=options.worlds,
        device=options.device,
        patience=options.patience,
    )
    folder = Path(options.work) / "any-agent" / name
    try:
        learned = learn(config, str(folder), resume=True, on_event=LearnClock(config, deadline).on_event)
    except OutOfTime:
        print(f"{name}: out of time; call again to go on", file=sys.stderr)
        return None
    for line in unproven_lines(learned):
        print(f"  {line[:300]}", flush=True)
    return became(config, learned)


def became(config: LearnConfig, learned: Learned) -> dict[str, Any]:
    """What is recorded of an agent."""
    table = config.program.table
    made = json.loads((Path(learned.folder) / "round-1" / "run.json").read_text())
    return {
        "states": len(table.states),
        "symbols": len(table.symbols),
        "rules": table.transitions,
        "scope": config.scope,
        "engine": made["engine"],
        "gpu": made["gpu"],
        "recipe": made["recipe"],
        "seeds": len(config.seeds),
        "proven": len(learned.proven),
        "rounds": len(learned.rounds),
        **seconds_of(learned),
        **history_of(learned),
    }


def record(name: str, data: dict[str, Any], options: argparse.Namespace) -> None:
    """Puts an agent into the record, beside the others that are there."""
    path = Path(options.results) / "any_agent.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    agents = json.loads(path.read_text())["agents"] if path.exists() else {}
    agents = dict(sorted({**agents, name: data}.items()))
    command = f"python benchmarks/any_agent.py {' '.join(_what_matters(options))}".rstrip()
    write_whole(path, json.dumps({"command": command, "agents": agents}, indent=1) + "\n")


def _what_matters(options: argparse.Namespace) -> list[str]:
    """The options that change what is learned."""
    plain = {"seeds": 4, "seed": 0, "rounds": 8, "iterations": None, "worlds": None}
    given = {key: getattr(options, key) for key in plain}
    return [f"--{key} {value}" for key, value in given.items() if value != plain[key]]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("agents", nargs="*", choices=[*NAMES, []], default=[], metavar="AGENT")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--iterations", type=int, help="of a round")
    parser.add_argument("--worlds", type=int, help="random worlds of the first round")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--patience", type=float, default=300, help="seconds for the judgement of a model")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of one call")
    parser.add_argument("--work", default="runs", help="where rounds are kept")
    parser.add_argument("--results", default=str(ROOT / "benchmarks" / "results"))
    options = parser.parse_args()
    deadline, finished = time.monotonic() + options.seconds, True
    for name in options.agents or NAMES:
        data = run(name, options, deadline)
        finished = finished and data is not None
        if data is not None:
            record(name, data, options)
            print(
                f"{name}: {data['proven']} of {data['seeds']} proven on inputs in {data['rounds']} "
                f"rounds, {data['training_seconds']} s of training, {data['judging_seconds']} s of proving"
            )
    return 0 if finished else 1


if __name__ == "__main__":
    ends_with(main, "; the same command goes on with what is done")
