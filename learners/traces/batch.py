"""Many worlds at once, on all cores, and traces straight into numpy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gridlang.compiler.native.build import CannotBuild, cores
from gridlang.compiler.native.c_library import CLibrary
from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.simulation.native.agents import runner
from gridlang.compiler.simulation.native.engine import OUTCOMES, NativeWorld, run_native
from gridlang.compiler.simulation.native.sources import source_on_worlds
from gridlang.compiler.simulation.simulate import Run, run
from gridlang.outcomes import Outcome
from gridlang.table import MOVES, Table
from gridlang.terminal.notes import tell_once
from gridlang.world import World, string_world

Ints = npt.NDArray[np.int16]
SHORT_TRACES = CLibrary(partial(source_on_worlds, Path(__file__).parent / "batch_traces.c"), "-O2")


@dataclass(frozen=True, slots=True, eq=False)
class TraceBatch:
    """Traces of N worlds as rows padded with -1: symbols read, symbols written, moves, all as indices."""

    x: Ints  # (N, T)
    s: Ints  # (N, T)
    m: Ints  # (N, T)
    length: npt.NDArray[np.int64]  # (N,)
    ending: tuple[Outcome, ...]  # halted, stuck, or cut at the budget
    fired: npt.NDArray[np.int32] | None = None  # (N, T): the rule of each step, where it is known


def as_worlds(inputs: Iterable[str | World]) -> list[World]:
    """Strings laid out on row 0, worlds as they are."""
    return [string_world(item) if isinstance(item, str) else item for item in inputs]


def run_batch(table: Table, inputs: Iterable[str | World], steps: int = 10_000_000) -> list[Run]:
    """The runs of many inputs, in their order, on all cores."""
    worlds = as_worlds(inputs)
    try:
        runner(table, rows=True)
    except CannotBuild as error:
        tell_once(f"{error}; running on the reference engine, which is slower")
        return [run(table, world, steps) for world in worlds]
    with ThreadPoolExecutor(cores()) as pool:
        return list(pool.map(lambda world: run_native(table, world, steps), worlds))


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
        ends = list(pool.map(lambda world: _length(table, world, steps), worlds))
        lengths = np.array([length for length, _ in ends], np.int64)
        rows = np.full((3, len(worlds), max((n for n, _ in ends), default=0)), -1, np.int16)
        list(pool.map(lambda i: _fill(table, worlds[i], int(lengths[i]), rows[:, i]), range(len(worlds))))
    return TraceBatch(rows[0], rows[1], rows[2], lengths, tuple(outcome for _, outcome in ends))


def _short_traces(table: Table, inputs: Sequence[str | World], steps: int) -> TraceBatch | None:
    """All traces in two calls of C; None where a world needs too much memory.

    A trace of each in a thread takes ten times as long.
    """
    count = len(inputs)
    length, outcome = np.zeros(count, np.int64), np.zeros(count, np.int32)
    about = (table.flat, len(table.symbols), count, steps, *_cells(table, inputs), length, outcome)
    if not SHORT_TRACES.batch_traces(SHORT_TRACES.structs["batch"](*about)):
        return None
    wide = int(length.max(initial=0))
    rows, fired = np.full((3, count, wide), -1, np.int16), np.full((count, wide), -1, np.int32)
    if not SHORT_TRACES.batch_traces(SHORT_TRACES.structs["batch"](*about, wide, *rows, fired)):
        return None
    ending = tuple(OUTCOMES[number] for number in outcome.tolist())
    return TraceBatch(rows[0], rows[1], rows[2], length, ending, fired)


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


def _length(table: Table, world: World, steps: int) -> tuple[int, Outcome]:
    with NativeWorld(table, world) as machine:
        outcome = machine.go(steps)
        return machine.where()[0], outcome


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
