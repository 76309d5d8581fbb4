"""Line charts as still SVG, readable in light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from math import ceil, floor, log10
from statistics import median
from typing import NamedTuple

from gridlang.learners.evaluation.evaluate import LADDER
from gridlang.learners.reports.limits import LIMITS
from gridlang.learners.reports.run_records import Curves, RunRecord

PROVEN = "proven"


COLOURS = ("#2563eb", "#d97706", "#059669", "#7c3aed", "#dc2626", "#0891b2", "#be185d", "#65a30d")
SMALLEST, LARGEST = 1e-150, 1e150  # Numbers beyond are those of a damaged record, and a scale ends here.
GAP, ABOVE = 24, 36  # between two panels, and above them
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 30, 44  # room of a panel for the words around its axes
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1f2937 } .title { font-weight: 600; font-size: 13px }
.grid { stroke: #9ca3af; stroke-opacity: .35 } .axis { stroke: #6b7280 } .paper { fill: #ffffff }
.line { fill: none; stroke-width: 2 } .thin { stroke-width: 1; stroke-opacity: .4 }
.band { fill-opacity: .18 }
@media (prefers-color-scheme: dark) { text { fill: #e5e7eb } .paper { fill: #111827 } }
"""


class Line(NamedTuple):
    """A line, and a band around it where `low` and `high` are given."""

    label: str
    x: Sequence[float]
    y: Sequence[float | None]  # None is a gap.
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    of: str = ""  # the line that is the middle of this thin one and others, such as the seeds of a run

    @property
    def name(self) -> str:
        """What the legend calls it."""
        return self.of or self.label


class Panel(NamedTuple):
    """Axes with lines in them; logarithmic axes show only what is above zero."""

    title: str
    x_label: str
    lines: Sequence[Line]
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


def colours_of(panels: Sequence[Panel], order: Sequence[str]) -> dict[str, str]:
    """The colour of each name that is shown; those in `order` keep theirs, shown or not."""
    shown = [line.name for panel in panels for line in panel.lines]
    names = dict.fromkeys((*order, *shown))
    return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names) if name in shown}


def charts(
    title: str, panels: Sequence[Panel], order: Sequence[str] = (), layout: Layout = SIDE_BY_SIDE
) -> str:
    """The panels, with one legend."""
    colours, columns = colours_of(panels, order), layout.columns or len(panels)
    width = columns * (layout.width + GAP) + GAP
    bottom = ABOVE + ceil(len(panels) / columns) * layout.height
    legend, below = _legend(colours, bottom + 26, width)
    height = bottom + 48 + below
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        _part("rect", look="paper", width=width, height=height),
        _part("text", title, look="title", x=GAP, y=24),
    ]
    for number, panel in enumerate(panels):
        if panel.lines:  # an empty panel keeps its place
            parts += _panel(panel, layout.place(number, columns), layout, colours)
    return "\n".join([*parts, *legend, "</svg>\n"])


def _part(kind: str, text: str = "", look: str = "", **attributes: object) -> str:
    """An element with a text in it; `_` in the name of an attribute is a hyphen."""
    given = {"class": look} | attributes if look else attributes
    words = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in given.items())
    return f"<{kind}{words}>{escape(text)}</{kind}>" if text else f"<{kind}{words}/>"


def _legend(colours: dict[str, str], y: float, width: float) -> tuple[list[str], float]:
    """The names with their colours, and how much higher than a line they are together."""
    parts, x, first = [], float(GAP), y
    for name, colour in colours.items():
        needed = 28 + 7 * len(name)
        if x > GAP and x + needed > width:
            x, y = float(GAP), y + 18
        parts.append(_part("line", x1=x, x2=x + 22, y1=y - 4, y2=y - 4, stroke=colour, stroke_width=3))
        parts.append(_part("text", name, x=x + 28, y=y))
        x += needed + 24
    return parts, y - first


