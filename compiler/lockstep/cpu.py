"""Lockstep on the cores of this machine: in C, compiled for the size of the model, many cases by threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from gridlang.compiler.lockstep.lockstep import (
    NO_LIMIT,
    SHOWN,
    WORLD_BYTES,
    Action,
    Backend,
    BatchListener,
    BatchProgress,
    Case,
    LockstepOutcome,
    Margin,
    Match,
    Mistake,
    PlainRun,
    Until,
    mistake_at,
)
from gridlang.compiler.native.build import THIS_CPU, CannotBuild, cores
from gridlang.compiler.native.c_library import CLibrary
from gridlang.compiler.simulation.native.sources import source_on_worlds
from gridlang.compiler.simulation.simulate import Moment
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.outcomes import ENDS, End, Outcome, Reason
from gridlang.table import STAY, Entry
from gridlang.terminal.notes import tell_once
from gridlang.world import Cell

VECTORS = Path(__file__).with_name("vectors.c")
FLAGS = (
    *THIS_CPU,
    "-O3",
    "-ffp-contract=fast",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-schedule-insns",
)
ENTRY = np.dtype(  # `struct entry` in C
    [
        ("next", "u4"),
        *((name, "u2") for name in ("write", "wanted_write")),
        *((name, "u1") for name in ("move", "wanted_move", "kind", "spare")),
    ]
)
STEP, HALT, UNDEFINED = range(3)
FIRST_SLICE = 1 << 10  # initial steps per clock check
SLICE_SECONDS = 0.1  # a slice grows to this: soon enough for a deadline
POLL_SECONDS = 0.1  # between two looks at the threads, for progress and interrupts


def single_runs(match: Match) -> Callable[[Case], PlainRun | NativeRun]:
    """Runs of cases one by one, for tensors natively where there is a C compiler."""
    try:
        if isinstance(match.model, Dfst):
            return partial(NativeRun, NativeModel(match))
    except CannotBuild as error:
        tell_once(f"{error}; evaluating in Python, which is slower")
    return partial(PlainRun, match)


def cpu_backend(match: Match, threads: int | None = None) -> Backend:
    """For this machine, by threads."""
    run = single_runs(match)

    def backend(cases: Iterable[Case], limits: Until, watch: BatchListener) -> list[LockstepOutcome | None]:
        return _Batch(run, cases, limits).done_by(threads or cores(), watch)

    return backend


class _Batch:
    """One batch, shared by the threads that work on it."""

    def __init__(
        self, run: Callable[[Case], PlainRun | NativeRun], cases: Iterable[Case], limits: Until
    ) -> None:
        self.run = run
        self.cases = enumerate(cases)
        self.limits = limits
        self.lock = Lock()
        self.outcomes: list[LockstepOutcome | None] = []
        self.steps: list[int] = []  # so far, by case
        self.first_failed = NO_LIMIT
        self.over = False

    def done_by(self, threads: int, watch: BatchListener) -> list[LockstepOutcome | None]:
        """Runs until all cases end; an interrupt ends the threads."""
        with ThreadPoolExecutor(threads) as pool:
            try:
                working = [pool.submit(self.work) for _ in range(threads)]
                while wait(working, POLL_SECONDS, FIRST_EXCEPTION).not_done:
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
        size = FIRST_SLICE
        with self.run(case) as run:
            while True:
                begun = time.monotonic()
                ending = run.go(min(size, self.limits.steps - self.steps[number]))
                self.steps[number] = run.steps()
                if ending != Outcome.BUDGET or self.steps[number] >= self.limits.steps:
                    break
                if self.must_stop(number):
                    return None
                if time.monotonic() - begun < SLICE_SECONDS / 2:
                    size *= 2
            outcome = run.outcome(ending)
        if self.limits.stop_early and outcome.mistake:
            with self.lock:
                self.first_failed = min(self.first_failed, number)
        return outcome


@lru_cache(maxsize=32)
def library_for(dim: int, symbols: int, moves: int, strict: bool) -> CLibrary:
    """The library for models of this size, strict or not; CannotBuild at its first call."""
    wide = "uint8_t" if symbols < 255 else "uint16_t"
    source = partial(source_on_worlds, VECTORS, Path(__file__).with_name("lockstep.c"), cell=wide)
    return CLibrary(source, *FLAGS, DIM=dim, SYMBOLS=symbols, MOVES=moves, STRICT=int(strict))


class NativeModel:
    """A model and its expert in native memory, shared by any number of runs and threads."""

    def __init__(self, match: Match) -> None:
        size = len(match.model.h0), len(match.writes), len(match.moves)
        self.match, self.library, self.entries = match, library_for(*size, match.strict), entries_of(match)
        self.handle = self.library.own(self, "lockstep_model", "lockstep_forget", *match.tensors)


class NativeRun:
    """A run in native memory; free it by leaving its `with`."""

    def __init__(self, model: NativeModel, case: Case, memory: int = WORLD_BYTES) -> None:
        self.model, self.library = model, model.library
        start = (0, 0) if isinstance(case, str) else case.start
        self.handle = self.library.lockstep_new(model.handle, model.entries, memory, *start)
        if not self.handle:
            raise MemoryError("there is no memory for a world")
        xs, ys, symbols = cells_of(model.match.table.symbols, case)
        self.fits = self.library.lockstep_put(self.handle, len(xs), xs, ys, symbols)
        address = self.library.lockstep_report(self.handle)
        self.report: Any = self.library.structs["report"].from_address(address)

    def __enter__(self) -> NativeRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.library.lockstep_free(self.handle)
        self.handle = None

    def go(self, steps: int) -> End:
        """At most this many steps: how the run ended, budget if it did not."""
        return ENDS[self.library.lockstep_go(self.handle, steps)] if self.fits else Reason.MEMORY

    def steps(self) -> int:
        return int(self.report.steps)

    def pair(self) -> tuple[int, int]:
        """The state of the table, and the symbol that it reads."""
        return int(self.report.state), int(self.report.read)

    def outcome(self, ending: End) -> LockstepOutcome:
        margins = (
            Margin(m.least, m.step, (m.x, m.y)) if np.isfinite(m.least) else None for m in self.report.margins
        )
        wrong = self._mistake() if ending is Reason.DIFFERS else None
        return LockstepOutcome(ending, self.steps(), wrong, *margins)

    def _mistake(self) -> Mistake:
        match, report = self.model.match, self.report
        head, (across, down) = (report.x, report.y), SHOWN
        got = None if report.stuck else Action(match.writes[report.write], match.moves[report.move])
        left, top = head[0] - across, head[1] - down
        window = np.zeros((2 * down + 1, 2 * across + 1), np.int32)
        self.library.lockstep_look(self.handle, left, top, *reversed(window.shape), window)

        def look(cell: Cell) -> str:
            return match.table.symbols[int(window[cell[1] - top, cell[0] - left])]

        reason = Reason(ENDS[report.stuck]) if report.stuck else None
        return mistake_at(match, Moment(report.steps, report.state, head, report.read), got, reason, look)


def cells_of(
    alphabet: Iterable[str], case: Case
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Columns, rows and symbols of what stands on the grid at the start."""
    text = case if isinstance(case, str) else "".join(case.cells.values())
    codes, order = _sorted_codes(tuple(alphabet))
    written = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    symbols = order[codes.searchsorted(written)]
    if isinstance(case, str):
        return np.arange(len(text), dtype=np.int64), np.zeros(len(text), np.int64), symbols
    places = np.array(list(case.cells), np.int64).reshape(-1, 2)
    return np.ascontiguousarray(places[:, 0]), np.ascontiguousarray(places[:, 1]), symbols


@lru_cache(maxsize=32)
def _sorted_codes(alphabet: tuple[str, ...]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int32]]:
    """The code points of an alphabet in order, and the number of each."""
    codes = np.array([ord(symbol) for symbol in alphabet], np.uint32)
    order = np.argsort(codes)
    return codes[order], order.astype(np.int32)


def entries_of(match: Match) -> npt.NDArray[np.void]:
    """The table as C reads it: states times symbols, with what is wanted of the model."""
    k = len(match.table.symbols)

    def packed(state: int, symbol: int, entry: Entry | None) -> tuple[int, ...]:
        if entry is None:
            return 0, 0, 0, STAY, 0, UNDEFINED, 0
        kind = HALT if match.table.is_halt(state, symbol) else STEP
        wanted = match.wanted_writes[entry.write], match.wanted_moves[entry.move]
        return entry.next * k, entry.write, wanted[0], entry.move, wanted[1], kind, 0

    rows = [packed(q, x, entry) for q, row in enumerate(match.table.rows) for x, entry in enumerate(row)]
    return np.array(rows, ENTRY)
