"""Running an agent on many inputs and worlds, those somebody wrote down too, and keeping what it did."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from compiler.simulation.batch import TraceBatch, run_batch, trace_batch
from compiler.synthesis.snapshots import Grid, Snapshots
from gridlang.clauses.given_inputs import input_error
from gridlang.clauses.inputs import language_of
from gridlang.diagnostics import fail
from gridlang.program import Program
from gridlang.source import Source, Span
from gridlang.table import BLANK, DELTAS, MOVES, Table
from gridlang.world import World, picture_world
from learners.traces.choosing.random_inputs import text_world, world_text
from learners.traces.dataset import ROWS, Traces
from learners.traces.joining import padded
from learners.traces.limits import LIMITS
from learners.traces.one_trace import Trace

Item = TypeVar("Item", str, World)
LINE = re.compile(r"\S(?:[^\n]*\S)?")
PICTURE = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")  # A picture is lines that are not empty.


def traced(table: Table, inputs: Sequence[str | World], steps: int) -> Iterator[TraceBatch]:
    """The traces of the inputs, in their order, in batches that fit in memory."""
    size = max(1, min(LIMITS.chunk_traces, LIMITS.chunk_bytes // (LIMITS.step_bytes * max(steps, 1))))
    for start in range(0, len(inputs), size):
        yield trace_batch(table, inputs[start : start + size], steps)


def record(
    program: Program,
    inputs: Sequence[str | World],
    steps: int,
    data: Mapping[str, object] | None = None,
    progress: Callable[[int], None] = lambda _: None,
    *,
    strict: bool = False,
) -> Traces:
    """The traces of the agent on these inputs, each cut after `steps` steps.

    Runs that are stuck before their first step show nothing and are left out; `data` says how many. If
    `strict`, a run that is stuck shows the symbol on which it is, as a last step that does nothing.
    """
    table = program.table
    batches: list[TraceBatch] = []
    done = longest = 0
    for batch in traced(table, inputs, steps):
        batches.append(batch)
        done, longest = done + len(batch.length), max(longest, batch.x.shape[1])
        progress(done)
        if len(inputs) * longest * LIMITS.step_bytes > LIMITS.most_unpacked:
            hint = "record fewer traces, or cut them earlier with --steps"
            raise fail("G104", f"{len(inputs):,} traces of up to {longest:,} steps are too large", hint)
    length = np.concatenate([np.zeros(0, np.int64), *(batch.length for batch in batches)])
    ending = [ending for batch in batches for ending in batch.ending]
    stuck = np.array([i for i, each in enumerate(ending) if strict and each == "stuck"], np.int64)
    length[stuck] += 1
    kept = np.flatnonzero(length).tolist()
    if not kept:
        what = "is stuck before its first step on every one of them" if inputs else "has no inputs to run on"
        raise fail("G103", f"there is nothing to record: `{table.name}` {what}")
    steps_kept = max(longest, int(length.max()))
    x, s, m = (np.concatenate([padded(getattr(each, name), steps_kept) for each in batches]) for name in ROWS)
    at_the_end = run_batch(table, [inputs[i] for i in stuck.tolist()], steps)
    x[stuck, length[stuck] - 1] = [table.symbols.index(done.symbol) for done in at_the_end]
    lost = len(inputs) - len(kept)
    return Traces(
        x=x[kept],
        s=s[kept],
        m=m[kept],
        length=length[kept].astype(np.int32),
        ending=tuple(ending[i] for i in kept),
        inputs=tuple(world_text(inputs[i]) for i in kept),
        **told_of(program),
        data={**(data or {}), **({"stuck_at_once": lost} if lost else {})},
    )


def told_of(program: Program) -> dict[str, Any]:
    """What traces tell of the agent that made them."""
    table = program.table
    return {
        "symbols": table.symbols,
        "name": table.name,
        "classes": table.classes,
        "input": table.input,
        "source": program.to_source(),
        "states": len(table.states),
        "labels": table.labels,
    }


def given_inputs(table: Table, source: Source) -> list[str]:
    """The inputs in a text; GridError at the first that is not of the declared form."""
    language = language_of(table)
    inputs = []
    for match in LINE.finditer(source.text):
        span = Span(source, match.start(), match.end())
        text = table.alphabet.symbols_of(match[0])
        error = input_error(language, text, table.symbols, span)
        if error:
            raise error
        inputs.append(text)
    return _some(inputs, source)


def given_worlds(table: Table, source: Source) -> list[World]:
    """The worlds in a text; GridError at the first that is no picture."""
    spans = [Span(source, match.start(), match.end()) for match in PICTURE.finditer(source.text)]
    return _some([picture_world(span, table.symbols) for span in spans], source)


def _some(items: list[Item], source: Source) -> list[Item]:
    if not items:
        raise fail("G103", "there is nothing to record: this file is empty", file=source.path)
    return items


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
