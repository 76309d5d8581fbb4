"""Laps: loops of blocks that are done with one look-up.

An agent that works along a row goes through the same few families again and again, with the same moves. All
cells of such a lap are read at once, and a table of all that can stand there holds what the lap leaves: so
what is carried from step to step waits for one load a lap and not for one a step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from gridlang.compiler.simulation.limits import LIMITS
from gridlang.table import DELTAS, STAY, Entry, Table

Step = tuple[tuple[int, ...], int]  # the states it begins in, its move
_Path = tuple[tuple[int, int], ...]  # families, moves


@dataclass(frozen=True)
class Lap:
    """From a block back to it by fixed moves; `cells` are relative to the head, as (x, y)."""

    block: Block
    steps: tuple[Step, ...]

    @property
    def moves(self) -> tuple[int, ...]:
        return tuple(move for _, move in self.steps)

    @cached_property
    def way(self) -> tuple[tuple[int, int], ...]:
        """Where the head stands before each step, and after the last."""
        places = [(0, 0)]
        for move in self.moves:
            (x, y), (dx, dy) = places[-1], DELTAS[move]
            places.append((x + dx, y + dy))
        return tuple(places)

    @cached_property
    def cells(self) -> tuple[tuple[int, int], ...]:
        """All that are read, in the order of their first read: each is beside one before it."""
        return tuple(dict.fromkeys(self.way[:-1]))

    def entries(self, table: Table) -> int:
        """How many there are in its table: for each state, all that can stand in its cells."""
        return len(self.block.states) * int(len(table.symbols) ** len(self.cells))

    def changed(self, table: Table) -> tuple[int, ...]:
        """The cells, by number, that some lap can change."""
        steps = zip(self.way[:-1], self.steps, strict=True)
        places = {place for place, (states, move) in steps if _writes(table, states, move)}
        return tuple(i for i, cell in enumerate(self.cells) if cell in places)


def _writes(table: Table, states: tuple[int, ...], move: int) -> bool:
    return any(
        entry is not None and entry.move == move and entry.write != symbol
        for state in states
        for symbol, entry in enumerate(table.rows[state])
    )


def find_laps(table: Table, blocks: tuple[Block, ...]) -> dict[int, Lap]:
    """The laps that are worth a table, by the number of the block where they begin: a whole family."""
    home, kin = table.family_numbers(), _families(table)
    starts = {block.states: block for block in blocks}
    ways = [_ways(table, home, states) for states in kin]
    laps: dict[int, Lap] = {}
    room = LIMITS.all_lap_entries
    for _, loop in sorted(loop for first in range(len(kin)) for loop in _loops(ways, first)):
        lap = _best(table, starts, [(kin[number], move) for number, move in loop])
        if lap is not None and lap.block.number not in laps and lap.entries(table) <= room:
            room -= lap.entries(table)
            laps[lap.block.number] = lap
    return laps


def _families(table: Table) -> list[tuple[int, ...]]:
    kin: dict[int, list[int]] = {}
    for state, number in enumerate(table.family_numbers()):
        kin.setdefault(number, []).append(state)
    return [tuple(kin[number]) for number in range(len(kin))]


class _Way(NamedTuple):
    """Where pairs of a family lead, and how many of them."""

    move: int
    next: int
    share: float


def _ways(table: Table, home: tuple[int, ...], states: tuple[int, ...]) -> list[_Way]:
    """The moves and next families of many pairs; none where most of them walk, which scans do better."""
    ways: Counter[tuple[int, int]] = Counter()
    walks = total = 0
    for state in states:
        for symbol, entry in enumerate(table.rows[state]):
            if entry is not None:
                total += 1
                walks += entry.next == state and entry.write == symbol
                if not entry.is_idle(symbol):
                    ways[entry.move, home[entry.next]] += 1
    if walks >= total / 2:
        return []
    return [_Way(*way, count / total) for way, count in ways.items()]


def _loops(ways: list[list[_Way]], first: int) -> Iterator[tuple[float, _Path]]:
    """Loops whose least family this is, as families and moves; before each, minus the pairs on it."""
    paths: list[tuple[float, int, _Path]] = [(1.0, first, ())]
    while paths:
        before, at, path = paths.pop()
        for way in ways[at]:
            share, longer = before * way.share, (*path, (at, way.move))
            least = LIMITS.loop_pairs if path or way.next != first else LIMITS.lap_pairs
            if share < least or len(longer) > LIMITS.lap_steps:
                continue
            if way.next == first:
                yield -share, longer
            elif way.next > first and all(way.next != number for number, _ in path):
                paths.append((share, way.next, longer))


def _best(table: Table, starts: dict[tuple[int, ...], Block], loop: list[Step]) -> Lap | None:
    """The lap with the fewest entries, begun at any of its blocks; a short one goes round more often."""
    if all(move == STAY for _, move in loop):
        return None
    for times in range(LIMITS.unrolled, 1 if len(loop) == 1 else 0, -1):
        turned = ((loop[i:] + loop[:i]) * times for i in range(len(loop)))
        laps = [Lap(starts[steps[0][0]], tuple(steps)) for steps in turned if steps[0][0] in starts]
        best = min(laps, key=lambda lap: lap.entries(table), default=None)
        if best and len(best.steps) <= LIMITS.lap_steps and best.entries(table) <= LIMITS.lap_entries:
            return best
    return None


def lap_tables(laps: Iterable[Lap], table: Table, functions: str) -> str:
    """The C tables of laps, which are filled when the library is loaded, so that threads can share them."""
    laps = list(laps)
    bits = _bits(len(table.symbols))
    most = max(1 + bits * len(lap.changed(table)) + _bits(len(lap.block.states)) for lap in laps)
    home = {state: i for lap in laps for i, state in enumerate(lap.block.states)}
    moves = (
        255 if entry is None or entry.is_idle(symbol) else entry.move
        for row in table.rows
        for symbol, entry in enumerate(row)
    )
    text = f"#ifndef OBSERVING\ntypedef uint{16 if most <= 16 else 32}_t lap;\n#define LAP_BITS {bits}\n"
    text += array_text("uint8_t", "moves", moves)
    text += array_text("uint16_t", "places", (home.get(state, 0) for state in range(len(table.states))))
    text += functions
    for lap in laps:
        text += _way(lap, table)
    filled = "".join(f"  fill_laps(laps_{lap.block.number}, &way_{lap.block.number});\n" for lap in laps)
    return text + f"__attribute__((constructor)) static void fill_all_laps(void) {{\n{filled}}}\n#endif\n\n"


def _way(lap: Lap, table: Table) -> str:
    """What the function that fills a table must know of its lap."""
    n, changed = lap.block.number, lap.changed(table)
    cells = (lap.cells.index(place) for place in lap.way[:-1])
    states = (state * len(table.symbols) for state in lap.block.states)
    return (
        array_text("uint8_t", f"moves_{n}", lap.moves)
        + array_text("uint8_t", f"cells_{n}", cells)
        + array_text("uint8_t", f"changed_{n}", changed or (0,))
        + array_text("uint32_t", f"states_{n}", states)
        + f"static const way way_{n} = {{{len(lap.moves)}, {len(lap.cells)}, moves_{n}, cells_{n},\n"
        + f"  {len(changed)}, changed_{n}, {len(lap.block.states)}, states_{n}}};\n"
        + f"static lap laps_{n}[{lap.entries(table)}];\n"
    )


def lap_code(lap: Lap, table: Table) -> Iterator[str]:
    """Lap after lap, as long as it is known to go its way; where it is not, single steps go on."""
    k, n, count = len(table.symbols), lap.block.number, len(lap.block.states)
    bits, changed = _bits(k), lap.changed(table)
    offsets = [_offset(cell) for cell in lap.cells]
    index = "c0"
    for i in range(1, len(lap.cells)):
        index = f"({index}) * {k} + c{i}"
    if count > 1:  # The state comes last: it is known last.
        index = f"({index}) * {count} + at"
    yield "#ifndef OBSERVING"
    yield f"  if (trust_{n} > 0) {{"
    yield f"    uint32_t at = {f'places[q / {k}]' if count > 1 else '0'};"
    yield "    uint64_t before = left;"
    yield f"    while (left >= {len(lap.moves)}) {{"
    for i, offset in enumerate(offsets):
        yield f"      uint32_t c{i} = p[{offset}];"
        yield f"      if (c{i} == EDGE) break;"
    yield f"      uint32_t e = laps_{n}[{index}];"
    yield "      if (e == 0) break;"
    for i, cell in enumerate(changed):
        yield f"      p[{offsets[cell]}] = (cell)(e >> {1 + i * bits} & {2**bits - 1});"
    if count > 1:
        yield f"      at = e >> {1 + len(changed) * bits};"
    yield f"      p += {_offset(lap.way[-1])}; left -= {len(lap.moves)};"
    yield "    }"
    yield f"    q = states_{n}[at];"
    yield f"    saved += (before - left) / {len(lap.moves)} * {len(lap.moves) - 1};"
    yield f"    if (before != left) trust_{n} = TRUST;"
    yield f"    else if (--trust_{n} == 0) trust_{n} = DISTRUST;"
    yield f"  }} else if (++trust_{n} == 0) trust_{n} = TRUST;"
    yield "#endif"


def _bits(count: int) -> int:
    """Bits that tell this many things apart."""
    return (count - 1).bit_length()


def _offset(cell: tuple[int, int]) -> str:
    return f"{cell[1]} * STRIDE + {cell[0]}"


def array_text(kind: str, name: str, values: Iterable[int]) -> str:
    """A constant array in C, 24 numbers a line."""
    items = list(map(str, values))
    lines = ",\n".join("  " + ", ".join(items[i : i + 24]) for i in range(0, len(items), 24))
    return f"static const {kind} {name}[{len(items)}] = {{\n{lines}\n}};\n"


@dataclass(frozen=True, slots=True)
class Block:
    """States that share code; `number` names its label."""

    number: int
    states: tuple[int, ...]


def make_blocks(table: Table) -> tuple[Block, ...]:
    """Families are gathered into blocks as far as their states move alike.

    Which state of a block the machine is in is data: a digit that is carried costs a table look-up, never a
    mispredicted jump. All other states are blocks of their own.
    """
    family = table.family_numbers()
    groups: list[list[list[int]]] = [[] for _ in table.states]  # by family
    for state in range(len(table.states)):
        kin = groups[family[state]]
        home = next((group for group in kin if _alike(table, family, group[0], state)), None)
        if home is None:
            kin.append([state])
        else:
            home.append(state)
    members = sorted(group for kin in groups for group in kin)
    return tuple(Block(number, tuple(states)) for number, states in enumerate(members))


def _alike(table: Table, family: tuple[int, ...], a: int, b: int) -> bool:
    """Whether two states move alike on enough of the symbols for which both have a rule."""
    both = same = 0
    for x, (left, right) in enumerate(zip(table.rows[a], table.rows[b], strict=True)):
        if left is not None and right is not None:
            both += 1
            same += _shape(family, x, left) == _shape(family, x, right)
    return both > 0 and same >= LIMITS.alike * both


def _shape(family: tuple[int, ...], symbol: int, entry: Entry) -> tuple[int, ...]:
    """How a step looks to the code: halting, or its move and the family it leads to."""
    return () if entry.is_idle(symbol) else (entry.move, family[entry.next])
