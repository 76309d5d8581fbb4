"""Boxes, curves and layouts: where the parts of a drawing are, and what a layout must know to place them."""

from __future__ import annotations

from typing import NamedTuple

from compiler.drawing.layout.sizes import Size

Point = tuple[float, float]


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
    engine: str
    note: str = ""  # what is less good than it could be, and why


class LayoutProblem(NamedTuple):
    """What a layout needs to know: how large everything is, and what is joined."""

    nodes: list[Size]
    edges: list[tuple[int, int, Size]]
