"""Layout by graphviz, which often reads better than ours; it gets sizes and numbers only, and is timed."""

from __future__ import annotations

import json
import shutil
import time
from subprocess import CalledProcessError, TimeoutExpired
from typing import Any, NamedTuple

from compiler.drawing.layout.geometry import Box, Layout, LayoutProblem, Route
from compiler.drawing.layout.layers import turned_edges
from compiler.drawing.layout.sizes import Size

INCH = 72.0  # graphviz wants the sizes of nodes in inches, and gives places in points


class DotSettings(NamedTuple):
    """An engine with its settings, and its share of the time."""

    engine: str
    attributes: dict[str, str]
    share: float
    note: str = ""


_GOOD = {"splines": "true", "nodesep": "0.25"}
_DOWN = {**_GOOD, "ranksep": "0.4"}
_ACROSS = {**_GOOD, "ranksep": "0.3", "rankdir": "LR"}
_QUICK = {
    "splines": "polyline",
    "nodesep": "0.25",
    "ranksep": "0.8",
    "nslimit": "2",
    "nslimit1": "2",
    "mclimit": "0.3",
}
_FAST = {"overlap": "prism", "splines": "line", "K": "1.2", "sep": "0.2"}
BEST = (DotSettings("dot", _DOWN, 0.5), DotSettings("dot", _ACROSS, 0.5))
QUICKER = (
    DotSettings("dot", _QUICK, 0.6, "a large graph: straight edges, to be done in time"),
    DotSettings("sfdp", _FAST, 0.5, "a large graph: laid out by forces, to be done in time"),
)


def has_dot() -> bool:
    return shutil.which("dot") is not None


def layouts_within(problem: LayoutProblem, patience: float) -> list[Layout]:
    """Layouts down and across; of a graphviz that is not done in time no more is asked."""
    layouts = []
    for settings in BEST:
        layout = lay_out(problem, settings, patience * settings.share)
        if layout is None:
            break
        layouts.append(layout)
    return layouts


def quick_layout(problem: LayoutProblem, patience: float) -> Layout | None:
    """The first layout that comes in time."""
    until = time.monotonic() + patience
    for settings in QUICKER:
        left = min(until - time.monotonic(), patience * settings.share)
        layout = lay_out(problem, settings, left) if left > 0 else None
        if layout:
            return layout
    return None


def lay_out(problem: LayoutProblem, settings: DotSettings, seconds: float) -> Layout | None:
    """The layout, or None if it did not come in time."""
    from graphviz.backend.dot_command import command
    from graphviz.backend.execute import run_check

    try:  # `graphviz.pipe` is these two calls without a time limit, and `dot` may hang on a large graph
        process = run_check(
            command(settings.engine, "json0"),
            input=request(problem, settings).encode(),
            capture_output=True,
            quiet=True,
            timeout=max(0.1, seconds),
        )
        return _read(json.loads(process.stdout), problem, settings)
    except (TimeoutExpired, CalledProcessError, OSError, ValueError, KeyError, IndexError):
        return None


def request(problem: LayoutProblem, settings: DotSettings) -> str:
    """The graph as boxes; no word of the user's is in it."""
    import graphviz

    dot = graphviz.Digraph(graph_attr=settings.attributes, node_attr={"shape": "box", "label": ""})
    for node, size in enumerate(problem.nodes):
        width, height = (f"{length / INCH:.3f}" for length in size)
        dot.node(f"n{node}", fixedsize="true", width=width, height=height)
    turned = turned_edges(problem)
    for number, (source, target, size) in enumerate(problem.edges):
        tail, head, direction = (target, source, "back") if number in turned else (source, target, None)
        dot.edge(f"n{tail}", f"n{head}", _blank(size), id=str(number), dir=direction)
    return str(dot.source)


def _blank(size: Size) -> str:
    """A label of a given size, with nothing in it."""
    width, height = max(1, round(size.width)), max(1, round(size.height))
    cell = f'<TD FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="{height}"></TD>'
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR>{cell}</TR></TABLE>>'


def _read(answer: Any, problem: LayoutProblem, settings: DotSettings) -> Layout:
    left, bottom, right, top = map(float, answer["bb"].split(","))
    nodes: dict[int, Box] = {}
    for item in answer.get("objects", ()):
        x, y = map(float, item["pos"].split(","))
        number = int(item["name"].removeprefix("n"))
        nodes[number] = Box(x - left, top - y, *problem.nodes[number])
    routes: dict[int, Route] = {}
    for item in answer.get("edges", ()):
        points = _curve(item["pos"])
        place = item.get("lp")
        label = tuple(map(float, place.split(","))) if place else points[len(points) // 2]
        routes[int(item["id"])] = Route(
            tuple((x - left, top - y) for x, y in points), (label[0] - left, top - label[1])
        )
    return Layout(
        Size(right - left, top - bottom),
        tuple(nodes[number] for number in range(len(problem.nodes))),
        tuple(routes[number] for number in range(len(problem.edges))),
        settings.engine,
        settings.note,
    )


def _curve(text: str) -> list[tuple[float, float]]:
    """The points of a spline, ending at the tip of its arrow; turned edges have that at their start."""
    tip: tuple[float, float] | None = None
    turned = False
    points: list[tuple[float, float]] = []
    for word in text.split(";")[0].split():
        mark, comma, rest = word.partition(",")
        if mark in ("e", "s") and comma:
            x, y = map(float, rest.split(","))
            tip, turned = (x, y), mark == "s"
        else:
            points.append((float(mark), float(rest)))
    if turned:
        points.reverse()
    return [*points, points[-1], tip, tip] if tip else points
