"""The charts of a report: loss, RLG, margin, rates, the shares of seeds that pass and that are proven."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from learners.evaluation.length_search import LADDER
from learners.reports.curves import Curves, middles
from learners.reports.line_charts import COLOURS, Panel, Series, Strand, charts
from learners.reports.measures import share_passing
from learners.reports.run_records import RunRecord

COLOURED = len(COLOURS)  # So many seeds of one run have a colour each.
MOST_STRANDS = 200  # More lines are one blot, and make a page slow; the band is of all seeds.
PROVEN = "proven"


class Picture(NamedTuple):
    """A chart, the name of its file, and its numbers for whoever draws it anew."""

    name: str
    title: str
    svg: str
    data: dict[str, Any]


def pictures(records: Sequence[RunRecord]) -> list[Picture]:
    """The charts that there is something to show in; a record, or a seed, has the same colour in all."""
    alone = len(records) == 1 and len(records[0].outcomes) <= COLOURED
    order = [f"seed {o.seed}" for o in records[0].outcomes] if alone else [record.label for record in records]
    return [
        Picture(
            name, panel.title, charts(panel.title, [panel._replace(title="")], order), _data(panel, order)
        )
        for name, panel in _panels(records, alone)
        if panel.series
    ]


def _panels(records: Sequence[RunRecord], alone: bool) -> Iterator[tuple[str, Panel]]:
    def lines(name: str) -> list[Series]:
        return [series for record in records for series in _lines(record.label, getattr(record, name), alone)]

    # The first decades of one training tell most of it; of several in a row, they would hide the others.
    log = not any(len(record.rounds) > 1 for record in records)
    yield "loss", Panel("training loss", "iterations", lines("losses"), log, y_log=True)
    yield "rlg", Panel("RLG: the length passed", "iterations", lines("lengths"), log)
    yield "margin", Panel("margin: lead of what is right", "iterations", lines("margins"), log)
    yield "lr", Panel("learning rate", "iterations", lines("learning_rates"), log)
    yield "speed", Panel("iterations a second", "iterations", lines("speeds"), log)
    shares = [_shares(record) for record in records if sum(o.length is not None for o in record.outcomes) > 1]
    yield "share", Panel("seeds that pass a length, %", "length", shares, x_log=True)
    proven = [_proven(record) for record in records if len(record.rounds) > 1]
    yield "proven", Panel("seeds proven, %", "iterations, of all rounds together", proven)


def _lines(label: str, curves: Sequence[Curves], alone: bool) -> list[Series]:
    """A series with its strands; where few seeds stand alone, a series for each."""
    thin = [part.thinned() for part in curves if len(part.iterations) > 1]
    strands = [
        Strand(name, part.iterations, values, part.seconds, part.beyond.get(name, ()))
        for part in thin
        for name, values in part.lines.items()
        if any(value is not None for value in values)
    ]
    if alone and all(strand.label.startswith("seed ") for strand in strands):
        return [_single(strand) for strand in strands]
    points = middles(thin)
    if not points:
        return []
    line = Series(label, [float(p.iteration) for p in points], [p.middle for p in points])
    line = line._replace(seconds=[p.seconds for p in points])
    if len(strands) == 1:
        return [line]
    low, high = [p.low for p in points], [p.high for p in points]
    return [line._replace(low=low, high=high, strands=strands[:MOST_STRANDS])]


def _single(strand: Strand) -> Series:
    places = [place for place, value in enumerate(strand.y) if value is not None]
    x, y = [strand.x[place] for place in places], [strand.y[place] or 0.0 for place in places]
    return Series(strand.label, x, y, strands=[strand], alone=True)


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
    x, y, at, proven = [0.0], [0.0], 0, 0
    for round_ in record.rounds:
        at += round_.iterations
        proven += round_.count(PROVEN)
        x += [float(at), float(at)]
        y += [y[-1], 100 * proven / max(1, len(record.outcomes))]
    return Series(record.label, x, y)


def _data(panel: Panel, order: Sequence[str]) -> dict[str, Any]:
    """The numbers of a chart, as short as they are seen; a strand shares the axis of its series if it can."""
    names = list(dict.fromkeys((*order, *(series.label for series in panel.series))))
    return {
        "title": panel.title,
        "across": panel.x_label,
        "xLog": panel.x_log,
        "yLog": panel.y_log,
        "series": [
            {
                "label": series.label,
                "colour": COLOURS[names.index(series.label) % len(COLOURS)],
                **({} if series.alone else _line(series.x, series.y, series.seconds)),
                **({"low": _short(series.low), "high": _short(series.high)} if series.low else {}),
                "strands": [
                    {
                        "label": strand.label,
                        **_line(strand.x, strand.y, strand.seconds),
                        **({"beyond": [int(b) for b in strand.beyond]} if any(strand.beyond) else {}),
                    }
                    for strand in series.strands
                ],
            }
            for series in panel.series
        ],
    }


def _line(x: Sequence[float], y: Sequence[float | None], seconds: Sequence[float | None]) -> dict[str, Any]:
    known = {"t": _short(seconds)} if seconds and None not in seconds else {}
    return {"x": _short(x), "y": _short(y), **known}


def _short(values: Sequence[float | None]) -> list[float | int | None]:
    """Numbers with five digits."""
    return [None if value is None else _five(value) for value in values]


def _five(value: float) -> float | int:
    rounded = float(f"{value:.5g}")
    return int(value) if value == int(value) and abs(value) < 1e15 else rounded
