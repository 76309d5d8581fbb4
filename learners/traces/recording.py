"""Running an agent on inputs and worlds and keeping what it did; traces of several places as one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from gridlang.clauses.given_inputs import input_error
from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.engines import execute
from gridlang.compiler.simulation.random_inputs import world_text
from gridlang.diagnostics import fail
from gridlang.learners.traces.batch import TraceBatch, as_worlds, trace_batch
from gridlang.learners.traces.dataset import ROWS, Shorts, Traces, chosen, renumbered
from gridlang.learners.traces.limits import LIMITS
from gridlang.outcomes import Outcome
from gridlang.program import Program
from gridlang.source import Source, Span
from gridlang.table import Table
from gridlang.world import World, picture_world


def in_alphabet(traces: Traces, symbols: tuple[str, ...], file: str = "") -> Traces:
    """The traces with these symbols in this order; GridError for others."""
    if traces.symbols == symbols:
        return traces
    if set(traces.symbols) != set(symbols):
        here, there = (" ".join(each[:40]) for each in (symbols, traces.symbols))
        hint = "the traces of one agent have one alphabet"
        raise fail("G101", f"the alphabet of these traces is {there}, not {here}", hint, file)
    numbers = [symbols.index(symbol) for symbol in traces.symbols]
    x, s = renumbered("x", traces.x, numbers), renumbered("s", traces.s, numbers)
    return replace(traces, x=x, s=s, symbols=symbols)


def join(parts: Sequence[Traces]) -> Traces:
    """One agent's traces from several files, each row once; what is told of the agent is the first's.

    GridError where alphabets differ, or where two traces read the same and act differently.
    """
    first = parts[0]
    alike = [in_alphabet(part, first.symbols) for part in parts]
    steps = max(int(part.length.max()) for part in parts)
    x, s, m = (np.concatenate([padded(getattr(part, name), steps) for part in alike]) for name in ROWS)
    whole = replace(
        first,
        x=x,
        s=s,
        m=m,
        length=np.concatenate([part.length for part in parts]),
        ending=tuple(ending for part in parts for ending in part.ending),
        inputs=tuple(text for part in parts for text in part.inputs),
        data=first.data if len(parts) == 1 else {"joined": list(chain.from_iterable(map(origins, parts)))},
    )
    _check_deterministic(whole)
    return without_duplicates(whole)


def origins(traces: Traces) -> list[dict[str, Any]]:
    """How each part of the traces was made."""
    parts = traces.data.get("joined")
    if not isinstance(parts, list):
        return [dict(traces.data)]
    return [dict(part) for part in parts if isinstance(part, dict)]


def padded(rows: Shorts, steps: int) -> Shorts:
    """Rows of exactly this length, (N, steps)."""
    rows = rows[:, :steps]
    return np.pad(rows, ((0, 0), (0, steps - rows.shape[1])), constant_values=-1)


def without_duplicates(traces: Traces) -> Traces:
    """The first of equal rows stays."""
    rows = np.ascontiguousarray(np.concatenate([traces.x, traces.s, traces.m], 1))  # (N, 3T)
    _, kept = np.unique(rows.view(f"V{rows.shape[1] * 2}"), return_index=True)
    return chosen(traces, np.sort(kept))


def _check_deterministic(traces: Traces) -> None:
    """Rows sorted by what was read: neighbours act alike as long as they read alike."""
    keys = np.ascontiguousarray((traces.x + 1).astype(">u2"))
    order = np.argsort(keys.view(f"V{keys.shape[1] * 2}").ravel(), kind="stable")
    x, s, m = (rows[order] for rows in (traces.x, traces.s, traces.m))
    alike = np.logical_and.accumulate((x[1:] == x[:-1]) & (x[1:] >= 0), 1)
    wrong = (alike & ((s[1:] != s[:-1]) | (m[1:] != m[:-1]))).any(1)
    if wrong.any():
        at = int(wrong.argmax())
        texts = [json.dumps(traces.inputs[order[i]][:60], ensure_ascii=False) for i in (at, at + 1)]
        raise fail(
            "G102",
            f"no one agent made these traces: those on {texts[0]} and {texts[1]} read the same and act apart",
            "join traces of one agent only",
        )


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
    stuck = np.array([i for i, each in enumerate(ending) if strict and each == Outcome.STUCK], np.int64)
    length[stuck] += 1
    kept = np.flatnonzero(length).tolist()
    if not kept:
        what = "is stuck before its first step on every one of them" if inputs else "has no inputs to run on"
        raise fail("G103", f"there is nothing to record: `{table.name}` {what}")
    steps_kept = max(longest, int(length.max()))
    x, s, m = (np.concatenate([padded(getattr(each, name), steps_kept) for each in batches]) for name in ROWS)
    at_the_end = (execute(table, world, steps) for world in as_worlds(inputs[i] for i in stuck.tolist()))
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
    """The metadata of traces about their agent."""
    table = program.table
    return {
        "symbols": table.symbols,
        "name": table.name,
        "classes": table.classes,
        "input": table.input,
        "source": program.to_source(),
        "states": len(table.states),
    }


def given_inputs(table: Table, source: Source) -> list[str]:
    """The inputs in a text; GridError at the first that is not of the declared form."""
    language = language_of(table)
    inputs = []
    for match in LINE.finditer(source.text):
        span = Span(source, match.start(), match.end())
        error = input_error(language, match[0], table.symbols, span)
        if error:
            raise error
        inputs.append(match[0])
    return _some(inputs, source)


def given_worlds(table: Table, source: Source) -> list[World]:
    """The worlds in a text; GridError at the first that is not a picture."""
    spans = [Span(source, match.start(), match.end()) for match in PICTURE.finditer(source.text)]
    return _some([picture_world(span, table.symbols) for span in spans], source)


def _some(items: list[Item], source: Source) -> list[Item]:
    if not items:
        raise fail("G103", "there is nothing to record: this file is empty", file=source.path)
    return items
