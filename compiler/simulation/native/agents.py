"""Agents as the runner takes them: their rules at once, and their code once a run is worth compiling it."""

from __future__ import annotations

import atexit
import ctypes
import threading
from array import array
from functools import lru_cache, partial
from typing import Any

from compiler.simulation.limits import LIMITS
from compiler.simulation.native.blocks import make_blocks
from compiler.simulation.native.build import CannotBuild, Compilation, cached_library, load_library
from compiler.simulation.native.c_library import CLibrary
from compiler.simulation.native.codegen import machine_source, runner_source
from compiler.simulation.native.laps import find_laps
from gridlang.table import MOVES, STAY, Table

UNOBSERVED: tuple[str, ...] = ()
OBSERVING = ("-DOBSERVING",)  # code that keeps a trace or counts
RUNNER: tuple[str, ...] = ()  # flags of the library that runs all agents; tests make it eager
WIDE_CELLS = 255  # symbols from which on a cell takes two bytes, as the border is a symbol more
HALT, UNDEFINED = STAY + 1, STAY + 2
NAMES = ("grid_go",)


class Agent:
    """A table that runs as data now, and as code as soon as there is some; threads may share it."""

    def __init__(self, table: Table, flags: tuple[str, ...]) -> None:
        self.table = table
        self.flags = flags
        self.rules = _rules(table)
        library = runner(table)
        library.grid_prepare(self.rules, len(self.rules))
        flat = all(MOVES[entry.move] not in "UD" for _, _, entry in table.entries())
        self.data: Any = library.structs["agent"](self.rules, len(table.symbols), flat, None)
        self._compilable = table.transitions <= LIMITS.compiled_rules
        self._library: ctypes.CDLL | None = None
        self._compilation: Compilation | None = None
        self._spent = 0.0
        self._lock = threading.Lock()

    def compile(self) -> None:
        """Waits for the code of an agent that is not too large for it; CannotBuild if there is none."""
        with self._lock:
            if self._compilable and self._library is None:
                self._adopt(load_library(*self._recipe(), NAMES))

    def spent(self, seconds: float) -> None:
        """Is told how long it ran: asks for code when that is worth while, and takes it when it is there."""
        with self._lock:
            self._spent += seconds
            if not self._compilable or self._library is not None or self._spent < LIMITS.patience:
                return
            try:
                self._look_for_code()
            except CannotBuild:
                self._compilable = False

    def _look_for_code(self) -> None:
        if self._compilation is None:
            source, flags = self._recipe()
            library = cached_library(source, flags, NAMES)
            if library is not None:
                self._adopt(library)
            else:
                self._compilation = Compilation(source, flags)
                atexit.register(self._compilation.cancel)
        elif self._compilation.ended():
            atexit.unregister(self._compilation.cancel)
            self._adopt(self._compilation.library(NAMES))

    def _recipe(self) -> tuple[str, tuple[str, ...]]:
        """The source of the code, and how it is compiled: only laps gain by more than the first level."""
        table = self.table
        laps = table.transitions <= LIMITS.rules_with_laps and find_laps(table, make_blocks(table))
        return machine_source(table), (*self.flags, "-O2") if laps else self.flags

    def _adopt(self, library: ctypes.CDLL) -> None:
        self._library = library
        self.data.code = ctypes.cast(library.grid_go, ctypes.c_void_p).value


@lru_cache(maxsize=64)
def agent_of(table: Table, flags: tuple[str, ...]) -> Agent:
    """The agent of a table, one for all of its runs; CannotBuild without a compiler."""
    return Agent(table, flags)


def runner(table: Table) -> CLibrary:
    """The library that runs all tables with cells of this size; CannotBuild without a compiler."""
    return _runner("uint8_t" if len(table.symbols) < WIDE_CELLS else "uint16_t").built()


@lru_cache(maxsize=2)
def _runner(cell: str) -> CLibrary:
    return CLibrary(partial(runner_source, cell), *RUNNER)


def _rules(table: Table) -> array[int]:
    """Each pair in one word, as runner.c reads it: next state times symbols, write, move."""
    k = len(table.symbols)
    undefined = UNDEFINED << 40
    return array(
        "Q",
        (
            undefined
            if entry is None
            else entry.next * k | entry.write << 24 | (HALT if entry.is_idle(x) else entry.move) << 40
            for row in table.rows
            for x, entry in enumerate(row)
        ),
    )
