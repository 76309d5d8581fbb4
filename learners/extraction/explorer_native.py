"""Exploration in C, one library for models of all sizes: what `explorer.PlainExplorer` does, and fast."""

from __future__ import annotations

import ctypes
import weakref
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from compiler.simulation.native.build import THIS_CPU, CannotBuild, load_library
from compiler.simulation.native.c_library import CLibrary
from compiler.simulation.native.codegen import source_on_worlds
from compiler.simulation.simulate import BUDGET, HALTED, STUCK
from compiler.tensors.dfst import Dfst
from compiler.tensors.model import RECURRENT, Model, symbols_of
from gridlang.table import BLANK, MOVES
from learners.evaluation.lockstep import DIFFERS, MEMORY, Case
from learners.extraction.explorer import EDGE, FULL, NONE, PLAIN, UNSURE, Codebook, ExplorerConfig, RunMode

SOURCE = Path(__file__).parent / "explorer.c"
FLAGS = (*THIS_CPU, "-O3", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")
OUTCOMES = {1: HALTED, 2: STUCK, 3: BUDGET, 4: DIFFERS, 5: MEMORY, 6: UNSURE, 7: FULL}
ALIGNED = 64  # A line of the cache has so many bytes, and so have the widest vector loads.


class _Codebook(ctypes.Structure):
    """As `struct codebook` in C."""

    _fields_ = [
        ("tolerance", ctypes.c_float),
        *((name, ctypes.c_int32) for name in ("end", "points", "edges", "max_points", "full")),
        *((name, ctypes.c_void_p) for name in ("centres", "farthest", "last", "bucket", "list", "near")),
    ]


class _Explorer(ctypes.Structure):
    """As `struct explorer` in C."""

    _fields_ = [
        *(
            (name, ctypes.c_int32)
            for name in ("d", "k", "moves", "width", "outs", "rows", "codebooks", "blank", "idle", "strict")
        ),
        ("shift", ctypes.c_int32 * len(MOVES)),
        ("gain", ctypes.c_float),
        *((name, ctypes.c_void_p) for name in ("weights", "rivals", "start")),
        ("codebook", ctypes.POINTER(_Codebook)),
        ("rules", ctypes.c_void_p),
        ("random", ctypes.c_uint64),
        *((name, ctypes.c_int64) for name in ("steps", "work", "power", "low", "high")),
        ("network", ctypes.c_void_p),
    ]


class _Task(ctypes.Structure):
    """As `struct task` in C."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("xs", "ys", "symbols")),
        *((name, ctypes.c_int64) for name in ("count", "x", "y", "steps")),
        ("doubt", ctypes.c_float),
        ("ruled", ctypes.c_int32),
        ("symbol_weights", ctypes.c_void_p),
    ]


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    """The library; CannotBuild without a compiler."""
    source = RECURRENT.read_text(encoding="utf-8") + source_on_worlds(SOURCE)
    library = load_library(source, FLAGS, ("explorer_new", "explorer_run", "explorer_free"))
    pointer = ctypes.c_void_p
    library.explorer_new.restype = ctypes.POINTER(_Explorer)
    library.explorer_new.argtypes = [*[pointer] * 8, ctypes.c_uint64]
    library.explorer_run.argtypes = [pointer] * 4
    library.explorer_free.argtypes = [pointer]
    return library


class NativeExplorer:
    """A model and its codebooks in native memory."""

    def __init__(self, dfst: Model, config: ExplorerConfig) -> None:
        self.library = _library()
        symbols = symbols_of(dfst)
        d, k, moves = len(dfst.h0), len(symbols), len(dfst.moves)
        self.codes = {symbol: 1 + number for number, symbol in enumerate(symbols)}
        idle = dfst.moves.index("S") if "S" in dfst.moves else NONE
        blank = symbols.index(BLANK)
        books, most = len(config.tolerances), config.max_points
        size = np.array([d, k, moves, blank, idle, books, most, dfst.strict], np.int32)
        shift = np.array([MOVES.index(move) for move in dfst.moves], np.int32)
        weights = (dfst.A, dfst.B, dfst.C) if isinstance(dfst, Dfst) else (None, None, None)
        tensors = [
            None if tensor is None else np.ascontiguousarray(tensor, np.float32)
            for tensor in (*weights, dfst.h0)
        ]
        tolerances = np.array(config.tolerances, np.float32)
        self.rules = None if config.rules is None else np.ascontiguousarray(config.rules)
        arrays = (size, *tensors, shift, tolerances)
        self.handle = self.library.explorer_new(
            *(None if array is None else array.ctypes.data for array in arrays),
            None if self.rules is None else self.rules.ctypes.data,
            config.seed & 0xFFFFFFFF,
        )
        if not self.handle:
            raise CannotBuild("there is no memory for the native explorer")
        weakref.finalize(self, self.library.explorer_free, self.handle)
        recurrence = dfst.recurrence()
        if recurrence is not None:
            self.network = CLibrary(RECURRENT).structs["network"](*recurrence)
            self.handle.contents.network = ctypes.addressof(self.network)
        state = self.handle.contents
        room = np.zeros(2 * state.width + state.rows + k + ALIGNED, np.float32)
        self.room = room[-(room.ctypes.data // 4) % (ALIGNED // 4) :]
        self.at = np.zeros(max(1, state.codebooks), np.int32)

    @property
    def steps(self) -> int:
        return int(self.handle.contents.steps)

    @property
    def work(self) -> int:
        return int(self.handle.contents.work)

    @property
    def scale(self) -> tuple[int, int]:
        return int(self.handle.contents.low), int(self.handle.contents.high)

    def run(self, case: Case, steps: int, mode: RunMode = PLAIN) -> str:
        start = (0, 0) if isinstance(case, str) else case.start
        cells = self._cells(case)
        symbol_weights = mode.symbol_weights
        weights = None if symbol_weights is None else np.ascontiguousarray(symbol_weights, np.float32)
        task = _Task(
            *(array.ctypes.data for array in cells),
            len(cells[0]),
            *start,
            steps,
            mode.doubt,
            mode.ruled,
            None if weights is None else weights.ctypes.data,
        )
        room, at = self.room.ctypes.data, self.at.ctypes.data
        return OUTCOMES[self.library.explorer_run(self.handle, ctypes.byref(task), room, at)]

    def _cells(self, case: Case) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
        """Columns, rows and codes of what stands on the grid at the start."""
        text = case if isinstance(case, str) else case.cells.values()
        codes = np.array([self.codes[symbol] for symbol in text], np.int32)
        if isinstance(case, str):
            return np.arange(len(case), dtype=np.int64), np.zeros(len(case), np.int64), codes
        places = np.array(list(case.cells), np.int64).reshape(-1, 2)
        return np.ascontiguousarray(places[:, 0]), np.ascontiguousarray(places[:, 1]), codes

    def codebooks(self) -> list[Codebook]:
        """All codebooks; those that are still the same have the same arrays."""
        state = self.handle.contents
        held: list[Codebook] = []
        for i in range(state.codebooks):
            codebook = state.codebook[i]
            tolerance = round(codebook.tolerance, 6)
            held.append(
                self._codebook(codebook, tolerance)
                if codebook.end
                else replace(held[-1], tolerance=tolerance)
            )
        return held

    def _codebook(self, codebook: _Codebook, tolerance: float) -> Codebook:
        state = self.handle.contents
        centres = _copied(codebook.centres, codebook.points * state.width, np.dtype(np.float32))
        return Codebook(
            tolerance,
            np.ascontiguousarray(centres.reshape(-1, state.width)[:, : state.d]),
            np.sqrt(_copied(codebook.farthest, codebook.points, np.dtype(np.float32))),
            _copied(codebook.list, codebook.edges, EDGE),
            bool(codebook.full),
        )


def _copied(address: int, count: int, kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """An array of its own from native memory."""
    return np.frombuffer(ctypes.string_at(address, count * kind.itemsize), kind).copy()
