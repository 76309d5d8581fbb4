"""A layered layout: fast, always there, and the same on every machine.

Nodes go to layers by the longest way from the start, long edges run over places that are kept free for them
in every layer, and labels are such places too, so nothing lies on anything. Layers run down or across, as
fits the place better where the drawing is shown.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from compiler.drawing.graphs import StateGraph
from compiler.drawing.layout.cards import lay_out_cards
from compiler.drawing.layout.layers import Chain, Layers, LayoutProblem, ranks
from compiler.drawing.layout.placed import MARGIN, Box, Drawing, Layout, Point, Route, shrunk
from compiler.drawing.layout.sizes import Size, block_size, node_size, words_of
from compiler.drawing.layout.straighten import straighten
from compiler.drawing.layout.uncross import uncross
from compiler.drawing.limits import LIMITS
from gridlang.diagnostics import fail

GAP, WIDEST_GAP = 15.0, 34.0  # between layers: room for an arrow, more for a flat one
SLOPE = 0.09  # gap per distance that an edge goes sideways


def lay_out(graph: StateGraph, down: bool = False) -> Drawing:
    """Places for everything, in layers that run down or across; GridError for what is too large.

    A crowded graph is laid out as cards. Only `down` it never is, and places are alike for graphs that are
    alike.
    """
    if not down and len(graph.edges) > LIMITS.most_edges:
        fact = f"this graph is too large to be laid out: there are {len(graph.edges):,} edges"
        hint = "give the .dot file to a layout program of your choice, or fold families with --fold"
        raise fail("G171", fact, hint)
    if not down and len(graph.edges) > LIMITS.crowded:
        graph = replace(graph, cards=True)
        return Drawing(graph, lay_out_cards(graph))
    problem = layout_problem(graph)
    layers = Layers(problem, ranks(problem))
    uncross(layers, 0 if down else LIMITS.tries)
    layouts = [_placed(layers)] if down else [_placed(layers), _transposed(_placed(layers.turned()))]
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
    routes = tuple(_route(layers, chain, x, y) for chain in layers.chains)
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
