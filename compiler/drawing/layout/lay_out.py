"""Where the parts of a graph go: in layers of our own or as graphviz says, whichever reads better."""

from __future__ import annotations

from typing import NamedTuple

from compiler.drawing.graphs import StateGraph, unframed
from compiler.drawing.layout import dot_layout
from compiler.drawing.layout.dot_process import has_dot
from compiler.drawing.layout.geometry import Layout, LayoutProblem
from compiler.drawing.layout.layered import layered
from compiler.drawing.layout.quality import PLACE, layout_cost
from compiler.drawing.layout.sizes import Size, block_size, node_size, words_of

PATIENCE = 12.0  # All tries of graphviz together may take so many seconds.
GRAPHVIZ_LIMIT = 60  # Of graphs with more edges our own drawings always cross less, and come sooner.
OWN_LIMIT = 3_000  # Our own layout takes in no more edges: it counts crossings of all of them.


class Drawing(NamedTuple):
    """A graph and where its parts are."""

    graph: StateGraph
    layout: Layout


class CannotLayOut(Exception):
    """No engine found places in time; says why."""


def layout_problem(graph: StateGraph) -> LayoutProblem:
    words = words_of(graph)
    groups = [block_size(rows) for rows in words.groups]
    return LayoutProblem(
        [node_size(node, rows) for node, rows in zip(graph.nodes, words.nodes, strict=True)],
        [(size, group.nodes) for size, group in zip(groups, graph.groups, strict=True)],
        [
            (edge.source, edge.target, block_size(rows, 5, 2))
            for edge, rows in zip(graph.edges, words.edges, strict=True)
        ],
    )


def lay_out(graph: StateGraph, patience: float = PATIENCE, place: Size = PLACE) -> Drawing:
    """Places for everything, to be read at a place of this size; CannotLayOut for what is too large.

    Graphviz, where there is one, may take about so many seconds. Frames around families are left out where
    the drawing reads better without.
    """
    if len(graph.edges) > OWN_LIMIT:
        return _quickly(graph, patience)
    bare = unframed(graph)
    drawing = Drawing(bare, layered(layout_problem(bare), place))
    if len(graph.edges) > GRAPHVIZ_LIMIT or not has_dot():
        return drawing
    drawings = [drawing]
    for each in (graph, bare) if graph.groups else (graph,):
        layouts = dot_layout.layouts_within(layout_problem(each), patience / 4)
        drawings += [Drawing(each, layout) for layout in layouts]
    return min(drawings, key=lambda d: layout_cost(layout_problem(d.graph), d.layout, place))


def lay_out_down(graph: StateGraph) -> Drawing:
    """Places in layers of our own that run down, without frames: alike for graphs that are alike."""
    bare = unframed(graph)
    return Drawing(bare, layered(layout_problem(bare), down=True))


def _quickly(graph: StateGraph, patience: float) -> Drawing:
    """What is too large for our own layers: by graphviz in some quick way."""
    if not has_dot():
        raise CannotLayOut(f"there are {len(graph.edges):,} edges, and no graphviz")
    layout = dot_layout.quick_layout(layout_problem(graph), patience)
    if layout is None:
        raise CannotLayOut("graphviz gave no layout in time")
    return Drawing(graph, layout)
