"""`Tree`: what traces show, a node for each sequence of reads; `Formula`: satisfiable if k states are enough.

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

from gridlang.compiler.traces.dataset import Traces
from gridlang.table import STAY

Clause: TypeAlias = Sequence[int]
Act: TypeAlias = tuple[int, int] | None  # what is written, and the move; None where the agent is stuck
Step: TypeAlias = tuple[int, Act]  # a read, and what is done


class Contradiction(Exception):
    """Two traces have read the same, and do different things."""


class Tree:
    """Nodes are numbered as steps come to them, 0 the start; `inner` are those with an edge, in that order.

    (M1) A machine in a state reads a symbol; for that pair it has one act and one next state, or none: then
         it is stuck. An act that keeps the symbol and stays halts, and keeps the state. So all traces with
         the same reads are in the same state, and a node is one state of whatever machine has done them.
    """

    def __init__(self) -> None:
        self.edges: dict[tuple[int, int], tuple[Act, int | None]] = {}
        self.inner: dict[int, None] = {}
        self.nodes = 1

    def add(self, steps: Iterable[Step]) -> list[int]:
        """Reads one trace, and says from which node each step goes.

        Contradiction if no machine does this and what was read before.
        """
        node: int | None = 0
        passed: list[int] = []
        for read, act in steps:
            if node is None:
                raise Contradiction
            passed.append(node)
            if (node, read) not in self.edges:
                self.inner.setdefault(node)
                halts = act == (read, STAY)
                child = None
                if act is not None and not halts:
                    child, self.nodes = self.nodes, self.nodes + 1
                self.edges[node, read] = (act, child)
            shown, child = self.edges[node, read]
            if shown != act:
                raise Contradiction
            if act == (read, STAY):
                continue  # halted: its state stays
            node = child
        return passed

    def node(self, reads: Iterable[int]) -> int | None:
        """The node after these reads; None if they were not seen."""
        node: int | None = 0
        for read in reads:
            act, child = self.edges.get((node, read), (None, None)) if node is not None else (None, None)
            node = node if act == (read, STAY) else child
        return node

    def tells_apart(self, first: int, second: int, suffix: Sequence[int]) -> bool:
        """(M2) Whether two nodes do different things after a suffix: then they are different states."""
        u: int | None = first
        v: int | None = second
        for read in suffix:
            if u is None or v is None or (u, read) not in self.edges or (v, read) not in self.edges:
                return False
            (act, after_u), (other, after_v) = self.edges[u, read], self.edges[v, read]
            if act != other:
                return True
            u, v = after_u, after_v
        return False


def steps_of(traces: Traces, row: int, count: int | None = None) -> list[Step]:
    """The steps of one trace, or its first ones."""
    length = int(traces.length[row]) if count is None else count
    reads, writes, moves = (part[row, :length].tolist() for part in (traces.x, traces.s, traces.m))
    return [
        (read, None if write < 0 else (write, move))
        for read, write, move in zip(reads, writes, moves, strict=True)
    ]


def tree_of(traces: Traces) -> Tree:
    """What all of them show; Contradiction if no machine does that."""
    tree = Tree()
    for row in range(len(traces)):
        tree.add(steps_of(traces, row))
    return tree


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
