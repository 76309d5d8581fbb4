"""Two tables on given initial worlds: windows of labels, and which labels may be neighbours beyond them.

A plain window forgets for good. Here every cell has a label, and of neighbouring cells that are not both in
the window it is remembered which labels they may have. So an unread cell holds what the input clause says,
and a cell that comes back into the window holds what may stand beside its neighbours.

Label. In a run, a cell has one label at a time: its symbol; its row, as far as rows are told apart; its
column, by where in the input it lies; and its mark: *fresh*, or the mark of LEFT's state that acted on it
last. Row and column never change. Where all worlds are asked about there is one row and one column.

Abstract state. A triple (p, q, ω): a state of LEFT, a state of RIGHT, and a window ω, which maps the cells
within an L1 distance r ≥ 1 of the head to a label or to *unknown*; the head's own cell is known. Beside all
of them there is one adjacency A: for every kind k of LEFT's states (a kind is a set of states, each in one)
and every direction d, A(k, d) is a set of pairs of labels.

Concretisation. Under A, γ(p, q, ω) is the set of all labelled worlds with a head in which
  (1) every cell that ω knows, as seen from the head, has the label that ω gives it;
  (2) of any cell with label a and its neighbour in direction d with label b, of which ω does not know both,
      (a, b) is in A(kind(p), d).

Abstract step. It begins in both start states, for each label a that the first cell may have, with ω knowing
just that, and with A(kind(start), d) holding all pairs of the initial worlds. The head's label tells what
is read. LEFT's halt closes the branch, and so does LEFT stuck where the claim allows it; RIGHT differing,
or a stuck side that the claim does not allow, is a *failure*. Otherwise let k and k' be the kinds of LEFT's
state before and after, a the head's old label and a' its new one: the symbol written, the same row and
column, and p's mark. ω gets a', is shifted with the head, and forgets what is further away than r. If the
cell that the head moves to is not known in ω, the step is taken for every label that A(k, ·) allows beside
a and beside each other neighbour that ω knows. And A grows:
  (flow)     A(k', d) holds all of A(k, d);
  (forget)   two neighbours that were known, a' among them, and are no longer both in the window: their pair
             is in A(k', d);
  (rewrite)  where ω did not know the head's neighbour in direction d, and the head does not move there, all
             that A(k, d) has beside a is in A(k', d) beside a'.
States and A only grow, and there are finitely many of both, so there is a least fixpoint, which is what
`NeighbourhoodAnalysis` computes.

Theorem. If no failure is among its states, RIGHT's trace is LEFT's on every initial world, up to where LEFT
halts or is stuck, and where LEFT is stuck the claim allows it.

Proof. By induction over the steps of a run: as long as both have acted alike they share one world and one
head, and these lie in γ of a state of the fixpoint with both their states. At first (1) holds since the
head's label is among the starts, and (2) since all pairs of the initial worlds are in A. In a step the
symbol read is the head's, by (1); RIGHT does not fail on it, so both act alike or LEFT is done. (1) holds
again: a' is the true label, all other cells keep theirs, and the one moved to has, by (2) before the step,
one of the labels that are tried. (2) holds again, for two neighbours that are not both known afterwards: if
neither is the cell written and they were not both known before, by (flow); if both were known, by (forget),
with a' for the cell written; if one is the cell written and the other was unknown, by (rewrite). The head's
move excepts no more than the cell moved to, which is known afterwards together with the cell written, since
r ≥ 1.

Incomplete. A knows pairs alone: a cell that comes back may have any label that fits each of its neighbours,
though none fits them all as they came about. It is one for all states of a kind, and what was true once
stays in it. Cells of one label are not told apart, however far from each other, and neither are rows far
from row 0. So a failure is only a suspicion, as in `windows.py`, and `concretize.py` looks for a
world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from compiler.automata.explore import TooLarge, steps_ahead
from compiler.proofs.abstractions.adjacency import DOWN, RIGHTWARDS, Adjacency, Label, Side, bits
from compiler.proofs.abstractions.ball import Ball
from compiler.proofs.abstractions.initial_worlds import Columns, InitialWorlds
from compiler.proofs.abstractions.windows import MOST_NODES, NODES_PER_REPORT, UNKNOWN
from compiler.proofs.joint_step import LEFT_STUCK, RIGHT_DIFFERS, UNASKED, Stuck, joint_step
from gridlang.table import Entry, Row, Table

# An abstract state: both tables' states, and the labels of the cells of a ball by their numbers.
Node = tuple[int, int, tuple[int, ...]]


class Detail(NamedTuple):
    """How much is told apart: the radius, the mark that a state leaves, the kind that it is, and how many
    columns a column of an input looks ahead.
    """

    radius: int
    marks: tuple[int, ...]
    kinds: tuple[int, ...]
    ahead: int = 0


class _Onward(NamedTuple):
    """What follows a node: both states, the window after the step, and the sides on which the new cell is."""

    p: int
    q: int
    window: tuple[int, ...]
    sides: tuple[Side, ...]  # There are none if the cell was known.


class NeighbourhoodAnalysis:
    """The least fixpoint: abstract states, what may be neighbours, and the states where RIGHT fails.

    `onward` has all abstract states, each with what follows it, or None where nothing does.
    """

    def __init__(
        self,
        left: Sequence[Row],
        right: Sequence[Row],
        initial: InitialWorlds,
        detail: Detail,
        limit: int = MOST_NODES,
        progress: Callable[[int], None] = lambda _: None,
        stuck: Stuck = UNASKED,
    ) -> None:
        self.left, self.right, self.initial, self.detail = left, right, initial, detail
        self.limit, self.progress, self.claimed_stuck = limit, progress, stuck
        self.adjacency = Adjacency(max(detail.kinds) + 1)
        self.failing: list[Node] = []
        self.stuck = 0
        self.onward: dict[Node, _Onward | None] = {}
        self._ball = Ball(detail.radius)
        self._work: list[Node] = []
        self._followed_labels: dict[Node, int] = {}  # They are bits of a number.
        self._later_kinds: dict[int, set[int]] = {}
        self._rewritten: dict[Side, set[tuple[int, int]]] = {}  # They are kinds and labels.
        self._dependents: dict[Side, list[Node]] = {}
        self._saturate()

    def _saturate(self) -> None:
        """Nodes, and pairs of neighbours, until neither brings anything new.

        This is no exploration: a node has more successors once more labels may be neighbours. The last node
        comes first, which keeps few waiting; the fixpoint is the same in any order.
        """
        number = self.adjacency.number
        for direction, label, other in self.initial.pairs:
            self.adjacency.add(self.detail.kinds[0], direction, number(label), 1 << number(other))
        for label in self.initial.starts:
            self._reach((0, 0, (number(label), *[UNKNOWN] * (len(self._ball.cells) - 1))))
        while self._work or self.adjacency.changed:
            if self._work:
                self._visit(self._work.pop())
            else:
                self._spread(self.adjacency.next_change())

    def _reach(self, node: Node) -> None:
        if node not in self.onward:
            if len(self.onward) >= self.limit:
                raise TooLarge(len(self.onward))
            self.onward[node] = None
            self._work.append(node)
            if len(self.onward) % NODES_PER_REPORT == 0:
                self.progress(len(self.onward))

    def _visit(self, node: Node) -> None:
        """Does the joint step of a node, or closes it."""
        p, q, window = node
        symbol = self.adjacency.labels[window[0]][0]
        step = joint_step(self.left[p][symbol], self.right[q][symbol], symbol, self.claimed_stuck)
        if isinstance(step, tuple):
            self._act(node, *step)
        elif step is LEFT_STUCK:
            self.stuck += 1
        elif step is RIGHT_DIFFERS:
            self.failing.append(node)

    def _act(self, node: Node, entry: Entry, after_q: int) -> None:
        """Puts down what a step changes, and what follows it."""
        p, _, window = node
        _, row, column, _ = self.adjacency.labels[window[0]]
        kind, later = self.detail.kinds[p], self.detail.kinds[entry.next]
        label = self.adjacency.number((entry.write, row, column, self.detail.marks[p]))
        known = [label, *window[1:], UNKNOWN]
        self._flow(kind, later)
        self._forget(known, entry.move, later)
        self._rewrite(window, label, entry.move, kind, later)
        after = tuple([known[i] for i in self._ball.sources[entry.move]])
        sides: tuple[Side, ...] = ()
        if after[0] == UNKNOWN:
            around = self._ball.beside_target[entry.move]
            others = [(kind, back, window[i]) for i, back in around if window[i] != UNKNOWN]
            sides = ((kind, entry.move, window[0]), *others)
        self.onward[node] = _Onward(entry.next, after_q, after, sides)
        for side in sides:
            self._dependents.setdefault(side, []).append(node)
        self._follow(node)

    def _flow(self, kind: int, later: int) -> None:
        """What stands in the world stays there when the kind of state changes."""
        later_kinds = self._later_kinds.setdefault(kind, set())
        if kind != later and later not in later_kinds:
            later_kinds.add(later)
            for direction in (DOWN, RIGHTWARDS):
                for label, others in enumerate(self.adjacency.neighbours[kind][direction]):
                    self.adjacency.add(later, direction, label, others)

    def _forget(self, known: list[int], move: int, later: int) -> None:
        """Pairs of known neighbours that are no longer both in the window are put down."""
        for cell, there, direction in self._ball.lost[move]:
            if known[cell] != UNKNOWN and known[there] != UNKNOWN:
                self.adjacency.add(later, direction, known[cell], 1 << known[there])

    def _rewrite(self, window: tuple[int, ...], label: int, move: int, kind: int, later: int) -> None:
        """What may stand beside the old label may stand beside the new one; the cell moved to gets known."""
        old = window[0]
        if label == old and kind == later:
            return
        for direction, near in enumerate(self._ball.beside_head):
            if window[near] == UNKNOWN and direction != move:
                targets = self._rewritten.setdefault((kind, direction, old), set())
                if (later, label) not in targets:
                    targets.add((later, label))
                    others = self.adjacency.neighbours[kind][direction][old]
                    self.adjacency.add(later, direction, label, others)

    def _spread(self, side: Side) -> None:
        """Passes a change of what may stand on a side on to all that depends on it."""
        kind, direction, label = side
        others = self.adjacency.neighbours[kind][direction][label]
        for later in self._later_kinds.get(kind, ()):
            self.adjacency.add(later, direction, label, others)
        for later, after in self._rewritten.get(side, ()):
            self.adjacency.add(later, direction, after, others)
        for node in self._dependents.get(side, ()):
            self._follow(node)

    def _follow(self, node: Node) -> None:
        """Reaches the nodes after one, for every label that the cell moved to may have by now."""
        onward = self.onward[node]
        assert onward is not None
        if not onward.sides:
            self._reach((onward.p, onward.q, onward.window))
            return
        new = self._labels_on(onward.sides) & ~self._followed_labels.get(node, 0)
        if new:
            self._followed_labels[node] = self._followed_labels.get(node, 0) | new
            for label in bits(new):
                self._reach((onward.p, onward.q, (label, *onward.window[1:])))

    def _labels_on(self, sides: tuple[Side, ...]) -> int:
        """The labels that may stand on all of these sides at once, as bits."""
        common = -1
        for kind, direction, label in sides:
            common &= self.adjacency.neighbours[kind][direction][label]
        return common

    def steps(self, node: Node) -> Iterator[Node]:
        """The nodes after one, once the fixpoint is reached."""
        onward = self.onward[node]
        if onward and not onward.sides:
            yield onward.p, onward.q, onward.window
        elif onward:
            for label in bits(self._labels_on(onward.sides)):
                yield onward.p, onward.q, (label, *onward.window[1:])

    def ahead(self) -> dict[tuple[int, int, int], int]:
        """For both states and the symbol read, the fewest steps to a failure, where one can be reached."""
        least: dict[tuple[int, int, int], int] = {}
        for (p, q, window), steps in steps_ahead(self.failing, self.onward, self.steps).items():
            least.setdefault((p, q, self.adjacency.labels[window[0]][0]), steps)
        return least


class NeighbourhoodProof(NamedTuple):
    """Why RIGHT follows LEFT on the initial worlds: nodes and pairs, closed under every step."""

    columns: Columns | None  # None stands for all worlds.
    detail: Detail
    labels: tuple[Label, ...]
    below: tuple[tuple[int, ...], ...]  # Each kind and label has the labels below as bits.
    right: tuple[tuple[int, ...], ...]
    nodes: tuple[Node, ...]


def neighbourhood_proof(analysis: NeighbourhoodAnalysis) -> NeighbourhoodProof:
    """The fixpoint as evidence; it proves something where nothing fails."""
    neighbours = analysis.adjacency.neighbours
    return NeighbourhoodProof(
        analysis.initial.columns,
        analysis.detail,
        tuple(analysis.adjacency.labels),
        tuple(tuple(directions[DOWN]) for directions in neighbours),
        tuple(tuple(directions[RIGHTWARDS]) for directions in neighbours),
        tuple(analysis.onward),
    )


def details(left: Table, radius: int) -> tuple[Detail, Detail]:
    """Coarse: no marks, a kind a family of states. Fine: a mark a family, a kind a state."""
    family = left.family_numbers()
    return (
        Detail(radius, (0,) * len(family), family),
        Detail(radius, family, tuple(range(len(family)))),
    )
