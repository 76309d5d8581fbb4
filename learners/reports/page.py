"""One page about runs, without scripts: figures, tables, and how each run was made."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from statistics import median

from gridlang import __version__
from gridlang.compiler.drawing.palette import page_style
from gridlang.compiler.drawing.templates import own_markup, render
from gridlang.learners.reports.line_charts import Line, Panel, charts
from gridlang.learners.reports.runs import Curve, Run, Seed, in_rows, summary

THIN_LINES = 200  # more would blur and slow the page; the median covers all seeds


def runs_to_html(runs: Sequence[Run], seconds: float = 0.0) -> str:
    """The whole page; with `seconds`, the browser reloads it that often."""
    return render(
        "gridlang.learners.reports/report.html",
        title=" and ".join(dict.fromkeys(run.agent for run in runs)),
        seconds=seconds,
        style=own_markup(page_style()),
        figures=[own_markup(figure) for figure in figures(runs).values()],
        summary=in_rows(map(summary, runs)),
        runs=[(run, in_rows(_result(*seed) for seed in run.seeds.items())) for run in runs],
        made=f"Written by gridlang {__version__}, {time.strftime('%Y-%m-%d %H:%M')}.",
    )


def figures(runs: Sequence[Run]) -> dict[str, str]:
    """Loss, RLG and shares of seeds against iterations, as SVG by name; a run has one colour in all."""
    # The first decades of one training tell most of it; of several in a row, they would hide the others.
    log = not any(len(run.rounds) > 1 for run in runs)
    losses = [line for run in runs for line in _lines(run, lambda seed: seed.losses)]
    lengths = [line for run in runs for line in _lines(run, lambda seed: seed.lengths)]
    longest = int(max((y for line in lengths for y in line.y), default=0))
    passing = [_share_passing(run, longest) for run in runs if longest]
    proven = [_share_proven(run) for run in runs if run.rounds]
    panels = {
        "loss": Panel("training loss", "iterations", losses, log, y_log=True),
        "rlg": Panel("RLG: the length passed", "iterations", lengths, log),
        "passing": Panel(f"seeds with RLG {longest:,}, %", "iterations", passing, log, reaches=(100,)),
        "proven": Panel("seeds proven, %", "iterations", proven, reaches=(100,)),
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
    for number, curve in islice(curves.items(), THIN_LINES if len(curves) > 1 else 0):
        yield Line(run.label, list(curve), list(curve.values()), f"{run.label}, seed {number}")
    at: dict[int, list[float]] = {}
    for curve in curves.values():
        for iteration, value in curve.items():
            at.setdefault(iteration, []).append(value)
    if at:
        yield Line(run.label, sorted(at), [median(at[iteration]) for iteration in sorted(at)])


def _share_passing(run: Run, length: int) -> Line:
    """At each iteration the share of all seeds that pass the length; a seed keeps its last RLG."""
    curves = [seed.lengths for seed in run.seeds.values()]
    points, last, shares = sorted({at for curve in curves for at in curve}), [0.0] * len(curves), []
    for at in points:
        last = [curve.get(at, before) for curve, before in zip(curves, last, strict=True)]
        shares.append(100 * sum(each >= length for each in last) / len(curves))
    return Line(run.label, points, shares)


def _share_proven(run: Run) -> Line:
    """At the end of each round."""
    iterations, proven = zip((0, 0), *run.rounds, strict=True)
    return Line(run.label, iterations, [100 * many / len(run.seeds) for many in proven])


def _result(number: int, seed: Seed) -> dict[str, str]:
    loss = "" if seed.loss is None else f"{seed.loss:.2e}"
    return {
        "seed": str(number),
        "loss": loss if seed.diverged is None else f"diverged at {seed.diverged:,}",
        "RLG": "" if seed.rlg is None else f"{seed.rlg:,.0f}",
        "passes": {True: "yes", False: "no", None: ""}[seed.passed],
        "proof": seed.verdict,
        "states": str(seed.states or ""),
        "because of": seed.reason,
    }