class _Axis:
    """Maps values to places on the page."""

    def __init__(self, values: Iterable[float], log: bool, start: float, end: float) -> None:
        least = SMALLEST if log else -LARGEST
        kept = [value for value in values if least <= value <= LARGEST] or [1.0]
        low, high = min(kept), max(kept)
        if log:
            low, high = 10.0 ** floor(log10(low)), 10.0 ** ceil(log10(high))
        else:
            low = min(low, 0.0)
        self.low, self.high = low, high if high > low else low * 10 if log else low + 1
        self.log, self.start, self.end = log, start, end
        # lengths and seeds are whole numbers
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
            return [self.low * 10.0**i for i in range(0, decades + 1, ceil(decades / 6))]
        step = 10.0 ** floor(log10(self.high - self.low))
        step *= next(m for m in (0.1, 0.2, 0.5, 1, 2) if (self.high - self.low) / (step * m) <= 6)
        step = max(step, self.least_step)
        first = ceil(self.low / step - 1e-9)
        return [i * step for i in range(first, floor(self.high / step + 1e-9) + 1)]


def _panel(panel: Panel, place: tuple[int, int], layout: Layout, colours: dict[str, str]) -> list[str]:
    x0, y0 = place
    points = [(x, y) for line in panel.lines for x, y in zip(line.x, line.y, strict=True) if y is not None]
    ys = [y for _, y in points] + [y for line in panel.lines for y in (*line.low, *line.high)]
    ys += [] if panel.y_top is None else [panel.y_top]
    across = _Axis((x for x, _ in points), panel.x_log, x0 + LEFT, x0 + layout.width - RIGHT)
    down = _Axis(ys, panel.y_log, y0 + layout.height - BOTTOM, y0 + TOP)
    left, right, bottom = across.start, across.end, down.start
    parts = [_part("text", panel.title, look="title", x=left, y=y0 + 18)]
    for tick in down.ticks():
        y = down.at(tick)
        parts.append(_part("line", look="grid", x1=left, x2=right, y1=y, y2=y))
        parts.append(_part("text", _number(tick), x=left - 6, y=y + 4, text_anchor="end"))
    parts += [
        _part("text", _number(tick), x=across.at(tick), y=bottom + 17, text_anchor="middle")
        for tick in across.ticks()
    ]
    parts.append(_part("line", look="axis", x1=left, x2=right, y1=bottom, y2=bottom))
    parts.append(_part("text", panel.x_label, x=(left + right) / 2, y=bottom + 36, text_anchor="middle"))
    for line in panel.lines:
        if line.low:
            corners = [*zip(line.x, line.high, strict=True), *reversed([*zip(line.x, line.low, strict=True)])]
            parts.append(
                _part("polygon", look="band", points=_places(corners, across, down), fill=colours[line.name])
            )
    for line in panel.lines:
        parts += _drawn(line, across, down, colours[line.name])
    return parts


def _drawn(line: Line, across: _Axis, down: _Axis, colour: str) -> list[str]:
    """The line between its gaps; a point that stands alone is a dot."""
    pieces: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(line.x, line.y, strict=True):
        if y is not None:
            pieces[-1].append((x, y))
        elif pieces[-1]:
            pieces.append([])
    look, radius, drawn = ("line thin", 1.5, []) if line.of else ("line", 3, [])
    for piece in filter(None, pieces):
        points = f'class="{look}" points="{_places(piece, across, down)}" stroke="{colour}"'
        drawn.append(f"<polyline {points}><title>{escape(line.label)}</title></polyline>")
        if len(piece) == 1:
            x, y = piece[0]
            drawn.append(_part("circle", cx=across.at(x), cy=down.at(y), r=radius, fill=colour))
    return drawn


def _places(points: Iterable[tuple[float, float]], across: _Axis, down: _Axis) -> str:
    return " ".join(f"{across.at(x)},{down.at(y)}" for x, y in points)


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


