"""From a model and traces to the table that most of the steps agree on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from compiler.dfst import Dfst
from gridlang.table import STAY, Entry, Table, canonical
from learners.traces.dataset import Traces

SEEN = 0.02  # What is read less often in a state says nothing about what the state is.
NEAR = 0.5  # Vectors of answers this far apart are of two states: answers that differ are 1.4 apart or more.
MOST = 4  # A state may fall into so many clusters on average; more are outliers.
LEAST = 3  # A rule that fewer steps agree on is taken for noise.
AGREED = 0.5  # A rule needs more than this part of the steps that would use it.

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


class Steps(NamedTuple):
    """All steps of some traces in a row, and the hidden vector of a model before each, of length one."""

    trace: Ints
    time: Ints
    hidden: Floats  # (M, d)


def followed(machine: Dfst, traces: Traces) -> Steps:
    """The model fed with what the traces read."""
    parts, hidden = [], np.repeat(machine.h0[None].astype(np.float32), len(traces), 0)
    rows = np.arange(len(traces))
    for t in range(traces.x.shape[1]):
        going = traces.length[rows] > t
        rows, hidden = rows[going], hidden[going]
        hidden = hidden / np.maximum(np.linalg.norm(hidden, axis=1, keepdims=True), 1e-30)
        parts.append(Steps(rows, np.full(len(rows), t), hidden))
        x, after = traces.x[rows, t], np.empty_like(hidden)
        for symbol in np.unique(x).tolist():
            after[x == symbol] = hidden[x == symbol] @ machine.A[symbol].T
        hidden = after
    return Steps(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def reading_of(steps: Steps, traces: Traces) -> Floats:
    """(k, d): how often each symbol is read in a state, as a linear map by least squares."""
    size, dim = len(traces.symbols), steps.hidden.shape[1]
    hidden = steps.hidden.astype(np.float64)
    gram, cross = hidden.T @ hidden, np.zeros((size, dim))
    np.add.at(cross, traces.x[steps.trace, steps.time], hidden)
    ridge = 1e-3 * np.trace(gram) / dim * np.eye(dim)
    return np.linalg.solve(gram + ridge, cross.T).T.astype(np.float32)


def _answers(machine: Dfst, hidden: Floats, reading: Floats) -> Floats:
    """What the model would write and do on every symbol, now and a step later, where that is ever read."""
    seen = (hidden @ reading.T) > SEEN  # (M, k)
    out = np.concatenate([machine.B, machine.C], 1)
    parts = []
    for symbol in range(len(machine.A)):
        on = seen[:, symbol, None]
        parts.append(on * np.clip(hidden @ out[symbol].T / np.sqrt(2), -0.2, 1))
    return np.concatenate(parts, 1).astype(np.float32)


def clusters_of(features: Floats, most: int) -> Ints:
    """A cluster for each vector, -1 for outliers; found one by one, the densest surroundings first."""
    random = np.random.default_rng(0)
    home = np.full(len(features), -1, np.int64)
    for cluster in range(most):
        left = np.flatnonzero(home < 0)
        if len(left) <= len(features) / 1000:
            break
        tried = random.choice(left, min(len(left), 24), replace=False)
        near = [np.linalg.norm(features[left] - features[at], axis=1) < NEAR for at in tried.tolist()]
        centre = features[left[max(near, key=np.count_nonzero)]].mean(0)
        inside = np.linalg.norm(features[left] - centre, axis=1) < NEAR
        if not inside.any():
            continue
        home[left[inside]] = cluster
    return home


def table_by_majority(machine: Dfst, clean: Traces, seen: Traces) -> Table | None:
    """The table whose states are clusters of hidden vectors; None where the start belongs to none.

    `clean` has what is believed, and the model follows its reads; what a rule writes and where it moves is
    what most steps of `seen`, which are as they were recorded, show. A rule that too few agree on is left
    out.
    """
    steps = followed(machine, clean)
    reading = reading_of(steps, clean)
    home = clusters_of(_answers(machine, steps.hidden, reading), MOST * max(len(machine.h0), 4))
    size, symbols = int(home.max()) + 1, len(clean.symbols)
    place = np.full(clean.x.shape, -1, np.int64)
    place[steps.trace, steps.time] = home
    first = place[:, 0]
    if not size or (first < 0).all():
        return None
    start = int(np.bincount(first[first >= 0]).argmax())
    x = clean.x[steps.trace, steps.time].astype(np.int64)
    later = np.pad(place, ((0, 0), (0, 1)), constant_values=-1)[steps.trace, steps.time + 1]
    pair = home * symbols + x
    used = home >= 0
    s, m = (getattr(seen, name)[steps.trace, steps.time].astype(np.int64) for name in "sm")
    write, writes = _majority(pair[used], s[used], size * symbols, symbols)
    move, moves = _majority(pair[used], m[used], size * symbols, 5)
    goes = used & (later >= 0)
    after, afters = _majority(pair[goes], later[goes], size * symbols, size)
    count = np.bincount(pair[used], minlength=size * symbols)
    going = np.bincount(pair[goes], minlength=size * symbols)
    rows = []
    for state in range(size):
        row: list[Entry | None] = []
        for symbol in range(symbols):
            at = state * symbols + symbol
            idle = write[at] == symbol and move[at] == STAY
            sure = min(writes[at], moves[at]) > AGREED * count[at] and count[at] >= LEAST
            if idle and sure:
                row.append(Entry(symbol, STAY, state))
            elif sure and going[at] >= LEAST and afters[at] > AGREED * going[at]:
                row.append(Entry(int(write[at]), int(move[at]), int(after[at])))
            else:
                row.append(None)
        rows.append(tuple(row))
    return _begun_at(start, tuple(rows), clean)


def _majority(group: Ints, value: Ints, groups: int, values: int) -> tuple[Ints, Ints]:
    """The value that most of each group have, and how many do."""
    counts = np.zeros((groups, values), np.int64)
    np.add.at(counts, (group, value), 1)
    return counts.argmax(1), counts.max(1)


def _begun_at(start: int, rows: tuple[tuple[Entry | None, ...], ...], traces: Traces) -> Table:
    """A table in which this state is the first, and others as they are reached."""
    order = [start, *(state for state in range(len(rows)) if state != start)]
    place = {state: at for at, state in enumerate(order)}
    moved = tuple(
        tuple(entry and entry._replace(next=place[entry.next]) for entry in rows[state]) for state in order
    )
    names = tuple(f"q{at}" for at in range(len(rows)))
    return canonical(Table(traces.name, traces.symbols, names, moved, traces.classes, traces.input))
