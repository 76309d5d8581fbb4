"""Less than traces: the grids that could be seen every few steps, with or without the head."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.synthesis.snapshots import Grid, Snapshots
from gridlang.diagnostics import fail
from gridlang.table import BLANK, DELTAS, MOVES
from gridlang.world import string_world
from learners.traces.dataset import Traces
from learners.traces.one_trace import Trace


def traces_to_snapshots(traces: Traces, every: int, hide_head: bool) -> Snapshots:
    """The grids of all traces that halted on a word, one after every `every` steps, and the last."""
    words = [trace for trace in traces if trace.ending == "halted" and not trace.input.endswith("\n")]
    if not words:
        hint = "record declared inputs: --rule paper, or --rule inputs"
        raise fail("G103", "no run on a word has halted, so there is no last grid to show", hint)
    runs = tuple(tuple(_grids(trace, every, hide_head)) for trace in words)
    return Snapshots(traces.name, traces.symbols, every, runs)


def _grids(trace: Trace, every: int, hide_head: bool) -> Iterator[Grid]:
    cells, (x, y) = dict(string_world(trace.input).cells), (0, 0)
    yield Grid(dict(cells), None if hide_head else (x, y))
    for number, step in enumerate(trace.steps, 1):
        assert step.write is not None and step.move is not None  # a run that halts has done all its steps
        cells[x, y] = step.write
        dx, dy = DELTAS[MOVES.index(step.move)]
        x, y = x + dx, y + dy
        if number == len(trace.steps) or number % every == 0:
            seen = {cell: symbol for cell, symbol in cells.items() if symbol != BLANK}
            yield Grid(seen, None if hide_head else (x, y))
