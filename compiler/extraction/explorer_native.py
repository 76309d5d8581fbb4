"""Exploration in C, one library for models of all sizes: what `PlainExplorer` does, and fast."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from gridlang.compiler.extraction.explorer import (
    EDGE,
    LIBRARY,
    NONE,
    PLAIN,
    Codebook,
    ExplorerConfig,
    PlainExplorer,
    RunMode,
)
from gridlang.compiler.lockstep.lockstep import Case
from gridlang.compiler.native.build import CannotBuild
from gridlang.compiler.native.c_library import passed
from gridlang.compiler.proofs.differences.joint_runs import world_arrays
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.model import Model, symbols_of
from gridlang.outcomes import ENDS, End
from gridlang.table import BLANK, MOVES
from gridlang.terminal.notes import tell_once


class NativeExplorer:
    """A model and its codebooks in native memory; CannotBuild without a C compiler."""

    def __init__(self, dfst: Model, config: ExplorerConfig) -> None:
        symbols = symbols_of(dfst)
        self.codes = {symbol: code for code, symbol in enumerate(symbols, 1)}  # in a cell; 0 where nothing is
        recurrence = dfst.recurrence()
        self.network = LIBRARY.structs["network"](*recurrence) if recurrence else None
        self.rules = None if config.rules is None else np.ascontiguousarray(config.rules)
        given = LIBRARY.structs["explorer"](
            d=len(dfst.h0),
            k=len(symbols),
            moves=len(dfst.moves),
            codebooks=len(config.tolerances),
            max_points=config.max_points,
            blank=symbols.index(BLANK),
            idle=dfst.moves.index("S") if "S" in dfst.moves else NONE,
            strict=dfst.strict,
            shift=tuple(MOVES.index(move) for move in dfst.moves),
            rules=self.rules,
            network=self.network,
            random=2 * (config.seed & 0xFFFFFFFF) + 1,
        )
        weights = (dfst.A, dfst.B, dfst.C) if isinstance(dfst, Dfst) else ()
        tensors = [np.ascontiguousarray(tensor, np.float32) for tensor in (*weights, dfst.h0)]
        arrays = [None] * (4 - len(tensors)) + tensors + [np.array(config.tolerances, np.float32)]
        handle = LIBRARY.own(self, "explorer_new", "explorer_free", given, *arrays)
        self.state: Any = LIBRARY.structs["explorer"].from_address(handle)
        self.task: Any = LIBRARY.structs["task"]()
        self.passed = handle, passed(self.task)

    @property
    def steps(self) -> int:
        """The steps of all runs."""
        return int(self.state.steps)

    @property
    def work(self) -> int:
        """The numbers compared in the search for points."""
        return int(self.state.work)

    def run(self, case: Case, steps: int, mode: RunMode = PLAIN) -> End:
        """One run of at most these steps, and how it ended."""
        start = (0, 0) if isinstance(case, str) else case.start
        arrays, task, weights = world_arrays(case, self.codes), self.task, mode.symbol_weights
        drawn = None if weights is None else np.ascontiguousarray(weights, np.float32)
        task.xs, task.ys, task.symbols = map(passed, arrays)
        task.count, task.x, task.y, task.steps = len(arrays[0]), *start, steps
        task.doubt, task.ruled, task.symbol_weights = mode.doubt, mode.ruled, passed(drawn)
        ended: int = LIBRARY.explorer_run(*self.passed)
        return ENDS[ended]

    def close_finer(self, tolerance: float) -> None:
        """Stops filling codebooks of smaller tolerance."""
        for book in self._books():
            book.full |= book.tolerance < tolerance

    def codebooks(self) -> list[Codebook]:
        return [self._codebook(book) for book in self._books()]

    def _books(self) -> Any:
        return (LIBRARY.structs["codebook"] * self.state.codebooks).from_address(self.state.codebook)

    def _codebook(self, book: Any) -> Codebook:
        width = self.state.width
        centres = _copied(book.centres, book.points * width, np.dtype(np.float32))
        return Codebook(
            round(book.tolerance, 6),
            np.ascontiguousarray(centres.reshape(-1, width)[:, : self.state.d]),
            np.sqrt(_copied(book.farthest, book.points, np.dtype(np.float32))),
            _copied(book.list, book.edges, EDGE),
            bool(book.full),
        )


Explorer = NativeExplorer | PlainExplorer


def explorer_for(dfst: Model, config: ExplorerConfig) -> Explorer:
    """An explorer in C where there is a compiler, in Python otherwise."""
    try:
        return NativeExplorer(dfst, config)
    except CannotBuild as error:
        tell_once(f"{error}; exploring in Python, which is slower")
        return PlainExplorer(dfst, config)


def _copied(address: int, count: int, kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """An array of its own from native memory."""
    return np.frombuffer(ctypes.string_at(address, count * kind.itemsize), kind).copy()
