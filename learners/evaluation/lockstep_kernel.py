"""The kernel `lockstep.cu` as Python sees it: its layout for a model, its records, and what it works on."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from compiler.tensors.dfst import Floats
from learners.evaluation.lockstep import Match
from learners.evaluation.lockstep_native import entries_of
from learners.evaluation.lockstep_windows import Frame
from learners.runtime.cuda import CannotLaunch

# A thread keeps one row of the matrices, as long as there are states, in registers; a block has all rows.
MOST_STATES, MOST_ROWS = 128, 256
WARP = 32  # So many threads go together.
STATIC = 4096  # The kernel uses at most so many bytes of shared memory beside the weights.
UNASKED = 48 * 1024  # Any kernel may use so many bytes of shared memory without asking.
MARGIN = np.dtype([("least", "f8"), ("step", "i8"), ("x", "i8"), ("y", "i8")])
RECORD = np.dtype(  # The fields are those of `struct Case` in lockstep.cu.
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
    shared: int  # The weights take so many bytes; 0 if they are read through the cache.


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
