"""Less than traces: the grids that could be seen every few steps, with or without the head."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.synthesis.snapshots import Grid, Snapshots
from gridlang.diagnostics import fail
from gridlang.table import BLANK, DELTAS, MOVES
from gridlang.world import World
from learners.traces.choosing.random_worlds import text_world
from learners.traces.dataset import Traces
from learners.traces.one_trace import Trace


def traces_to_snapshots(traces: Traces, every: int, hide_head: bool) -> Snapshots:
    """The grids of all traces that halted, one after every `every` steps, and the last."""
    whole = [trace for trace in traces if trace.ending == "halted"]
    if not whole:
        hint = "record declared inputs, or longer runs: --rule inputs, --world FILE, --steps N"
        raise fail("G103", "no run has halted, so there is no last grid to show", hint)
    starts = (text_world(trace.input, traces.symbols) for trace in whole)
    runs = tuple(tuple(_grids(*run, every, hide_head)) for run in zip(whole, starts, strict=True))
    return Snapshots(traces.name, traces.symbols, every, runs)


def _grids(trace: Trace, start: World, every: int, hide_head: bool) -> Iterator[Grid]:
    """Places are counted from where the head begins."""
    left, top = start.start
    cells, (x, y) = {(x - left, y - top): symbol for (x, y), symbol in start.cells.items()}, (0, 0)
    yield Grid(dict(cells), None if hide_head else (x, y))
    for number, step in enumerate(trace.steps, 1):
        assert step.write is not None and step.move is not None  # a run that halts has done all its steps
        cells[x, y] = step.write
        dx, dy = DELTAS[MOVES.index(step.move)]
        x, y = x + dx, y + dy
        if number == len(trace.steps) or number % every == 0:
            seen = {cell: symbol for cell, symbol in cells.items() if symbol != BLANK}
            yield Grid(seen, None if hide_head else (x, y))
