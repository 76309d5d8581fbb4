"""The places of everything in a drawing, and how much shows at once."""

from __future__ import annotations

from typing import NamedTuple

from gridlang.compiler.drawing.graphs import StateGraph
from gridlang.compiler.drawing.layout.sizes import Size

Point = tuple[float, float]
MARGIN = 16.0
AROUND = 56.0  # room around a drawing, with the arrow at the start
PLACE = Size(740.0, 680.0)  # the graph's part of a page on a laptop; a column of a paper is as wide


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
    """Places for the nodes and edges of a graph, y downwards from the upper left corner."""

    size: Size
    nodes: tuple[Box, ...]
    routes: tuple[Route, ...]


class Drawing(NamedTuple):
    """A graph and where its parts are."""

    graph: StateGraph
    layout: Layout


def shrunk(size: Size) -> float:
    """By how much a drawing must shrink for all of it to be seen at once."""
    return min(PLACE.width / (size.width + AROUND), PLACE.height / (size.height + AROUND), 1.0)
