"""Where the parts of a graph go: by graphviz within a time limit, or in layers of our own."""

from __future__ import annotations

from typing import NamedTuple

from compiler.drawing.graphs import StateGraph, unframed
from compiler.drawing.layout import dot_layout
from compiler.drawing.layout.dot_process import has_dot
from compiler.drawing.layout.geometry import Layout, LayoutProblem
from compiler.drawing.layout.layered import layered
from compiler.drawing.layout.sizes import block_size, node_size, words_of

PATIENCE = 12.0  # All tries together may take so many seconds.
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


def lay_out(graph: StateGraph, patience: float = PATIENCE) -> Drawing:
    """Places for everything, within about so many seconds; CannotLayOut for what is too large for that."""
    tried = ""
    if has_dot():
        layout = dot_layout.best_within(layout_problem(graph), patience)
        if layout:
            return Drawing(graph, layout)
        tried = "graphviz gave no layout in time"
    if len(graph.edges) > OWN_LIMIT:
        raise CannotLayOut(tried or f"there are {len(graph.edges):,} edges, and no graphviz")
    why = tried or "there is no graphviz (`dot`) on this machine"
    bare = unframed(graph)
    return Drawing(bare, layered(layout_problem(bare))._replace(note=f"{why}: laid out in plain layers"))
