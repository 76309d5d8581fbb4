"""Two tables on one unknown world: their product with what is known of the cells near the head.

Abstract state. A triple (p, q, κ): a state of LEFT, a state of RIGHT, and a window κ, which maps the cells
within an L1 distance r of the head to a symbol or to *unknown*.

Concretisation. γ(p, q, κ) is the set of all worlds with a head in which every cell that κ knows, as seen
from the head, holds the symbol that κ gives it.

Abstract step. It begins in both start states with κ all unknown. If the head's cell is unknown, it may hold
any symbol: the step is taken for each. LEFT's halt closes the branch, and so does LEFT stuck where the
claim allows it; RIGHT differing, or a stuck side that the claim does not allow, is a *failure*. Otherwise
the cell gets what both write, κ is shifted with the head, and what is further away than r is forgotten.

Theorem. If no failure can be reached, RIGHT's trace is LEFT's on every world, from every start cell, up to
where LEFT halts or is stuck, and where LEFT is stuck the claim allows it.

Proof. By induction over the steps of a run: as long as both have acted alike they share one world and one
head, and these lie in γ of an abstract state that can be reached with both their states. At first κ knows
nothing, so γ holds everything. The symbol that is read next is the one that κ knows, or one of those that
are tried; RIGHT does not fail on it, so both act alike or LEFT is done. What is written is known to be
there, all other cells keep what they hold, and forgetting only makes γ larger.

Incomplete. A path may read a cell, forget it, and read something else there, so a failure that can be
reached is only a suspicion: `concretize.py` looks for a world that shows it, and a larger radius may rule
it out. With a radius without bound (`Memory`) nothing is forgotten and every failure is real, but there may
be no end.

A larger radius is only looked at where a smaller one saw a failure ahead: a node that is safe with less
knowledge is safe with more, since its γ is smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from compiler.automata.explore import explore, steps_ahead
from compiler.proofs.abstractions.ball import ball, sources
from compiler.proofs.joint_step import RIGHT_DIFFERS, UNASKED, Stuck, joint_step
from gridlang.table import DELTAS, Row
from gridlang.world import Cell

UNKNOWN = -1  # Symbols and labels are numbered from 0, so this is none of them.
# An abstraction is given up here, in bearable time: windows of radius 3 on mult10 get this far in 1.2 s, with
# 60 MB.
MOST_NODES = 200_000
NODES_PER_REPORT = 1_024  # This is often enough for a line on a terminal, and too seldom to cost anything.
Known = tuple[tuple[Cell, int], ...]  # Cells relative to the head come with their symbols.
Element = tuple[int, int, Known]


class Knowledge(Protocol):
    """Ways of knowing the world around the head, each numbered once; 0 knows nothing."""

    radius: int | None
    heads: list[int]  # Each window has the symbol under the head here, or UNKNOWN.

    def after(self, window: int, write: int, move: int) -> int:
        """What is known after a step."""

    def known(self, window: int) -> Known: ...


class Windows:
    """Knowledge of the cells within a radius."""

    def __init__(self, radius: int) -> None:
        self.radius: int | None = radius
        self.cells = ball(radius)
        self._sources = sources(self.cells)
        self.heads: list[int] = []
        self._kept: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._after: dict[tuple[int, int, int], int] = {}
        self._number((UNKNOWN,) * len(self.cells))

    def after(self, window: int, write: int, move: int) -> int:
        key = (window, write, move)
        after = self._after.get(key)
        if after is None:
            old = [write, *self._kept[window][1:], UNKNOWN]
            after = self._after[key] = self._number(tuple([old[i] for i in self._sources[move]]))
        return after

    def known(self, window: int) -> Known:
        pairs = zip(self.cells, self._kept[window], strict=True)
        return tuple((cell, symbol) for cell, symbol in pairs if symbol != UNKNOWN)

    def find(self, known: Known) -> int | None:
        """The number of what is left of this knowledge within the radius, if it ever came up."""
        symbols = dict(known)
        return self._numbers.get(tuple(symbols.get(cell, UNKNOWN) for cell in self.cells))

    def _number(self, window: tuple[int, ...]) -> int:
        number = self._numbers.get(window)
        if number is None:
            number = self._numbers[window] = len(self._kept)
            self._kept.append(window)
            self.heads.append(window[0])
        return number


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
        number = self._numbers.get(after)
        if number is None:
            number = self._numbers[after] = len(self._kept)
            self._kept.append(after)
            self.heads.append(cells.get((dx, dy), UNKNOWN))
        return number

    def known(self, window: int) -> Known:
        return self._kept[window]


class Product:
    """LEFT, RIGHT and what is known of their world; a node is one number for all three.

    `below` are the levels that were searched before, with less knowledge.
    """

    def __init__(
        self,
        left: Sequence[Row],
        right: Sequence[Row],
        windows: Knowledge,
        below: Sequence[Level] = (),
        stuck: Stuck = UNASKED,
    ) -> None:
        self.left, self.right, self.windows, self.below = left, right, windows, below
        self.stuck = stuck
        self._every = range(len(left[0]))
        self._width = len(right)
        self._pairs = len(left) * len(right)
        self._cuts: dict[tuple[int, int], int | None] = {}

    def node(self, p: int, q: int, window: int) -> int:
        return window * self._pairs + p * self._width + q

    def parts(self, node: int) -> tuple[int, int, int]:
        """Both states and the window."""
        window, pair = divmod(node, self._pairs)
        return (*divmod(pair, self._width), window)

    def reads(self, window: int) -> Sequence[int]:
        """The symbols that may be under the head."""
        head = self.windows.heads[window]
        return self._every if head == UNKNOWN else (head,)

    def steps(self, node: int) -> list[tuple[int, int | None]]:
        """What may be read and the node after it; None where RIGHT fails. Nothing follows halts or stuck."""
        p, q, window = self.parts(node)
        mine, theirs, after, stuck = self.left[p], self.right[q], self.windows.after, self.stuck
        steps: list[tuple[int, int | None]] = []
        for symbol in self.reads(window):
            step = joint_step(mine[symbol], theirs[symbol], symbol, stuck)
            if isinstance(step, tuple):
                (write, move, after_p), after_q = step
                # This is `node`, which would be one more call for every step.
                number = after(window, write, move) * self._pairs + after_p * self._width + after_q
                steps.append((symbol, number))
            elif step is RIGHT_DIFFERS:
                steps.append((symbol, None))
        return steps

    def onward(self, node: int) -> list[int]:
        """The nodes after one; none after what a level below has proven safe."""
        if self.below and self.cover(node):
            return []
        return [after for _, after in self.steps(node) if after is not None]

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
        """What is left of a window within the radius of a level below."""
        key = (index, window)
        if key not in self._cuts:
            lower = level.product.windows
            assert isinstance(lower, Windows)
            self._cuts[key] = lower.find(self.windows.known(window))
        return self._cuts[key]


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


def search(
    product: Product, limit: int = MOST_NODES, progress: Callable[[int], None] = lambda _: None
) -> Level:
    """Follows every path; TooLarge past the limit."""
    failing: list[int] = []
    count = 0

    def successors(node: int) -> list[tuple[int, int]]:
        nonlocal count
        count += 1
        if count % NODES_PER_REPORT == 0:
            progress(count)
        if product.below and product.cover(node):
            return []
        steps = product.steps(node)
        onward = [(symbol, after) for symbol, after in steps if after is not None]
        if len(onward) < len(steps):
            failing.append(node)
        return onward

    reached = explore([0], successors, limit)
    ahead = steps_ahead(failing, reached.nodes, product.onward) if failing else {}
    return Level(product, reached.parents, ahead)


class Relation(NamedTuple):
    """Why RIGHT follows LEFT on all worlds: states, states, and what is known, closed under every step.

    A step leads to an element again, once the knowledge is cut to one of the radii; None cuts nothing.
    """

    radii: tuple[int | None, ...]
    elements: tuple[Element, ...]
    stuck: int


def relation(top: Level) -> Relation:
    """The elements that the proof of a level needs, its own and those of the levels below."""
    elements: dict[Element, int] = {}  # The values count the reads on which LEFT is stuck.
    radii = set()

    def successors(place: tuple[Level, int]) -> list[tuple[None, tuple[Level, int]]]:
        level, node = place
        product = level.product
        cover = product.cover(node)
        if cover:
            return [(None, cover)]
        p, q, window = product.parts(node)
        known = tuple(sorted(product.windows.known(window)))
        elements[p, q, known] = sum(product.left[p][symbol] is None for symbol in product.reads(window))
        radii.add(product.windows.radius)
        return [(None, (level, after)) for _, after in product.steps(node) if after is not None]

    explore([(top, 0)], successors)
    finite = sorted(radius for radius in radii if radius is not None)
    everything = (None,) if None in radii else ()
    return Relation((*finite, *everything), tuple(elements), sum(elements.values()))
