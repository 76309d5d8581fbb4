"""Nodes in layers, with places for long edges, ordered so that few edges cross."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from copy import copy
from itertools import pairwise
from random import Random
from typing import NamedTuple

from gridlang.compiler.drawing.layout.sizes import Size

SWEEPS = 16
IDLE_SWEEPS = 4  # sweeps without fewer crossings, until it ends
MOST_SWAPPED = 1_500  # places up to which neighbours are swapped: each asks for all edges
SWAP_ROUNDS = 4  # later ones find next to nothing
TRIES = 12  # orders of a small graph that begin at random
MOST_TRIED = 150  # places up to which they are tried: a tenth of a second
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
        """The layer for a label: the one with most room between its nodes, nearest to the middle."""
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
    """Numbers the nodes breadth first from the start; unreached ones come last."""
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


def uncross(layers: Layers) -> None:
    """The best order, after some tries of small graphs that begin at random."""
    random = Random(0)
    best, fewest = _uncrossed(layers)
    for _ in range(TRIES if len(layers.sizes) <= MOST_TRIED else 0):
        if not fewest:
            break
        for row in layers.rows:
            random.shuffle(row)
        rows, crossed = _uncrossed(layers)
        if crossed < fewest:
            best, fewest = rows, crossed
    layers.rows = best


def _uncrossed(layers: Layers) -> tuple[list[list[int]], int]:
    """Sorts each layer by where its neighbours are, down and up in turn; the best that was seen."""
    position = [0.0] * len(layers.sizes)
    for row in layers.rows:
        _number(row, position)
    best, fewest = [list(row) for row in layers.rows], crossings(layers, position)
    since = 0
    for sweep in range(SWEEPS):
        if not fewest or since == IDLE_SWEEPS:
            break
        _sweep(layers, position, sweep)
        if len(layers.sizes) <= MOST_SWAPPED:
            _swap(layers, position)
        left, since = crossings(layers, position), since + 1
        if left < fewest:
            best, fewest, since = [list(row) for row in layers.rows], left, 0
    return best, fewest


def _sweep(layers: Layers, position: list[float], number: int) -> None:
    """Ties in turn keep and reverse their order, or no sweep would ever part them."""
    downwards, turned = number % 2 == 0, number % 4 >= 2
    near = layers.above if downwards else layers.below
    for row in layers.rows if downwards else reversed(layers.rows):
        if turned:
            row.reverse()
        wanted = {place: _mean([position[other] for other in near[place]], position[place]) for place in row}
        row.sort(key=wanted.__getitem__)
        _number(row, position)


def _number(row: list[int], position: list[float]) -> None:
    """Places of a row from 0 to 1, so that rows of different lengths compare."""
    for number, place in enumerate(row):
        position[place] = (number + 0.5) / len(row)


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _swap(layers: Layers, position: list[float]) -> None:
    """Swaps neighbours as long as that saves crossings."""
    for _ in range(SWAP_ROUNDS):
        better = False
        for row in layers.rows:
            ends = {
                place: [sorted(position[p] for p in near[place]) for near in (layers.above, layers.below)]
                for place in row
            }
            for left in range(len(row) - 1):
                one, other = row[left], row[left + 1]
                sides = zip(ends[one], ends[other], strict=True)
                if sum(_inversions(mine, theirs) - _inversions(theirs, mine) for mine, theirs in sides) > 0:
                    row[left], row[left + 1] = other, one
                    position[one], position[other] = position[other], position[one]
                    better = True
        if not better:
            return


def _inversions(left: list[float], right: list[float]) -> int:
    """Crossings between the edges of a place and those of its right neighbour, by their ends."""
    return sum(bisect_left(right, end) for end in left)


def crossings(layers: Layers, position: list[float]) -> int:
    """How often edges between neighbouring layers cross: inversions, counted while they are inserted."""
    total = 0
    for row in layers.rows:
        ends: list[float] = []
        for place in row:
            mine = sorted(position[other] for other in layers.below[place])
            total += sum(len(ends) - bisect_right(ends, end) for end in mine)
            for end in mine:
                insort(ends, end)
    return total
