"""Two tables on a strip of rows: the world as a tape of columns, told apart by side of the head.

Most agents stay within a few rows of their input. Then the world is a row of columns, each a few cells high,
and all that is not under the head lies on its left or on its right. What may stand there is remembered by
*grams*: a column, and roughly what stands next to it, going outwards. They are kept for each side alone, so
what an agent has left behind on one side is never taken for what lies ahead on the other.

Labels, coarse numbers, states and grams are those of (V8) in `compiler/verifier/strips`, which asks that they
are closed under every step; `StripAnalysis` computes the least that are. On all worlds and on inputs, RIGHT
differing is a *failure*, and so is a step out of the strip, unless it is a descent that never comes back.

Detail. Where it is `dimmed`, a label that is written keeps but the class of each symbol, so that fewer are
told apart; it stands for more worlds, so the proof is the same. Nothing depends on how marks, kinds and
coarse numbers are chosen. They decide only how much is remembered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from gridlang.compiler.automata.explore import TooLarge
from gridlang.compiler.proofs.abstractions.columns import (
    FRESH,
    LEFT_SIDE,
    RIGHT_SIDE,
    Columns,
    ExpectedColumns,
)
from gridlang.compiler.proofs.abstractions.descents import Descent, Leg, descents
from gridlang.compiler.proofs.abstractions.first_columns import FirstColumns
from gridlang.compiler.proofs.abstractions.strip_labels import Marks, StripDetail, StripLabels, symbol_classes
from gridlang.compiler.proofs.joint_step import (
    LEFT_STUCK,
    RIGHT_DIFFERS,
    UNASKED,
    Ending,
    Place,
    Stuck,
    joint_step,
)
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.reports import report
from gridlang.table import DELTAS, Entry, Row, Table

# An abstract state: both tables' states, the head's row, coarse numbers on the left, label, and on the right.
Node = tuple[int, int, int, tuple[int, ...], int, tuple[int, ...]]
Gram = tuple[int, ...]  # a label, and the coarse numbers of the columns beyond it
Waiting = tuple[int, int, int, Gram]  # both tables' states, the head's row, and what lies behind it
Places = Columns | ExpectedColumns | None  # None stands for all worlds.


class Move(NamedTuple):
    """A step of both, to a side or in the column: kinds before and after, LEFT's entry, RIGHT's state and the
    row after it, the label that it leaves and its coarse number.
    """

    side: int | None
    kind: int
    later: int
    entry: Entry
    right: int
    row: int
    label: int
    coarse: int


class _LeftStrip(Exception):
    """The head may come to a row outside of the strip."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class StripAnalysis:
    """The least fixpoint on the rows from `low` to `high`, or as far as the first failure."""

    def __init__(
        self,
        left: Table,
        right: Sequence[Row],
        places: Places,
        detail: StripDetail,
        rows: tuple[int, int],
        stuck: Stuck,
        limit: int,
    ) -> None:
        self.left, self.right, self.detail, self.rows = left, right, detail, rows
        self.expected = places if isinstance(places, ExpectedColumns) else None
        self.columns = places.columns if isinstance(places, ExpectedColumns) else places
        self.claim, self.limit = stuck, limit
        self.labels = StripLabels(symbol_classes(left), *rows)
        self.marks = Marks(detail.marks, detail.remembers)
        kinds = max(detail.kinds) + 1
        # A gram (x; w) is kept under what is asked for: the coarse number of x, and w without its last.
        self.grams: list[list[dict[Gram, set[tuple[int, int]]]]] = [
            [{} for _ in range(kinds)] for _ in (0, 1)
        ]
        self.nodes: dict[Node, None] = {}
        self.failure: Place | None = None
        self.stuck = 0
        self.descents: dict[Descent, Leg] = {}
        self.halting: list[Node] = []
        self._steps: dict[tuple[int, int, int, int], list[Move | Ending | Place]] = {}  # states, row, label
        self._waiting: list[list[dict[Gram, set[Waiting]]]] = [
            [{} for _ in range(kinds)] for _ in (LEFT_SIDE, RIGHT_SIDE)
        ]
        self._later_kinds: list[set[int]] = [set() for _ in range(kinds)]
        self._grams_left = LIMITS.grams_of_a_node * limit
        self._work: list[Node] = []
        self._new_grams: list[tuple[int, int, Gram, tuple[int, int]]] = []
        self._begin(places)
        self._saturate()
        self.nodes = dict.fromkeys(sorted(self.nodes, key=lambda node: node[:3]))

    def _saturate(self) -> None:
        while (self._work or self._new_grams) and self.failure is None:
            if self._new_grams:
                self._spread(*self._new_grams.pop())
            else:
                self._visit(self._work.pop())

    def _begin(self, places: Places) -> None:
        """The grams and states of the worlds of the scope."""
        if places is None:
            self._begin_anywhere()
            return
        first = FirstColumns(places, self.labels, self.detail.depth)
        for side, gram in first.grams():
            self._add_gram(side, gram)
        for far, label, near in first.heads():
            self._reach((0, 0, 0, far, label, near))

    def _begin_anywhere(self) -> None:
        """All worlds: any symbols in any column."""
        depth, coarse = self.detail.depth, self.labels.coarse
        symbols = range(len(self.left.symbols))
        if len(symbols) ** self.labels.height > LIMITS.most_labels_at_first:
            raise TooLarge(len(symbols) ** self.labels.height)
        fresh = [
            self.labels.number((cells, 0, FRESH)) for cells in product(symbols, repeat=self.labels.height)
        ]
        words = list(product(sorted({coarse[label] for label in fresh}), repeat=depth))
        for label, word in product(fresh, words):
            self._add_gram(LEFT_SIDE, (label, *word))
            self._add_gram(RIGHT_SIDE, (label, *word))
            for other in words:
                self._reach((0, 0, 0, other, label, word))

    def _reach(self, node: Node) -> None:
        if node not in self.nodes:
            if len(self.nodes) >= self.limit:
                raise TooLarge(len(self.nodes))
            self.nodes[node] = None
            self._work.append(node)
            if len(self.nodes) % LIMITS.nodes_per_report == 0:
                report(len(self.nodes))

    def _add_gram(self, side: int, gram: Gram) -> None:
        """A gram of the worlds of the scope."""
        self._add(side, self.detail.kinds[0], (self.labels.coarse[gram[0]], *gram[1:-1]), (gram[0], gram[-1]))

    def _add(self, side: int, kind: int, key: Gram, ends: tuple[int, int]) -> None:
        known = self.grams[side][kind].get(key)
        if known is None:
            known = self.grams[side][kind][key] = set()
        if ends not in known:
            known.add(ends)
            self._grams_left -= 1
            if self._grams_left < 0:
                raise TooLarge(self.limit)
            self._new_grams.append((side, kind, key, ends))

    def _spread(self, side: int, kind: int, key: Gram, ends: tuple[int, int]) -> None:
        """Passes a new gram on to later kinds, and to all states that wait for one like it."""
        for later in self._later_kinds[kind]:
            self._add(side, later, key, ends)
        waiting = self._waiting[side][kind].get(key)
        if waiting:
            label, beyond = ends[0], (*key[1:], ends[1])
            for p, q, row, behind in tuple(waiting):
                self._reach(_at_head(side, p, q, row, behind, label, beyond))

    def _visit(self, node: Node) -> None:
        """Puts down what the steps of a state change, and reaches what follows them."""
        _, _, row, left, _, right = node
        for step in self._steps_of(node):
            if isinstance(step, Move):
                side, kind, later, (_, _, to), r, y, after, coarse = step
                self._flow(kind, later)
                if side is None:
                    if self.rows[0] <= y <= self.rows[1]:
                        self._reach((to, r, y, left, after, right))
                    else:
                        self._descend((to, r, y - row), y)
                    continue
                key, behind = (right, left) if side == RIGHT_SIDE else (left, right)
                near = (coarse, *behind[:-1])
                self._add(1 - side, later, near, (after, behind[-1]))
                self._wait(side, kind, (to, r, y, near), key)
            elif step is LEFT_STUCK:
                self.stuck += 1
            elif isinstance(step, Place):
                self.failure = step
                return
            else:
                self.halting.append(node)

    def reads(self, node: Node) -> tuple[int, ...]:
        return self.labels.symbols(self.labels.labels[node[4]][0][node[2] - self.rows[0]])

    def steps(self, node: Node) -> Iterator[tuple[int, Move | Ending | Place]]:
        return zip(self.reads(node), self._steps_of(node), strict=True)

    def after(self, node: Node, move: Move) -> Iterator[Node]:
        """The states that a step leads to; none where the head leaves the strip."""
        _, _, _, left, _, right = node
        side, kind, _, (_, _, p), q, row, label, coarse = move
        if side is None:
            if self.rows[0] <= row <= self.rows[1]:
                yield p, q, row, left, label, right
            return
        key, behind = (right, left) if side == RIGHT_SIDE else (left, right)
        near = (coarse, *behind[:-1])
        for entered, last in self.grams[side][kind].get(key, ()):
            yield _at_head(side, p, q, row, near, entered, (*key[1:], last))

    def chain(self, side: int, kind: int, near: int) -> set[int]:
        """The coarse numbers of columns that may stand on a side, from one on, at depth 1."""
        seen, work = {near}, [near]
        for coarse in work:
            new = {beyond for _, beyond in self.grams[side][kind].get((coarse,), ())} - seen
            seen |= new
            work += new
        return seen

    def _steps_of(self, node: Node) -> list[Move | Ending | Place]:
        """What both do on each symbol that may be read, whatever lies beside the head; a place of failure."""
        p, q, row, _, label, _ = node
        steps = self._steps.get((p, q, row, label))
        if steps is not None:
            return steps
        steps = self._steps[p, q, row, label] = []
        kinds = self.detail.kinds
        mark = self.marks.after(self.labels.labels[label][2], p)
        for symbol in self.reads(node):
            step = joint_step(self.left.rows[p][symbol], self.right[q][symbol], symbol, self.claim)
            if isinstance(step, tuple):
                entry, r = step
                after = self.labels.written(label, row, entry.write, mark, self.detail.dimmed)
                dx, dy = DELTAS[entry.move]
                side = None if dx == 0 else RIGHT_SIDE if dx > 0 else LEFT_SIDE
                coarse = self.labels.coarse[after]
                steps.append(Move(side, kinds[p], kinds[entry.next], entry, r, row + dy, after, coarse))
            else:
                steps.append(Place(p, q, symbol) if step is RIGHT_DIFFERS else step)
        return steps

    def _wait(self, side: int, kind: int, waiting: Waiting, key: Gram) -> None:
        """A state goes on to the columns that grams tell, now and later."""
        others = self._waiting[side][kind].get(key)
        if others is None:
            others = self._waiting[side][kind][key] = set()
        if waiting not in others:
            others.add(waiting)
            p, q, row, behind = waiting
            for label, last in self.grams[side][kind].get(key, ()):
                self._reach(_at_head(side, p, q, row, behind, label, (*key[1:], last)))

    def _descend(self, descent: Descent, row: int) -> None:
        """The head leaves the strip: for good, or the strip is too narrow."""
        if descent not in self.descents:
            legs = None if self.columns is None else descents(self.left.rows, self.right, descent, self.claim)
            if legs is None:
                raise _LeftStrip(row)
            self.stuck += sum(leg.stuck for known, leg in legs.items() if known not in self.descents)
            self.descents |= legs

    def _flow(self, kind: int, later: int) -> None:
        """What stands in the world stays there when the kind of state changes."""
        if kind != later and later not in self._later_kinds[kind]:
            self._later_kinds[kind].add(later)
            for side in (LEFT_SIDE, RIGHT_SIDE):
                for key, known in self.grams[side][kind].items():
                    for ends in known:
                        self._add(side, later, key, ends)

    def grams_of(self, side: int, kind: int) -> list[Gram]:
        return [
            (label, *key[1:], last) for key, ends in self.grams[side][kind].items() for label, last in ends
        ]

    def pairs(self) -> set[tuple[int, int]]:
        """LEFT's states with the symbols that they may read: at least all that some run comes to."""
        read = {pair for leg in self.descents.values() for pair in leg.pairs}
        return read.union((node[0], symbol) for node in self.nodes for symbol in self.reads(node))


