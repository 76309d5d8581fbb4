"""A laid out graph as SVG. All text is escaped; a style sheet gives the looks."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import as_file, files
from pathlib import Path

from gridlang.compiler.drawing.graphs import Node, StateGraph
from gridlang.compiler.drawing.layout.placed import Box, Drawing, Point, Route
from gridlang.compiler.drawing.layout.sizes import (
    CHIP_GAP,
    PAD_Y,
    Row,
    block_size,
    chips_of,
    line_text,
    row_size,
    sans_width,
    words_of,
)
from gridlang.compiler.drawing.palette import DARK, LIGHT, NOTEBOOK, legend, scoped_style, style
from gridlang.diagnostics import fail

MOST_PIXELS = 100_000_000  # a PNG with more takes half a gigabyte, and few programs open it
SCALE = 2  # pixels per unit of the drawing, for screens with small ones


EDGE_OF_PAGE = 28.0  # room around the graph; the arrow at the start lies in it
INLINE = "gridlang-graph"  # class of a drawing within a notebook: the scope of its style sheet


def drawing_to_svg(drawing: Drawing) -> str:
    """A file of its own, with a legend, light or dark as the reader's system is."""
    dark = f"@media (prefers-color-scheme: dark){{{style(DARK)}}}"
    return _document(drawing, style(LIGHT) + dark, 'xmlns="http://www.w3.org/2000/svg"') + "\n"


def drawing_to_inline_svg(drawing: Drawing) -> str:
    """For the HTML of a notebook: light or dark as that is, whatever the reader's system is."""
    look = f'class="{INLINE}" style="max-width:100%;height:auto"'
    return _document(drawing, scoped_style(NOTEBOOK, INLINE), look)


def _document(drawing: Drawing, style_sheet: str, attributes: str) -> str:
    graph, layout = drawing
    meanings, meanings_width = _meanings(graph)
    width = max(layout.size.width, meanings_width) + 2 * EDGE_OF_PAGE
    height = layout.size.height + 2 * EDGE_OF_PAGE + 30
    shift = (width - layout.size.width) / 2
    return (
        f'<svg {attributes} viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img">'
        f"<title>{safe(graph.name)}</title><style>{style_sheet}</style>"
        f'<rect class="paper" width="100%" height="100%"/>'
        f'<g transform="translate({shift:.1f} {EDGE_OF_PAGE:.0f})">{elements(drawing)}</g>'
        f'<g transform="translate({EDGE_OF_PAGE:.0f} {height - 22:.0f})">{meanings}</g></svg>'
    )


def elements(drawing: Drawing, live: bool = False) -> str:
    """The graph as SVG elements. Nodes, edges and lines carry their numbers as data for a page.

    In a `live` page states can be focused and picked.
    """
    graph, layout = drawing
    words = words_of(graph)
    edges = [
        f'<g class="edge{_marked(edge.mark)}" data-edge="{number}">'
        f'<path d="{_path(route.points)}"/>{_arrow(route.points)}</g>'
        for number, (edge, route) in enumerate(zip(graph.edges, layout.routes, strict=True))
    ]
    nodes = [
        _node(number, node, box, words.nodes[number], live)
        for number, (node, box) in enumerate(zip(graph.nodes, layout.nodes, strict=True))
    ]
    labels = [
        _label(number, *each) for number, each in enumerate(zip(layout.routes, words.edges, strict=True))
    ]
    return "".join([*edges, *nodes, *labels])


def safe(text: str) -> str:
    """Escaped; characters that XML does not have become a sign that says so."""
    return escape("".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text))


def _marked(mark: str) -> str:
    return f" {mark}" if mark else ""


def _node(number: int, node: Node, box: Box, rows: Sequence[Row], live: bool) -> str:
    left, top = box.x - box.width / 2, box.y - box.height / 2
    shape = f'x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="8"'
    more = ""
    if len(node.members) > 1:
        more += f'<rect class="behind" transform="translate(4 4)" {shape}/>'
    body = f'<rect class="box" {shape}/>'
    if node.halts:
        inner = (
            f'x="{left + 3:.1f}" y="{top + 3:.1f}" width="{box.width - 6:.1f}" height="{box.height - 6:.1f}"'
        )
        body += f'<rect class="ring" {inner} rx="5.5"/>'
    if node.start:
        tip = left - 2
        body += (
            f'<path class="begin" d="M{tip - 20:.1f} {box.y:.1f}H{tip - 7:.1f}"/>'
            f'<path class="begin head" d="M{tip:.1f} {box.y:.1f}l-9 -5v10z"/>'
        )
    inner = _rows(rows, box.x, block_size(rows).width, top + PAD_Y)
    inner += _chips(node, box)
    start = " start" if node.start else ""
    named = ' role="button" tabindex="0" aria-pressed="false"' if live else ""
    about = "\n".join([node.name, *filter(None, [node.note]), *map(line_text, node.lines)])
    return (
        f'<g class="node {node.role}{start}{_marked(node.mark)}" data-node="{number}"{named}>'
        f"<title>{safe(about)}</title>{more}{body}{inner}</g>"
    )


def _chips(node: Node, box: Box) -> str:
    """The members of a family, small, at the bottom of its box."""
    chips = chips_of(node)
    left = box.x - chips.size.width / 2
    top = box.y + box.height / 2 - PAD_Y - chips.size.height + 3
    parts = []
    for number, (text, state) in enumerate(zip(chips.texts, node.members, strict=False)):
        x = left + number % chips.columns * (chips.cell.width + CHIP_GAP)
        y = top + number // chips.columns * (chips.cell.height + CHIP_GAP)
        parts.append(
            f'<g class="chip" data-state="{state}"><rect x="{x:.1f}" y="{y:.1f}" rx="3" '
            f'width="{chips.cell.width:.1f}" height="{chips.cell.height:.1f}"/>'
            f'<text x="{x + chips.cell.width / 2:.1f}" y="{y + chips.cell.height * 0.72:.1f}" '
            f'text-anchor="middle">{safe(text)}</text></g>'
        )
    return "".join(parts)


