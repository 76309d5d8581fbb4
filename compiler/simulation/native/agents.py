"""Agents as the engine takes them: their rules as data."""

from __future__ import annotations

from array import array
from functools import lru_cache, partial

from gridlang.compiler.native.c_library import CLibrary
from gridlang.compiler.simulation.native.sources import engine_source
from gridlang.table import MOVES, STAY, Table

RUNNER: tuple[str, ...] = ("-O2",)  # flags of the library that runs all agents; tests make it eager
WIDE_CELLS = 255  # symbols from which on a cell takes two bytes, as the border is a symbol more
HALT, UNDEFINED = STAY + 1, STAY + 2


class Agent:
    """A table in the memory of an engine, with tiles in rows or on a plane. Threads may share it."""

    def __init__(self, table: Table, rows: bool) -> None:
        words = array(
            "Q",
            (
                UNDEFINED << 48
                if entry is None
                else entry.next | entry.write << 32 | (HALT if entry.is_idle(x) else entry.move) << 48
                for row in table.rows
                for x, entry in enumerate(row)
            ),
        )
        library = runner(table, rows)
        size = len(table.states), len(table.symbols)
        self.data = library.own(self, "grid_agent", "grid_forget", words, *size)


@lru_cache(maxsize=64)
def agent_of(table: Table, rows: bool) -> Agent:
    """The agent of a table, one for all of its runs; CannotBuild without a library."""
    return Agent(table, rows)


@lru_cache(maxsize=64)
def is_flat(table: Table) -> bool:
    """Whether an agent never leaves its row."""
    return all(MOVES[entry.move] not in "UD" for _, _, entry in table.entries())


def runner(table: Table, rows: bool) -> CLibrary:
    """The library that runs all tables with cells of this size; CannotBuild where there is none."""
    return _runner_of(table, rows).built()


def _runner_of(table: Table, rows: bool) -> CLibrary:
    return _runner("uint8_t" if len(table.symbols) < WIDE_CELLS else "uint16_t", rows)


def is_built(table: Table) -> bool:
    """Whether no run of it waits for a compiler."""
    return all(_runner_of(table, rows).is_built() for rows in (True, False))


@lru_cache(maxsize=4)
def _runner(cell: str, rows: bool) -> CLibrary:
    return CLibrary(partial(engine_source, cell), *RUNNER, IN_ROWS=int(rows))


def install_engine(folder: str) -> None:
    """Builds all libraries of the engine where an installed package looks for them."""
    for cell in ("uint8_t", "uint16_t"):
        for rows in (True, False):
            _runner(cell, rows).install(folder)
