"""Fewer states for a partial graph: nodes that never disagree are merged, and what follows from that too.

What a node does on a symbol that it was never seen to read is a don't-care, so nodes that disagree nowhere
may be one. Finding the fewest is NP-hard; many orders are tried, and nodes that pairwise disagree bound it
from below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

import numpy as np
import numpy.typing as npt

NONE = -1
MOST_TRIES, PAIRS = 200, 400_000  # random orders: so many, and so many pairs in all of them
STARTS = 200  # nodes from which large sets of disagreeing nodes are grown

Bools = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A deterministic partial state graph: what is written, how it moves and where it goes, (nodes, symbols).

    All are -1 where nothing is known; `next` is -1 for idle steps too. The start is node 0.
    """

    write: Integers
    move: Integers
    next: Integers

    @property
    def size(self) -> int:
        return len(self.write)

    @property
    def edges(self) -> int:
        return int((self.write != NONE).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """A smaller graph, the node in it for each node before, and how few nodes there could be at best."""

    graph: Graph
    home: tuple[int, ...]
    bound: int


def incompatible(graph: Graph) -> Bools:
    """Which nodes disagree on some sequence of symbols that both know: they can never be one."""
    known = graph.write != NONE
    both = known[:, None] & known[None]  # (nodes, nodes, symbols)
    differ = (graph.write[:, None] != graph.write[None]) | (graph.move[:, None] != graph.move[None])
    apart: Bools = (both & differ).any(2)
    going = graph.next != NONE
    while True:
        before = int(apart.sum())
        for x in range(known.shape[1]):
            nodes = np.flatnonzero(going[:, x])
            after = graph.next[nodes, x]
            apart[np.ix_(nodes, nodes)] |= apart[np.ix_(after, after)]
        if int(apart.sum()) == before:
            return apart


def fold(graph: Graph, distances: npt.NDArray[np.floating] | None = None, seed: int = 0) -> Folded:
    """The smallest graph found that does all that this one does."""
    apart = incompatible(graph)
    against = [_bits(row) for row in apart]
    bound = _clique(against)
    best: list[int] = list(range(graph.size))
    for order in _orders(graph, apart, distances, Random(seed)):
        folding = _Folding(graph, against)
        for one, other in order:
            folding.try_merge(one, other)
        home = [folding.first(node) for node in range(graph.size)]
        if len(set(home)) < len(set(best)):
            best = home
        if len(set(best)) == bound:
            break
    return _quotient(graph, best, bound)


def folded_along(graph: Graph, pairs: Iterable[tuple[int, int]]) -> Folded:
    """The graph with these pairs merged, one after the other, but for those that disagree by then."""
    folding = _Folding(graph, [_bits(row) for row in incompatible(graph)])
    for one, other in pairs:
        folding.try_merge(one, other)
    return _quotient(graph, [folding.first(node) for node in range(graph.size)], 0)


def _orders(
    graph: Graph, apart: Bools, distances: npt.NDArray[np.floating] | None, random: Random
) -> Iterator[list[tuple[int, int]]]:
    """Orders in which to try the pairs that may be merged: those most alike first, the nearest first, any."""
    ones, others = np.nonzero(np.triu(~apart, 1))
    same = (graph.write[:, None] == graph.write[None]) & (graph.move[:, None] == graph.move[None])
    alike = (same & (graph.write[:, None] != NONE)).sum(2)[ones, others]
    near = np.zeros(len(ones)) if distances is None else distances[ones, others]
    pairs = list(zip(ones.tolist(), others.tolist(), strict=True))
    for keys in ((near, -alike), (-alike, near)):
        yield [pairs[i] for i in np.lexsort(keys)]
    for _ in range(min(MOST_TRIES, PAIRS // max(1, len(pairs)))):
        yield random.sample(pairs, len(pairs))


class _Folding:
    """Nodes being merged: of each class its first node, its members, their opponents, and where it goes."""

    def __init__(self, graph: Graph, against: list[int]) -> None:
        self.home = list(range(graph.size))
        self.members = [1 << node for node in range(graph.size)]  # sets of nodes, as bits
        self.against = list(against)
        self.rows = [
            {x: int(graph.next[node, x]) for x in np.flatnonzero(graph.write[node] != NONE).tolist()}
            for node in range(graph.size)
        ]

    def first(self, node: int) -> int:
        while self.home[node] != node:
            node = self.home[node]
        return node

    def try_merge(self, one: int, other: int) -> bool:
        """Merges two nodes with all that follows from it, or leaves everything as it was."""
        done: list[tuple[int, int, int, int, list[int]]] = []
        work = [(one, other)]
        while work:
            kept, gone = sorted(map(self.first, work.pop()))
            if kept == gone:
                continue
            if self.against[kept] & self.members[gone]:
                self._undo(done)
                return False
            new = [x for x in self.rows[gone] if x not in self.rows[kept]]
            done.append((kept, gone, self.members[kept], self.against[kept], new))
            for x, after in self.rows[gone].items():
                known = self.rows[kept].setdefault(x, after)
                if after != NONE and known != after:
                    work.append((known, after))
            self.home[gone] = kept
            self.members[kept] |= self.members[gone]
            self.against[kept] |= self.against[gone]
        return True

    def _undo(self, done: list[tuple[int, int, int, int, list[int]]]) -> None:
        for kept, gone, members, against, new in reversed(done):
            self.home[gone] = gone
            self.members[kept], self.against[kept] = members, against
            for x in new:
                del self.rows[kept][x]


def _quotient(graph: Graph, home: list[int], bound: int) -> Folded:
    """One node a class, in the order of their first members."""
    number = {first: i for i, first in enumerate(dict.fromkeys(home))}
    write, move, after = (np.full((len(number), graph.write.shape[1]), NONE, np.int32) for _ in range(3))
    for node, x in np.argwhere(graph.write != NONE).tolist():
        row = number[home[node]]
        write[row, x], move[row, x] = graph.write[node, x], graph.move[node, x]
        after[row, x] = NONE if graph.next[node, x] == NONE else number[home[graph.next[node, x]]]
    return Folded(Graph(write, move, after), tuple(number[first] for first in home), bound)


def _bits(row: Bools) -> int:
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def _clique(against: list[int]) -> int:
    """The size of a large set of nodes that pairwise disagree, grown greedily from many starts."""
    best = 1 if against else 0
    for node in sorted(range(len(against)), key=lambda node: -against[node].bit_count())[:STARTS]:
        size, left = 1, against[node]
        while left:
            chosen = max(_nodes(left), key=lambda other: (against[other] & left).bit_count())
            left &= against[chosen]
            size += 1
        best = max(best, size)
    return best


def _nodes(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
