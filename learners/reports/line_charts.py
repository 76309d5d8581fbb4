"""Line charts as SVG: panels side by side or in rows, with bands, readable in light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

COLOURS = ("#2563eb", "#d97706", "#059669", "#7c3aed", "#dc2626", "#0891b2", "#be185d", "#65a30d")
SMALLEST, LARGEST = 1e-150, 1e150  # Numbers beyond are those of a damaged record, and a scale ends here.
GAP, ABOVE = 24, 36  # They are between two panels, and above them.
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 30, 44  # A panel has this room for the words around its axes.
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1f2937 } .title { font-weight: 600; font-size: 13px }
.grid { stroke: #9ca3af; stroke-opacity: .35 } .axis { stroke: #6b7280 } .paper { fill: #ffffff }
@media (prefers-color-scheme: dark) { text { fill: #e5e7eb } .paper { fill: #111827 } }
"""


class Strand(NamedTuple):
    """A thin line of a series, such as one seed of many; it is told by its label when one points at it."""

    label: str
    x: Sequence[float]
    y: Sequence[float | None]  # None is a gap.
    seconds: Sequence[float | None] = ()
    beyond: Sequence[bool] = ()  # Where a value is only a least one.


class Series(NamedTuple):
    """A line, a band around it where `low` and `high` are given, and the strands that it is the middle of."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    seconds: Sequence[float | None] = ()
    strands: Sequence[Strand] = ()
    alone: bool = False  # The one strand is the line.


class Panel(NamedTuple):
    """Axes with lines in them; logarithmic axes show only what is above zero."""

    title: str
    x_label: str
    series: Sequence[Series]
    x_log: bool = False
    y_log: bool = False
    y_top: float | None = None  # The axis reaches it, so that panels can be compared.


class Layout(NamedTuple):
    """How large a panel is, and how many of them stand in a row; 0 is all."""

    width: int = 380
    height: int = 260
    columns: int = 0

    def place(self, number: int, columns: int) -> tuple[int, int]:
        """Where a panel begins."""
        return GAP + number % columns * (self.width + GAP), ABOVE + number // columns * self.height


SIDE_BY_SIDE = Layout()


def charts(
    title: str, panels: Sequence[Panel], order: Sequence[str] = (), layout: Layout = SIDE_BY_SIDE
) -> str:
    """The panels, with one legend; labels in `order` keep their colours, shown or not."""
    shown = [series.label for panel in panels for series in panel.series]
    names = dict.fromkeys((*order, *shown))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names) if name in shown}
    columns = layout.columns or len(panels)
    width = columns * (layout.width + GAP) + GAP
    bottom = ABOVE + ceil(len(panels) / columns) * layout.height
    legend, below = _legend(colours, bottom + 26, width)
    height = bottom + 48 + below
    body = [
        _panel(panel, layout.place(i, columns), layout, colours)
        for i, panel in enumerate(panels)
        if panel.series  # Where there is nothing to show, the place stays free.
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
            f"<title>{escape(title)}</title><style>{STYLE}</style>",
            f'<rect class="paper" width="{width}" height="{height}"/>',
            f'<text class="title" x="{GAP}" y="24">{escape(title)}</text>',
            *body,
            *legend,
            "</svg>\n",
        ]
    )


def _legend(colours: dict[str, str], y: float, width: float) -> tuple[list[str], float]:
    """The names with their colours, and how much higher than a line they are together."""
    parts, x, first = [], float(GAP), y
    for name, colour in colours.items():
        needed = 28 + 7 * len(name)
        if x > GAP and x + needed > width:
            x, y = float(GAP), y + 18
        parts.append(
            f'<line x1="{x}" x2="{x + 22}" y1="{y - 4}" y2="{y - 4}" stroke="{colour}" stroke-width="3"/>'
        )
        parts.append(f'<text x="{x + 28}" y="{y}">{escape(name)}</text>')
        x += needed + 24
    return parts, y - first


class _Axis:
    """Maps values to places on the page."""

    def __init__(self, values: Sequence[float], log: bool, start: float, end: float) -> None:
        least = SMALLEST if log else -LARGEST
        kept = [value for value in values if least <= value <= LARGEST] or [1.0]
        low, high = min(kept), max(kept)
        if log:
            low, high = 10.0 ** floor(log10(low)), 10.0 ** ceil(log10(high))
        else:
            low = min(low, 0.0)
        self.low, self.high = low, high if high > low else low * 10 if log else low + 1
        self.log, self.start, self.end = log, start, end
        # There is no half length, and no half seed.
        self.least_step = 1.0 if all(value == floor(value) for value in kept) else 0.0

    def at(self, value: float) -> float:
        value = min(max(value, self.low), self.high)
        if self.log:
            share = log10(value / self.low) / log10(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        if self.log:
            decades = round(log10(self.high / self.low))
            every = ceil(decades / 6)
            return [self.low * 10.0**i for i in range(0, decades + 1, every)]
        step = 10.0 ** floor(log10(self.high - self.low))
        step *= next(m for m in (0.1, 0.2, 0.5, 1, 2) if (self.high - self.low) / (step * m) <= 6)
        step = max(step, self.least_step)
        first = ceil(self.low / step - 1e-9)
        return [i * step for i in range(first, floor(self.high / step + 1e-9) + 1)]


def _panel(panel: Panel, place: tuple[int, int], layout: Layout, colours: dict[str, str]) -> str:
    x0, y0 = place
    xs = [x for series in panel.series for x in series.x]
    ys = [y for series in panel.series for y in (*series.y, *series.low, *series.high)]
    ys += [y for series in panel.series for strand in series.strands for y in strand.y if y is not None]
    ys += [] if panel.y_top is None else [panel.y_top]
    across = _Axis(xs, panel.x_log, x0 + LEFT, x0 + layout.width - RIGHT)
    down = _Axis(ys, panel.y_log, y0 + layout.height - BOTTOM, y0 + TOP)
    parts = [f'<text class="title" x="{x0 + LEFT}" y="{y0 + 18}">{escape(panel.title)}</text>']
    for tick in down.ticks():
        y = down.at(tick)
        parts.append(f'<line class="grid" x1="{across.start}" x2="{across.end}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text x="{across.start - 6}" y="{y + 4}" text-anchor="end">{_number(tick)}</text>')
    for tick in across.ticks():
        x = across.at(tick)
        parts.append(f'<text x="{x}" y="{down.start + 17}" text-anchor="middle">{_number(tick)}</text>')
    middle = (across.start + across.end) / 2
    parts.append(
        f'<line class="axis" x1="{across.start}" x2="{across.end}" y1="{down.start}" y2="{down.start}"/>'
    )
    parts.append(
        f'<text x="{middle}" y="{down.start + 36}" text-anchor="middle">{escape(panel.x_label)}</text>'
    )
    for series in panel.series:
        parts += _line(series, across, down, colours[series.label])
    return "\n".join(parts)


def _line(series: Series, across: _Axis, down: _Axis, colour: str) -> list[str]:
    parts = []
    if series.low:
        upper = [f"{across.at(x)},{down.at(y)}" for x, y in zip(series.x, series.high, strict=True)]
        lower = [f"{across.at(x)},{down.at(y)}" for x, y in zip(series.x, series.low, strict=True)]
        parts.append(
            f'<polygon points="{" ".join(upper + lower[::-1])}" fill="{colour}" fill-opacity=".18"/>'
        )
    for strand in series.strands:
        width = "2" if series.alone else "1"
        opacity = "" if series.alone else ' stroke-opacity=".4"'
        for piece in _pieces(strand):
            points = " ".join(f"{across.at(x)},{down.at(y)}" for x, y in piece)
            parts.append(
                f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"{opacity}>'
                f"<title>{escape(strand.label)}</title></polyline>"
            )
    if not series.alone:
        points = " ".join(f"{across.at(x)},{down.at(y)}" for x, y in zip(series.x, series.y, strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if len(series.x) == 1:  # A line of one point would not be seen.
            parts.append(
                f'<circle cx="{across.at(series.x[0])}" cy="{down.at(series.y[0])}" r="3" fill="{colour}"/>'
            )
    return parts


def _pieces(strand: Strand) -> list[list[tuple[float, float]]]:
    """The line between its gaps."""
    pieces: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(strand.x, strand.y, strict=True):
        if y is not None:
            pieces[-1].append((x, y))
        elif pieces[-1]:
            pieces.append([])
    return [piece for piece in pieces if piece]


def _number(value: float) -> str:
    if value < 0:
        return f"−{_number(-value)}"
    if value >= 1e9:
        return f"1e{round(log10(value))}"
    if value >= 1_000_000:
        return f"{value / 1e6:g}M"
    if value >= 10_000:
        return f"{value / 1e3:g}k"
    if not 0 < value < 0.001:
        return f"{value:g}"
    digits, _, power = f"{value:.1e}".partition("e")
    return f"{digits.removesuffix('.0')}e{int(power)}"
