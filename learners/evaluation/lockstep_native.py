"""Lockstep runs in C, compiled for the size of the model: what `lockstep.PlainRun` does, and fast."""

from __future__ import annotations

import ctypes
import weakref
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from compiler.simulation.native.build import THIS_CPU, CannotBuild, load_library
from compiler.simulation.native.codegen import part
from compiler.simulation.native.engine import TILE_BYTES
from compiler.simulation.simulate import BUDGET, HALTED, STUCK, Moment
from compiler.tensors.closed_loop import ALL_ZERO, NONE_POSITIVE, NOT_FINITE
from gridlang.table import STAY, Entry, Table
from gridlang.world import Cell
from learners.evaluation.lockstep import (
    DIFFERS,
    HIGH,
    MEMORY,
    WIDE,
    Action,
    Case,
    LockstepOutcome,
    Margin,
    Match,
    Mistake,
    mistake_at,
)

SOURCE = Path(__file__).parent / "lockstep.c"
FLAGS = (
    *THIS_CPU,
    "-O3",
    "-ffp-contract=fast",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-schedule-insns",
)
OUT_OF_MEMORY = 5  # The numbers of endings and reasons are those of the C code.
ENDINGS = {1: HALTED, 2: STUCK, 3: BUDGET, 4: DIFFERS, OUT_OF_MEMORY: MEMORY}
REASONS = {1: ALL_ZERO, 2: NOT_FINITE, 3: NONE_POSITIVE}
WORLD_BYTES = 500_000_000  # The world of one case may take so many.
ENTRY = np.dtype(  # The fields are those of `struct entry` in C.
    [
        ("next", "u4"),
        *((name, "u2") for name in ("write", "wanted_write")),
        *((name, "u1") for name in ("move", "wanted_move", "kind", "spare")),
    ]
)
STEP, HALT, UNDEFINED = range(3)


class _Margin(ctypes.Structure):
    _fields_ = [("least", ctypes.c_double), *((name, ctypes.c_int64) for name in ("step", "x", "y"))]


class _Report(ctypes.Structure):
    """As `struct report` in C."""

    _fields_ = [
        *((name, ctypes.c_int64) for name in ("steps", "state", "x", "y", "read", "write", "move", "stuck")),
        ("margins", _Margin * 2),
    ]


@lru_cache(maxsize=32)
def library_for(dim: int, symbols: int, moves: int, strict: bool = False) -> ctypes.CDLL:
    """The library for models of one size, strict or not; CannotBuild without a compiler."""
    wide = "uint8_t" if symbols < 255 else "uint16_t"
    types = f"#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\ntypedef {wide} cell;\n"
    source = types + "#define EDGE SYMBOLS\n\n" + part("world.c") + part("library.c")
    size = (f"-DDIM={dim}", f"-DSYMBOLS={symbols}", f"-DMOVES={moves}", f"-DSTRICT={int(strict)}")
    names = ("lockstep_model", "lockstep_go", "lockstep_report")
    library = load_library(source + SOURCE.read_text(encoding="utf-8"), (*FLAGS, *size), names)
    pointer, long = ctypes.c_void_p, ctypes.c_int64
    library.lockstep_model.restype = pointer
    library.lockstep_model.argtypes = [pointer] * 4
    library.lockstep_forget.argtypes = [pointer]
    library.lockstep_new.restype = pointer
    library.lockstep_new.argtypes = [pointer, pointer, ctypes.c_uint64, long, long]
    library.lockstep_free.argtypes = [pointer]
    library.lockstep_put.argtypes = [pointer, long, *[pointer] * 3]
    library.lockstep_go.argtypes = [pointer, ctypes.c_uint64]
    library.lockstep_look.argtypes = [pointer, *[long] * 4, pointer]
    library.lockstep_report.restype = ctypes.POINTER(_Report)
    library.lockstep_report.argtypes = [pointer]
    library.lockstep_inputs.argtypes = [pointer, pointer, ctypes.c_uint64, long, *[pointer] * 5]
    library.lockstep_lead.restype = ctypes.c_float
    library.lockstep_lead.argtypes = [pointer, long, long, *[pointer] * 4]
    return library


