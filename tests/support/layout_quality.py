"""How often the lines of a drawing cross, or run over something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from gridlang.compiler.drawing.layout.lay_out import layout_problem
from gridlang.compiler.drawing.layout.layers import LayoutProblem
from gridlang.compiler.drawing.layout.placed import Box, Drawing, Layout, Point

PIECES = 6  # straight lines per Bezier piece
RUN_OVER = 2.0  # crossings that are as bad as a line over a box or a label
TOUCH = 2.0  # a line that grazes a box by less is beside it


def crossings(drawing: Drawing) -> float:
    """Crossings and the like, from what is seen of a drawing."""
    graph, layout = drawing
    lines = [_straightened(route.points) for route in layout.routes]
    return _crossings(lines) + RUN_OVER * _run_over(layout_problem(graph), layout, lines)


def _straightened(points: Sequence[Point]) -> list[Point]:
    """A curve as straight pieces."""
    line = [points[0]]
    for one, two, end in zip(points[1::3], points[2::3], points[3::3], strict=False):
        start = line[-1]
        for piece in range(1, PIECES + 1):
            t = piece / PIECES
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            x, y = (a * start[i] + b * one[i] + c * two[i] + d * end[i] for i in (0, 1))
            line.append((x, y))
    return line


def _crossings(lines: Sequence[Sequence[Point]]) -> int:
    """How many pieces of different lines cross: those are compared that are at the same height."""
    pieces = sorted(
        (min(one[1], other[1]), max(one[1], other[1]), one, other, number)
        for number, line in enumerate(lines)
        for one, other in pairwise(line)
    )
    total = 0
    active: list[tuple[float, float, Point, Point, int]] = []
    for piece in pieces:
        top, _, one, other, number = piece
        left, right = min(one[0], other[0]), max(one[0], other[0])
        active = [each for each in active if each[1] >= top]
        for _, _, first, last, line in active:
            apart = max(first[0], last[0]) < left or min(first[0], last[0]) > right
            if line != number and not apart and _cross(one, other, first, last):
                total += 1
        active.append(piece)
    return total


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _side(a: Point, b: Point, point: Point) -> float:
    return (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0])


def _run_over(problem: LayoutProblem, layout: Layout, lines: Sequence[Sequence[Point]]) -> int:
    """How many boxes and labels have a line in them that does not belong there."""
    total = 0
    obstacles = list(_obstacles(problem, layout))
    for number, line in enumerate(lines):
        for own, box in obstacles:
            if number in own:
                continue
            half_width, half_height = box.width / 2 - TOUCH, box.height / 2 - TOUCH
            total += any(abs(x - box.x) < half_width and abs(y - box.y) < half_height for x, y in line)
    return total


def _obstacles(problem: LayoutProblem, layout: Layout) -> Iterator[tuple[set[int], Box]]:
    """Boxes and labels, each with the edges that may be in it."""
    for node, box in enumerate(layout.nodes):
        yield {number for number, edge in enumerate(problem.edges) if node in edge[:2]}, box
    for number, (route, edge) in enumerate(zip(layout.routes, problem.edges, strict=True)):
        yield {number}, Box(*route.label, *edge[2])
