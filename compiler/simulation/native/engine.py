"""Runs tables natively, with the same outcomes, steps, worlds and traces as the reference."""

from __future__ import annotations

import ctypes
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice, product

from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.simulation.native.agents import OBSERVING, UNOBSERVED, WIDE_CELLS, agent_of, runner
from gridlang.compiler.simulation.simulate import Action, Column, Record, Run
from gridlang.outcomes import Outcome, Reason
from gridlang.table import MOVES, Table
from gridlang.tiles import AREA, UTF16, Cell, Tiles
from gridlang.world import World

ROOM = 1 << 14  # cells of a result


Tile = tuple[int, int, str]
OUTCOMES = {0: Outcome.BUDGET, 1: Outcome.HALTED, 2: Outcome.STUCK, 3: Outcome.BUDGET}
PAUSED = 4
JUMP = 5  # cycles of a step, as in modes.c
TILE_BYTES = 1_310  # (64 + 2) x (16 + 2) cells, padding, links and a place in a table


class NativeWorld:
    """A world in native memory with a machine on it; free it with `close`."""

    def __init__(
        self, table: Table, world: World, memory: int = LIMITS.memory, flags: tuple[str, ...] = UNOBSERVED
    ) -> None:
        self.table = table
        self.library = runner(table)
        self.agent = agent_of(table, flags)
        self.bytes = 1 if len(table.symbols) < WIDE_CELLS else 2  # of a cell
        self.codec = "latin-1" if self.bytes == 1 else UTF16
        self.handle = self.library.grid_new(max(1, memory // (TILE_BYTES * self.bytes)))
        put = self._put_tiles if isinstance(world.cells, Tiles) else self._put_cells
        self.fits = bool(self.handle) and put(world.cells)  # type: ignore[arg-type]
        if self.handle:
            self.library.grid_start(self.handle, *world.start)

    def _put_cells(self, cells: Mapping[Cell, str]) -> bool:
        place = {symbol: number for number, symbol in enumerate(self.table.symbols)}
        both = array("q", chain.from_iterable(cells))
        xs, ys = both[::2], both[1::2]
        symbols = array("i", map(place.__getitem__, cells.values()))
        return bool(self.library.grid_put(self.handle, len(xs), xs, ys, symbols))

    def _put_tiles(self, cells: Tiles) -> bool:
        place = {symbol: number for number, symbol in enumerate(self.table.symbols)}
        strange = set(cells.symbols) - set(place)
        if strange and (strange := strange & cells.used()):
            raise KeyError(strange.pop())
        numbers = {old: place[symbol] for old, symbol in enumerate(cells.symbols) if symbol in place}
        alike = all(old == new for old, new in numbers.items())
        for some in _batched(cells.tiles(), LIMITS.tiles_at_once):
            places = array("q", (number for x, y, _ in some for number in (x, y)))
            text = "".join(tile for _, _, tile in some)
            data = (text if alike else text.translate(numbers)).encode(self.codec)
            if not self.library.grid_put_tiles(self.handle, len(some), places, data):
                return False
        return True

    def __enter__(self) -> NativeWorld:
        return self

    def __exit__(self, *_: object) -> None:
        if self.handle:
            self.library.grid_free(self.handle)
        self.handle = None

    def go(self, steps: int, progress: Callable[[int], None] = lambda _: None) -> Outcome:
        """Runs on for at most this many steps; `progress` is told the steps done now and then."""
        outcome, before = PAUSED if self.fits else 0, self._numbers()
        end = before[0] + steps
        while outcome == PAUSED:
            left = end - before[0]
            outcome = self.library.grid_run(self.handle, self.agent.data, left, LIMITS.work_at_once)
            after = self._numbers()
            self.agent.worked(after[5] - before[5])
            progress(after[0])
            before = after
        return OUTCOMES[outcome]

    def where(self) -> tuple[int, int, int, int]:
        """Steps done, state, x, y."""
        steps, state, x, y, *_ = self._numbers()
        return steps, state, x, y

    def _numbers(self) -> array[int]:
        """Steps done, state, x, y, the number of tiles, and cycles of work."""
        numbers = array("q", bytes(48))
        self.library.grid_where(self.handle, numbers)
        return numbers

    def take_world(self) -> World:
        """What stands on the grid, with the head's cell as the start. The machine has no world any more.

        Tiles are freed as they are taken, so that there is never a second world in memory.
        """
        numbers = self._numbers()
        room = min(numbers[4], LIMITS.tiles_at_once)
        size = AREA * self.bytes
        places = array("q", bytes(16 * room))
        cells = bytearray(size * room)
        address = (ctypes.c_char * len(cells)).from_buffer(cells)
        view = memoryview(cells)
        bands: dict[int, dict[int, str]] = {}
        while count := self.library.grid_take_tiles(self.handle, room, places, address):
            for i in range(count):
                tile = str(view[i * size : (i + 1) * size], self.codec)
                bands.setdefault(places[2 * i + 1], {})[places[2 * i]] = tile
        return World(Tiles(self.table.symbols, bands), (numbers[2], numbers[3]))

    def ended(
        self,
        outcome: Outcome,
        budget: int,
        profile: Counter[tuple[int, int]] | None = None,
    ) -> Run:
        """How a run of at most `budget` steps ended; its world is taken out of the machine."""
        steps, state, x, y = self.where()
        world = self.take_world()
        symbol = world.cells.get((x, y), self.table.symbols[0])
        reason = Reason.MEMORY if outcome == Outcome.BUDGET and steps < budget else None
        return Run(outcome, steps, self.table.states[state], (x, y), symbol, world, None, profile, reason)


def run_native(
    table: Table,
    world: World,
    steps: int = 10_000_000,
    *,
    trace: bool = False,
    profile: bool = False,
    memory: int = LIMITS.memory,
    progress: Callable[[int], None] = lambda _: None,
    record: Record | None = None,
    counts: array[int] | None = None,
) -> Run:
    """Like `simulate.run`, natively; CannotBuild without a compiler.

    Uses of each rule are added to `counts`, if given: states times symbols, as 64-bit numbers.
    """
    actions: list[Action] = []
    keep = _kept_in(actions, table, record) if trace else record
    k = len(table.symbols)
    if profile:
        counts = array("Q", bytes(8 * len(table.states) * k))
    observed = keep is not None or counts is not None
    with NativeWorld(table, world, memory, OBSERVING if observed else UNOBSERVED) as machine:
        outcome, done = Outcome.BUDGET, 0
        while done < steps:
            at_once = LIMITS.steps_at_once if keep else LIMITS.counted_at_once
            size = min(at_once, steps - done) if observed else steps - done
            columns = [array("h", bytes(2 * size)) for _ in range(3)] if keep else [None] * 3
            if observed:
                machine.library.grid_observe(machine.handle, *columns, counts)
            outcome = machine.go(size, progress)
            before, done = done, machine.where()[0]
            if keep:
                keep(*((column or array("h"))[: done - before] for column in columns))
            if outcome != Outcome.BUDGET or done - before < size:
                break  # ended, or out of memory
        used = Counter({divmod(at, k): n for at, n in enumerate(counts or ()) if n}) if profile else None
        ended = machine.ended(outcome, steps, used)
    return replace(ended, trace=tuple(actions)) if trace else ended


def _kept_in(actions: list[Action], table: Table, record: Record | None) -> Record:
    """Keeps all steps, and hands them on to whoever else wants them."""
    names = table.symbols

    def keep(reads: Column, writes: Column, moves: Column) -> None:
        steps = zip(reads, writes, moves, strict=True)
        actions.extend(Action(names[r], names[w], MOVES[m]) for r, w, m in steps)
        if record:
            record(reads, writes, moves)

    return keep


def _batched(tiles: Iterable[Tile], size: int) -> Iterator[list[Tile]]:
    some = iter(tiles)
    while batch := list(islice(some, size)):
        yield batch


@dataclass(frozen=True, slots=True)
class TextRun(Run):
    """A run whose result is known as text."""

    left: str = ""

    @property
    def result(self) -> str:
        return self.left


class TextRuns:
    """Runs a table on texts; uses of each rule are added to `counts`. CannotBuild without a compiler."""

    def __init__(self, table: Table, counts: array[int], memory: int) -> None:
        self.symbols, self.states, self.counts = table.symbols, table.states, counts
        self.place = {symbol: number for number, symbol in enumerate(table.symbols)}
        self.call = runner(table).grid_text
        self.agent = agent_of(table, OBSERVING)
        self.tiles = memory // (2 * TILE_BYTES)
        self.numbers, self.left = array("q", bytes(64)), array("i", bytes(4 * ROOM))

    def run(self, text: str, steps: int) -> Run | None:
        """The run on an input; None where it takes much memory, or leaves much."""
        given = array("i", map(self.place.__getitem__, text))
        outcome = self.call(
            self.agent.data, len(given), given, steps, self.tiles, self.counts, self.numbers, ROOM, self.left
        )
        done, state, x, y, west, north, east, south = self.numbers
        self.agent.worked(done * JUMP)
        wide, high = max(0, east - west + 1), max(0, south - north + 1)
        if wide * high > ROOM or (OUTCOMES[outcome] == Outcome.BUDGET and done < steps):
            return None
        row = "".join(map(self.symbols.__getitem__, self.left[: wide * high]))
        lines = [row[at : at + wide] for at in range(0, len(row), wide)] if row else []
        cells: dict[Cell, str] = {}
        for row_number, line in enumerate(lines, north):
            cells.update(zip(product(range(west, east + 1), (row_number,)), line, strict=True))
        world = World(cells, (x, y))
        symbol = world.cells.get((x, y), self.symbols[0])
        ended = OUTCOMES[outcome], done, self.states[state], (x, y), symbol, world
        return TextRun(*ended, left="\n".join(lines))
