"""Lockstep runs of many cases on a GPU, one case a block: what `lockstep_cpu` does on cores.

A case has a window of the world in the GPU's memory. When its head leaves it, the case goes on in one twice
as large; so memory is bounded by what was visited, not by the steps.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from compiler.simulation.simulate import BUDGET, HALTED, STUCK, Moment
from gridlang.diagnostics import fail
from gridlang.table import BLANK
from gridlang.world import Cell
from learners.evaluation.limits import LIMITS
from learners.evaluation.lockstep import (
    DIFFERS,
    MEMORY,
    NO_LIMIT,
    Action,
    Backend,
    BatchListener,
    BatchProgress,
    Case,
    LockstepOutcome,
    Margin,
    Match,
    Mistake,
    Until,
    mistake_at,
)
from learners.evaluation.lockstep_cpu import ON_CPU, REASONS, cells_of
from learners.evaluation.lockstep_kernel import (
    LARGEST_WINDOW,
    RECORD,
    DeviceModel,
    Job,
    first_frame,
    kernel_layout,
    larger_frame,
)
from learners.runtime.cuda import CannotLaunch, Kernel, Module

OUTSIDE = "outside"  # the head has left the window, which grows then
ENDINGS = {1: HALTED, 2: STUCK, 3: BUDGET, 4: DIFFERS, 5: OUTSIDE}


class _Run:
    """A case: the kernel's record of it, and its window of the world, on the device or away from it."""

    def __init__(self, model: DeviceModel, number: int, case: Case) -> None:
        self.model, self.number = model, number
        start = (0, 0) if isinstance(case, str) else case.start
        self.input_cells: tuple[npt.NDArray[Any], ...] | None = cells_of(model.match.table, case)
        self.frame = self.wanted = first_frame(*self.input_cells[:2], start)
        self.cells = torch.empty(0, dtype=torch.uint8)
        self.held = 0  # bytes of the window on the device
        self.hidden = model.there(model.match.tensors[3])
        self.record: Any = np.zeros((), RECORD)
        self.record["hidden"] = self.hidden.data_ptr()
        self.record["margins"]["least"] = np.inf
        self.record["at"] = self.frame.offset(start)

    @property
    def head(self) -> Cell:
        return self.frame.cell(int(self.record["at"]))

    def place(self) -> None:
        """Moves into the window that it wants, on the device."""
        old, new, head = self.frame, self.wanted, self.head
        cells = self.model.window(new)
        if self.input_cells is not None:
            xs, ys, symbols = self.input_cells
            places = self.model.there((ys - new.top) * new.wide + xs - new.left)
            cells.view(-1)[places] = self.model.there(symbols.astype(np.uint8))
            self.input_cells = None
        else:
            x, y = old.left - new.left, old.top - new.top
            cells[y + 1 : y + old.high - 1, x + 1 : x + old.wide - 1] = self.cells[1:-1, 1:-1]
        self.cells, self.frame, self.held = cells, new, new.area
        self.record["cells"], self.record["at"] = cells.data_ptr(), new.offset(head)
        self.record["left"], self.record["top"], self.record["wide"] = new[:3]

    def leave(self) -> None:
        """Gives the device's memory back; the cells are kept."""
        self.cells, self.held = self.cells.cpu(), 0

    def outcome(self, ending: str) -> LockstepOutcome:
        margins = (
            Margin(float(m["least"]), int(m["step"]), (int(m["x"]), int(m["y"])))
            if np.isfinite(m["least"])
            else None
            for m in self.record["margins"]
        )
        wrong = self._mistake() if ending == DIFFERS else None
        return LockstepOutcome(ending, int(self.record["steps"]), wrong, *margins)

    def _mistake(self) -> Mistake:
        match, frame, record = self.model.match, self.frame, self.record
        (x, y), symbols = self.head, match.table.symbols
        across, down = LIMITS.shown
        left, top = max(x - across, frame.left), max(y - down, frame.top)
        rows = slice(top - frame.top, y + down + 1 - frame.top)
        seen = self.cells[rows, left - frame.left : x + across + 1 - frame.left].cpu().numpy()

        def look(cell: Cell) -> str:
            row, column = cell[1] - top, cell[0] - left
            inside = 0 <= row < seen.shape[0] and 0 <= column < seen.shape[1]
            return symbols[seen[row, column]] if inside and seen[row, column] < len(symbols) else BLANK

        stuck, state = int(record["stuck"]), int(record["state"]) // len(symbols)
        got = None if stuck else Action(match.writes[record["write"]], match.moves[record["move"]])
        moment = Moment(int(record["steps"]), state, (x, y), int(seen[y - top, x - left]))
        return mistake_at(match, moment, got, REASONS.get(stuck, ""), look)


