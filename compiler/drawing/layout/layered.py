"""A layered layout of our own: fast, always there, and often better than graphviz's.

Nodes go to layers by the longest way from the start, long edges run over places that are kept free for them
in every layer, and labels are such places too, so nothing lies on anything. Layers run down or across, as
fits the place better where the drawing is shown.
"""

from __future__ import annotations

from itertools import pairwise

from compiler.drawing.layout.geometry import Box, Layout, LayoutProblem, Point, Route
from compiler.drawing.layout.layers import Chain, Layers, breadth_first, depth_first, ranks
from compiler.drawing.layout.quality import PLACE, cost_of
from compiler.drawing.layout.sizes import Size
from compiler.drawing.layout.straighten import straighten
from compiler.drawing.layout.uncross import uncross
from compiler.drawing.limits import LIMITS

MARGIN = 16.0
GAP, WIDEST_GAP = 15.0, 34.0  # between layers: room for an arrow, more for a flat one
SLOPE = 0.09  # gap per distance that an edge goes sideways


def layered(problem: LayoutProblem, place: Size = PLACE, down: bool = False) -> Layout:
    """The best of a few layouts, which always come; every edge leads from layer to layer, or only down."""
    orders = [breadth_first(problem)]
    if len(problem.edges) <= LIMITS.most_orders:
        orders.append(depth_first(problem))
    layouts: list[tuple[float, Layout]] = []
    for rank in dict.fromkeys(tuple(ranks(problem, order)) for order in orders):
        layers = Layers(problem, rank)
        crossings = uncross(layers)
        directions = [_placed(layers)] if down else [_placed(layers), _transposed(_placed(layers.turned()))]
        layouts += [(cost_of(crossings, layout.size, place), layout) for layout in directions]
    return min(layouts, key=lambda scored: scored[0])[1]


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
    routes = tuple(_route(layers, chain, x, y) for chain in layers.chains)
    return Layout(Size(right, height), nodes, routes, "layers")


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


def _route(layers: Layers, chain: Chain, x: list[float], y: list[float]) -> Route:
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
    return Route(tuple(points), (x[chain.label], y[chain.label]))


def _port(
    layers: Layers, node: int, other: int, near: list[list[int]], x: list[float], y: list[float], side: int
) -> Point:
    """Where an edge meets the border of a node: edges spread along it in the order of their other ends."""
    ends = sorted(set(near[node]), key=x.__getitem__)
    share = (ends.index(other) + 1) / (len(ends) + 1) - 0.5
    size = layers.sizes[node]
    return x[node] + share * size.width * 0.8, y[node] + side * size.height / 2
