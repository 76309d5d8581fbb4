"""Two tables on one unknown world: their product with what is known of the cells near the head.

Abstract state. A triple (p, q, κ): a state of LEFT, a state of RIGHT, and a window κ, which maps the cells
within an L1 distance r of the head to a symbol or to *unknown*.

Abstract step. It begins in both start states with κ all unknown. If the head's cell is unknown, it may hold
any symbol: the step is taken for each. LEFT's halt closes the branch, and so does LEFT stuck where the
claim allows it; RIGHT differing, or a stuck side that the claim does not allow, is a *failure*. Otherwise
the cell gets what both write, κ is shifted with the head, and what is further away than r is forgotten.

Theorem. If no failure can be reached, RIGHT's trace is LEFT's on every world, from every start cell, up to
where LEFT halts or is stuck, and where LEFT is stuck the claim allows it.

Incomplete. A path may read a cell, forget it, and read something else there, so a failure that can be
reached is only a suspicion: `concretize.py` looks for a world that shows it. Radii above 1 are not tried:
no proof was ever found that strips do not give.

What an abstract state stands for, and the proof: docs/reference/theorems.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from compiler.automata.explore import TooLarge, explore, steps_ahead
from compiler.proofs.joint_step import RIGHT_DIFFERS, UNASKED, Stuck, joint_step
from compiler.proofs.limits import LIMITS
from compiler.proofs.stages import Comparison, Failure, Place, Proof
from gridlang.table import DELTAS, Row
from gridlang.world import Cell

UNKNOWN = -1  # Symbols are numbered from 0.
LARGEST_RADIUS = 1
Known = tuple[tuple[Cell, int], ...]  # cells relative to the head, and their symbols
Element = tuple[int, int, Known]


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
        """What is known after a step."""
        key = (window, write, move)
        after = self._after.get(key)
        if after is None:
            old = [write, *self._kept[window][1:], UNKNOWN]
            after = self._after[key] = self._number(tuple([old[i] for i in self._sources[move]]))
        return after

    def known(self, window: int) -> Known:
        pairs = zip(self.cells, self._kept[window], strict=True)
        return tuple((cell, symbol) for cell, symbol in pairs if symbol != UNKNOWN)

    def _number(self, window: tuple[int, ...]) -> int:
        number = self._numbers.get(window)
        if number is None:
            number = self._numbers[window] = len(self._kept)
            self._kept.append(window)
            self.heads.append(window[0])
        return number


class WindowAnalysis:
    """All that LEFT and RIGHT reach with windows of one radius; a node is one number for all three.

    `ahead` has the fewest steps to a failure for each node that can reach one, the nearest first. TooLarge
    past the limit.
    """

    def __init__(
        self,
        left: Sequence[Row],
        right: Sequence[Row],
        radius: int,
        stuck: Stuck = UNASKED,
        limit: int = LIMITS.most_window_nodes,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.left, self.right, self.radius, self.claim = left, right, radius, stuck
        self.windows = Windows(radius)
        self._every = range(len(left[0]))
        self._width = len(right)
        self._pairs = len(left) * len(right)
        failing: list[int] = []
        count = 0

        def successors(node: int) -> list[tuple[int, int]]:
            nonlocal count
            count += 1
            if count % LIMITS.nodes_per_report == 0:
                progress(count)
            steps = self.steps(node)
            onward = [(symbol, after) for symbol, after in steps if after is not None]
            if len(onward) < len(steps):
                failing.append(node)
            return onward

        self.nodes = explore([0], successors, limit).nodes
        self.ahead = steps_ahead(failing, self.nodes, self._onward) if failing else {}

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
        mine, theirs, after, stuck = self.left[p], self.right[q], self.windows.after, self.claim
        steps: list[tuple[int, int | None]] = []
        for symbol in self.reads(window):
            step = joint_step(mine[symbol], theirs[symbol], symbol, stuck)
            if isinstance(step, tuple):
                (write, move, after_p), after_q = step
                # `node` written out: one call less for every step
                number = after(window, write, move) * self._pairs + after_p * self._width + after_q
                steps.append((symbol, number))
            elif step is RIGHT_DIFFERS:
                steps.append((symbol, None))
        return steps

    def _onward(self, node: int) -> list[int]:
        return [after for _, after in self.steps(node) if after is not None]

    def pairs(self) -> set[tuple[int, int]]:
        """LEFT's states with the symbols that they may read: at least all that some run comes to."""
        parts = map(self.parts, self.nodes)
        return {(p, symbol) for p, _, window in parts for symbol in self.reads(window)}

    def stuck(self) -> int:
        """The number of reads on which LEFT is stuck."""
        parts = map(self.parts, self.nodes)
        return sum(self.left[p][symbol] is None for p, _, w in parts for symbol in self.reads(w))

    def place(self) -> Place:
        """Where a failure comes first, if there is one."""
        node = next(iter(self.ahead))
        p, q, _ = self.parts(node)
        return Place(p, q, next(symbol for symbol, after in self.steps(node) if after is None))


class WindowProof(NamedTuple):
    """Why RIGHT follows LEFT on all worlds: states, states, and what is known, closed under every step."""

    radius: int
    elements: tuple[Element, ...]


class WindowGuide(NamedTuple):
    """The way ahead as windows know it, on all worlds; the abstract state is the window."""

    analysis: WindowAnalysis

    def ahead(self, abstract_state: int, p: int, q: int, symbol: int) -> int | None:
        found = self.analysis
        step = joint_step(found.left[p][symbol], found.right[q][symbol], symbol, found.claim)
        if not isinstance(step, tuple):
            return 1 if step is RIGHT_DIFFERS else None
        entry, after_q = step
        window = found.windows.after(abstract_state, entry.write, entry.move)
        ahead = found.ahead.get(found.node(entry.next, after_q, window))
        return None if ahead is None else ahead + 1

    def after(self, abstract_state: int, write: int, move: int) -> int:
        return self.analysis.windows.after(abstract_state, write, move)


class WindowStage(NamedTuple):
    """Windows of growing radius, up to one."""

    radius: int

    def prove(self, comparison: Comparison) -> Proof | Failure:
        left, right, _, stuck, limit, progress = comparison
        failure = Failure()
        for radius in range(min(self.radius, LARGEST_RADIUS) + 1):
            try:
                found = WindowAnalysis(left.rows, right, radius, stuck, limit, progress)
            except TooLarge as grown:
                why = f"the product outgrew its limit of {limit:,} states at radius {radius}"
                return failure._replace(states=grown.size, radius=radius, reason=why)
            if not found.ahead:
                return Proof(_evidence(found), len(found.nodes), found.stuck(), radius)
            failure = Failure(found.place(), len(found.nodes), found.stuck(), radius, WindowGuide(found))
        return failure


def _evidence(found: WindowAnalysis) -> WindowProof:
    nodes = map(found.parts, found.nodes)
    elements = tuple((p, q, tuple(sorted(found.windows.known(window)))) for p, q, window in nodes)
    return WindowProof(found.radius, elements)
