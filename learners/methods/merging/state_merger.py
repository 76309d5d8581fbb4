"""Red-blue merging of a prefix tree's states, in plain Python: the definition.

Red nodes are states of the result, the root first. Blue ones are the other nodes that red edges lead to; each
is the root of a tree. A blue tree can be folded into a red node where all that is known of both agrees: the
same action after the same reads, however far. A blue node that agrees with no red one becomes red. The order
says what is done first:

breadth    The first blue node, breadth first, is folded into the first red one that it agrees with: RPNI.
evidence   The score of a blue and a red node counts the edges that agree when one is folded into the other,
           and the margin of a blue node is by how much its best score exceeds the second, or nothing. The
           greatest margin is folded first, so that what is uncertain waits until more is known (EDSM takes
           the greatest score). Of equal scores that red node is taken to which most rules of the same state
           lead that move alike, then that to which most rules lead. Blue nodes are looked at from the
           largest tree on.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from gridlang.compiler.automata.acts import NOWHERE, UNSEEN
from gridlang.learners.methods.prefix_tree import TreeEdge
from gridlang.table import MOVES

BREADTH, EVIDENCE = "breadth", "evidence"
ORDERS = (EVIDENCE, BREADTH)


class Decision(NamedTuple):
    """A blue node that was folded into the red one of a state, or became a state itself if that is None."""

    node: int
    state: int | None
    score: int
    margin: int


class _Edge(NamedTuple):
    action: int
    target: int


class StateMerger:
    """Edges are kept by node and symbol; what a fold adds is undone from a log."""

    def __init__(self, symbols: int, edges: Iterable[TreeEdge], order: str) -> None:
        self.order, self.symbols = order, symbols
        self.edges: list[dict[int, _Edge]] = [{}]
        for source, symbol, action, target in edges:
            self.edges[source][symbol] = _Edge(action, target)
            if target != NOWHERE:
                self.edges.append({})
        self.state_of: dict[int, int] = {0: 0}
        self.log: list[tuple[int, int]] = []

    @property
    def states(self) -> int:
        return len(self.state_of)

    def steps(self, wanted: int) -> list[Decision]:
        """As many promotions and merges as are wanted, or all that are left."""
        return list(islice(iter(self._step, None), wanted))

    def _step(self) -> Decision | None:
        """One promotion or merge; None when all is red."""
        blues = {
            edge.target: (red, symbol)
            for red in self.state_of
            for symbol, edge in self.edges[red].items()
            if edge.target != NOWHERE and edge.target not in self.state_of
        }
        if not blues:
            return None
        if self.order == BREADTH:
            first = min(blues)
            chosen = self._best(first, *blues[first])
        else:
            chosen = self._most_certain(blues)
        if chosen.state is None:
            self.state_of[chosen.node] = len(self.state_of)
        else:
            self._fold(list(self.state_of)[chosen.state], chosen.node, *blues[chosen.node])
        return chosen

    def lists(self) -> tuple[list[list[int]], list[list[int]]]:
        """Actions, UNSEEN where there is none, and next states, NOWHERE where nothing follows."""
        action = [[UNSEEN] * self.symbols for _ in self.state_of]
        after = [[NOWHERE] * self.symbols for _ in self.state_of]
        for node, state in self.state_of.items():
            for symbol, edge in self.edges[node].items():
                action[state][symbol] = edge.action
                after[state][symbol] = self.state_of.get(edge.target, NOWHERE)
        return action, after

    def _most_certain(self, blues: dict[int, tuple[int, int]]) -> Decision:
        """The greatest margin, or the first that agrees with no red node. No margin exceeds a tree's size."""
        size = {blue: self._size(blue) for blue in blues}
        best: Decision | None = None
        for blue in sorted(blues, key=lambda blue: (-size[blue], blue)):
            if best and best.margin >= size[blue]:
                break
            here = self._best(blue, *blues[blue])
            if here.state is None:
                return here
            if best is None or (here.margin, here.score) > (best.margin, best.score):
                best = here
        assert best is not None
        return best

    def _best(self, blue: int, source: int, symbol: int) -> Decision:
        """The best red node for a blue one, or in order of breadth the first that agrees."""
        scores: list[tuple[int, int, int, int]] = []
        for red, state in self.state_of.items():
            score = self._fold(red, blue, source, symbol)
            self._undo(blue, source, symbol)
            if score is not None:
                scores.append((score, *self._popularity(red, source, symbol), -state))
                if self.order == BREADTH:
                    break
        if not scores:
            return Decision(blue, None, NOWHERE, 0)
        *others, (score, _, _, state) = sorted(scores)
        return Decision(blue, -state, score, score - (others[-1][0] if others else 0))

    def _popularity(self, red: int, source: int, symbol: int) -> tuple[int, int]:
        """How many rules lead to a red node: of the same state with the same move, and of all."""
        move = self.edges[source][symbol].action % len(MOVES)
        near = sum(e.target == red and e.action % len(MOVES) == move for e in self.edges[source].values())
        return near, sum(e.target == red for node in self.state_of for e in self.edges[node].values())

    def _fold(self, red: int, blue: int, source: int, symbol: int) -> int | None:
        """Folds a tree into a red node: how many edges agree, or None where two do not."""
        self.log.clear()
        self.edges[source][symbol] = self.edges[source][symbol]._replace(target=red)
        score, waiting = 0, [(red, blue)]
        while waiting:
            kept, folded = waiting.pop()
            for read, seen in self.edges[folded].items():
                known = self.edges[kept].get(read)
                if known is None:
                    self.edges[kept][read] = seen
                    self.log.append((kept, read))
                elif known.action != seen.action:
                    return None
                else:
                    score += 1
                    if seen.target != NOWHERE:
                        waiting.append((known.target, seen.target))
        return score

    def _undo(self, blue: int, source: int, symbol: int) -> None:
        for node, read in self.log:
            del self.edges[node][read]
        self.edges[source][symbol] = self.edges[source][symbol]._replace(target=blue)

    def _size(self, root: int) -> int:
        """The edges of a tree."""
        size, waiting = 0, [root]
        while waiting:
            edges = self.edges[waiting.pop()].values()
            size += len(edges)
            waiting += [edge.target for edge in edges if edge.target != NOWHERE]
        return size
