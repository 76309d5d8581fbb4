"""Learning by asking, beside AALpy's KV and L# in one run: queries, steps, rounds and seconds.

    pip install aalpy                          # the peer, optional
    python benchmarks/asking.py                the agents of examples/, and random ones of up to 1,000 states
    python benchmarks/asking.py mult10 random100 --limit 60

All learners put their questions to the same teacher, which counts them, and get their counterexamples from
the same oracle: the shortest difference on all reads. So all end with a right table. Seconds are of one core
(user and system time), and include the oracle's. A learner that takes longer than `--limit` seconds is
stopped. The record is benchmarks/results/asking.json.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from gridlang.compiler.proofs.prove import prove  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.methods.asking.ask import STUCK, Oracle, Teacher, ask, ends  # noqa: E402  # noqa: E402
from gridlang.loading import load, loads  # noqa: E402
from gridlang.table import MOVES, STAY, Entry, Table  # noqa: E402

# It holds two digits, and shows one at a time.
PAIRS = """agent pairs
alphabet
  digit = 0..9
  sign = '+' | '-'
start first
state first
  d in digit : R -> second(d)
state second(a in digit)
  d in digit : R -> both(a, d)
state both(a in digit, b in digit)
  '+' : write a, R -> last(b)
  '-' : write b, R -> last(a)
state last(v in digit)
  '+' : write v, R -> done
state done
  _ : halt
"""
EXAMPLES = ("add2", "add10", "mult2", "mult10", "compare")
AGENTS = (*EXAMPLES, "pairs", "counter100", "random30", "random100", "random300", "random1000")
SYMBOLS = "_0123456789"
Cost = dict[str, Any]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("agents", nargs="*", default=AGENTS)
    options.add_argument("--limit", type=int, default=120, help="seconds for a learner on an agent")
    options.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results")
    given = options.parse_args()
    file = given.results / "asking.json"
    record = json.loads(file.read_text()) if file.exists() else {}
    for name in given.agents:
        for learner in LEARNERS:
            if not learner.startswith("AALpy") or _aalpy_version():
                record[f"{name}/{learner}"] = cost = _within(given.limit, name, learner)
                print(f"{name:12} {learner:9} {_told(cost)}", flush=True)
        write_whole(str(file), json.dumps({**record, "aalpy": _aalpy_version()}, indent=1) + "\n")


def _told(cost: Cost) -> str:
    if "stopped" in cost:
        return f"stopped after {cost['stopped']:g} s"
    sizes = "{states:5,} states {queries:9,} queries {steps:11,} steps {rounds:4,} rounds".format(**cost)
    return f"{sizes} {cost['seconds']:8.2f} s"


def page_rows(record: dict[str, Any]) -> list[str]:
    """The record as rows of docs/research/asking.md: queries, steps, and seconds."""
    names = dict.fromkeys(key.split("/")[0] for key in record if "/" in key)
    return [f"| {' | '.join([name, *(_cell(record, name, each) for each in LEARNERS)])} |" for name in names]


def _cell(record: dict[str, Any], name: str, learner: str) -> str:
    cost = record.get(f"{name}/{learner}", {})
    if "stopped" in cost:
        return f"over {cost['stopped']:g} s"
    return "{queries:,}, {steps:,}, {seconds:.2f} s".format(**cost) if cost else "not run"


def agent_named(name: str) -> Table:
    """`pairs`, an example, a random agent of a given size, or one that counts to a number."""
    if name == "pairs":
        return loads(PAIRS).table
    if name.startswith("counter"):
        many = int(name.removeprefix("counter"))
        rules = [(Entry(0, 3, (at + 1) % many), Entry(int(at > 0), 3, at)) for at in range(many)]
        return Table(name, ("_", "1"), tuple(f"q{at}" for at in range(many)), tuple(rules))
    if not name.startswith("random"):
        return load(ROOT / "examples" / f"{name}.grid").table
    states, random = int(name.removeprefix("random")), Random(name)

    def entry(state: int, symbol: int) -> Entry | None:
        kind = random.random()
        if kind < 0.15:
            return None if kind < 0.1 else Entry(symbol, STAY, state)
        return Entry(random.randrange(len(SYMBOLS)), random.randrange(STAY), random.randrange(states))

    rows = tuple(tuple(entry(q, x) for x in range(len(SYMBOLS))) for q in range(states))
    return Table(name, tuple(SYMBOLS), tuple(f"q{q}" for q in range(states)), rows)


def by_asking(table: Table) -> tuple[Table, Cost]:
    asked = ask(table, "table")
    return asked.table, asked.costs()


def _by_aalpy(learner: str) -> Callable[[Table], tuple[Table, Cost]]:
    """AALpy's learner with its defaults, its questions counted by our teacher."""

    def learn(table: Table) -> tuple[Table, Cost]:
        from aalpy import learning_algs
        from aalpy.base import SUL
        from aalpy.base import Oracle as AalpyOracle

        teacher, oracle = _Stepwise(table), Oracle(table, "table")

        class Agent(SUL):  # type: ignore[misc]
            def pre(self) -> None:
                teacher.reset()

            def post(self) -> None:
                pass

            def step(self, letter: int) -> int | str:
                return teacher.step(letter)

        class Perfect(AalpyOracle):  # type: ignore[misc]
            def find_cex(self, hypothesis: Any) -> list[int] | None:
                reads = oracle.difference(_machine_table(hypothesis, table))
                return None if reads is None else list(reads)

        alphabet, agent = list(range(len(table.symbols))), Agent()
        run = getattr(learning_algs, f"run_{learner}")
        machine = run(alphabet, agent, Perfect(alphabet, agent), "mealy", print_level=0)
        cost = {"queries": teacher.queries, "steps": teacher.steps, "rounds": oracle.rounds}
        return _machine_table(machine, table), cost

    return learn