def _rows(rows: Sequence[Row], centre: float, width: float, top: float) -> str:
    """Names are centred, lines begin below each other."""
    parts = []
    for row in rows:
        height = row_size(row).height
        parts.append(_row(row, centre, centre - width / 2, top + height * 0.74))
        top += height
    return "".join(parts)


def _row(row: Row, centre: float, left: float, y: float) -> str:
    if row.line is None:
        where = f'x="{centre:.1f}" y="{y:.1f}" text-anchor="middle"'
        return f'<text class="{row.kind}" {where}>{safe(row.text)}</text>'
    quiet = " quiet" if row.line.quiet else ""
    words = safe(row.text)
    reads, slash, action = row.text.partition(" / ")
    if slash and row.kind != "halt":
        words = f'<tspan class="reads">{safe(reads)}</tspan><tspan class="acts"> / {safe(action)}</tspan>'
    kind = f"{row.kind}{quiet}{_marked(row.line.mark)}"
    full = f"<title>{safe(line_text(row.line))}</title>" if row.text.endswith("…") else ""
    return f'<text class="{kind}" x="{left:.1f}" y="{y:.1f}" data-line="{row.number}">{words}{full}</text>'


def _label(number: int, route: Route, rows: Sequence[Row]) -> str:
    size = block_size(rows)
    if not rows:
        return ""
    left, top = route.label[0] - size.width / 2, route.label[1] - size.height / 2
    inner = _rows(rows, route.label[0], size.width, top)
    return (
        f'<g class="words" data-edge="{number}"><rect x="{left - 2:.0f}" y="{top:.0f}" '
        f'width="{size.width + 4:.0f}" height="{size.height:.0f}"/>{inner}</g>'
    )


def _path(points: Sequence[Point]) -> str:
    """Bezier pieces; straight ones as lines."""
    here = points[0]
    text = f"M{here[0]:.0f} {here[1]:.0f}"
    for one, two, after in zip(points[1::3], points[2::3], points[3::3], strict=True):
        if _straight(here, one, after) and _straight(here, two, after):
            text += f"L{after[0]:.0f} {after[1]:.0f}"
        else:
            text += "C" + " ".join(f"{x:.0f} {y:.0f}" for x, y in (one, two, after))
        here = after
    return text


def _straight(start: Point, middle: Point, end: Point) -> bool:
    """Whether a point is visibly on the line between two others."""
    (x, y), (dx, dy) = (middle[0] - start[0], middle[1] - start[1]), (end[0] - start[0], end[1] - start[1])
    return abs(x * dy - y * dx) <= 0.5 * max(math.hypot(dx, dy), 1.0)


def _arrow(points: Sequence[Point]) -> str:
    """A tip in the direction in which the curve arrives."""
    (x, y) = points[-1]
    before = next((p for p in reversed(points) if abs(p[0] - x) + abs(p[1] - y) > 1.5), (x, y - 1))
    dx, dy = x - before[0], y - before[1]
    length = max(math.hypot(dx, dy), 1e-9)
    dx, dy = dx / length, dy / length
    left = (x - 8 * dx - 3.6 * dy, y - 8 * dy + 3.6 * dx)
    right = (x - 8 * dx + 3.6 * dy, y - 8 * dy - 3.6 * dx)
    corners = " ".join(f"{a:.1f},{b:.1f}" for a, b in ((x, y), left, right))
    return f'<polygon points="{corners}"/>'


def _meanings(graph: StateGraph) -> tuple[str, float]:
    """The meanings of the colours in use."""
    parts, x = [], 0.0
    for kind, words in legend([graph]):
        swatch = f'<rect class="box" x="{x:.0f}" y="-11" width="18" height="12" rx="3"/>'
        text = f'<text class="note" x="{x + 24:.0f}" y="-1">{safe(words)}</text>'
        parts.append(f'<g class="node {kind}">{swatch}{text}</g>')
        x += 24 + sans_width(words, 11) + 18
    return "".join(parts), x


def svg_to_png(svg: str) -> bytes:
    """The picture, twice as large as the drawing unless that is huge; GridError where it cannot be made."""
    try:
        import resvg_py
    except ImportError:
        hint = "install it with `pip install resvg-py`, or use the SVG, which needs nothing"
        raise fail("G174", "the library that turns an SVG into a PNG is not installed", hint) from None
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    area = float(box[1]) * float(box[2]) if box else 1.0
    zoom = min(float(SCALE), (MOST_PIXELS / max(1.0, area)) ** 0.5)
    try:
        return bytes(
            resvg_py.svg_to_bytes(
                svg_string=svg,
                zoom=zoom,
                font_files=_fonts(),
                sans_serif_family="DejaVu Sans",
                monospace_family="DejaVu Sans Mono",
            )
        )
    except ValueError as error:
        reason = str(error)[:200]
        raise fail("G174", f"this SVG could not be turned into a PNG: {reason}", "use the SVG") from None


@cache
def _fonts() -> list[str]:
    """Four faces of DejaVu, cut down to letters and signs; others come from the system if they are there."""
    with as_file(files("gridlang.compiler.drawing") / "fonts") as folder:
        return sorted(str(path) for path in Path(folder).glob("*.ttf"))
