"""One view of a graph in a page: its drawing, and what the scripts know of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from compiler.automata.state_graph import Pair
from compiler.drawing.graphs import Way
from compiler.drawing.layout.placed import Drawing
from compiler.drawing.svg import EDGE_OF_PAGE, elements
from compiler.drawing.templates import own_markup

if TYPE_CHECKING:
    from markupsafe import Markup


def view_markup(drawing: Drawing) -> Markup:
    """What the page draws."""
    return own_markup(elements(drawing, live=True))


def views_data(
    drawings: Sequence[Drawing], later: Sequence[Way], pairs: Sequence[Pair]
) -> list[dict[str, Any]]:
    """The views that a page goes through; those with one family open belong to the folded one."""
    drawn = [view_data(drawing, pairs) | {"openings": []} for drawing in drawings]
    views = drawn + [way._asdict() | {"openings": [], "later": True} for way in later]
    plain = [view for view in views if not view["unfolded"]]
    for view in plain:
        if view["folded"]:
            view["openings"] = [other for other in views if other["unfolded"]]
    return plain


def view_data(drawing: Drawing, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Which line of the drawing shows a rule, which edge a line is on, and which node a state is."""
    graph, layout = drawing
    lines = graph.all_lines()
    shown = {pair: number for number, line in enumerate(lines) for pair in line.pairs}
    edges = [-1] * len(lines)
    first = len(lines) - sum(len(edge.lines) for edge in graph.edges)
    for number, edge in enumerate(graph.edges):
        edges[first : first + len(edge.lines)] = [number] * len(edge.lines)
        first += len(edge.lines)
    home = {state: number for number, node in enumerate(graph.nodes) for state in node.members}
    return {
        "folded": graph.folded,
        "unfolded": list(graph.unfolded),
        "ends": [[edge.source, edge.target] for edge in graph.edges],
        "width": round(layout.size.width + EDGE_OF_PAGE),
        "height": round(layout.size.height),
        "line": [shown.get(pair, -1) for pair in pairs],
        "edge": edges,
        "home": [home.get(state, -1) for state in range(max(home, default=-1) + 1)],
        "members": [list(node.members) for node in graph.nodes],
    }
