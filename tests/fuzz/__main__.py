"""The fuzzer: python -m tests.fuzz --seed 0 --count 1000 [--only KIND] [--seconds S], or --replay FOLDER...

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
from collections.abc import Iterator, Sequence
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from random import Random
from types import ModuleType

from gridlang.learners.runtime.hardware import cores
from tests.fuzz import certificates, folders, models, process, sources, traces

KINDS: dict[str, ModuleType] = {
    "sources": sources,
    "certificates": certificates,
    "models": models,
    "traces": traces,
    "folders": folders,
}
POLL_SECONDS = 0.01  # A process that has ended is noticed so soon.
REPLAY_SECONDS = 60.0  # What a kept case may take; those that were slow were slower.
STEPS = "steps.json"  # This file of a kept case says what is done in its folder.


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="gridlang-fuzz-", ignore_cleanup_errors=True) as place:
        work = Path(place)
        homes = {} if options.replay else _homes(options.only or list(KINDS), work)
        cases = _kept(options.replay, work) if options.replay else _drawn(homes, options, work)
        begun, done, defects = time.monotonic(), 0, 0
        for case, problem in _judged(cases, options.jobs, begun + options.seconds):
            done += 1
            if problem:
                defects += 1
                _tell(case, problem, None if options.replay else options.keep)
            shutil.rmtree(case.folder, ignore_errors=True)
    print(f"{done:,} cases in {time.monotonic() - begun:.0f} s, {defects} with a defect")
    return 1 if defects else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__.split("\n\n")[1])
    add = parser.add_argument
    add("--seed", type=int, default=0, help="of the first case of each kind")
    add("--count", type=int, help="of cases, of all kinds together; else until --seconds are over")
    add("--seconds", type=float, default=float("inf"), help="in which cases are begun")
    add("--only", action="append", choices=KINDS, help="this kind; may be repeated")
    add("--jobs", type=int, default=cores(), help="cases at once; one a core unless given")
    add("--keep", type=Path, default=Path("fuzz-defects"), help="the folder of cases with a defect")
    add("--replay", type=Path, nargs="+", help="folders of cases that were kept")
    options = parser.parse_args()
    if options.count is None and options.seconds == float("inf"):
        options.count = 1_000
    return options


def _homes(kinds: Sequence[str], work: Path) -> dict[str, Path]:
    """For each kind a folder of what its cases are made from."""
    homes = {kind: work / "homes" / kind for kind in kinds}
    for kind, home in homes.items():
        home.mkdir(parents=True)
        # Cases are forked, and must not share the processes that preparing starts.
        preparing = get_context("fork").Process(target=KINDS[kind].prepare, args=(home,))
        preparing.start()
        preparing.join()
        if preparing.exitcode:
            sys.exit(f"{kind}: nothing was prepared")
    return homes


def _drawn(homes: dict[str, Path], options: argparse.Namespace, work: Path) -> Iterator[process.Case]:
    """The kinds by turns; a case depends on its kind and seed alone."""
    kinds = list(homes)
    for at in range(options.count) if options.count is not None else count():
        kind, seed = kinds[at % len(kinds)], options.seed + at // len(kinds)
        folder = work / f"{kind}-{seed}"
        folder.mkdir()
        steps = KINDS[kind].make(Random(f"{kind} {seed}"), homes[kind], folder)
        again = f"--only {kind} --seed {seed} --count 1"
        yield process.Case(again, folder, steps, KINDS[kind].SECONDS)


def _kept(places: Sequence[Path], work: Path) -> Iterator[process.Case]:
    for place in places:
        folder = work / place.name
        shutil.copytree(place, folder)
        steps = json.loads((folder / STEPS).read_text(encoding="utf-8"))
        yield process.Case(f"--replay {place}", folder, steps, REPLAY_SECONDS)


def _judged(cases: Iterator[process.Case], at_once: int, until: float) -> Iterator[tuple[process.Case, str]]:
    """Each case with its defect, or with nothing, as they end."""
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


def _tell(case: process.Case, problem: str, keep: Path | None) -> None:
    print(f"== python -m tests.fuzz {case.again}")
    if keep:
        folder = keep / case.folder.name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(case.folder, folder)
        (folder / STEPS).write_text(json.dumps(case.steps, indent=1) + "\n", encoding="utf-8")
        print(f"   its files are in {folder}")
    print(problem.rstrip(), end="\n\n", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("GRIDLANG_CACHE", f"{tempfile.gettempdir()}/gridlang-tests-{os.getuid()}")
    sys.exit(main())
