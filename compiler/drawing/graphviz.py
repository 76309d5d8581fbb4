"""Layout by graphviz: it is told sizes and numbers only, and runs in a process that ends in time."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from typing import Any, NamedTuple

from compiler.drawing.geometry import Box, Layout, Plan, Route
from compiler.drawing.layered import turned_edges
from compiler.drawing.sizes import Size

INCH = 72.0


class Recipe(NamedTuple):
    """An engine with its settings, and the part of the time that it may take."""

    engine: str
    settings: tuple[str, ...]
    share: float
    note: str = ""


DENSE = 260  # edges from which on the best routes would take too long
WINDOW = (1400.0, 900.0)  # what a drawing should fit into
_GOOD = ("splines=true", "nodesep=0.25")
_DOWN = (*_GOOD, "ranksep=0.4")
_ACROSS = (*_GOOD, "ranksep=0.3", "rankdir=LR")
_QUICK = ("splines=polyline", "nodesep=0.25", "ranksep=0.8", "nslimit=2", "nslimit1=2", "mclimit=0.3")
_FAST = ("overlap=prism", "splines=line", "K=1.2", "sep=0.2")
BEST = (Recipe("dot", _DOWN, 0.3), Recipe("dot", _ACROSS, 0.3))
QUICKER = (
    Recipe("dot", _QUICK, 0.6, "a large graph: straight edges, to be done in time"),
    Recipe("sfdp", _FAST, 0.5, "a large graph: laid out by forces, to be done in time"),
)


def within(plan: Plan, patience: float) -> Layout | None:
    """The best layout that comes in time: down or across, as fits a window better; else a quicker one."""
    until = time.monotonic() + patience
    if len(plan.edges) <= DENSE:
        tries = (lay_out(plan, recipe, patience * recipe.share) for recipe in BEST)
        found = [layout for layout in tries if layout]
        if found:
            return min(found, key=lambda layout: max(layout.size[i] / WINDOW[i] for i in (0, 1)))
    for recipe in QUICKER:
        left = min(until - time.monotonic(), patience * recipe.share)
        quick = lay_out(plan, recipe, left) if left > 0 else None
        if quick:
            return quick
    return None


def available() -> bool:
    return shutil.which("dot") is not None


def lay_out(plan: Plan, recipe: Recipe, seconds: float) -> Layout | None:
    """The layout, or None if it did not come in time."""
    try:
        done = subprocess.run(
            ["dot", f"-K{recipe.engine}", "-Tjson0"],
            input=request(plan, recipe),
            capture_output=True,
            timeout=max(0.1, seconds),
            text=True,
            check=False,
        )
        return _read(json.loads(done.stdout), plan, recipe) if done.returncode == 0 else None
    except (subprocess.TimeoutExpired, OSError, ValueError, KeyError, IndexError):
        return None


def request(plan: Plan, recipe: Recipe) -> str:
    """The graph as boxes; no word of the user's is in it."""
    lines = ["digraph {", *(f"  {setting};" for setting in recipe.settings), '  node [shape=box, label=""];']
    framed = {node for _, nodes in plan.groups for node in nodes}
    for number, (size, nodes) in enumerate(plan.groups):
        lines.append(f"  subgraph cluster_{number} {{ margin=10; label={_blank(size)};")
        lines += [_node(node, plan.nodes[node]) for node in nodes]
        lines.append("  }")
    lines += [_node(node, size) for node, size in enumerate(plan.nodes) if node not in framed]
    turned = turned_edges(plan)
    for number, (source, target, size) in enumerate(plan.edges):
        ends = f"n{target} -> n{source} [dir=back, " if number in turned else f"n{source} -> n{target} ["
        lines.append(f"  {ends}id={number}, label={_blank(size)}];")
    return "\n".join([*lines, "}"]) + "\n"


def _node(number: int, size: Size) -> str:
    width, height = size.width / INCH, size.height / INCH
    return f"  n{number} [id={number}, fixedsize=true, width={width:.3f}, height={height:.3f}];"


def _blank(size: Size) -> str:
    """A label of a given size, with nothing in it."""
    width, height = max(1, round(size.width)), max(1, round(size.height))
    cell = f'<TD FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="{height}"></TD>'
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR>{cell}</TR></TABLE>>'


def _read(found: Any, plan: Plan, recipe: Recipe) -> Layout:
    left, bottom, right, top = map(float, found["bb"].split(","))
    nodes: dict[int, Box] = {}
    groups: dict[int, Box] = {}
    for each in found.get("objects", ()):
        if each["name"].startswith("cluster_"):
            x1, y1, x2, y2 = map(float, each["bb"].split(","))
            box = Box((x1 + x2) / 2 - left, top - (y1 + y2) / 2, x2 - x1, y2 - y1)
            groups[int(each["name"].removeprefix("cluster_"))] = box
        elif "pos" in each:
            x, y = map(float, each["pos"].split(","))
            number = int(each["name"].removeprefix("n"))
            nodes[number] = Box(x - left, top - y, *plan.nodes[number])
    routes: dict[int, Route] = {}
    for each in found.get("edges", ()):
        points = _curve(each["pos"])
        place = each.get("lp")
        label = tuple(map(float, place.split(","))) if place else points[len(points) // 2]
        routes[int(each["id"])] = Route(
            tuple((x - left, top - y) for x, y in points), (label[0] - left, top - label[1])
        )
    return Layout(
        Size(right - left, top - bottom),
        tuple(nodes[number] for number in range(len(plan.nodes))),
        tuple(groups[number] for number in range(len(plan.groups))),
        tuple(routes[number] for number in range(len(plan.edges))),
        recipe.engine,
        recipe.note,
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