def _at_head(side: int, p: int, q: int, row: int, behind: Gram, label: int, beyond: Gram) -> Node:
    """The state whose head has come to a column on a side."""
    left, right = (behind, beyond) if side == RIGHT_SIDE else (beyond, behind)
    return p, q, row, left, label, right


def strip_evidence(analysis: StripAnalysis) -> dict[str, Any]:
    """Why RIGHT follows LEFT where nothing fails: states and grams, closed under every step."""
    detail, columns, labels = analysis.detail, analysis.columns, analysis.labels
    # Kinds with the same grams are one, and states of the same row stand together: the file is shorter.
    sides: dict[tuple[tuple[Gram, ...], ...], int] = {}
    kinds = [
        sides.setdefault(
            tuple(tuple(sorted(analysis.grams_of(side, kind))) for side in (LEFT_SIDE, RIGHT_SIDE)),
            len(sides),
        )
        for kind in range(max(detail.kinds) + 1)
    ]
    elements: dict[tuple[int, ...], list[int]] = {}
    for p, q, row, near, label, far in analysis.nodes:
        elements.setdefault((p, q, row), [p, q, row]).extend((*near, label, *far))
    return {
        "kind": "strips",
        "rows": analysis.rows,
        "depth": detail.depth,
        "dim": detail.dimmed,
        "columns": columns and {"starts": columns.starts, "steps": columns.steps},
        "classes": labels.classes,
        "marks": analysis.marks.evidence(),
        "kinds": [kinds[kind] for kind in detail.kinds],
        "labels": [(*cells, place, mark) for cells, place, mark in labels.labels],
        "coarse": labels.coarse,
        "left": [left for left, _ in sides],
        "right": [right for _, right in sides],
        "elements": list(elements.values()),
        "descents": [(*descent, leg.steps) for descent, leg in analysis.descents.items()],
    }


def strip_analysis(
    left: Table,
    right: Sequence[Row],
    places: Places,
    detail: StripDetail,
    stuck: Stuck = UNASKED,
    limit: int = LIMITS.most_strip_nodes,
    rows: tuple[int, int] = (0, 0),
) -> StripAnalysis | None:
    """The analysis on these rows and as few more as the head stays in, or leaves for good; None if too many.

    TooLarge where there are more abstract states than the limit.
    """
    low, high = rows
    while high - low < LIMITS.most_strip_rows:
        try:
            return StripAnalysis(left, right, places, detail, (low, high), stuck, limit)
        except _LeftStrip as outside:
            low, high = min(low, outside.row), max(high, outside.row)
    return None
