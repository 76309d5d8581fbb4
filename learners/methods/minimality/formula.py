"""The formula that is satisfiable if k states are enough for some prefixes of the traces.

(M3) Let a machine of at most k states do what the traces show, and let c nodes be pairwise different
     states. Name their states 0 … c - 1 as they are listed, and the others c, c + 1, … in the order in which
     the nodes that are listed here come to them first. Then every clause holds with: x(v, i), node v is
     state i; z(a, o, i), state i does o on symbol a; y(a, i, j), state j is next after i on a; u(v, i), state
     c + i was come to by v or by a node listed before it. So if the clauses cannot be met, there is no such
     machine.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TypeAlias

from learners.methods.minimality.readings import Act, Tree

Clause: TypeAlias = Sequence[int]


class Formula:
    """The clauses, and the numbers of their variables: x by node, then y, then z, then u."""

    def __init__(
        self, tree: Tree, states: int, clique: Sequence[int], apart: Iterable[tuple[int, int]]
    ) -> None:
        self.tree, self.states, self.named = tree, states, len(clique)
        self.reads = sorted({read for _, read in tree.edges})
        acts = {(read, act) for (_, read), (act, _) in tree.edges.items()}
        self.acts = sorted(acts, key=lambda pair: (pair[0], _act_number(pair[1])))
        k, nodes = states, tree.nodes
        self._y = nodes * k
        self._z = self._y + len(self.reads) * k * k
        self._u = self._z + len(self.acts) * k
        self.variables = self._u + nodes * (k - self.named)
        self._read_place = {read: place for place, read in enumerate(self.reads)}
        self._act_place = {pair: place for place, pair in enumerate(self.acts)}
        self.clauses = array("i")
        self._one_state_each()
        self._acts_and_successors()
        self._in_order_of_use()
        self._add([self.x(node, state)] for state, node in enumerate(clique))
        self._add([-self.x(node, state)] for node, state in apart)

    def x(self, node: int, state: int) -> int:
        return 1 + node * self.states + state

    def y(self, read: int, state: int, after: int) -> int:
        return 1 + self._y + (self._read_place[read] * self.states + state) * self.states + after

    def z(self, read: int, act: Act, state: int) -> int:
        return 1 + self._z + self._act_place[read, act] * self.states + state

    def u(self, node: int, state: int) -> int:
        return 1 + self._u + node * (self.states - self.named) + state

    def _add(self, clauses: Iterable[Clause]) -> None:
        for clause in clauses:
            self.clauses.extend(clause)
            self.clauses.append(0)

    def _exactly_one(self, variables: Sequence[int]) -> None:
        self._add([variables])
        self._add([-one, -other] for one, other in combinations(variables, 2))

    def _one_state_each(self) -> None:
        k = range(self.states)
        for node in self.tree.inner:
            self._exactly_one([self.x(node, i) for i in k])
        for read in self.reads:
            for i in k:
                self._exactly_one([self.y(read, i, j) for j in k])
        for (read, act), (other, another) in combinations(self.acts, 2):
            if read == other:
                self._add([-self.z(read, act, i), -self.z(read, another, i)] for i in k)

    def _acts_and_successors(self) -> None:
        k, inner = range(self.states), set(self.tree.inner)
        for (node, read), (act, child) in self.tree.edges.items():
            self._add([-self.x(node, i), self.z(read, act, i)] for i in k)
            if child is None or child not in inner:
                continue
            for i in k:
                for j in k:
                    before, after, goes = self.x(node, i), self.x(child, j), self.y(read, i, j)
                    self._add(([-before, -after, goes], [-before, -goes, after]))

    def _in_order_of_use(self) -> None:
        free, earlier = self.states - self.named, None
        for node in self.tree.inner:
            for i in range(free):
                is_it, used = self.x(node, self.named + i), self.u(node, i)
                before: list[int] = [] if earlier is None else [self.u(earlier, i)]
                self._add(([-is_it, used], [-used, is_it, *before]))
                self._add([-literal, used] for literal in before)
                if i:
                    self._add([[-is_it] if earlier is None else [-is_it, self.u(earlier, i - 1)]])
            earlier = node


def _act_number(act: Act) -> int:
    """Stuck first, then by what is written and the move."""
    return -1 if act is None else act[0] * 5 + act[1]
