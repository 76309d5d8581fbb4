"""A layered layout: fast, always there, and the same on every machine.

Nodes go to layers by the longest way from the start, long edges run over places that are kept free for them
in every layer, and labels are such places too, so nothing lies on anything. Layers run down or across, as
fits the place better where the drawing is shown.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from gridlang.compiler.drawing.graphs import StateGraph
from gridlang.compiler.drawing.layout.layers import THIN, Chain, Layers, LayoutProblem, ranks, uncross
from gridlang.compiler.drawing.layout.placed import MARGIN, Box, Drawing, Layout, Point, Route, shrunk
from gridlang.compiler.drawing.layout.sizes import Size, block_size, node_size, words_of
from gridlang.diagnostics import fail

MOST_EDGES = 3_000  # a layout counts the crossings of all of them
APART = 24.0  # An arrow with its tip is still seen between two boxes.
RECENT = 8  # graphs that are not laid out again: typing changes few
Conflicts = set[tuple[int, int]]


GAP, WIDEST_GAP = 15.0, 34.0  # between layers: room for an arrow, more for a flat one
SLOPE = 0.09  # gap per distance that an edge goes sideways


def lay_out(graph: StateGraph) -> Drawing:
    """Places for everything, in layers that run down or across; GridError for what is too large."""
    if len(graph.edges) > MOST_EDGES:
        fact = f"this graph is too large to be laid out: there are {len(graph.edges):,} edges"
        hint = "give the .dot file to a layout program of your choice, or fold families with --fold"
        raise fail("G171", fact, hint)
    return _laid_out(graph)


@lru_cache(RECENT)
def _laid_out(graph: StateGraph) -> Drawing:
    problem = layout_problem(graph)
    layers = Layers(problem, ranks(problem))
    uncross(layers)
    layouts = [_placed(layers), _transposed(_placed(layers.turned()))]
    return Drawing(graph, max(layouts, key=lambda layout: shrunk(layout.size)))


def layout_problem(graph: StateGraph) -> LayoutProblem:
    words = words_of(graph)
    return LayoutProblem(
        [node_size(node, rows) for node, rows in zip(graph.nodes, words.nodes, strict=True)],
        [
            (edge.source, edge.target, block_size(rows, 5, 2))
            for edge, rows in zip(graph.edges, words.edges, strict=True)
        ],
    )


def _transposed(layout: Layout) -> Layout:
    nodes = tuple(Box(box.y, box.x, box.height, box.width) for box in layout.nodes)
    routes = tuple(Route(tuple((y, x) for x, y in points), label[::-1]) for points, label in layout.routes)
    return layout._replace(size=Size(*layout.size[::-1]), nodes=nodes, routes=routes)


def _placed(layers: Layers) -> Layout:
    """A layout from above to below, in the order that places have within their layers."""
    x = straighten(layers)
    left = min((x[p] - layers.sizes[p].width / 2 for p in range(len(x))), default=0.0) - MARGIN
    x = [middle - left for middle in x]
    right = max((x[p] + layers.sizes[p].width / 2 for p in range(len(x))), default=0.0) + MARGIN
    y, height = _heights(layers, x)
    nodes = tuple(Box(x[n], y[n], *layers.sizes[n]) for n in range(layers.nodes))
    tallest = [max((layers.sizes[place].height for place in row), default=0.0) for row in layers.rows]
    routes = tuple(_route(layers, chain, x, y, tallest) for chain in layers.chains)
    return Layout(Size(right, height), nodes, routes)


def _heights(layers: Layers, x: list[float]) -> tuple[list[float], float]:
    """y of every place, and the height of all."""
    y = [0.0] * len(layers.sizes)
    top = MARGIN
    for row in layers.rows:
        sideways = max((abs(x[p] - x[other]) for p in row for other in layers.above[p]), default=0.0)
        if row is not layers.rows[0]:
            top += min(WIDEST_GAP, GAP + SLOPE * sideways)
        height = max((layers.sizes[place].height for place in row), default=0.0)
        for place in row:
            y[place] = top + height / 2
        top += height
    return y, top + MARGIN


def _route(layers: Layers, chain: Chain, x: list[float], y: list[float], tallest: list[float]) -> Route:
    """Straight down through the layers, in curves between them."""
    first, *between, last = chain.places
    stops: list[Point] = [_port(layers, first, chain.places[1], layers.below, x, y, 1)]
    for place in between:
        half = tallest[layers.rank[place]] / 2
        stops += [(x[place], y[place] - half), (x[place], y[place] + half)]
    stops.append(_port(layers, last, chain.places[-2], layers.above, x, y, -1))
    if chain.turned:
        stops.reverse()
    points = [stops[0]]
    for (x1, y1), (x2, y2) in pairwise(stops):
        middle = (y1 + y2) / 2
        points += [(x1, middle), (x2, middle), (x2, y2)]
    return Route(tuple(points), (x[chain.label], y[chain.label]))


def _port(
    layers: Layers, node: int, other: int, near: list[list[int]], x: list[float], y: list[float], side: int
) -> Point:
    """Where an edge meets the border of a node: edges spread along it in the order of their other ends."""
    ends = sorted(set(near[node]), key=x.__getitem__)
    share = (ends.index(other) + 1) / (len(ends) + 1) - 0.5
    size = layers.sizes[node]
    return x[node] + share * size.width * 0.8, y[node] + side * size.height / 2


def straighten(layers: Layers) -> list[float]:
    """x of every place; keeps the order within layers, and their distances.

    By Brandes and Köpf (Graph Drawing 2001): each place is aligned with the median of its neighbours, in four
    ways (looking up or down, from the left or from the right); aligned places are one block, blocks are
    packed, and the four results are averaged.
    """
    conflicts = _conflicts(layers)
    candidates: list[list[float]] = []
    for upwards in (False, True):
        for mirrored in (False, True):
            rows = [row[::-1] if mirrored else row for row in layers.rows]
            align = _align(layers, rows[::-1] if upwards else rows, upwards, conflicts)
            x = _pack(layers, rows, align)
            candidates.append([-each for each in x] if mirrored else x)
    return _balanced(layers, candidates)


def distance(layers: Layers, left: int, right: int) -> float:
    """How far apart the middles of two neighbours must be."""
    one, other = layers.sizes[left], layers.sizes[right]
    return (one.width + other.width) / 2 + (APART / 2 if THIN in (one, other) else APART)


def _conflicts(layers: Layers) -> Conflicts:
    """Edges that cross the inner part of a long edge, and so give way to it."""
    conflicts: Conflicts = set()
    index = {place: number for row in layers.rows for number, place in enumerate(row)}
    for upper, lower in pairwise(layers.rows):
        left, begun = -1, 0
        for number, place in enumerate(lower):
            inner = _inner(layers, place)
            if inner is None and number < len(lower) - 1:
                continue
            right = index[inner] if inner is not None else len(upper)
            for other in lower[begun : number + 1]:
                for above in layers.above[other]:
                    if not left <= index[above] <= right and _inner(layers, other) is None:
                        conflicts.add((above, other))
            left, begun = right, number + 1
    return conflicts


def _inner(layers: Layers, place: int) -> int | None:
    """The place above on the same long edge, where neither is a node."""
    if place < layers.nodes:
        return None
    above = layers.above[place][0]
    return above if above >= layers.nodes else None


def _align(layers: Layers, rows: list[list[int]], upwards: bool, conflicts: Conflicts) -> list[int]:
    """The root of the block of each place: blocks run from row to row along medians, and never cross."""
    near = layers.below if upwards else layers.above
    root = list(range(len(layers.sizes)))
    for before, row in pairwise(rows):
        index = {place: number for number, place in enumerate(before)}
        last = -1
        for place in row:
            others = sorted(near[place], key=index.__getitem__)
            middle = (len(others) - 1) / 2
            for other in others[int(middle) : int(middle + 1.5)] if others else ():
                pair = (place, other) if upwards else (other, place)
                if root[place] == place and last < index[other] and pair not in conflicts:
                    root[place] = root[other]
                    last = index[other]
    return root


def _pack(layers: Layers, rows: list[list[int]], root: list[int]) -> list[float]:
    """Blocks as far left as their neighbours allow, then right again as far as those to their right allow."""
    after: dict[int, dict[int, float]] = {}
    before: dict[int, int] = {}
    for row in rows:
        for left, right in pairwise(row):
            gaps = after.setdefault(root[left], {})
            if root[right] not in gaps:
                before[root[right]] = before.get(root[right], 0) + 1
            gaps[root[right]] = max(gaps.get(root[right], 0.0), distance(layers, left, right))
    order = [place for place in dict.fromkeys(root) if place not in before]
    x = dict.fromkeys(dict.fromkeys(root), 0.0)
    for block in order:
        for other, gap in after.get(block, {}).items():
            x[other] = max(x[other], x[block] + gap)
            before[other] -= 1
            if not before[other]:
                order.append(other)
    for block in reversed(order):
        if block in after:
            x[block] = max(x[block], min(x[other] - gap for other, gap in after[block].items()))
    return [x[block] for block in root]


def _balanced(layers: Layers, candidates: list[list[float]]) -> list[float]:
    """The mean of the two middle ones for each place, all moved to where the narrowest is."""
    halves = [size.width / 2 for size in layers.sizes]

    def bounds(x: list[float]) -> tuple[float, float]:
        return (
            min((a - h for a, h in zip(x, halves, strict=True)), default=0.0),
            max((a + h for a, h in zip(x, halves, strict=True)), default=0.0),
        )

    spans = [bounds(x) for x in candidates]
    low, high = min(spans, key=lambda span: span[1] - span[0])
    moved = []
    for number, (x, (left, right)) in enumerate(zip(candidates, spans, strict=True)):
        shift = high - right if number % 2 else low - left
        moved.append([each + shift for each in x])
    return [sum(sorted(each)[1:3]) / 2 for each in zip(*moved, strict=True)]
