"""Nodes in layers: edges that close a circle are turned around, and long ones get places in every layer."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import pairwise
from typing import NamedTuple

from compiler.drawing.layout.sizes import Size

THIN = Size(6.0, 0.0)  # of an edge in a layer that it only passes through


class LayoutProblem(NamedTuple):
    """What a layout needs to know: how large everything is, and what is joined."""

    nodes: list[Size]
    edges: list[tuple[int, int, Size]]


class Chain(NamedTuple):
    """An edge as places in neighbouring layers, from above to below; `turned` if it leads upwards."""

    places: list[int]
    label: int
    turned: bool


class Layers:
    """Places with their sizes, the layer of each, and who is joined to whom in the next layer.

    The first places are the nodes, in even layers; labels live in the odd layers between them.
    """

    def __init__(self, problem: LayoutProblem, ranks: Sequence[int]) -> None:
        self.nodes = len(problem.nodes)
        self.sizes = list(problem.nodes)
        self.rank = [2 * rank for rank in ranks]
        self.above: list[list[int]] = [[] for _ in self.sizes]
        self.below: list[list[int]] = [[] for _ in self.sizes]
        self.rows: list[list[int]] = [[] for _ in range(max(self.rank, default=0) + 1)]
        for place, rank in enumerate(self.rank):
            self.rows[rank].append(place)
        self.taken = [sum(self.sizes[place].width for place in row) for row in self.rows]
        spans = [abs(ranks[source] - ranks[target]) for source, target, _ in problem.edges]
        chains: dict[int, Chain] = {}
        for number in sorted(range(len(problem.edges)), key=spans.__getitem__):
            chains[number] = self._chain(*problem.edges[number])
        self.chains = [chains[number] for number in range(len(problem.edges))]

    def turned(self) -> Layers:
        """The same order with width for height, for layers that run across."""
        other = copy(self)
        other.sizes = [size if size == THIN else Size(*size[::-1]) for size in self.sizes]
        return other

    def _chain(self, source: int, target: int, label: Size) -> Chain:
        turned = self.rank[source] > self.rank[target]
        first, last = (target, source) if turned else (source, target)
        places, labelled = [first], -1
        at = self._roomiest(self.rank[first], self.rank[last])
        for rank in range(self.rank[first] + 1, self.rank[last]):
            places.append(self._place(rank, label if rank == at else THIN))
            labelled = places[-1] if rank == at else labelled
        places.append(last)
        for one, other in pairwise(places):
            self.below[one].append(other)
            self.above[other].append(one)
        return Chain(places, labelled, turned)

    def _roomiest(self, top: int, bottom: int) -> int:
        """The layer for a label: of those between nodes the one with most room, best in the middle."""
        middle = (top + bottom) / 2
        return min(range(top + 1, bottom, 2), key=lambda rank: (self.taken[rank], abs(rank - middle)))

    def _place(self, rank: int, size: Size) -> int:
        self.sizes.append(size)
        self.rank.append(rank)
        self.above.append([])
        self.below.append([])
        self.rows[rank].append(len(self.sizes) - 1)
        self.taken[rank] += size.width
        return len(self.sizes) - 1


def ranks(problem: LayoutProblem) -> list[int]:
    """The layer of each node, by the longest way down; edges that lead back towards the start are turned."""
    order = _breadth_first(problem)
    rank = [0] * len(problem.nodes)
    for low, high in sorted(sorted((order[s], order[t])) for s, t, _ in problem.edges):
        rank[high] = max(rank[high], rank[low] + 1)
    return [rank[number] for number in order]


def _breadth_first(problem: LayoutProblem) -> list[int]:
    """The number of each node, breadth first from the start; those that it does not reach come last."""
    after: list[list[int]] = [[] for _ in problem.nodes]
    for source, target, _ in problem.edges:
        after[source].append(target)
    order: dict[int, int] = {}
    for root in range(len(problem.nodes)):
        queue = [root]
        for node in queue:
            if node not in order:
                order[node] = len(order)
                queue += after[node]
    return [order[node] for node in range(len(problem.nodes))]
