"""Where the parts of a graph go: in layers of our own or as graphviz says, whichever reads better."""

from __future__ import annotations

from typing import NamedTuple

from compiler.drawing.graphs import StateGraph
from compiler.drawing.layout.dot_layout import has_dot, layouts_within, quick_layout
from compiler.drawing.layout.geometry import Layout, LayoutProblem
from compiler.drawing.layout.layered import layered
from compiler.drawing.layout.quality import PLACE, layout_cost
from compiler.drawing.layout.sizes import Size, block_size, node_size, words_of
from compiler.drawing.limits import LIMITS


class Drawing(NamedTuple):
    """A graph and where its parts are."""

    graph: StateGraph
    layout: Layout


class CannotLayOut(Exception):
    """No engine found places in time; says why."""


def layout_problem(graph: StateGraph) -> LayoutProblem:
    words = words_of(graph)
    return LayoutProblem(
        [node_size(node, rows) for node, rows in zip(graph.nodes, words.nodes, strict=True)],
        [
            (edge.source, edge.target, block_size(rows, 5, 2))
            for edge, rows in zip(graph.edges, words.edges, strict=True)
        ],
    )


def lay_out(graph: StateGraph, patience: float = LIMITS.patience, place: Size = PLACE) -> Drawing:
    """Places for everything, to be read at a place of this size; CannotLayOut for what is too large.

    Graphviz, where there is one, may take about `patience` seconds.
    """
    problem = layout_problem(graph)
    if len(graph.edges) > LIMITS.most_own_edges:
        return Drawing(graph, _quick_layout(problem, patience))
    layouts = [layered(problem, place)]
    if len(graph.edges) <= LIMITS.most_graphviz_edges and has_dot():
        layouts += layouts_within(problem, patience / 2)
    return Drawing(graph, min(layouts, key=lambda layout: layout_cost(problem, layout, place)))


def lay_out_down(graph: StateGraph) -> Drawing:
    """Places in layers of our own that run down: alike for graphs that are alike."""
    return Drawing(graph, layered(layout_problem(graph), down=True))


def _quick_layout(problem: LayoutProblem, patience: float) -> Layout:
    """What is too large for our own layers: by graphviz in some quick way."""
    if not has_dot():
        raise CannotLayOut(f"there are {len(problem.edges):,} edges, and no graphviz")
    layout = quick_layout(problem, patience)
    if layout is None:
        raise CannotLayOut("graphviz gave no layout in time")
    return layout
