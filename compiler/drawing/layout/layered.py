"""A layered layout of our own, for machines without graphviz.

Edges that close a circle are turned around, nodes go to layers by the longest way from the start, and long
edges run over places that are kept free for them in every layer. Labels are such places too, so nothing lies
on anything. Crossings are lowered by sweeps over the layers, and nodes drawn towards their neighbours.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from itertools import pairwise
from typing import NamedTuple

from compiler.drawing.layout.geometry import Box, Layout, LayoutProblem, Point, Route
from compiler.drawing.layout.sizes import Size

GAP_X, GAP_Y, MARGIN = 26.0, 30.0, 16.0  # An arrow with its tip is still seen between two boxes.
SWEEPS, PULLS = 12, 12  # What comes after the first few over all layers changes little.
THIN = Size(6.0, 0.0)  # An edge takes this of a layer that it only passes through.


class Chain(NamedTuple):
    """An edge as places in neighbouring layers, from above to below; `turned` if it leads upwards."""

    places: list[int]
    label: int
    turned: bool


class _Layers:
    """Places with their sizes, the layer of each, and who is joined to whom in the next layer."""

    def __init__(self, problem: LayoutProblem, ranks: list[int]) -> None:
        self.sizes = list(problem.nodes)
        self.rank = [2 * rank for rank in ranks]
        self.above: list[list[int]] = [[] for _ in self.sizes]
        self.below: list[list[int]] = [[] for _ in self.sizes]
        self.chains = [self._chain(*edge) for edge in problem.edges]
        self.rows: list[list[int]] = [[] for _ in range(max(self.rank, default=0) + 1)]
        for place, rank in enumerate(self.rank):
            self.rows[rank].append(place)

    def _chain(self, source: int, target: int, label: Size) -> Chain:
        turned = self.rank[source] > self.rank[target]
        first, last = (target, source) if turned else (source, target)
        places, middle = [first], (self.rank[first] + self.rank[last]) // 2
        middle += 1 - middle % 2  # Labels live between the layers of nodes.
        labelled = -1
        for rank in range(self.rank[first] + 1, self.rank[last]):
            places.append(self._place(rank, label if rank == middle else THIN))
            labelled = places[-1] if rank == middle else labelled
        places.append(last)
        for one, other in pairwise(places):
            self.below[one].append(other)
            self.above[other].append(one)
        return Chain(places, labelled, turned)

    def _place(self, rank: int, size: Size) -> int:
        self.sizes.append(size)
        self.rank.append(rank)
        self.above.append([])
        self.below.append([])
        return len(self.sizes) - 1


def layered(problem: LayoutProblem) -> Layout:
    """A layout that always comes, with every edge from layer to layer."""
    layers = _Layers(problem, _ranks(problem))
    _uncross(layers)
    x = _across(layers)
    y, height = _down(layers)
    left = min((x[p] - layers.sizes[p].width / 2 for p in range(len(x))), default=0.0) - MARGIN
    x = [middle - left for middle in x]
    right = max((x[p] + layers.sizes[p].width / 2 for p in range(len(x))), default=0.0) + MARGIN
    nodes = tuple(Box(x[n], y[n], *size) for n, size in enumerate(problem.nodes))
    routes = tuple(_route(layers, chain, x, y) for chain in layers.chains)
    groups = tuple(Box(0.0, 0.0, 0.0, 0.0) for _ in problem.groups)
    return Layout(Size(right, height), nodes, groups, routes, "layers")


def turned_edges(problem: LayoutProblem) -> set[int]:
    """The edges that lead back towards the start: turned around, no circle is left."""
    order = order_from_start(problem)
    return {number for number, (s, t, _) in enumerate(problem.edges) if order[s] > order[t]}


def order_from_start(problem: LayoutProblem) -> dict[int, int]:
    """The place of each node, breadth first from the start; those that it does not reach come last."""
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(problem.nodes)))
    graph.add_edges_from(edge[:2] for edge in problem.edges)
    order = dict.fromkeys([*nx.bfs_tree(graph, 0), *graph])
    return {node: place for place, node in enumerate(order)}


def _ranks(problem: LayoutProblem) -> list[int]:
    """The layer of each node: the longest way down, where down is away from the start."""
    import networkx as nx

    order = order_from_start(problem)
    downwards = nx.DiGraph()
    downwards.add_nodes_from(order)
    downwards.add_edges_from(sorted(edge[:2], key=order.__getitem__) for edge in problem.edges)
    rank = [0] * len(problem.nodes)
    for layer, nodes in enumerate(nx.topological_generations(downwards)):
        for node in nodes:
            rank[node] = layer
    return rank


def _uncross(layers: _Layers) -> None:
    """Sorts each layer by where its neighbours are, down and up in turn; the best order seen is kept."""
    position = [0.0] * len(layers.sizes)
    for row in layers.rows:
        _number(row, position)
    best, fewest = [list(row) for row in layers.rows], _crossings(layers, position)
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        near = layers.above if downwards else layers.below
        for row in layers.rows if downwards else reversed(layers.rows):
            row.sort(key=lambda place: _mean([position[other] for other in near[place]], position[place]))
            _number(row, position)
        crossings = _crossings(layers, position)
        if crossings < fewest:
            best, fewest = [list(row) for row in layers.rows], crossings
    layers.rows = best


def _number(row: list[int], position: list[float]) -> None:
    """Places of a row from 0 to 1, so that rows of different lengths compare."""
    for number, place in enumerate(row):
        position[place] = (number + 0.5) / len(row)


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _crossings(layers: _Layers, position: list[float]) -> int:
    """How often edges between neighbouring layers cross: inversions, counted while they are inserted."""
    total = 0
    for row in layers.rows:
        ends: list[float] = []
        for place in sorted(row, key=position.__getitem__):
            mine = sorted(position[other] for other in layers.below[place])
            total += sum(len(ends) - bisect_right(ends, end) for end in mine)
            for end in mine:
                insort(ends, end)
    return total


def _across(layers: _Layers) -> list[float]:
    """x of every place: near its neighbours, as far as the order and the sizes allow."""
    x = [0.0] * len(layers.sizes)
    for row in layers.rows:
        _settle(layers, row, [0.0] * len(row), x)
    for pull in range(PULLS):
        downwards = pull % 2 == 0
        for row in layers.rows if downwards else reversed(layers.rows):
            wanted = [_wanted(layers, place, x, downwards, pull) for place in row]
            _settle(layers, row, wanted, x)
    return x


def _wanted(layers: _Layers, place: int, x: list[float], downwards: bool, pull: int) -> float:
    near = layers.above[place] if downwards else layers.below[place]
    if pull >= PULLS - 4:
        near = layers.above[place] + layers.below[place]
    return _mean([x[other] for other in near], x[place])


def _settle(layers: _Layers, row: list[int], wanted: list[float], x: list[float]) -> None:
    """The nearest places to the wanted ones that keep order and distance: blocks that meet move as one."""
    offsets, offset = [], 0.0
    for number, place in enumerate(row):
        if number:
            before = row[number - 1]
            thin = THIN in (layers.sizes[before], layers.sizes[place])
            offset += (layers.sizes[before].width + layers.sizes[place].width) / 2
            offset += GAP_X / 2 if thin else GAP_X
        offsets.append(offset)
    blocks: list[tuple[float, int]] = []  # Each is a mean and a count.
    for goal, away in zip(wanted, offsets, strict=True):
        mean, count = goal - away, 1
        while blocks and blocks[-1][0] > mean:
            other, more = blocks.pop()
            mean, count = (mean * count + other * more) / (count + more), count + more
        blocks.append((mean, count))
    means = [mean for mean, count in blocks for _ in range(count)]
    for place, mean, away in zip(row, means, offsets, strict=True):
        x[place] = mean + away


def _down(layers: _Layers) -> tuple[list[float], float]:
    """y of every place, and the height of all."""
    y = [0.0] * len(layers.sizes)
    top = MARGIN
    for row in layers.rows:
        height = max((layers.sizes[place].height for place in row), default=0.0)
        for place in row:
            y[place] = top + height / 2
        top += height + GAP_Y
    return y, top - GAP_Y + MARGIN


def _route(layers: _Layers, chain: Chain, x: list[float], y: list[float]) -> Route:
    """Straight down through the layers, in curves between them."""
    first, *between, last = chain.places
    stops: list[Point] = [_port(layers, first, chain.places[1], layers.below, x, y, 1)]
    for place in between:
        half = max(layers.sizes[other].height for other in layers.rows[layers.rank[place]]) / 2
        stops += [(x[place], y[place] - half), (x[place], y[place] + half)]
    stops.append(_port(layers, last, chain.places[-2], layers.above, x, y, -1))
    if chain.turned:
        stops.reverse()
    points = [stops[0]]
    for (x1, y1), (x2, y2) in pairwise(stops):
        middle = (y1 + y2) / 2
        points += [(x1, middle), (x2, middle), (x2, y2)]
    label = chain.label if chain.label >= 0 else first
    return Route(tuple(points), (x[label], y[label]))


def _port(
    layers: _Layers, node: int, other: int, near: list[list[int]], x: list[float], y: list[float], side: int
) -> Point:
    """Where an edge meets the border of a node: edges spread along it in the order of their other ends."""
    ends = sorted(set(near[node]), key=x.__getitem__)
    share = (ends.index(other) + 1) / (len(ends) + 1) - 0.5
    size = layers.sizes[node]
    return x[node] + share * size.width * 0.8, y[node] + side * size.height / 2