class NativeModel:
    """A model and its expert in native memory, shared by any number of runs and threads."""

    def __init__(self, match: Match) -> None:
        self.match = match
        dim = len(match.model.h0)
        self.library = library_for(dim, len(match.writes), len(match.moves), match.strict)
        self.handle = self.library.lockstep_model(*(tensor.ctypes.data for tensor in match.tensors))
        if not self.handle:
            raise CannotBuild("there is no memory for the native model")
        weakref.finalize(self, self.library.lockstep_forget, self.handle)
        self.entries = entries_of(match)

    def run(self, case: Case) -> NativeRun:
        """A run on a case, before its first step."""
        return NativeRun(self, case)


class NativeRun:
    """A run in native memory; free it by leaving its `with`."""

    def __init__(self, model: NativeModel, case: Case, memory: int = WORLD_BYTES) -> None:
        self.model, self.library = model, model.library
        start = (0, 0) if isinstance(case, str) else case.start
        tiles = max(1, memory // TILE_BYTES)
        self.handle = self.library.lockstep_new(model.handle, model.entries.ctypes.data, tiles, *start)
        if not self.handle:
            raise MemoryError("there is no memory for a world")
        xs, ys, symbols = cells_of(model.match.table, case)
        self.fits = self.library.lockstep_put(
            self.handle, len(xs), xs.ctypes.data, ys.ctypes.data, symbols.ctypes.data
        )

    def __enter__(self) -> NativeRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.library.lockstep_free(self.handle)
        self.handle = None

    def go(self, steps: int) -> str:
        """Goes on for at most so many steps: how it ended, budget if it did not."""
        ending: int = self.library.lockstep_go(self.handle, steps) if self.fits else OUT_OF_MEMORY
        return ENDINGS[ending]

    def report(self) -> _Report:
        report: _Report = self.library.lockstep_report(self.handle).contents
        return report

    def steps(self) -> int:
        return int(self.report().steps)

    def outcome(self, ending: str) -> LockstepOutcome:
        report = self.report()
        margins = (
            Margin(m.least, m.step, (m.x, m.y)) if np.isfinite(m.least) else None for m in report.margins
        )
        wrong = self._mistake(report) if ending == DIFFERS else None
        return LockstepOutcome(ending, report.steps, wrong, *margins)

    def _mistake(self, report: _Report) -> Mistake:
        match, head = self.model.match, (report.x, report.y)
        got = None if report.stuck else Action(match.writes[report.write], match.moves[report.move])
        left, top, wide, high = head[0] - WIDE, head[1] - HIGH, 2 * WIDE + 1, 2 * HIGH + 1
        window = np.zeros((high, wide), np.int32)
        self.library.lockstep_look(self.handle, left, top, wide, high, window.ctypes.data)

        def look(cell: Cell) -> str:
            return match.table.symbols[int(window[cell[1] - top, cell[0] - left])]

        reason = REASONS.get(report.stuck, "")
        return mistake_at(match, Moment(report.steps, report.state, head, report.read), got, reason, look)


def cells_of(table: Table, case: Case) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Columns, rows and symbols of what stands on the grid at the start."""
    text = case if isinstance(case, str) else "".join(case.cells.values())
    codes = np.array([ord(symbol) for symbol in table.symbols], np.uint32)
    order = np.argsort(codes)
    written = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    symbols = order[np.searchsorted(codes, written, sorter=order)].astype(np.int32)
    if isinstance(case, str):
        return np.arange(len(text), dtype=np.int64), np.zeros(len(text), np.int64), symbols
    places = np.array(list(case.cells), np.int64).reshape(-1, 2)
    return np.ascontiguousarray(places[:, 0]), np.ascontiguousarray(places[:, 1]), symbols


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
