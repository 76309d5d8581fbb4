"""Line charts as still SVG, readable in light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

COLOURS = ("#2563eb", "#d97706", "#059669", "#7c3aed", "#dc2626", "#0891b2", "#be185d", "#65a30d")
SMALLEST, LARGEST = 1e-150, 1e150  # a scale ends here
WIDTH, HEIGHT = 380, 260  # of a panel
GAP, ABOVE, LINE = 24, 36, 18  # between two panels, above them, of the legend
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 30, 44  # room of a panel for the words around its axes
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1f2937 } .title { font-weight: 600; font-size: 13px }
.grid { stroke: #9ca3af; stroke-opacity: .35 } .axis { stroke: #6b7280 } .paper { fill: #ffffff }
.line { fill: none; stroke-width: 2 } .thin { stroke-width: 1; stroke-opacity: .4 }
@media (prefers-color-scheme: dark) { text { fill: #e5e7eb } .paper { fill: #111827 } }
"""


class Line(NamedTuple):
    """A line of a name in the legend; one with a title of its own is thin."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    title: str = ""


class Panel(NamedTuple):
    """Axes with lines in them; logarithmic axes show only what is above zero."""

    title: str
    x_label: str
    lines: Sequence[Line]
    x_log: bool = False
    y_log: bool = False
    reaches: Sequence[float] = ()  # values that the axis of y reaches, so that panels can be compared


def charts(title: str, panels: Sequence[Panel], order: Sequence[str] = ()) -> str:
    """The panels side by side, with one legend, first of the names in `order`."""
    names = dict.fromkeys((*order, *(line.name for panel in panels for line in panel.lines)))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    width, below = len(panels) * (WIDTH + GAP) + GAP, ABOVE + HEIGHT + GAP
    height = below + LINE * -(-len(colours) // len(panels)) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        _part("rect", look="paper", width=width, height=height),
        _part("text", title, look="title", x=GAP, y=24),
    ]
    for number, panel in enumerate(panels):
        parts += _panel(panel, GAP + number * (WIDTH + GAP), ABOVE, colours)
    for number, (name, colour) in enumerate(colours.items()):
        row, column = divmod(number, len(panels))
        x, y = GAP + column * (WIDTH + GAP), below + row * LINE
        parts.append(_part("line", x1=x, x2=x + 22, y1=y, y2=y, stroke=colour, stroke_width=3))
        parts.append(_part("text", name, x=x + 28, y=y + 4))
    return "\n".join([*parts, "</svg>\n"])


def _part(kind: str, text: str = "", look: str = "", **attributes: object) -> str:
    """An element with a text in it; `_` in the name of an attribute is a hyphen."""
    given = {"class": look} | attributes if look else attributes
    words = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in given.items())
    return f"<{kind}{words}>{escape(text)}</{kind}>" if text else f"<{kind}{words}/>"


class _Axis:
    """Maps values to places on the page."""

    def __init__(self, values: Iterable[float], log: bool, start: float, end: float) -> None:
        least = SMALLEST if log else -LARGEST
        kept = [value for value in values if least <= value <= LARGEST] or [1.0]
        low, high = min(kept), max(kept)
        low, high = (10.0 ** floor(log10(low)), 10.0 ** ceil(log10(high))) if log else (min(low, 0.0), high)
        self.low, self.high = low, high if high > low else low * 10 if log else low + 1
        self.log, self.start, self.end = log, start, end
        # lengths and seeds are whole numbers
        self.least_step = 1.0 if all(value == floor(value) for value in kept) else 0.0

    def at(self, value: float) -> float:
        value = min(max(value, self.low), self.high)
        share = (value - self.low) / (self.high - self.low)
        if self.log:
            share = log10(value / self.low) / log10(self.high / self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        if self.log:
            decades = round(log10(self.high / self.low))
            return [self.low * 10.0**i for i in range(0, decades + 1, ceil(decades / 6))]
        step = 10.0 ** floor(log10(self.high - self.low))
        step *= next(m for m in (0.1, 0.2, 0.5, 1, 2) if (self.high - self.low) / (step * m) <= 6)
        step = max(step, self.least_step)
        first = ceil(self.low / step - 1e-9)
        return [i * step for i in range(first, floor(self.high / step + 1e-9) + 1)]


def _panel(panel: Panel, x0: float, y0: float, colours: dict[str, str]) -> Iterator[str]:
    xs = [x for line in panel.lines for x in line.x]
    ys = [y for line in panel.lines for y in line.y]
    across = _Axis(xs, panel.x_log, x0 + LEFT, x0 + WIDTH - RIGHT)
    down = _Axis([*ys, *panel.reaches], panel.y_log, y0 + HEIGHT - BOTTOM, y0 + TOP)
    left, right, bottom = across.start, across.end, down.start
    yield _part("text", panel.title, look="title", x=left, y=y0 + 18)
    for tick in down.ticks():
        y = down.at(tick)
        yield _part("line", look="grid", x1=left, x2=right, y1=y, y2=y)
        yield _part("text", _number(tick), x=left - 6, y=y + 4, text_anchor="end")
    for tick in across.ticks():
        yield _part("text", _number(tick), x=across.at(tick), y=bottom + 17, text_anchor="middle")
    yield _part("line", look="axis", x1=left, x2=right, y1=bottom, y2=bottom)
    yield _part("text", panel.x_label, x=(left + right) / 2, y=bottom + 36, text_anchor="middle")
    for line in panel.lines:
        # of points above each other the last: a figure is some hundred pixels wide
        points = {round(across.at(x)): down.at(y) for x, y in zip(line.x, line.y, strict=True)}
        place = " ".join(f"{x},{y}" for x, y in points.items())
        look = f'class="line{" thin" * bool(line.title)}" points="{place}" stroke="{colours[line.name]}"'
        yield f"<polyline {look}><title>{escape(line.title or line.name)}</title></polyline>"


def _number(value: float) -> str:
    return f"{value:g}".replace("e+0", "e").replace("e-0", "e-")
