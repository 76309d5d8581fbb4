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


def _successors(problem: LayoutProblem) -> list[list[int]]:
    after: list[list[int]] = [[] for _ in problem.nodes]
    for source, target, _ in problem.edges:
        after[source].append(target)
    return after


def breadth_first(problem: LayoutProblem) -> list[int]:
    """The number of each node, breadth first from the start; those that it does not reach come last."""
    after = _successors(problem)
    order: dict[int, int] = {}
    for root in range(len(problem.nodes)):
        if root not in order:
            order[root] = len(order)
            queue = [root]
            for node in queue:
                for target in after[node]:
                    if target not in order:
                        order[target] = len(order)
                        queue.append(target)
    return [order[node] for node in range(len(problem.nodes))]


def depth_first(problem: LayoutProblem) -> list[int]:
    """The number of each node in reverse postorder: only edges that close a circle lead to lower ones."""
    after, finished, seen = _successors(problem), [], set()
    for root in range(len(problem.nodes)):
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(after[root]))]
        while stack:
            node, rest = stack[-1]
            target = next((t for t in rest if t not in seen), None)
            if target is None:
                finished.append(node)
                stack.pop()
            else:
                seen.add(target)
                stack.append((target, iter(after[target])))
    numbers = {node: number for number, node in enumerate(reversed(finished))}
    first = numbers[0] if numbers else 0  # nodes that the start does not reach would come before it
    return [(numbers[node] - first) % len(numbers) for node in range(len(problem.nodes))]


def ranks(problem: LayoutProblem, order: Sequence[int]) -> list[int]:
    """The layer of each node: the longest way down; then down to its targets where most of its edges go."""
    down: list[list[int]] = [[] for _ in problem.nodes]
    entering = [0] * len(problem.nodes)
    for source, target, _ in problem.edges:
        low, high = sorted((source, target), key=order.__getitem__)
        down[low].append(high)
        entering[high] += 1
    rank = [0] * len(problem.nodes)
    by_order = sorted(range(len(problem.nodes)), key=order.__getitem__)
    for node in by_order:
        for other in down[node]:
            rank[other] = max(rank[other], rank[node] + 1)
    for node in reversed(by_order):
        if node and down[node] and len(down[node]) > entering[node]:
            rank[node] = min(rank[other] for other in down[node]) - 1
    return rank
