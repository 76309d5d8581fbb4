"""Many worlds at once, on all cores, and traces straight into numpy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gridlang.compiler.engines import ending
from gridlang.compiler.native.build import CannotBuild, cores
from gridlang.compiler.native.c_library import CLibrary
from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.simulation.native.agents import WIDE_CELLS, agent_of, runner
from gridlang.compiler.simulation.native.engine import NativeWorld
from gridlang.compiler.simulation.native.sources import engine_source
from gridlang.compiler.simulation.simulate import run
from gridlang.outcomes import ENDS, Outcome, outcome_of
from gridlang.table import MOVES, Table
from gridlang.terminal.notes import tell_once
from gridlang.world import World, string_world

Ints = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True, eq=False)
class TraceBatch:
    """Traces of N worlds as rows padded with -1: symbols read, symbols written, moves, all as indices."""

    x: Ints  # (N, T)
    s: Ints  # (N, T)
    m: Ints  # (N, T)
    length: npt.NDArray[np.int64]  # (N,)
    ending: tuple[Outcome, ...]  # halted, stuck, or cut at the budget


def as_worlds(inputs: Iterable[str | World]) -> list[World]:
    """Strings laid out on row 0, worlds as they are."""
    return [string_world(item) if isinstance(item, str) else item for item in inputs]


def trace_batch(table: Table, inputs: Iterable[str | World], steps: int = 1_000_000) -> TraceBatch:
    """The traces of many inputs, each cut after `steps` steps."""
    given = list(inputs)
    try:
        short = _short_traces(table, given, steps) if steps <= LIMITS.short_trace else None
        if short is not None:
            return short
        runner(table, rows=True)
    except CannotBuild as error:
        tell_once(f"{error}; running on the reference engine, which is slower")
        return _reference_traces(table, as_worlds(given), steps)
    worlds = as_worlds(given)
    with ThreadPoolExecutor(cores()) as pool:
        ends = list(pool.map(lambda world: ending(table, world, steps), worlds))
        lengths = np.array([length for length, _ in ends], np.int64)
        rows = np.full((3, len(worlds), max((n for n, _ in ends), default=0)), -1, np.int16)
        list(pool.map(lambda i: _fill(table, worlds[i], int(lengths[i]), rows[:, i]), range(len(worlds))))
    return TraceBatch(rows[0], rows[1], rows[2], lengths, tuple(outcome for _, outcome in ends))


def _short_traces(table: Table, inputs: Sequence[str | World], steps: int) -> TraceBatch | None:
    """All traces in one call of C; None where a world needs too much memory.

    A trace of each in a thread takes ten times as long.
    """
    agent, library = agent_of(table, rows=False), _library(len(table.symbols) < WIDE_CELLS)
    count = len(inputs)
    length, outcome = np.zeros(count, np.int64), np.zeros(count, np.int32)
    rows = np.full((3, count, steps), -1, np.int16)
    sizes, told = (len(table.symbols), count, steps), (*_cells(table, inputs), length, outcome, *rows)
    if not library.batch_traces(library.structs["batch"](agent.data, *sizes, *told)):
        return None
    x, s, m = rows[:, :, : int(length.max(initial=0))]
    ending = tuple(outcome_of(ENDS[number])[0] for number in outcome.tolist())
    return TraceBatch(x, s, m, length, ending)


@cache
def _library(narrow: bool) -> CLibrary:
    """The engine on a plane, and what calls it for each world."""
    source, cell = Path(__file__).with_name("batch_traces.c"), "uint8_t" if narrow else "uint16_t"
    return CLibrary(lambda: engine_source(cell) + source.read_text(encoding="utf-8"), "-O2", IN_ROWS=0)


def _cells(table: Table, inputs: Sequence[str | World]) -> tuple[npt.NDArray[Any], ...]:
    """Where the cells of each world end; columns, rows and symbols of all cells; where the heads start."""
    place = {symbol: number for number, symbol in enumerate(table.symbols)}
    texts = [item for item in inputs if isinstance(item, str)]
    if len(texts) == len(inputs):  # on row 0 they need no worlds
        lengths = np.array([len(text) for text in texts], np.int64)
        ends = np.cumsum(lengths)
        held = np.array([place[symbol] for symbol in "".join(texts)], np.int32)
        xs = np.arange(len(held), dtype=np.int64) - np.repeat(ends - lengths, lengths)
        return ends, xs, np.zeros_like(xs), held, np.zeros((len(texts), 2), np.int64)
    worlds = as_worlds(inputs)
    cells = np.array([cell for world in worlds for cell in world.cells], np.int64).reshape(-1, 2)
    held = np.array([place[symbol] for world in worlds for symbol in world.cells.values()], np.int32)
    ends = np.cumsum([len(world.cells) for world in worlds], dtype=np.int64)
    return ends, *np.ascontiguousarray(cells.T), held, np.array([world.start for world in worlds], np.int64)


def _fill(table: Table, world: World, length: int, rows: Ints) -> None:
    """Writes one trace into its rows (3, T)."""
    with NativeWorld(table, world, observed=True) as machine:
        machine.observe(*rows, None)
        machine.go(length)


def _reference_traces(table: Table, worlds: Sequence[World], steps: int) -> TraceBatch:
    runs = [run(table, world, steps, trace=True) for world in worlds]
    rows = np.full((3, len(runs), max((done.steps for done in runs), default=0)), -1, np.int16)
    place = {symbol: i for i, symbol in enumerate(table.symbols)}
    for i, done in enumerate(runs):
        for t, (read, write, move) in enumerate(done.trace or ()):
            rows[:, i, t] = place[read], place[write], MOVES.index(move)
    lengths = np.array([done.steps for done in runs], np.int64)
    return TraceBatch(rows[0], rows[1], rows[2], lengths, tuple(done.outcome for done in runs))