class _Batch:
    """One batch of cases: those that run, those that wait for memory, and those to be drawn."""

    def __init__(self, model: DeviceModel, cases: Iterable[Case], limits: Until, room: int) -> None:
        self.model, self.limits, self.room = model, limits, room
        self.cases = iter(cases)
        self.running: list[_Run] = []
        self.waiting: deque[_Run] = deque()
        self.outcomes: list[LockstepOutcome | None] = []
        self.steps: list[int] = []  # so far, by case
        self.first_failed = NO_LIMIT
        self.slice = LIMITS.first_launch

    def done(self, watch: BatchListener) -> list[LockstepOutcome | None]:
        """Runs until all is done, or time is up."""
        while time.monotonic() < self.limits.deadline:
            self.admit()
            if not self.running:
                break
            self.advance()
            watch(BatchProgress(sum(outcome is not None for outcome in self.outcomes), sum(self.steps)))
        return self.outcomes

    def admit(self) -> None:
        """Lets cases in, as many as fit; one that will never fit has ended."""
        while len(self.running) < LIMITS.blocks:
            run = self.waiting.popleft() if self.waiting else self.drawn()
            if run is None:
                return
            if self.placed(run):
                self.running.append(run)
            elif self.running and run.wanted.area <= min(self.room, LARGEST_WINDOW):
                self.waiting.appendleft(run)
                return
            else:
                self.end(run, MEMORY)

    def drawn(self) -> _Run | None:
        number = len(self.outcomes)
        case = next(self.cases, None) if number <= self.first_failed else None
        if case is None:
            return None
        self.outcomes.append(None)
        self.steps.append(0)
        return _Run(self.model, number, case)

    def placed(self, run: _Run) -> bool:
        """Whether the run has its window; others that wait make room for it."""
        if self.fits(run):
            return True
        for other in (run, *self.waiting):
            other.leave()
        return self.fits(run)

    def fits(self, run: _Run) -> bool:
        used = sum(holder.held for holder in (run, *self.running, *self.waiting))
        if run.wanted.area > min(self.room - used, LARGEST_WINDOW):
            return False
        try:
            run.place()
        except torch.cuda.OutOfMemoryError:
            return False
        return True

    def advance(self) -> None:
        """One launch for all that run; its length is made to take about a tenth of a second."""
        for run in self.running:
            run.record["budget"] = min(self.slice, self.limits.steps - self.steps[run.number])
        begun = time.monotonic()
        records = self.model.advance(np.stack([run.record for run in self.running]))
        seconds = time.monotonic() - begun
        went, self.running = self.running, []
        cut = False
        for run, record in zip(went, records, strict=True):
            run.record, ending = record, ENDINGS[int(record["ending"])]
            self.steps[run.number] = int(record["steps"])
            cut |= ending == BUDGET
            if ending == OUTSIDE:
                run.wanted = larger_frame(run.frame, run.head)
                self.waiting.append(run)
            elif ending == BUDGET and self.steps[run.number] < self.limits.steps:
                self.running.append(run)
            else:
                self.end(run, ending)
        if cut and seconds < LIMITS.slice_seconds / 2:
            self.slice *= 2
        elif seconds > 2 * LIMITS.slice_seconds:
            self.slice = max(self.slice // 2, LIMITS.first_launch)
        self.running = [run for run in self.running if run.number < self.first_failed]
        self.waiting = deque(run for run in self.waiting if run.number < self.first_failed)

    def end(self, run: _Run, ending: str) -> None:
        outcome = self.outcomes[run.number] = run.outcome(ending)
        if self.limits.stop_early and outcome.mistake:
            self.first_failed = min(self.first_failed, run.number)


def backend_on(model: DeviceModel, room: Callable[[], int]) -> Backend:
    """The backend for a model on a device, with room in bytes for windows."""

    def backend(cases: Iterable[Case], limits: Until, watch: BatchListener) -> list[LockstepOutcome | None]:
        try:
            return _Batch(model, cases, limits, room()).done(watch)
        except CannotLaunch as error:
            raise fail("G122", f"the GPU cannot go on: {error}", ON_CPU) from None

    return backend


def gpu_backend(match: Match) -> Backend:
    """The backend for the current CUDA device; CannotLaunch where the kernel cannot serve."""
    device = torch.cuda.get_device_properties(torch.cuda.current_device())
    torch.zeros(1, device="cuda")  # makes the context that modules are loaded into
    room = device.shared_memory_per_block_optin  # type: ignore[attr-defined]
    chosen = kernel_layout(len(match.model.h0), len(match.writes), len(match.moves), room)
    source = files("learners.evaluation").joinpath("lockstep.cu").read_text("utf-8")
    module = Module(source, chosen.macros, (device.major, device.minor))
    kernel = Kernel(module, "lockstep", chosen.threads, chosen.shared)

    def launch(blocks: int, job: Job) -> None:
        kernel.launch(torch.cuda.current_stream().cuda_stream, (blocks, 1), job)

    def free() -> int:
        torch.cuda.empty_cache()
        return int(LIMITS.memory_share * torch.cuda.mem_get_info()[0])

    return backend_on(DeviceModel(match, launch, "cuda"), free)
