"""Runs tables natively, with the same outcomes, steps, worlds and traces as the reference."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice, product
from typing import Any

from gridlang.compiler.simulation.limits import LIMITS
from gridlang.compiler.simulation.native.agents import WIDE_CELLS, agent_of, is_flat, runner
from gridlang.compiler.simulation.simulate import Action, Record, Run, kept_in
from gridlang.outcomes import ENDS, End, Outcome, Reason, outcome_of
from gridlang.table import MOVES, Table
from gridlang.tiles import PLANE, UTF16, Cell, Shape, Tiles
from gridlang.world import World

ROOM = 1 << 14  # cells of a result


Tile = tuple[int, int, str]
PAUSED, TALL = len(ENDS), len(ENDS) + 1  # not the end: a look at the keyboard; rows do not fit the run


class NativeWorld:
    """A world in native memory with a machine on it; free it with `close`.

    Its tiles are pieces of rows as long as few steps leave their row; those of a run whose steps are all
    observed are not laid anew.
    """

    def __init__(
        self,
        table: Table,
        world: World,
        memory: int = LIMITS.memory,
        observed: bool = False,
        rows: bool | None = None,
    ) -> None:
        self.table = table
        self.memory, self.observed = memory, observed
        self.bytes = 1 if len(table.symbols) < WIDE_CELLS else 2  # of a cell
        self.codec = "latin-1" if self.bytes == 1 else UTF16
        in_rows = is_flat(table) or not (observed or _is_high(world))
        put = self._put_tiles if isinstance(world.cells, Tiles) else self._put_cells
        self._make(in_rows if rows is None else rows)
        self.fits = put(world.cells)  # type: ignore[arg-type]
        self.library.grid_start(self.handle, *world.start, 0, 0)

    def _make(self, rows: bool) -> None:
        self.library = runner(self.table, rows)
        self.agent = agent_of(self.table, rows)
        self.handle = self.library.grid_new(self.memory, len(self.table.symbols))
        if not self.handle:
            raise MemoryError("there is no memory for a world")

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
            if not self.library.grid_put_tiles(self.handle, len(some), places, data, *cells.shape):
                return False
        return True

    def __enter__(self) -> NativeWorld:
        return self

    def __exit__(self, *_: object) -> None:
        if self.handle:
            self.library.grid_free(self.handle)
        self.handle = None

    def observe(self, *told: Any) -> None:
        """From now on steps are told: symbols read and written, moves, and how often each pair is used."""
        assert self.observed
        self.library.grid_observe(self.handle, *told)

    def go(self, steps: int, progress: Callable[[int], None] = lambda _: None) -> End:
        """Runs on for at most this many steps, and says how it ended, or what it lacked to do them all.

        `progress` is told the steps done now and then.
        """
        end = self.where()[0] + steps
        while self.fits:
            left = end - self.where()[0]
            outcome: int = self.library.grid_run(self.handle, self.agent.data, left, LIMITS.work_at_once)
            progress(self.where()[0])
            if outcome == TALL:
                rows = self.handle
                self._make(rows=False)
                self.fits = bool(self.library.grid_lay(self.handle, rows))
                self.library.grid_free(rows)
            elif outcome != PAUSED:
                return ENDS[outcome]
        return Reason.MEMORY

    def where(self) -> tuple[int, int, int, int]:
        steps, state, x, y, *_ = self._numbers()
        return steps, state, x, y

    def _numbers(self) -> array[int]:
        """Steps done, state, x, y, the number of tiles, cycles of work, and the shape of a tile."""
        numbers = array("q", bytes(64))
        self.library.grid_where(self.handle, numbers)
        return numbers

    def take_world(self) -> World:
        """What stands on the grid, with the head's cell as the start. The machine has no world any more.

        Tiles are freed as they are taken, so that there is never a second world in memory.
        """
        numbers = self._numbers()
        head = numbers[2], numbers[3]
        room = min(numbers[4], LIMITS.tiles_at_once)
        shape = Shape(*numbers[6:])
        size = shape.area * self.bytes
        places = array("q", bytes(16 * room))
        cells = bytearray(size * room)
        address = (ctypes.c_char * len(cells)).from_buffer(cells)
        view = memoryview(cells)
        bands: dict[int, dict[int, str]] = {}
        while count := self.library.grid_take_tiles(self.handle, room, places, address):
            for i in range(count):
                tile = str(view[i * size : (i + 1) * size], self.codec)
                bands.setdefault(places[2 * i + 1], {})[places[2 * i]] = tile
        return World(Tiles(self.table.symbols, bands, shape), head)

    def ended(self, end: End) -> Run:
        """The run that ended so; its world is taken out of the machine."""
        steps, state, x, y = self.where()
        world = self.take_world()
        symbol = world.cells.get((x, y), self.table.symbols[0])
        outcome, reason = outcome_of(end)
        return Run(outcome, steps, self.table.states[state], (x, y), symbol, world, reason=reason)


def _is_high(world: World) -> bool:
    """Whether what stands on the grid is no tape, and no few of them."""
    if isinstance(world.cells, Tiles):
        ys, high = list(world.cells.bands), world.cells.shape.high
    else:
        ys, high = [y for _, y in world.cells], 1
    return bool(ys) and (max(ys) - min(ys) + 1) * high > PLANE.high


def run_native(
    table: Table,
    world: World,
    steps: int = 10_000_000,
    *,
    trace: bool = False,
    memory: int = LIMITS.memory,
    progress: Callable[[int], None] = lambda _: None,
    record: Record | None = None,
    counts: array[int] | None = None,
) -> Run:
    """Like `simulate.run`, natively; CannotBuild without a compiler.

    Uses of each rule are added to `counts`, if given: states times symbols, as 64-bit numbers.
    """
    actions: list[Action] = []
    keep = kept_in(actions, table.symbols, MOVES, record) if trace else record
    observed = keep is not None or counts is not None
    with NativeWorld(table, world, memory, observed) as machine:
        end: End = Outcome.BUDGET
        done = 0
        while done < steps and end is Outcome.BUDGET:
            size = min(LIMITS.steps_at_once, steps - done) if keep else steps - done
            columns = [array("h", bytes(2 * size)) for _ in range(3)] if keep else [None] * 3
            if observed:
                machine.observe(*columns, counts)
            end = machine.go(size, progress)
            before, done = done, machine.where()[0]
            if keep:
                keep(*((column or array("h"))[: done - before] for column in columns))
        ended = machine.ended(end)
    return replace(ended, trace=tuple(actions)) if trace else ended


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
        rows = is_flat(table)
        self.call, self.agent = runner(table, rows).grid_text, agent_of(table, rows)
        self.memory = memory // 2
        self.numbers, self.left = array("q", bytes(64)), array("i", bytes(4 * ROOM))

    def run(self, text: str, steps: int) -> Run | None:
        """The run on an input; None where it takes much memory, or leaves much."""
        given = array("i", map(self.place.__getitem__, text))
        outcome = self.call(
            self.agent.data, len(given), given, steps, self.memory, self.counts, self.numbers, ROOM, self.left
        )
        done, state, x, y, west, north, east, south = self.numbers
        wide, high = max(0, east - west + 1), max(0, south - north + 1)
        end = ENDS[outcome]
        if wide * high > ROOM or not isinstance(end, Outcome):
            return None
        row = "".join(map(self.symbols.__getitem__, self.left[: wide * high]))
        lines = [row[at : at + wide] for at in range(0, len(row), wide)] if row else []
        cells: dict[Cell, str] = {}
        for row_number, line in enumerate(lines, north):
            cells.update(zip(product(range(west, east + 1), (row_number,)), line, strict=True))
        world = World(cells, (x, y))
        symbol = world.cells.get((x, y), self.symbols[0])
        return TextRun(end, done, self.states[state], (x, y), symbol, world, left="\n".join(lines))
