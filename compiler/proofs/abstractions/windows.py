"""Two tables on one unknown world: their product with what is known of the cells near the head.

The elements of (V4) in `compiler/verifier/windows`, those that are reached. RIGHT differing is a *failure*,
and so is a stuck side that the claim does not allow. A path may read a cell, forget it, and read something
else there, so a failure that can be reached is only a suspicion: `concretize.py` looks for a world that shows
it. Radii above 1 are not tried: no proof was ever found that strips do not give.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gridlang.compiler.automata.explore import explore, steps_ahead
from gridlang.compiler.proofs.joint_step import RIGHT_DIFFERS, UNASKED, Place, Stuck, joint_step
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.reports import report
from gridlang.table import DELTAS, Row

UNKNOWN = -1  # Symbols are numbered from 0.


class Windows:
    """Knowledge of the cells within a radius; each window has a number, and 0 knows nothing."""

    def __init__(self, radius: int) -> None:
        reach = range(-radius, radius + 1)
        cells = [(x, y) for x in reach for y in reach if abs(x) + abs(y) <= radius]
        self.cells = sorted(cells, key=lambda cell: (cell != (0, 0), cell))
        index = {cell: number for number, cell in enumerate(self.cells)}
        # for each move, where each cell was before; -1 is the unknown one at the end
        self._sources = [[index.get((x + dx, y + dy), -1) for x, y in self.cells] for dx, dy in DELTAS]
        self.heads: list[int] = []  # the symbol under the head of each window, or UNKNOWN
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

    def _number(self, window: tuple[int, ...]) -> int:
        number = self._numbers.get(window)
        if number is None:
            number = self._numbers[window] = len(self._kept)
            self._kept.append(window)
            self.heads.append(window[0])
        return number


class WindowProduct:
    """Both tables with windows of one radius; a node is one number for all three."""

    def __init__(
        self, left: Sequence[Row], right: Sequence[Row], radius: int, stuck: Stuck = UNASKED
    ) -> None:
        self.left, self.right, self.radius, self.claim = left, right, radius, stuck
        self.windows = Windows(radius)
        self._every = range(len(left[0]))
        self._width = len(right)
        self._pairs = len(left) * len(right)

    def parts(self, node: int) -> tuple[int, int, int]:
        window, pair = divmod(node, self._pairs)
        return (*divmod(pair, self._width), window)

    def reads(self, window: int) -> Sequence[int]:
        head = self.windows.heads[window]
        return self._every if head == UNKNOWN else (head,)

    def steps(self, node: int) -> list[tuple[int, int | None]]:
        """What may be read and the node after it; None where RIGHT fails. Nothing follows halts or stuck."""
        p, q, window = self.parts(node)
        mine, theirs, after, stuck = self.left[p], self.right[q], self.windows.after, self.claim
        steps: list[tuple[int, int | None]] = []
        for symbol in self.reads(window):
            step = joint_step(mine[symbol], theirs[symbol], symbol, stuck)
            if isinstance(step, tuple):
                (write, move, after_p), after_q = step
                number = after(window, write, move) * self._pairs + after_p * self._width + after_q
                steps.append((symbol, number))
            elif step is RIGHT_DIFFERS:
                steps.append((symbol, None))
        return steps


class WindowAnalysis:
    """All nodes of a product that are reached.

    `ahead` has the fewest steps to a failure for each node that can reach one, the nearest first. TooLarge
    past the limit.
    """

    def __init__(
        self,
        product: WindowProduct,
        limit: int = LIMITS.most_window_nodes,
    ) -> None:
        self.product = product
        failing: list[int] = []
        count = 0

        def successors(node: int) -> list[tuple[int, int]]:
            nonlocal count
            count += 1
            if count % LIMITS.nodes_per_report == 0:
                report(count)
            steps = product.steps(node)
            onward = [(symbol, after) for symbol, after in steps if after is not None]
            if len(onward) < len(steps):
                failing.append(node)
            return onward

        def onward(node: int) -> list[int]:
            return [after for _, after in product.steps(node) if after is not None]

        self.nodes = explore([0], successors, limit).nodes
        self.ahead = steps_ahead(failing, self.nodes, onward) if failing else {}

    def reads(self) -> Iterator[tuple[int, int]]:
        """LEFT's states with the symbols that they may read, of each node: at least all that runs come to."""
        for node in self.nodes:
            p, _, window = self.product.parts(node)
            yield from ((p, symbol) for symbol in self.product.reads(window))

    def stuck(self) -> int:
        """The number of reads on which LEFT is stuck."""
        return sum(self.product.left[p][symbol] is None for p, symbol in self.reads())

    def place(self) -> Place:
        """Where a failure comes first, if there is one."""
        node = next(iter(self.ahead))
        p, q, _ = self.product.parts(node)
        return Place(p, q, next(symbol for symbol, after in self.product.steps(node) if after is None))


class GuidedStep(NamedTuple):
    """What both tables do on a symbol, and the fewest steps to a difference, this one included."""

    ahead: int
    after: int | None  # the node after it; None where they differ here
    write: int
    move: int


class Guide:
    """The way to the nearest difference as windows know it; without an analysis, no further than a step."""

    def __init__(self, product: WindowProduct, ahead: Mapping[int, int] | None = None) -> None:
        self.product, self._ahead = product, ahead
        self._steps: dict[int, dict[int, GuidedStep]] = {}

    def steps(self, node: int) -> dict[int, GuidedStep]:
        """The symbols after which a difference may still come; the first node is 0."""
        if node not in self._steps:
            self._steps[node] = dict(self._guided(node))
        return self._steps[node]

    def _guided(self, node: int) -> Iterator[tuple[int, GuidedStep]]:
        row = self.product.left[self.product.parts(node)[0]]
        for symbol, after in self.product.steps(node):
            entry = row[symbol]
            if after is None or entry is None:
                yield symbol, GuidedStep(1, None, 0, 0)
            elif self._ahead is None:
                yield symbol, GuidedStep(2, after, entry.write, entry.move)
            elif after in self._ahead:
                yield symbol, GuidedStep(self._ahead[after] + 1, after, entry.write, entry.move)
