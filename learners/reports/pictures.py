"""The charts of a report: loss, RLG, margin, rates, the shares of seeds that pass and that are proven."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from learners.evaluation.length_search import LADDER
from learners.reports.limits import LIMITS
from learners.reports.line_charts import COLOURS, Line, Panel, charts
from learners.reports.run_records import Curves, RunRecord

PROVEN = "proven"


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
    """A line for each seed, and the middle of them; where few seeds stand alone, there is no middle."""
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
