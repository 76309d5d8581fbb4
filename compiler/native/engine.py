"""Runs tables natively, with the same outcomes, steps, worlds and traces as the reference."""

from __future__ import annotations

import ctypes
import time
from array import array
from collections import Counter
from collections.abc import Callable

from compiler.native.agents import OBSERVING, UNOBSERVED, agent_of, runner
from compiler.simulate import BUDGET, HALTED, MEMORY_SPENT, STUCK, Action, Run
from gridlang.table import MOVES, Table
from gridlang.world import World

OUTCOMES = {1: HALTED, 2: STUCK, 3: BUDGET}
SLICE = 1_000_000  # Steps before the first look at the keyboard, as C code cannot be interrupted.
TRACE_SLICE = 4_000_000  # Steps observed at once: their three buffers take 24 MB.
TILE_BYTES = 1_400  # A tile has (64 + 2) x (16 + 2) cells, its padding and its links.
MEMORY = 256_000_000  # Bytes for one world, so that several runs fit on a small machine.


def library_of(table: Table) -> ctypes.CDLL:
    """The loaded library that runs a table; CannotBuild without a compiler."""
    library = runner(table)
    library.grid_new.restype = ctypes.c_void_p
    library.grid_new.argtypes = [ctypes.c_uint64]
    library.grid_free.argtypes = [ctypes.c_void_p]
    library.grid_put.argtypes = [ctypes.c_void_p, ctypes.c_int64, *[ctypes.c_void_p] * 3]
    library.grid_start.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]
    library.grid_observe.argtypes = [ctypes.c_void_p] * 5
    library.grid_where.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.grid_cells.restype = ctypes.c_int64
    library.grid_cells.argtypes = [ctypes.c_void_p] * 4
    return library


class NativeWorld:
    """A world in native memory with a machine on it; free it with `close`."""

    def __init__(
        self, table: Table, world: World, memory: int = MEMORY, flags: tuple[str, ...] = UNOBSERVED
    ) -> None:
        self.table = table
        self.library = library_of(table)
        self.agent = agent_of(table, flags)
        self.handle = self.library.grid_new(max(1, memory // TILE_BYTES))
        place = {symbol: number for number, symbol in enumerate(table.symbols)}
        xs = array("q", (x for x, _ in world.cells))
        ys = array("q", (y for _, y in world.cells))
        symbols = array("i", (place[symbol] for symbol in world.cells.values()))
        self.fits = bool(self.handle) and self.library.grid_put(
            self.handle, len(xs), xs.buffer_info()[0], ys.buffer_info()[0], symbols.buffer_info()[0]
        )
        if self.handle:
            self.library.grid_start(self.handle, *world.start)

    def __enter__(self) -> NativeWorld:
        return self

    def __exit__(self, *_: object) -> None:
        if self.handle:
            self.library.grid_free(self.handle)
        self.handle = None

    def go(self, steps: int) -> str:
        """Runs on for at most so many steps."""
        if not self.fits:
            return BUDGET
        begun = time.monotonic()
        outcome = self.library.grid_run(self.handle, self.agent.address, steps)
        self.agent.spent(time.monotonic() - begun)
        return OUTCOMES[outcome]

    def where(self) -> tuple[int, int, int, int]:
        """Steps done, state, x, y."""
        numbers = array("q", [0] * 5)
        self.library.grid_where(self.handle, numbers.buffer_info()[0])
        return numbers[0], numbers[1], numbers[2], numbers[3]

    def world(self) -> World:
        """What stands on the grid now, with the head's cell as the start."""
        count = self.library.grid_cells(self.handle, None, None, None)
        xs, ys = array("q", bytes(8 * count)), array("q", bytes(8 * count))
        symbols = array("i", bytes(4 * count))
        self.library.grid_cells(self.handle, *(a.buffer_info()[0] for a in (xs, ys, symbols)))
        names = self.table.symbols
        cells = {(x, y): names[symbol] for x, y, symbol in zip(xs, ys, symbols, strict=True)}
        _, _, x, y = self.where()
        return World(cells, (x, y))

    def ended(
        self,
        outcome: str,
        budget: int,
        trace: tuple[Action, ...] | None = None,
        profile: Counter[tuple[int, int]] | None = None,
    ) -> Run:
        """How a run of at most `budget` steps ended."""
        steps, state, x, y = self.where()
        world = self.world()
        symbol = world.cells.get((x, y), self.table.symbols[0])
        reason = MEMORY_SPENT if outcome == BUDGET and steps < budget else ""
        return Run(outcome, steps, self.table.states[state], (x, y), symbol, world, trace, profile, reason)


def run_native(
    table: Table,
    world: World,
    steps: int = 10_000_000,
    *,
    trace: bool = False,
    profile: bool = False,
    memory: int = MEMORY,
    progress: Callable[[int], None] = lambda _: None,
) -> Run:
    """Like `simulate.run`, natively; CannotBuild without a compiler."""
    if trace or profile:
        return _run_observed(table, world, steps, trace, profile, memory)
    with NativeWorld(table, world, memory) as machine:
        outcome, done, slice_ = BUDGET, 0, SLICE
        while done < steps:
            size = min(slice_, steps - done)
            start = time.monotonic()
            outcome = machine.go(size)
            before, done = done, machine.where()[0]
            progress(done)
            if outcome != BUDGET or done - before < size:
                break  # It ended, or is out of memory.
            if (taken := time.monotonic() - start) < 0.1:
                slice_ *= 4 if taken > 0.005 else 64  # Walks can be a million times faster than steps.
        return machine.ended(outcome, steps)


def _run_observed(table: Table, world: World, steps: int, trace: bool, profile: bool, memory: int) -> Run:
    k = len(table.symbols)
    counts = array("Q", [0] * (len(table.states) * k)) if profile else None
    actions: list[Action] = []
    with NativeWorld(table, world, memory, OBSERVING) as machine:
        outcome, done = BUDGET, 0
        while done < steps:
            size = min(TRACE_SLICE, steps - done)
            buffers = [array("h", bytes(2 * size)) if trace else None for _ in range(3)]
            machine.library.grid_observe(
                machine.handle, *(b.buffer_info()[0] if b is not None else None for b in (*buffers, counts))
            )
            outcome = machine.go(size)
            before, done = done, machine.where()[0]
            if trace:
                actions += _actions(table, buffers, done - before)
            if outcome != BUDGET or done - before < size:
                break
        used = _counter(counts, k) if counts is not None else None
        return machine.ended(outcome, steps, tuple(actions) if trace else None, used)


def _actions(table: Table, buffers: list[array[int] | None], count: int) -> list[Action]:
    reads, writes, moves = ((b or array("h"))[:count] for b in buffers)
    names = table.symbols
    return [Action(names[r], names[w], MOVES[m]) for r, w, m in zip(reads, writes, moves, strict=True)]


def _counter(counts: array[int], k: int) -> Counter[tuple[int, int]]:
    return Counter({divmod(pair, k): times for pair, times in enumerate(counts) if times})
