"""The smallest machine by SAT: which size is found, whether it is certified, and whether it is the expert.

    pip install "gridlang[sat]"
    python benchmarks/smallest.py                      goes on with benchmarks/results/smallest.json
    python benchmarks/smallest.py --seconds 600        in pieces
    python benchmarks/smallest.py --only add2 --rules worlds --counts 100
    python benchmarks/smallest.py --table              what is recorded so far

Each search has `LIMIT` seconds of one core, and is recorded as it ends: a machine that is minimal or not, or
none, and the least size that is not excluded. A certificate is made and checked as `gridlang verify` does it;
its bytes and the seconds of both are recorded. Seconds are of one core. The expert is what the machine is
proven to be, on all worlds or on all declared inputs, or is not.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # One core is measured; this comes before numpy.

import argparse
import json
import sys
import time
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.merging import agent, proven, traces_by  # noqa: E402
from benchmarks.timing import ends_with  # noqa: E402
from gridlang.files import write_whole  # noqa: E402
from gridlang.learners.methods.minimality.check import check_minimality  # noqa: E402
from gridlang.learners.methods.smallest.smallest import certificate, smallest_machine  # noqa: E402

FORMAT = "gridlang-smallest/1"
RESULTS = ROOT / "benchmarks" / "results" / "smallest.json"
AGENTS = ("increment", "add2", "palindrome", "compare", "subtract", "add10")
RULES = ("paper", "worlds", "reads")
COUNTS = (20, 50, 100)
LIMIT = 10.0  # seconds: where a search does not end within these, it seldom does in minutes.
MORE = (("add2", "worlds", 400), ("add10", "worlds", 4_000))  # Enough to identify these two.
LONG_LIMIT = 120.0  # seconds of one of these two
SEED = 0

Job = tuple[str, str, int]


def measured(name: str, rule: str, count: int) -> dict[str, Any]:
    """One search, its certificate, and what the machine is."""
    traces = traces_by(name, rule, count, SEED)
    begun = time.process_time()
    limit = LONG_LIMIT if (name, rule, count) in MORE else LIMIT
    smallest = smallest_machine(traces, seconds=limit)
    seconds = time.process_time() - begun
    about: dict[str, Any] = {
        "traces": len(traces),
        "steps": traces.steps,
        "expert": len(agent(name).table.states),
        "states": smallest.states,
        "minimal": smallest.minimal,
        "lower_bound": smallest.lower_bound,
        "steps_used": smallest.steps_used,
        "limit": limit,
        "cpu_seconds": round(seconds, 3),
    }
    if smallest.table is None:
        return about
    about["proven"] = proven(name, smallest.table)
    if smallest.evidence is None or not smallest.minimal:
        return {**about, "uncertified": smallest.uncertified}
    text = certificate(traces, smallest.table, smallest.evidence)
    begun = time.process_time()
    checked = check_minimality(text, traces)
    return {
        **about,
        "by": "clique" if smallest.evidence.derivation is None else "refutation",
        "certificate_bytes": len(text.encode()),
        "valid": checked.valid,
        "verify_seconds": round(time.process_time() - begun, 3),
    }


def jobs(names: list[str], rules: list[str], counts: list[int]) -> list[Job]:
    """Few traces first, then those that identify an agent, unless fewer numbers are asked for."""
    few, *many = ([(name, rule, n) for name in names for rule in rules] for n in counts)
    more = [job for job in MORE if job[0] in names and job[1] in rules and counts == list(COUNTS)]
    return [*few, *more, *chain.from_iterable(many)]


def key_of(job: Job) -> str:
    return " ".join(map(str, job))


def table(records: dict[str, dict[str, Any]]) -> str:
    """A line for each search."""
    lines = [
        "| agent | traces | states, expert's | minimal | CPU s | certificate | verified in | the expert |"
    ]
    lines.append("|---" * 8 + "|")
    for key, record in sorted(records.items(), key=lambda item: _order(item[0])):
        name, rule, _ = key.split(" ")
        states = f"at least {record['lower_bound']}" if record["states"] is None else record["states"]
        minimal = {None: "", True: "yes", False: f"at least {record['lower_bound']}"}
        lines.append(
            f"| {name} | {record['traces']:,} {rule} | {states}, {record['expert']} "
            f"| {minimal[record['minimal'] if record['states'] else None]} | {record['cpu_seconds']:.2g} "
            f"| {_certificate(record)} | {_verified(record)} | {_expert(record)} |"
        )
    return "\n".join(lines)


def _order(key: str) -> tuple[int, int, int]:
    name, rule, count = key.split(" ")
    return AGENTS.index(name), RULES.index(rule), int(count)


def _certificate(record: dict[str, Any]) -> str:
    if "by" not in record:
        return ""
    return f"{record['by']}, {record['certificate_bytes'] / 1000:.3g} kB"


def _verified(record: dict[str, Any]) -> str:
    if "valid" not in record:
        return ""
    return f"{record['verify_seconds']:.2g} s" if record["valid"] else "refused"


def _expert(record: dict[str, Any]) -> str:
    said = {"worlds": "on worlds", "inputs": "on inputs", "none": "no"}
    return said[record["proven"]] if "proven" in record else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="+", default=list(AGENTS), choices=AGENTS, metavar="AGENT")
    parser.add_argument("--rules", nargs="+", default=list(RULES), choices=RULES)
    parser.add_argument("--counts", nargs="+", type=int, default=list(COUNTS))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin nothing more after these")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true", help="show what is recorded, and end")
    given = parser.parse_args()
    if not find_spec("pysat"):
        print('python-sat is missing: pip install "gridlang[sat]"', file=sys.stderr)
        return 1
    kept = json.loads(given.results.read_text(encoding="utf-8")) if given.results.exists() else {}
    records: dict[str, dict[str, Any]] = kept.get("records", {})
    begun = time.monotonic()
    for job in [] if given.table else jobs(given.only, given.rules, given.counts):
        if key_of(job) in records:
            continue
        if time.monotonic() - begun > given.seconds:
            print("out of time; call again to go on")
            return 1
        records[key_of(job)] = measured(*job)
        kept = {"format": FORMAT, "seed": SEED, "records": records}
        write_whole(str(given.results), json.dumps(kept, indent=0, sort_keys=True) + "\n")
        print(f"{key_of(job)}: {json.dumps(records[key_of(job)])}", file=sys.stderr, flush=True)
    print(table(records))
    return 0


if __name__ == "__main__":
    ends_with(main, "; call again to go on")
