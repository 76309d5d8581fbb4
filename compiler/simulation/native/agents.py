"""Agents as the runner takes them: their rules at once, and their code once a run is worth compiling it."""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import os
import threading
from array import array
from functools import lru_cache, partial
from typing import Any

from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.simulation.native.build import CannotBuild, Compilation, cached_library
from gridlang.compiler.simulation.native.c_library import CLibrary
from gridlang.compiler.simulation.native.sources import FOLDER, part, runner_source
from gridlang.table import MOVES, STAY, Table

UNOBSERVED: tuple[str, ...] = ()
OBSERVING = ("-DOBSERVING",)  # code that keeps a trace or counts
RUNNER: tuple[str, ...] = ("-O2",)  # flags of the library that runs all agents; tests make it eager
WIDE_CELLS = 255  # symbols from which on a cell takes two bytes, as the border is a symbol more
HALT, UNDEFINED = STAY + 1, STAY + 2
NAMES = ("grid_go", "grid_cases")


class Agent:
    """A table that runs as data, and as code where there is some in the cache, or once its work is worth it.

    Threads may share it. Work decides when code is asked for; it is taken once a compiler has made it.
    """

    def __init__(self, table: Table, flags: tuple[str, ...]) -> None:
        self.table = table
        self.flags = flags
        self.rules = _rules(table)
        self._kept_as = _identity(table, self.rules) if table.transitions <= LIMITS.compiled_rules else ""
        library = runner(table)
        library.grid_prepare(self.rules, len(self.rules))
        flat = all(MOVES[entry.move] not in "UD" for _, _, entry in table.entries())
        self.data: Any = library.structs["agent"](
            self.rules, len(table.symbols), len(table.states), flat, None, None
        )
        self._library: ctypes.CDLL | None = None
        self._compilation: Compilation | None = None
        self._work = 0
        self._lock = threading.Lock()
        if self._kept_as and (cached := cached_library(self._kept_as, flags, NAMES)):
            self._adopt(cached)

    def compile(self) -> None:
        """Waits for the code of an agent that is not too large for it; CannotBuild if there is none."""
        with self._lock:
            if self._kept_as and self._library is None:
                self._adopt((self._compilation or self._begun()).library(NAMES))

    def worked(self, cycles: int) -> None:
        """Is told of work: asks for code when that is worth while, and takes it when it is there."""
        with self._lock:
            self._work += cycles
            if not self._kept_as or self._library is not None or self._work < LIMITS.patience:
                return
            try:
                if self._compilation is None:
                    self._compilation = self._begun()
                    atexit.register(self._compilation.cancel)
                elif self._compilation.ended():
                    atexit.unregister(self._compilation.cancel)
                    self._adopt(self._compilation.library(NAMES))
            except CannotBuild:
                self._kept_as = ""

    def _begun(self) -> Compilation:
        """The compiler at work; laps gain most by more than the first level of optimisation."""
        from gridlang.compiler.simulation.native.codegen import library_source
        from gridlang.compiler.simulation.native.laps import find_laps, make_blocks

        table, most = self.table, LIMITS.optimised_rules
        if table.transitions <= LIMITS.rules_with_laps and find_laps(table, make_blocks(table)):
            most = LIMITS.rules_with_laps
        optimised = ("-O2",) if table.transitions <= most else ()
        return Compilation(library_source(table), self.flags, optimised, kept_as=self._kept_as)

    def _adopt(self, library: ctypes.CDLL) -> None:
        self._library = library
        self.data.cases = ctypes.addressof(ctypes.c_uint16.in_dll(library, "grid_cases"))
        self.data.code = ctypes.cast(library.grid_go, ctypes.c_void_p).value


def _identity(table: Table, rules: array[int]) -> str:
    """What the code of a table depends on, which is read off sooner than the code is written."""
    digest = hashlib.sha256(rules.tobytes()).hexdigest()
    return f"{len(table.symbols)} {table.family_numbers()} {digest} {_generator()}"


@lru_cache(maxsize=1)
def _generator() -> str:
    """All that makes code."""
    digest = hashlib.sha256()
    for name in sorted(os.listdir(FOLDER)):
        if name.endswith((".py", ".c")):
            digest.update(part(name).encode())
    return digest.hexdigest()


@lru_cache(maxsize=64)
def agent_of(table: Table, flags: tuple[str, ...]) -> Agent:
    """The agent of a table, one for all of its runs; CannotBuild without a compiler."""
    return Agent(table, flags)


def runner(table: Table) -> CLibrary:
    """The library that runs all tables with cells of this size; CannotBuild without a compiler."""
    return _runner_of(table).built()


def _runner_of(table: Table) -> CLibrary:
    return _runner("uint8_t" if len(table.symbols) < WIDE_CELLS else "uint16_t")


def is_built(table: Table) -> bool:
    """Whether that library is in the cache, or was built by this process."""
    return _runner_of(table).is_built()


@lru_cache(maxsize=2)
def _runner(cell: str) -> CLibrary:
    return CLibrary(partial(runner_source, cell), *RUNNER)


def _rules(table: Table) -> array[int]:
    """Each pair in one word, as runner.c reads it: next state times symbols, write, move."""
    k = len(table.symbols)
    undefined = UNDEFINED << 48
    return array(
        "Q",
        (
            undefined
            if entry is None
            else entry.next * k | entry.write << 32 | (HALT if entry.is_idle(x) else entry.move) << 48
            for row in table.rows
            for x, entry in enumerate(row)
        ),
    )
