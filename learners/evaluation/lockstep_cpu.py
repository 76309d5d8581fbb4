"""Lockstep runs of many cases on the cores of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import partial
from threading import Lock

from compiler.simulation.native.build import CannotBuild
from compiler.simulation.simulate import BUDGET
from compiler.tensors.model import Model
from gridlang.diagnostics import fail
from gridlang.table import Table
from gridlang.terminal.notes import tell_once
from gridlang.world import World
from learners.evaluation.limits import LIMITS
from learners.evaluation.lockstep import (
    NO_LIMIT,
    Backend,
    BatchListener,
    BatchProgress,
    Case,
    LockstepOutcome,
    Match,
    PlainRun,
    Until,
    matched,
    nobody,
)
from learners.evaluation.lockstep_batches import batches
from learners.evaluation.lockstep_native import NativeModel, NativeRun
from learners.runtime.hardware import cores

ON_CPU = "evaluate on the CPU: leave --device cuda out"  # where a GPU cannot serve


LockstepRun = PlainRun | NativeRun


def cpu_backend(match: Match, threads: int | None = None) -> Backend:
    """The backend for this machine: a DFST by threads, natively where there is a C compiler."""
    follower = match.model.follower()
    if follower is not None:
        return batches(match, follower)
    count = threads or cores()
    run = _runs(match)

    def backend(cases: Iterable[Case], limits: Until, watch: BatchListener) -> list[LockstepOutcome | None]:
        return _Batch(run, cases, limits).done_by(count, watch)

    return backend


def _runs(match: Match) -> Callable[[Case], LockstepRun]:
    """What makes a run of a case: native code where there is a C compiler."""
    try:
        return NativeModel(match).run
    except CannotBuild as error:
        tell_once(f"{error}; evaluating in Python, which is slower")
        return partial(PlainRun, match)


def run_lockstep(
    dfst: Model, table: Table, worlds: Iterable[Case], steps: int = NO_LIMIT, threads: int | None = None
) -> list[LockstepOutcome]:
    """A model in lockstep with its expert on worlds, or on inputs laid out on row 0; outcomes in order."""
    cases = list(worlds)
    known = set(table.symbols)
    for case in cases:
        strange = set(case.cells.values() if isinstance(case, World) else case) - known
        if strange:
            raise fail("G070", f"`{min(strange)}` is not in the alphabet")
    outcomes = cpu_backend(matched(dfst, table), threads)(cases, Until(steps), nobody)
    return [outcome for outcome in outcomes if outcome is not None]


class _Batch:
    """One batch, shared by the threads that work on it."""

    def __init__(self, run: Callable[[Case], LockstepRun], cases: Iterable[Case], limits: Until) -> None:
        self.run = run
        self.cases = enumerate(cases)
        self.limits = limits
        self.lock = Lock()
        self.outcomes: list[LockstepOutcome | None] = []
        self.steps: list[int] = []  # so far, by case
        self.first_failed = NO_LIMIT
        self.over = False

    def done_by(self, threads: int, watch: BatchListener) -> list[LockstepOutcome | None]:
        """Runs until all is done; an interrupt is heard, and ends the threads."""
        with ThreadPoolExecutor(threads) as pool:
            try:
                working = [pool.submit(self.work) for _ in range(threads)]
                while wait(working, LIMITS.poll_seconds, FIRST_EXCEPTION).not_done:
                    watch(self.progress())
                    for thread in working:
                        if thread.done():
                            thread.result()
                for thread in working:
                    thread.result()
            finally:
                self.over = True
        return self.outcomes

    def progress(self) -> BatchProgress:
        return BatchProgress(sum(outcome is not None for outcome in self.outcomes), sum(self.steps))

    def work(self) -> None:
        while True:
            with self.lock:
                if self.must_stop(len(self.outcomes)):
                    return
                number, case = next(self.cases, (-1, ""))
                if number < 0:
                    return
                self.outcomes.append(None)
                self.steps.append(0)
            self.outcomes[number] = self.follow(number, case)

    def must_stop(self, number: int) -> bool:
        """Whether a case needs no more work."""
        return self.over or number > self.first_failed or time.monotonic() >= self.limits.deadline

    def follow(self, number: int, case: Case) -> LockstepOutcome | None:
        """Runs one case in slices of about a tenth of a second; None if it is given up."""
        size = LIMITS.first_slice
        with self.run(case) as run:
            while True:
                begun = time.monotonic()
                ending = run.go(min(size, self.limits.steps - self.steps[number]))
                self.steps[number] = run.steps()
                if ending != BUDGET or self.steps[number] >= self.limits.steps:
                    break
                if self.must_stop(number):
                    return None
                if time.monotonic() - begun < LIMITS.slice_seconds / 2:
                    size *= 2
            outcome = run.outcome(ending)
        if self.limits.stop_early and outcome.mistake:
            with self.lock:
                self.first_failed = min(self.first_failed, number)
        return outcome