class Picture(NamedTuple):
    """A chart, and the name of its file."""

    name: str
    svg: str


def pictures(records: Sequence[RunRecord]) -> list[Picture]:
    """The charts that there is something to show in; a record, or a seed, has the same colour in all."""
    alone = len(records) == 1 and len(records[0].outcomes) <= len(COLOURS)
    order = [f"seed {o.seed}" for o in records[0].outcomes] if alone else [record.label for record in records]
    return [
        Picture(name, charts(panel.title, [panel._replace(title="")], order))
        for name, panel in _panels(records, alone)
        if panel.lines
    ]


def _panels(records: Sequence[RunRecord], alone: bool) -> Iterator[tuple[str, Panel]]:
    def lines(name: str) -> list[Line]:
        return [line for record in records for line in _lines(record.label, getattr(record, name), alone)]

    # The first decades of one training tell most of it; of several in a row, they would hide the others.
    log = not any(len(record.rounds) > 1 for record in records)
    yield "loss", Panel("training loss", "iterations", lines("losses"), log, y_log=True)
    yield "rlg", Panel("RLG: the length passed", "iterations", lines("lengths"), log)
    yield "margin", Panel("margin: lead of what is right", "iterations", lines("margins"), log)
    yield "lr", Panel("learning rate", "iterations", lines("learning_rates"), log)
    yield "speed", Panel("iterations a second", "iterations", lines("speeds"), log)
    shares = [_shares(record) for record in records if len(record.known_lengths) > 1]
    yield "share", Panel("seeds that pass a length, %", "length", shares, x_log=True)
    proven = [_proven(record) for record in records if len(record.rounds) > 1]
    yield "proven", Panel("seeds proven, %", "iterations, of all rounds together", proven)


def _lines(label: str, curves: Sequence[Curves], alone: bool) -> list[Line]:
    """A line for each seed, and their median unless they stand `alone`."""
    thin = [part.thinned() for part in curves if len(part.iterations) > 1]
    seeds = [
        Line(name, part.iterations, values, of=label)
        for part in thin
        for name, values in part.lines.items()
        if any(value is not None for value in values)
    ]
    if alone and all(line.label.startswith("seed ") for line in seeds):
        return [line._replace(of="") for line in seeds]
    middle = _middle(label, thin)
    if len(seeds) < 2:
        return [middle._replace(low=(), high=())] * len(seeds)
    return [*seeds[: LIMITS.thin_lines], middle]


def _middle(label: str, curves: Sequence[Curves]) -> Line:
    """The median of all lines at each iteration where there is a point, within the band of all."""
    at: dict[int, list[float]] = {}
    for part in curves:
        for place, iteration in enumerate(part.iterations):
            values = [value for line in part.lines.values() if (value := line[place]) is not None]
            if values:
                at.setdefault(iteration, []).extend(values)
    x = sorted(at)
    low, middle, high = ([of(at[i]) for i in x] for of in (min, median, max))
    return Line(label, x, middle, low, high)


def _shares(record: RunRecord) -> Line:
    """The share of all seeds that pass a length; one that diverged, or is not known to, does not."""
    top = max(record.known_lengths)
    known = sorted({n for n in LADDER if n <= top} | set(filter(None, record.known_lengths)))
    failed = not all(o.beyond for o in record.outcomes if o.length == top)
    x = [*known, *([n for n in LADDER if n > top][:1] if failed else [])] or [1]
    passing = [sum((o.length or 0) >= n for o in record.outcomes) for n in x]
    return Line(record.label, x, [100 * count / len(record.outcomes) for count in passing])


def _proven(record: RunRecord) -> Line:
    x, y, at, proven = [0.0], [0.0], 0, 0
    for round_ in record.rounds:
        at += round_.iterations
        proven += round_.count(PROVEN)
        x += [float(at), float(at)]
        y += [y[-1], 100 * proven / max(1, len(record.outcomes))]
    return Line(record.label, x, y)
