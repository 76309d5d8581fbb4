"""State merging on traces of our agents: how fast, beside AALpy in one run, and how often it is right.

    pip install aalpy                                  # the peer, optional
    python benchmarks/merging.py peers                 each learner on identical traces, a process each
    python benchmarks/merging.py draws --draws 8       how often each learner is proven, over draws of traces

Records are kept in benchmarks/results/merging.json as they are made; a call goes on where the last one ended,
for `--seconds` at most. A learner that takes longer than `--limit` seconds is stopped, and that is recorded:
on one set of traces, or on all draws of one kind together.
Seconds are of one core (of its thread: the clock of a process ticks in 4 ms once it has a limit) and of
learning alone, from traces in memory to a table. A result is refuted by a fresh run of the expert that it
does not repeat, else asked for a proof.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # One core is measured; this comes before numpy.

import argparse
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.aalpy_peer import PEERS as AALPY  # noqa: E402
from benchmarks.aalpy_peer import aalpy_table  # noqa: E402
from benchmarks.timing import ends_with  # noqa: E402
from gridlang.compiler.automata.state_merger import ORDERS  # noqa: E402
from gridlang.compiler.proofs.prove import prove  # noqa: E402
from gridlang.compiler.traces.dataset import Traces, read_traces  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.learning.counterexamples import first_traces, world_count  # noqa: E402
from gridlang.learners.methods.merging import merge  # noqa: E402
from gridlang.learners.methods.merging.merge import PlainMerger  # noqa: E402
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan  # noqa: E402
from gridlang.learners.traces.recording import record  # noqa: E402
from gridlang.loading import load, loads  # noqa: E402
from gridlang.program import Program  # noqa: E402
from gridlang.table import MOVES, Table  # noqa: E402
from gridlang.table_json import table_to_json  # noqa: E402

PEERS = (  # agent, rule, traces
    ("increment", "worlds", 100),
    ("add2", "paper", 20),
    ("add2", "worlds", 100),
    ("add10", "paper", 225),
    ("add2", "worlds", 400),
    ("mult2", "worlds", 100),
    ("add10", "worlds", 400),
    ("mult10", "products", 100),
)
LEARNERS = (*ORDERS, "evidence in Python", "breadth in Python", *AALPY)
SMOKE = ("evidence", "breadth in Python")  # A process of each takes a second or two.
AGENTS = ("add2", "add10", "mult2", "increment", "compare", "subtract", "mult10")
# Rules and how many traces; 0 is what the rule takes by itself.
DRAWN = (("paper", 0), ("greedy", 0), *(("worlds", n) for n in (100, 400, 1_000, 4_000)), ("learn", 0))
DRAWN_LARGE = (("worlds", 4_000), ("learn", 0))  # Fewer never identify mult10's 108 states.
DRAWN_BY_PEERS = {  # AALpy is drawn for where it ends on most.
    *((name, "paper", 0) for name in ("add2", "add10")),
    *((name, "worlds", count) for name in ("add2", "add10", "mult2") for count in (100, 400, 1_000)),
}
DIGITS, CUT = (6, 10), 400  # of each factor of a product, at whose step its trace is cut: all are longer
FRESH = 1_000  # Runs of the expert, of each kind, on which a result is tried before a proof is asked for.
FRESH_SEED = 10_000  # No draw has it.


class TookTooLong(Exception):
    """A learner was stopped."""


@lru_cache(maxsize=16)
def traces_by(name: str, rule: str, count: int, seed: int) -> Traces:
    """Traces by a rule: paper, greedy (the paper's, chosen), worlds, reads, products, or learn's first."""
    program = agent(name)
    if rule == "products":
        random = Random(seed)
        sizes = [[random.randint(*DIGITS) for _ in range(2)] for _ in range(count)]
        factors = [[random.randrange(10 ** (size - 1), 10**size) for size in pair] for pair in sizes]
        return record(program, [f"{a}*{b}" for a, b in factors], CUT)
    if rule == "learn":
        return first_traces(program, "worlds", world_count(program.table, "worlds"), seed)
    greedy, rule = rule == "greedy", "paper" if rule == "greedy" else rule
    many = count or None
    return make_traces(program, [sampling_plan(program.table, rule, count=many, greedy=greedy)], seed)


@cache
def agent(name: str) -> Program:
    return load(ROOT / "examples" / f"{name}.grid")


@cache
def fresh_runs(name: str, rule: str) -> Traces:
    plan = sampling_plan(agent(name).table, rule, count=FRESH, **({"long": 8} if rule == "inputs" else {}))
    return make_traces(agent(name), [plan], FRESH_SEED)


def repeats(table: Table, traces: Traces) -> bool:
    """Whether a table does all that some traces show."""
    size = len(table.states), len(table.symbols)
    action, following = np.full(size, -9), np.zeros(size, np.int64)
    for state, symbol, entry in table.entries():
        action[state, symbol], following[state, symbol] = entry.write * len(MOVES) + entry.move, entry.next
    state = np.zeros(len(traces), np.int64)
    for step in range(traces.x.shape[1]):
        inside = step < traces.length
        x, s, m = (rows[inside, step].astype(np.int64) for rows in (traces.x, traces.s, traces.m))
        shown = np.where(s < 0, -9, s * len(MOVES) + m)
        if (action[state[inside], x] != shown).any():
            return False
        state[inside] = following[state[inside], x]
    return True


def proven(name: str, table: Table) -> str:
    """The largest scope at which a table is proven to do what the expert does: worlds, inputs, or none."""
    expert = agent(name).table
    for scope in ("worlds", "inputs"):
        if repeats(table, fresh_runs(name, scope)) and prove(expert, table, scope).equivalent:
            return scope
    return "none"


def learn(learner: str, traces: Traces) -> tuple[Table, float]:
    """The table that a learner makes of traces, and the seconds that it takes."""
    order, _, engine = learner.partition(" in ")
    if learner in AALPY:
        return aalpy_table(learner, traces)
    if engine:
        merge.merger_for = PlainMerger  # type: ignore[assignment]
    begun = time.thread_time()
    result = merge.merged(traces, order)
    return result.table, time.thread_time() - begun


def learned_apart(learner: str, traces: Traces, limit: float) -> tuple[Table | None, float | None]:
    """What a learner makes of traces in a process of its own; no table if it is stopped."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "traces.npz"
        traces.save(path)
        command = [sys.executable, __file__, "learn", "--learner", learner, "--traces", str(path)]
        command += ["--limit", str(limit)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == -signal.SIGXCPU:
        return None, None
    if done.returncode:
        sys.exit(f"{learner} fails: {done.stderr[-500:]}")
    told = json.loads(done.stdout.splitlines()[-1])
    return loads(json.dumps(told["table"])).table, told["seconds"]


def peer_jobs(limit: float, smoke: bool) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """All learners on the same traces."""
    learners = SMOKE if smoke else LEARNERS if _installed("aalpy") else LEARNERS[: -len(AALPY)]
    for name, rule, count in PEERS[:1] if smoke else PEERS:
        for learner in learners:
            job = partial(compare, name, rule, count, learner, limit)
            yield f"peers {name} {rule} {count} {learner}", job


def compare(name: str, rule: str, count: int, learner: str, limit: float) -> dict[str, Any]:
    """One learner on the first draw of some traces."""
    traces = traces_by(name, rule, count, 0)
    table, seconds = learned_apart(learner, traces, limit)
    about = {"traces": len(traces), "steps": traces.steps, "limit": limit}
    if table is None:
        return {**about, "seconds": None}
    right = {"consistent": repeats(table, traces), "proven": proven(name, table)}
    return {**about, "seconds": round(seconds or 0.0, 4), "states": len(table.states), **right}


def draw_jobs(
    agents: list[str], draws: int, limit: float
) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Both orders, and AALpy where it is one of those drawn, on several draws of the same kind of traces."""
    for name in agents:
        for rule, count in DRAWN_LARGE if name == "mult10" else DRAWN:
            beside = AALPY if (name, rule, count) in DRAWN_BY_PEERS and _installed("aalpy") else ()
            for learner in (*ORDERS, *beside):
                job = partial(drawn, name, rule, count, learner, draws, limit)
                yield f"draws {name} {rule} {count or ''} {learner}".replace("  ", " "), job


def drawn(name: str, rule: str, count: int, learner: str, draws: int, limit: float) -> dict[str, Any]:
    """How often a learner is right, over as many draws of traces as it ends within the limit, in all."""
    results: list[tuple[int, str, float]] = []
    many, steps = 0, 0
    for seed in range(draws):
        traces = traces_by(name, rule, count, seed)
        many, steps = max(many, len(traces)), steps + traces.steps
        try:
            left = limit - sum(seconds for _, _, seconds in results)
            table, seconds = limited(left, learner, traces)
        except TookTooLong:
            break
        results.append((len(table.states), proven(name, table), seconds))
    states, scopes, taken = zip(*results, strict=True) if results else ((), (), ())
    return {
        "draws": len(results),
        "wanted": draws,
        "limit": limit,
        "traces": many,
        "steps": steps // min(draws, len(results) + 1),
        "states": list(states),
        "worlds": scopes.count("worlds"),
        "inputs": scopes.count("worlds") + scopes.count("inputs"),
        "seconds": round(float(np.mean(taken)), 4) if results else None,
    }


def limited(limit: float, learner: str, traces: Traces) -> tuple[Table, float]:
    """What a learner makes of traces; TookTooLong after `limit` seconds of this process."""

    def stop(*_: object) -> None:
        raise TookTooLong

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, max(limit, 0.001))  # 0 would be no limit.
    try:
        return learn(learner, traces)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _installed(package: str) -> bool:
    from importlib.util import find_spec

    return find_spec(package) is not None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="See the file for examples.")
    parser.add_argument("what", choices=("peers", "draws", "learn"))
    parser.add_argument("--agents", nargs="+", default=AGENTS, choices=AGENTS)
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of one learner")
    parser.add_argument("--seconds", type=float, default=540.0, help="begin nothing more after these")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--smoke", action="store_true", help="two learners on the first traces")
    parser.add_argument("--learner", choices=LEARNERS)
    parser.add_argument("--traces")
    options = parser.parse_args()
    if options.what == "learn":
        traces = read_traces(options.traces)
        most = int(time.process_time() + options.limit) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
        table, seconds = learn(options.learner, traces)
        print(json.dumps({"seconds": seconds, "table": json.loads(table_to_json(table))}))
        return 0
    jobs = (
        peer_jobs(options.limit, options.smoke)
        if options.what == "peers"
        else draw_jobs(options.agents, options.draws, options.limit)
    )
    options.results.mkdir(parents=True, exist_ok=True)
    path = options.results / "merging.json"
    records = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    begun = time.monotonic()
    for key, job in jobs:
        if key not in records:
            if time.monotonic() - begun > options.seconds:
                print("out of time; call again to go on")
                return 0
            records[key] = job()
            write_whole(str(path), json.dumps(records, indent=1, sort_keys=True) + "\n")
        print(f"{key}: {json.dumps(records[key])}", flush=True)
    return 0


if __name__ == "__main__":
    ends_with(main, "; call again to go on")
