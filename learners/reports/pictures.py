"""The charts of a report: loss, RLG, the share of seeds that pass, the share that is proven."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from learners.evaluation.length_search import LADDER
from learners.reports.line_charts import Panel, Series, charts
from learners.reports.measures import share_passing
from learners.reports.run_records import RunRecord

POINTS = 160  # A line has so many points; a panel is about twice as many pixels wide.
PROVEN = "proven"


class Picture(NamedTuple):
    """A chart, and the name of its file."""

    name: str
    title: str
    svg: str


def pictures(records: Sequence[RunRecord]) -> list[Picture]:
    """The charts that there is something to show in; a record has the same colour in all."""
    order = [record.label for record in records]
    return [
        Picture(name, panel.title, charts(panel.title, [panel._replace(title="")], order))
        for name, panel in _panels(records)
        if panel.series
    ]


def _panels(records: Sequence[RunRecord]) -> Iterator[tuple[str, Panel]]:
    losses = [_spread(s.label, _thinned(s.losses)) for s in records if len(s.losses) > 1]
    yield "loss", Panel("training loss", "iterations", losses, x_log=True, y_log=True)
    lengths = [_spread(s.label, _lengths(s)) for s in records if len(s.lengths) > 1]
    yield "rlg", Panel("RLG: the length passed", "iterations", lengths, x_log=True)
    shares = [_shares(s) for s in records if sum(o.length is not None for o in s.outcomes) > 1]
    yield "share", Panel("seeds that pass a length, %", "length", shares, x_log=True)
    proven = [_proven(s) for s in records if len(s.rounds) > 1]
    yield "proven", Panel("seeds proven, %", "iterations, of all rounds together", proven)


def _spread(label: str, points: Sequence[tuple[int, Sequence[float]]]) -> Series:
    """The median, with a band if there are several seeds."""
    points = [(at, values) for at, values in points if values]
    x = [float(at) for at, _ in points]
    middle = [float(median(values)) for _, values in points]
    if all(len(values) == 1 for _, values in points):
        return Series(label, x, middle)
    low, high = ([float(pick(values)) for _, values in points] for pick in (min, max))
    return Series(label, x, middle, low, high)


def _thinned(points: Sequence[tuple[int, tuple[float, ...]]]) -> list[tuple[int, tuple[float, ...]]]:
    """Some of the points, evenly on a logarithmic scale, and the last."""
    last = len(points) - 1
    places = {min(last, int(len(points) ** (i / POINTS)) - 1) for i in range(POINTS + 1)} | {last}
    return [points[place] for place in sorted(places)]


def _lengths(record: RunRecord) -> list[tuple[int, Sequence[float]]]:
    """RLG against iterations; at the end that of all seeds, where it is known."""
    points: dict[int, Sequence[float]] = dict(record.lengths)
    final = [float(o.length) for o in record.outcomes if o.length is not None]
    if final and record.done not in points:
        points[max(record.done, *points)] = final
    return sorted(points.items())


def _shares(record: RunRecord) -> Series:
    top = max(o.length or 0 for o in record.outcomes)
    known = sorted({n for n in LADDER if n <= top} | {o.length for o in record.outcomes if o.length})
    after = (
        [n for n in LADDER if n > top][:1]
        if not all(o.beyond for o in record.outcomes if o.length == top)
        else []
    )
    x = [*known, *after] or [1]
    return Series(record.label, [float(n) for n in x], [100 * share_passing(record.outcomes, n) for n in x])


def _proven(record: RunRecord) -> Series:
    x, y, at = [0.0], [0.0], 0
    proven: set[int] = set()
    for round_ in record.rounds:
        at += round_.iterations
        proven |= {seed for seed, verdict in round_.verdicts.items() if verdict == PROVEN}
        x += [float(at), float(at)]
        y += [y[-1], 100 * len(proven) / len(record.outcomes)]
    return Series(record.label, x, y)
