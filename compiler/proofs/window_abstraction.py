"""Two tables on one unknown world: their product with what is known of the cells near the head.

A cell that was read or written stays known until it is further than the radius from the head; an unknown one
may hold any symbol. While both sides act alike they share one world and one head, and what is known is true
of it, so every run on every world is a path of this product. If on no path RIGHT fails, it follows LEFT on
all worlds, from all start cells. The converse does not hold: a path may read a cell, forget it, and read
something else there. Such paths are found out by `realize.py`, or cut by a larger radius.

A larger radius is only looked at where a smaller one saw a failure ahead: a node that is safe with less
knowledge is safe with more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from compiler.explore import explore
from gridlang.table import DELTAS, Row
from gridlang.world import Cell

UNKNOWN = -1
LIMIT = 200_000
Known = tuple[tuple[Cell, int], ...]  # cells relative to the head, and their symbols
Element = tuple[int, int, Known]


def ball(radius: int) -> tuple[Cell, ...]:
    """The cells within an L1 distance, nearest first: a smaller ball is the beginning of a larger one."""
    reach = range(-radius, radius + 1)
    cells = [(x, y) for x in reach for y in reach if abs(x) + abs(y) <= radius]
    return tuple(sorted(cells, key=lambda cell: (abs(cell[0]) + abs(cell[1]), cell)))


class Knowledge(Protocol):
    """Ways of knowing the world around the head, each numbered once; 0 knows nothing."""

    radius: int | None
    heads: list[int]  # the symbol under the head, or UNKNOWN

    def after(self, window: int, write: int, move: int) -> int:
        """What is known after a step."""

    def known(self, window: int) -> Known: ...


class Windows:
    """Knowledge of the cells within a radius."""

    def __init__(self, radius: int) -> None:
        self.radius: int | None = radius
        self.cells = ball(radius)
        place = {cell: index for index, cell in enumerate(self.cells)}
        # For each move, where a cell of the new window was in the old one; -1 is the unknown put at its end.
        self._sources = [[place.get((x + dx, y + dy), -1) for x, y in self.cells] for dx, dy in DELTAS]
        self.heads: list[int] = []
        self._kept: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._after: dict[tuple[int, int, int], int] = {}
        self._number((UNKNOWN,) * len(self.cells))

    def after(self, window: int, write: int, move: int) -> int:
        key = (window, write, move)
        found = self._after.get(key)
        if found is None:
            old = [write, *self._kept[window][1:], UNKNOWN]
            found = self._after[key] = self._number(tuple([old[i] for i in self._sources[move]]))
        return found

    def known(self, window: int) -> Known:
        pairs = zip(self.cells, self._kept[window], strict=True)
        return tuple((cell, symbol) for cell, symbol in pairs if symbol != UNKNOWN)

    def find(self, known: Known) -> int | None:
        """The number of what is left of this knowledge within the radius, if it ever came up."""
        symbols = dict(known)
        return self._numbers.get(tuple(symbols.get(cell, UNKNOWN) for cell in self.cells))

    def _number(self, window: tuple[int, ...]) -> int:
        found = self._numbers.get(window)
        if found is None:
            found = self._numbers[window] = len(self._kept)
            self._kept.append(window)
            self.heads.append(window[0])
        return found


class Memory:
    """Knowledge of every cell that was ever read or written."""

    def __init__(self) -> None:
        self.radius: int | None = None
        self.heads = [UNKNOWN]
        self._kept: list[Known] = [()]
        self._numbers: dict[Known, int] = {(): 0}

    def after(self, window: int, write: int, move: int) -> int:
        dx, dy = DELTAS[move]
        cells = dict(self._kept[window])
        cells[0, 0] = write
        after = tuple(sorted(((x - dx, y - dy), symbol) for (x, y), symbol in cells.items()))
        found = self._numbers.get(after)
        if found is None:
            found = self._numbers[after] = len(self._kept)
            self._kept.append(after)
            self.heads.append(cells.get((dx, dy), UNKNOWN))
        return found

    def known(self, window: int) -> Known:
        return self._kept[window]


class Product:
    """LEFT, RIGHT and what is known of their world; a node is one number for all three.

    `below` are the levels that were searched before, with less knowledge.
    """

    def __init__(
        self, left: Sequence[Row], right: Sequence[Row], windows: Knowledge, below: Sequence[Level] = ()
    ) -> None:
        self.left, self.right, self.windows, self.below = left, right, windows, below
        self._every = range(len(left[0]))
        self._pairs = len(left) * len(right)
        self._found: dict[tuple[int, int], int | None] = {}

    def node(self, p: int, q: int, window: int) -> int:
        return window * self._pairs + p * len(self.right) + q

    def parts(self, node: int) -> tuple[int, int, int]:
        """Both states and the window."""
        window, pair = divmod(node, self._pairs)
        return (*divmod(pair, len(self.right)), window)

    def reads(self, window: int) -> Sequence[int]:
        """The symbols that may be under the head."""
        head = self.windows.heads[window]
        return self._every if head == UNKNOWN else (head,)

    def steps(self, node: int) -> Iterator[tuple[int, int | None]]:
        """What may be read and the node after it; None where RIGHT fails. Nothing follows halts or stuck."""
        p, q, window = self.parts(node)
        mine, theirs = self.left[p], self.right[q]
        for symbol in self.reads(window):
            entry = mine[symbol]
            if entry is None:
                continue
            other = theirs[symbol]
            if other is None or other[0] != entry[0] or other[1] != entry[1]:
                yield symbol, None
            elif not entry.is_idle(symbol):
                after = self.windows.after(window, entry.write, entry.move)
                yield symbol, after * self._pairs + entry.next * len(self.right) + other.next

    def cover(self, node: int) -> tuple[Level, int] | None:
        """A safe node of a level below that knows less."""
        p, q, window = self.parts(node)
        for index, level in enumerate(self.below):
            there = self._cut(index, level, window)
            if there is not None:
                less = level.product.node(p, q, there)
                if less in level.seen and less not in level.ahead:
                    return level, less
        return None

    def _cut(self, index: int, level: Level, window: int) -> int | None:
        key = (index, window)
        if key not in self._found:
            lower = level.product.windows
            assert isinstance(lower, Windows)
            self._found[key] = lower.find(self.windows.known(window))
        return self._found[key]


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """All that can be reached with one kind of knowledge; `ahead` counts the steps to the nearest failure.

    A node that is not in `ahead` is safe. What a level below has proven safe is not followed.
    """

    product: Product
    seen: dict[int, tuple[int, int] | None]
    ahead: dict[int, int]

    @property
    def proven(self) -> bool:
        return 0 not in self.ahead

    def stuck(self) -> int:
        """The number of reads on which LEFT is stuck."""
        parts = map(self.product.parts, self.seen)
        rows = self.product.left
        return sum(rows[p][symbol] is None for p, _, w in parts for symbol in self.product.reads(w))


def search(product: Product, limit: int = LIMIT, progress: Callable[[int], None] = lambda _: None) -> Level:
    """Follows every path; TooLarge past the limit."""
    failures: list[int] = []
    count = 0

    def successors(node: int) -> Iterator[tuple[int, int]]:
        nonlocal count
        count += 1
        if count % 1024 == 0:
            progress(count)
        if product.below and product.cover(node):
            return
        fails = False
        for symbol, after in product.steps(node):
            if after is None:
                fails = True
            else:
                yield symbol, after
        if fails:
            failures.append(node)

    found = explore(0, successors, limit)
    return Level(product, found.parents, _ahead(product, found.nodes, failures) if failures else {})


def _ahead(product: Product, nodes: list[int], failures: list[int]) -> dict[int, int]:
    """Backwards from the failures, breadth first."""
    before: dict[int, list[int]] = {}
    for node in nodes:
        if product.below and product.cover(node):
            continue
        for _, after in product.steps(node):
            if after is not None:
                before.setdefault(after, []).append(node)
    ahead = dict.fromkeys(failures, 1)
    work = list(ahead)
    for node in work:
        for earlier in before.get(node, ()):
            if earlier not in ahead:
                ahead[earlier] = ahead[node] + 1
                work.append(earlier)
    return ahead


class Relation(NamedTuple):
    """Why RIGHT follows LEFT on all worlds: states, states, and what is known, closed under every step.

    A step leads to an element again, once the knowledge is cut to one of the radii; None cuts nothing.
    """

    radii: tuple[int | None, ...]
    elements: tuple[Element, ...]
    stuck: int


def relation(top: Level) -> Relation:
    """The elements that the proof of a level needs, its own and those of the levels below."""
    work = [(top, 0)]
    seen = {(id(top), 0)}
    elements: dict[Element, int] = {}  # with the number of reads on which LEFT is stuck
    radii = set()
    for level, node in work:
        product = level.product
        cover = product.cover(node)
        if cover:
            onward = [cover]
        else:
            p, q, window = product.parts(node)
            known = tuple(sorted(product.windows.known(window)))
            elements[p, q, known] = sum(product.left[p][symbol] is None for symbol in product.reads(window))
            radii.add(product.windows.radius)
            onward = [(level, after) for _, after in product.steps(node) if after is not None]
        for step in onward:
            if (id(step[0]), step[1]) not in seen:
                seen.add((id(step[0]), step[1]))
                work.append(step)
    finite = sorted(radius for radius in radii if radius is not None)
    everything = (None,) if None in radii else ()
    return Relation((*finite, *everything), tuple(elements), sum(elements.values()))
