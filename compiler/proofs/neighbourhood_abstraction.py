"""Two tables on known ground: windows that also know places, and what may stand beside what.

Every cell has a label: its symbol; its place (row 0 and the rows near it, and where in the input its column
lies: the state of the clause's automaton there); and its mark: fresh, or what kind of LEFT's states acted on
it last. Unlike a plain window, nothing is forgotten for good: of neighbouring cells that are not both in the
window it is remembered, for each kind of state, which labels they may have. So an unread cell holds what the
clause says, and a cell that comes back into the window holds what may stand beside its neighbours.

Every run on the ground is a path through these nodes, as in `windows.py`: a step changes one cell, and the
pairs of that cell are put down under their new labels. On the ground of all worlds there is one place, and a
fresh cell may hold anything; the marks and pairs still know what LEFT has left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from compiler.explore import TooLarge
from compiler.proofs.adjacency import Beside, Spot, bits
from compiler.proofs.initial_worlds import BACK, DOWN, RIGHT_, Columns, Ground, Label
from compiler.proofs.window_abstraction import LIMIT, UNKNOWN, ball
from gridlang.table import DELTAS, STAY, Row, Table

Node = tuple[int, int, tuple[int, ...]]  # both states, and labels of the cells of a ball


class Detail(NamedTuple):
    """How much is told apart: the radius, the mark that a state leaves, the kind that it is, and how many
    columns a column of an input looks ahead.
    """

    radius: int
    marks: tuple[int, ...]
    kinds: tuple[int, ...]
    ahead: int = 0


class _Shape:
    """The geometry of a ball, once for all nodes; positions are indices into its cells."""

    def __init__(self, radius: int) -> None:
        cells = ball(radius)
        place = {cell: index for index, cell in enumerate(cells)}
        self.cells = cells
        self.sources = [[place.get((x + dx, y + dy), -1) for x, y in cells] for dx, dy in DELTAS]
        self.near = [place[delta] for delta in DELTAS[:STAY]]
        pairs = [
            (place[cell], place[there], direction)
            for cell in cells
            for direction in (DOWN, RIGHT_)
            if (there := _step(cell, direction)) in place
        ]
        # For each move, the neighbours of which one leaves the ball.
        self.lost = [[p for p in pairs if not set(p[:2]) <= set(sources)] for sources in self.sources]
        # For each move, the other cells in the ball beside the one moved to, and the way back from them.
        self.around = [
            [
                (place[there], BACK[direction])
                for direction in range(STAY)
                if direction != BACK[move] and (there := _step(DELTAS[move], direction)) in place
            ]
            for move in range(STAY)
        ]


def _step(cell: tuple[int, int], direction: int) -> tuple[int, int]:
    return cell[0] + DELTAS[direction][0], cell[1] + DELTAS[direction][1]


class _Plan(NamedTuple):
    """What follows a node: both states, the window after the step, and what the new cell stands beside."""

    p: int
    q: int
    window: tuple[int, ...]
    spots: tuple[Spot, ...]  # none if the cell is known


class Places:
    """The search: nodes, what may stand beside what, and where RIGHT fails."""

    def __init__(
        self,
        left: Sequence[Row],
        right: Sequence[Row],
        ground: Ground,
        detail: Detail,
        limit: int = LIMIT,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.left, self.right, self.ground, self.detail = left, right, ground, detail
        self.limit, self.progress = limit, progress
        self.beside = Beside(max(detail.kinds) + 1)
        self.failures: list[Node] = []
        self.stuck = 0
        self.plans: dict[Node, _Plan | None] = {}
        self._shape = _Shape(detail.radius)
        self._work: list[Node] = []
        self._followed: dict[Node, int] = {}
        self._onward: dict[int, set[int]] = {}  # from kinds of states to those that follow
        self._rewritten: dict[Spot, set[tuple[int, int]]] = {}  # to kind and label
        self._waiting: dict[Spot, list[Node]] = {}
        self._search()

    def _search(self) -> None:
        """To the fixpoint: nodes, and pairs of neighbours, until neither brings anything new."""
        number = self.beside.number
        for direction, label, other in self.ground.pairs:
            self.beside.add(self.detail.kinds[0], direction, number(label), 1 << number(other))
        for label in self.ground.starts:
            self._reach((0, 0, (number(label), *[UNKNOWN] * (len(self._shape.cells) - 1))))
        while self._work or self.beside.changed:
            if self._work:
                self._visit(self._work.pop())
            else:
                self._spread(self.beside.pop())

    def _reach(self, node: Node) -> None:
        if node not in self.plans:
            if len(self.plans) >= self.limit:
                raise TooLarge(len(self.plans))
            self.plans[node] = None
            self._work.append(node)
            if len(self.plans) % 1024 == 0:
                self.progress(len(self.plans))

    def _visit(self, node: Node) -> None:
        """Does the step of a node, and puts down what it changes."""
        p, q, window = node
        symbol, row, column, _ = self.beside.labels[window[0]]
        entry, other = self.left[p][symbol], self.right[q][symbol]
        if entry is None:
            self.stuck += 1
            return
        if other is None or other[:2] != entry[:2]:
            self.failures.append(node)
            return
        if entry.is_idle(symbol):
            return
        kind, later = self.detail.kinds[p], self.detail.kinds[entry.next]
        label = self.beside.number((entry.write, row, column, self.detail.marks[p]))
        known = [label, *window[1:], UNKNOWN]
        self._flow(kind, later)
        self._forget(known, entry.move, later)
        self._rewrite(window, label, entry.move, kind, later)
        after = tuple([known[i] for i in self._shape.sources[entry.move]])
        spots: tuple[Spot, ...] = ()
        if after[0] == UNKNOWN:
            around = self._shape.around[entry.move]
            others = [(kind, back, window[i]) for i, back in around if window[i] != UNKNOWN]
            spots = ((kind, entry.move, window[0]), *others)
        self.plans[node] = _Plan(entry.next, other.next, after, spots)
        for spot in spots:
            self._waiting.setdefault(spot, []).append(node)
        self._follow(node)

    def _flow(self, kind: int, later: int) -> None:
        """What stands in the world stays there when the kind of state changes."""
        onward = self._onward.setdefault(kind, set())
        if kind != later and later not in onward:
            onward.add(later)
            for direction in (DOWN, RIGHT_):
                for label, others in enumerate(self.beside.masks[kind][direction]):
                    self.beside.add(later, direction, label, others)

    def _forget(self, known: list[int], move: int, later: int) -> None:
        """Pairs of known neighbours that are no longer both in the window are put down."""
        for one, other, direction in self._shape.lost[move]:
            if known[one] != UNKNOWN and known[other] != UNKNOWN:
                self.beside.add(later, direction, known[one], 1 << known[other])

    def _rewrite(self, window: tuple[int, ...], label: int, move: int, kind: int, later: int) -> None:
        """What may stand beside the old label may stand beside the new one; the cell moved to gets known."""
        for direction, near in enumerate(self._shape.near):
            if window[near] == UNKNOWN and direction != move and (label != window[0] or kind != later):
                spot = (kind, direction, window[0])
                targets = self._rewritten.setdefault(spot, set())
                if (later, label) not in targets:
                    targets.add((later, label))
                    self.beside.add(later, direction, label, self.beside.masks[kind][direction][window[0]])

    def _spread(self, spot: Spot) -> None:
        """Passes a change of what may stand somewhere on to all that depends on it."""
        kind, direction, label = spot
        others = self.beside.masks[kind][direction][label]
        for later in self._onward.get(kind, ()):
            self.beside.add(later, direction, label, others)
        for later, after in self._rewritten.get(spot, ()):
            self.beside.add(later, direction, after, others)
        for node in self._waiting.get(spot, ()):
            self._follow(node)

    def _follow(self, node: Node) -> None:
        """Reaches the nodes after one, for every label that the cell moved to may have by now."""
        plan = self.plans[node]
        assert plan is not None
        if not plan.spots:
            self._reach((plan.p, plan.q, plan.window))
            return
        new = self._options(plan) & ~self._followed.get(node, 0)
        if new:
            self._followed[node] = self._followed.get(node, 0) | new
            for label in bits(new):
                self._reach((plan.p, plan.q, (label, *plan.window[1:])))

    def _options(self, plan: _Plan) -> int:
        options = -1
        for kind, direction, label in plan.spots:
            options &= self.beside.masks[kind][direction][label]
        return options

    def steps(self, node: Node) -> Iterator[Node]:
        """The nodes after one, once the search is done."""
        plan = self.plans[node]
        if plan and not plan.spots:
            yield plan.p, plan.q, plan.window
        elif plan:
            for label in bits(self._options(plan)):
                yield plan.p, plan.q, (label, *plan.window[1:])

    def ahead(self) -> dict[tuple[int, int, int], int]:
        """For both states and the symbol read, the fewest steps to a failure, where one can be reached."""
        before: dict[Node, list[Node]] = {}
        for node in self.plans:
            for after in self.steps(node):
                before.setdefault(after, []).append(node)
        steps = dict.fromkeys(self.failures, 1)
        work = list(steps)
        for node in work:
            for earlier in before.get(node, ()):
                if earlier not in steps:
                    steps[earlier] = steps[node] + 1
                    work.append(earlier)
        least: dict[tuple[int, int, int], int] = {}
        for (p, q, window), number in steps.items():
            least.setdefault((p, q, self.beside.labels[window[0]][0]), number)
        return least


class PlaceProof(NamedTuple):
    """Why RIGHT follows LEFT on a ground: nodes and pairs, closed under every step."""

    columns: Columns | None  # of the declared inputs; None for all worlds
    detail: Detail
    labels: tuple[Label, ...]
    below: tuple[tuple[int, ...], ...]  # for each kind and label, the labels that may stand below, as bits
    right: tuple[tuple[int, ...], ...]
    nodes: tuple[Node, ...]


def place_proof(found: Places) -> PlaceProof:
    masks = found.beside.masks
    return PlaceProof(
        found.ground.columns,
        found.detail,
        tuple(found.beside.labels),
        tuple(tuple(directions[DOWN]) for directions in masks),
        tuple(tuple(directions[RIGHT_]) for directions in masks),
        tuple(found.plans),
    )


class PlaceGuide(NamedTuple):
    """The way ahead as places know it; it needs no notes."""

    least: dict[tuple[int, int, int], int]

    def ahead(self, notes: int, p: int, q: int, symbol: int) -> int | None:  # noqa: ARG002
        return self.least.get((p, q, symbol))

    def after(self, notes: int, write: int, move: int) -> int:  # noqa: ARG002
        return notes


def details(left: Table, radius: int) -> tuple[Detail, Detail]:
    """Coarse: no marks, a kind a family of states. Fine: a mark a family, a kind a state."""
    family = left.family_numbers()
    return (
        Detail(radius, (0,) * len(family), family),
        Detail(radius, family, tuple(range(len(family)))),
    )
