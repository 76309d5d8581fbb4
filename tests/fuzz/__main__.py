"""The fuzzer: python -m tests.fuzz --seed 0 --count 1000 [--only KIND] [--seconds S]

Each case is drawn from its kind and its seed alone, and done in a process of its own. A defect is a traceback, an exit
status other than 0, 1 and 2, a run past its time or memory, or a check that fails (`checks.py`): it is printed with the
command that repeats it, and its files are kept. Exits with 1 if there was one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from types import ModuleType

from learners.runtime.hardware import cores
from tests.fuzz import certificates, clauses, folders, models, process, sources, traces

KINDS: dict[str, ModuleType] = {
    "sources": sources,
    "clauses": clauses,
    "certificates": certificates,
    "models": models,
    "traces": traces,
    "folders": folders,
}
POLL_SECONDS = 0.01  # A process that has ended is noticed so soon.


def main() -> int:
    options = _options()
    kinds = options.only or list(KINDS)
    with tempfile.TemporaryDirectory(prefix="gridlang-fuzz-", ignore_cleanup_errors=True) as work:
        for kind in kinds:
            home = Path(work, "homes", kind)
            home.mkdir(parents=True)
            KINDS[kind].prepare(home)
        begun, done, defects = time.monotonic(), 0, 0
        cases = _cases(kinds, options.seed, options.count, Path(work))
        for case, problem in _judged(cases, options.jobs, begun + options.seconds):
            done += 1
            if problem:
                defects += 1
                _tell(case, problem, options.keep)
            shutil.rmtree(case.folder, ignore_errors=True)
    print(
        f"{done:,} cases of {', '.join(kinds)} in {time.monotonic() - begun:.0f} s, {defects} with a defect"
    )
    return 1 if defects else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__.split("\n\n")[1])
    parser.add_argument("--seed", type=int, default=0, help="of the first case of each kind")
    parser.add_argument(
        "--count", type=int, help="of cases, of all kinds together; else until --seconds are over"
    )
    parser.add_argument("--seconds", type=float, default=float("inf"), help="in which cases are begun")
    parser.add_argument("--only", action="append", choices=KINDS, help="this kind; may be repeated")
    parser.add_argument("--jobs", type=int, default=cores(), help="cases at once; one a core unless given")
    parser.add_argument(
        "--keep", type=Path, default=Path("fuzz-defects"), help="the folder of cases with a defect"
    )
    options = parser.parse_args()
    if options.count is None and options.seconds == float("inf"):
        options.count = 1_000
    return options


def _cases(kinds: list[str], seed: int, number: int | None, work: Path) -> Iterator[process.Case]:
    """The kinds by turns; a case depends on its kind and seed alone."""
    for at in range(number) if number is not None else count():
        kind, own = kinds[at % len(kinds)], seed + at // len(kinds)
        folder = work / f"{kind}-{own}"
        folder.mkdir()
        steps = KINDS[kind].make(Random(f"{kind} {own}"), work / "homes" / kind, folder)
        yield process.Case(kind, own, folder, steps, KINDS[kind].SECONDS)


def _judged(cases: Iterator[process.Case], at_once: int, until: float) -> Iterator[tuple[process.Case, str]]:
    running: list[process.Running] = []
    more = True
    while more or running:
        while more and len(running) < at_once:
            case = next(cases, None) if time.monotonic() < until else None
            more = case is not None
            if case:
                running.append(process.start(case))
        time.sleep(POLL_SECONDS)
        for each in list(running):
            problem = process.ended(each)
            if problem is not None:
                running.remove(each)
                yield each.case, problem


def _tell(case: process.Case, problem: str, keep: Path) -> None:
    folder = keep / case.folder.name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(case.folder, folder)
    (folder / "steps.json").write_text(json.dumps(case.steps, indent=1), encoding="utf-8")
    print(f"== {case.kind}, seed {case.seed}; its files are in {folder}; again with")
    print(f"   python -m tests.fuzz --only {case.kind} --seed {case.seed} --count 1")
    print(problem.rstrip(), end="\n\n", flush=True)


if __name__ == "__main__":
    # A process that is forked has what is imported here, and starts in milliseconds.
    os.environ.setdefault("GRIDLANG_CACHE", tempfile.mkdtemp(prefix="gridlang-fuzz-cache-"))
    sys.exit(main())