class _Stepwise(Teacher):
    """The teacher read by read, as AALpy asks; what follows the end of a run is answered, not counted."""

    def reset(self) -> None:
        self.queries, self.state, self.ended = self.queries + 1, 0, False

    def step(self, read: int) -> int | str:
        if self.ended:
            return "ended"
        act, self.state = self._rows[self.state][read] or (STUCK, self.state)
        self.steps, self.ended = self.steps + 1, ends(read, act)
        return act


def _machine_table(machine: Any, like: Table) -> Table:
    """AALpy's machine as a table; the state of runs that have ended is left out."""
    states = [machine.initial_state, *(s for s in machine.states if s is not machine.initial_state)]
    going = [state for state in states if "ended" not in state.output_fun.values()]
    numbers = {id(state): number for number, state in enumerate(going)}

    def entry(number: int, read: int) -> Entry | None:
        act = going[number].output_fun[read]
        if act == STUCK:
            return None
        after = number if ends(read, act) else numbers.get(id(going[number].transitions[read]), number)
        return Entry(*divmod(act, len(MOVES)), after)

    rows = tuple(tuple(entry(q, x) for x in range(len(like.symbols))) for q in range(len(going)))
    return Table(like.name, like.symbols, tuple(f"q{q}" for q in range(len(going))), rows)


LEARNERS = {
    "ask": by_asking,
    "AALpy KV": _by_aalpy("KV"),
    "AALpy L#": _by_aalpy("Lsharp"),
}


def _aalpy_version() -> str:
    try:
        return version("aalpy")
    except PackageNotFoundError:
        return ""


def _within(limit: int, name: str, learner: str) -> Cost:
    """What a learner costs, in a process of its own; where it takes too long, that it was stopped."""
    answers: Any = multiprocessing.Queue()
    process = multiprocessing.Process(target=_measured, args=(name, learner, limit, answers))
    process.start()
    process.join()
    if process.exitcode:
        return {"stopped": limit}
    cost: Cost = answers.get()
    return cost


def _measured(name: str, learner: str, limit: int, answers: Any) -> None:
    table = agent_named(name)
    spent = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (spent + limit, spent + limit))
    begun = time.process_time()
    learned, cost = LEARNERS[learner](table)
    seconds = round(time.process_time() - begun, 3)
    assert prove(table, learned, "table").equivalent
    answers.put({"states": len(learned.states), **cost, "seconds": seconds})


if __name__ == "__main__":
    main()
