"""One page about runs, without scripts: figures, tables, and how each run was made."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from math import log2
from statistics import median

from gridlang import __version__
from gridlang.compiler.drawing.palette import page_style
from gridlang.compiler.drawing.templates import own_markup, render
from gridlang.learners.reports.line_charts import Line, Panel, charts
from gridlang.learners.reports.runs import Curve, Rows, Run, Seed, summary, without_empty_columns

CELLS = 80  # of the points of a curve: a figure is some hundred pixels wide
THIN_LINES = 200  # more would blur and slow the page; the median covers all seeds
LISTED = 400  # seeds of a run in its table


def runs_to_html(title: str, runs: Sequence[Run], seconds: float = 0.0) -> str:
    """The whole page; with `seconds`, the browser reloads it that often."""
    return render(
        "gridlang.learners.reports/report.html",
        title=title,
        seconds=seconds,
        style=own_markup(page_style()),
        figures=[own_markup(figure) for figure in figures(runs).values()],
        summary=summary(runs),
        runs=[(run, _seeds(run), max(0, len(run.seeds) - LISTED)) for run in runs],
        made=f"Written by gridlang {__version__}, {time.strftime('%Y-%m-%d %H:%M')}.",
    )


def figures(runs: Sequence[Run]) -> dict[str, str]:
    """Loss, RLG and shares of seeds against iterations, as SVG by name; a run has one colour in all."""
    # The first decades of one training tell most of it; of several in a row, they would hide the others.
    log = not any(len(run.rounds) > 1 for run in runs)
    losses = [line for run in runs for line in _lines(run, lambda seed: seed.losses)]
    lengths = [line for run in runs for line in _lines(run, lambda seed: seed.lengths)]
    longest = int(max((y or 0 for line in lengths for y in line.y), default=0))
    passing = [line for run in runs for line in _share_passing(run, longest)]
    proven = [_share_proven(run) for run in runs if run.rounds]
    panels = {
        "loss": Panel("training loss", "iterations", losses, log, y_log=True),
        "rlg": Panel("RLG: the length passed", "iterations", lengths, log),
        "passing": Panel(f"seeds with RLG {longest:,}, %", "iterations", passing, log, y_top=100),
        "proven": Panel("seeds proven, %", "iterations", proven, y_top=100),
    }
    order = [run.label for run in runs]
    return {
        name: charts(panel.title, [panel._replace(title="")], order)
        for name, panel in panels.items()
        if panel.lines
    }


def _lines(run: Run, curve_of: Callable[[Seed], Curve]) -> Iterator[Line]:
    """A thin line for each seed and their median; of one seed its line alone."""
    curves = {number: curve_of(seed) for number, seed in run.seeds.items()}
    kept = {number: _thinned(curve) for number, curve in curves.items() if len(curve) > 1}
    if len(kept) > 1:
        for number, curve in list(kept.items())[:THIN_LINES]:
            yield Line(f"{run.label}, seed {number}", list(curve), list(curve.values()), of=run.label)
    at: dict[int, list[float]] = {}
    for curve in kept.values():
        for iteration, value in curve.items():
            if value is not None:
                at.setdefault(iteration, []).append(value)
    if at:
        yield Line(run.label, sorted(at), [median(at[iteration]) for iteration in sorted(at)])


def _thinned(curve: Curve) -> Curve:
    """The last point of each cell of a linear and a logarithmic axis."""
    last = max(curve) or 1
    kept = {(at * CELLS // last, int(CELLS / 10 * log2(at + 1))): at for at in curve}
    return {at: curve[at] for at in kept.values()}


def _share_passing(run: Run, length: int) -> Iterator[Line]:
    """At each iteration the share of all seeds that pass the length; a seed keeps its last RLG."""
    curves = [seed.lengths for seed in run.seeds.values()]
    passing, last = {}, [0.0] * len(curves)
    for at in sorted({at for curve in curves for at in curve}):
        last = [curve.get(at, before) or 0.0 for curve, before in zip(curves, last, strict=True)]
        passing[at] = 100 * sum(each >= length for each in last) / len(curves)
    if passing and length:
        yield Line(run.label, list(passing), list(passing.values()))


def _share_proven(run: Run) -> Line:
    """It rises at the end of each round."""
    x, y = [0.0], [0.0]
    for iterations, proven in run.rounds:
        x += [iterations, iterations]
        y += [y[-1], 100 * proven / len(run.seeds)]
    return Line(run.label, x, y)


def _seeds(run: Run) -> Rows:
    """A line per seed with its result."""
    rows = [["seed", "loss", "RLG", "passes", "proof", "states", "because of"]]
    for number, seed in list(run.seeds.items())[:LISTED]:
        loss = "" if seed.loss is None else f"{seed.loss:.2e}"
        row = [str(number), loss if seed.diverged is None else f"diverged at {seed.diverged:,}"]
        row += [
            "" if seed.rlg is None else f"{'≥ ' * seed.beyond}{seed.rlg:,.0f}",
            {True: "yes", False: "no", None: ""}[seed.passed],
        ]
        rows.append([*row, seed.verdict, str(seed.states or ""), seed.reason])
    return without_empty_columns(rows)
