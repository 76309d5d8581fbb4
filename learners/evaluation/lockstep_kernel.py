"""The kernel `lockstep.cu` as Python sees it: its layout for a model, its records, and windows of a world."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from compiler.tensors.dfst import Floats
from gridlang.world import Cell
from learners.evaluation.limits import LIMITS
from learners.evaluation.lockstep import Match
from learners.evaluation.lockstep_cpu import entries_of
from learners.runtime.cuda import CannotLaunch

# a thread keeps one row of the matrices, as long as there are states, in registers; a block has all rows
MOST_STATES, MOST_ROWS = 128, 256
WARP = 32  # threads that go together
STATIC = 4096  # most bytes of shared memory beside the weights
UNASKED = 48 * 1024  # bytes of shared memory for a kernel that does not ask for more
LARGEST_WINDOW = (1 << 31) - 1  # cells, which are counted with 32 bits
MARGIN = np.dtype([("least", "f8"), ("step", "i8"), ("x", "i8"), ("y", "i8")])
RECORD = np.dtype(  # `struct Case` in lockstep.cu
    [
        *((name, "u8") for name in ("cells", "hidden")),
        *((name, "i8") for name in ("left", "top", "steps", "budget")),
        ("margins", MARGIN, 2),
        *((name, "i4") for name in ("at", "wide", "state", "ending", "write", "move", "stuck", "spare")),
    ]
)


class Job(ctypes.Structure):
    """The kernel's argument, as `struct Job` in lockstep.cu."""

    _fields_ = tuple((name, ctypes.c_void_p) for name in ("weights", "table", "cases"))


class KernelLayout(NamedTuple):
    """How a model of one size is laid out over the threads of a block."""

    macros: dict[str, int | None]
    threads: int
    shared: int  # bytes of the weights; 0 if they are read through the cache


def kernel_layout(dim: int, symbols: int, moves: int, shared: int) -> KernelLayout:
    """A thread a row of the matrices; weights in `shared` bytes if they fit. CannotLaunch if too large."""
    rows = dim + symbols + moves
    if dim > MOST_STATES or rows > MOST_ROWS:
        most = f"{MOST_STATES} states and {MOST_ROWS} rows (states, symbols and moves)"
        raise CannotLaunch(f"the kernel serves models of up to {most}, not {dim} and {rows}")
    followers = ceil(rows / WARP) * WARP
    weights = 16 * symbols * ceil(dim / 4) * rows
    resident = weights + STATIC <= shared
    # What lies beside the weights counts too; `Kernel` asks for more by this number alone.
    if weights + STATIC > UNASKED:
        weights = max(weights, UNASKED + 16)
    macros: dict[str, int | None] = {"D": dim, "K": symbols, "M": moves, "FOLLOWERS": followers}
    macros |= {"RESIDENT": None} if resident else {}
    return KernelLayout(macros, followers + WARP, weights if resident else 0)


def weights_of(match: Match) -> Floats:
    """The matrices as the kernel reads them, (symbol, columns by four, row, four columns)."""
    stacked = np.concatenate(match.tensors[:3], 1)
    symbols, rows, dim = stacked.shape
    padded = np.pad(stacked, ((0, 0), (0, 0), (0, -dim % 4)))
    return np.ascontiguousarray(padded.reshape(symbols, rows, -1, 4).swapaxes(1, 2))


class Frame(NamedTuple):
    """Where a window lies in the world, with the edge around it."""

    left: int
    top: int
    wide: int
    high: int

    @property
    def area(self) -> int:
        return self.wide * self.high

    def offset(self, cell: Cell) -> int:
        """The place of a cell in the window's memory."""
        return (cell[1] - self.top) * self.wide + cell[0] - self.left

    def cell(self, offset: int) -> Cell:
        return self.left + offset % self.wide, self.top + offset // self.wide


def first_frame(xs: npt.NDArray[Any], ys: npt.NDArray[Any], start: Cell) -> Frame:
    """The box of the input, and what fits around it."""
    columns, rows = np.append(xs, start[0]), np.append(ys, start[1])
    left, top = int(columns.min()) - LIMITS.beside, int(rows.min())
    wide, high = int(columns.max()) + LIMITS.beside + 1 - left, int(rows.max()) + 1 - top
    above = max(LIMITS.above, min(wide, (LIMITS.first_window // wide - high) // 2))
    return Frame(left - 1, top - above - 1, wide + 2, high + 2 * above + 2)


def larger_frame(frame: Frame, head: Cell) -> Frame:
    """Twice as wide, or as high, on the side where the head stands on the edge."""
    left, top, wide, high = frame
    more_wide, more_high = wide - 2, high - 2
    if head[0] in (left, left + wide - 1):
        return Frame(left - more_wide if head[0] == left else left, top, wide + more_wide, high)
    return Frame(left, top - more_high if head[1] == top else top, wide, high + more_high)


class DeviceModel:
    """A model and its expert in the memory of a device, and what launches the kernel there."""

    def __init__(self, match: Match, launch: Callable[[int, Job], None], device: str) -> None:
        self.match, self.launch, self.device = match, launch, device
        self.symbols = len(match.table.symbols)
        self.weights = self.there(weights_of(match))
        self.table = self.there(entries_of(match).view(np.uint8))

    def there(self, array: npt.NDArray[Any]) -> torch.Tensor:
        """A copy on the device."""
        return torch.tensor(array, device=self.device)

    def window(self, frame: Frame) -> torch.Tensor:
        """Blank cells within an edge, (high, wide)."""
        cells = torch.full((frame.high, frame.wide), self.symbols, dtype=torch.uint8, device=self.device)
        cells[1:-1, 1:-1] = 0
        return cells

    def advance(self, records: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
        """Runs each case for its budget: the records after that."""
        memory = self.there(records.view(np.uint8))
        job = Job(self.weights.data_ptr(), self.table.data_ptr(), memory.data_ptr())
        self.launch(len(records), job)
        after: npt.NDArray[np.void] = memory.cpu().numpy().view(RECORD)
        return after
