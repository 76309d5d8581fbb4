"""Where the parts of a graph go: by graphviz within a time limit, or in layers of our own."""

from __future__ import annotations

from typing import NamedTuple

from compiler.drawing.graphs import StateGraph, unframed
from compiler.drawing.sizes import Size, block_size, node_size, words_of

Point = tuple[float, float]
PATIENCE = 12.0  # seconds for all tries together
OWN_LIMIT = 3_000  # edges that our own layout still takes in


class Box(NamedTuple):
    """A rectangle by its centre."""

    x: float
    y: float
    width: float
    height: float


class Route(NamedTuple):
    """An edge: a curve (its first point, then three for each Bezier piece), and the centre of its label."""

    points: tuple[Point, ...]
    label: Point


class Layout(NamedTuple):
    """Places for the nodes, frames and edges of a graph, y downwards from the upper left corner."""

    size: Size
    nodes: tuple[Box, ...]
    groups: tuple[Box, ...]
    routes: tuple[Route, ...]
    engine: str
    note: str = ""  # what is less good than it could be, and why


class Drawing(NamedTuple):
    """A graph and where its parts are."""

    graph: StateGraph
    layout: Layout


class Plan(NamedTuple):
    """What a layout needs to know: how large everything is, and what is joined."""

    nodes: list[Size]
    groups: list[tuple[Size, tuple[int, ...]]]
    edges: list[tuple[int, int, Size]]


class CannotLayOut(Exception):
    """No engine found places in time; says why."""


def plan_of(graph: StateGraph) -> Plan:
    words = words_of(graph)
    groups = [block_size(rows) for rows in words.groups]
    return Plan(
        [node_size(node, rows) for node, rows in zip(graph.nodes, words.nodes, strict=True)],
        [(size, group.nodes) for size, group in zip(groups, graph.groups, strict=True)],
        [
            (edge.source, edge.target, block_size(rows, 5, 2))
            for edge, rows in zip(graph.edges, words.edges, strict=True)
        ],
    )


def lay_out(graph: StateGraph, patience: float = PATIENCE) -> Drawing:
    """Places for everything, within about so many seconds; CannotLayOut for what is too large for that."""
    from compiler.drawing import graphviz
    from compiler.drawing.layered import layered

    tried = ""
    if graphviz.available():
        found = graphviz.within(plan_of(graph), patience)
        if found:
            return Drawing(graph, found)
        tried = "graphviz gave no layout in time"
    if len(graph.edges) > OWN_LIMIT:
        raise CannotLayOut(tried or f"there are {len(graph.edges):,} edges, and no graphviz")
    why = tried or "there is no graphviz (`dot`) on this machine"
    bare = unframed(graph)
    return Drawing(bare, layered(plan_of(bare))._replace(note=f"{why}: laid out in plain layers"))
