"""From a model and traces to tables: clusters of hidden vectors are states, and most steps say the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from compiler.tensors.dfst import Dfst
from gridlang.table import MOVES, Table
from learners.methods.noise.limits import LIMITS
from learners.methods.noise.search import smallest
from learners.methods.table_rows import rows_to_table
from learners.traces.dataset import Traces

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


class Steps(NamedTuple):
    """All steps of some traces in a row, and the hidden vector of a model before each, of length one."""

    trace: Ints
    time: Ints
    hidden: Floats  # (M, d)


def tables_of(machine: Dfst, believed: Traces, seen: Traces, random: np.random.Generator) -> Iterator[Table]:
    """Tables of a model that follows what is believed to be read; by clusters of one size, and of one number.

    What a rule writes and where it moves is what most steps of `seen` say, which are as they were recorded.
    """
    steps = followed(machine, believed)
    vectors = observed(machine, steps, believed)
    dim = len(machine.h0)
    for home in (
        by_distance(vectors, LIMITS.clusters * dim, random),
        by_centres(vectors, int(LIMITS.centres * dim), random),
    ):
        yield _table(home, steps, believed, seen)


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


def observed(machine: Dfst, steps: Steps, traces: Traces) -> Floats:
    """(M, d): hidden vectors, as far apart as what follows from them, now and later (by the Gramian)."""
    shares = np.bincount(traces.x[steps.trace, steps.time], minlength=len(machine.A)) / len(steps.trace)
    now = sum(
        (B.T @ B + C.T @ C).astype(np.float64) / 2
        for B, C, share in zip(machine.B, machine.C, shares, strict=True)
        if share > LIMITS.rare
    )
    gramian = now
    for _ in range(LIMITS.ahead):
        later = sum(share * A.T @ gramian @ A for A, share in zip(machine.A, shares, strict=True))
        gramian = now + LIMITS.discount * later
    values, vectors = np.linalg.eigh(np.nan_to_num(gramian))
    root = vectors * np.sqrt(np.maximum(values, 0))
    apart: Floats = np.nan_to_num(steps.hidden) @ root.astype(np.float32)
    return apart


def by_distance(vectors: Floats, most: int, random: np.random.Generator) -> Ints:
    """A cluster for each vector, -1 for outliers; found one by one, the densest surroundings first."""
    home = np.full(len(vectors), -1, np.int64)
    for cluster in range(most):
        left = np.flatnonzero(home < 0)
        if len(left) <= len(vectors) / 1000:
            break
        tried = random.choice(left, min(len(left), 24), replace=False)
        near = [np.linalg.norm(vectors[left] - vectors[at], axis=1) < LIMITS.near for at in tried.tolist()]
        centre = vectors[left[max(near, key=np.count_nonzero)]].mean(0)
        home[left[np.linalg.norm(vectors[left] - centre, axis=1) < LIMITS.near]] = cluster
    return home


def by_centres(vectors: Floats, count: int, random: np.random.Generator) -> Ints:
    """The nearest centre of each vector (k-means, by medians: outliers move no centre)."""
    sample = vectors[random.choice(len(vectors), min(len(vectors), LIMITS.sampled), replace=False)]
    centres = sample[:1]
    for _ in range(count - 1):
        distance = _squares(sample, centres).min(1)
        if not distance.sum() > 0:
            break
        farther = random.choice(len(sample), 1, p=distance / distance.sum())
        centres = np.concatenate([centres, sample[farther]])
    for _ in range(LIMITS.centred):
        home = _squares(sample, centres).argmin(1)
        centres = np.stack(
            [
                np.median(sample[home == at], 0) if (home == at).any() else centres[at]
                for at in range(len(centres))
            ]
        )
    nearest: Ints = _squares(vectors, centres).argmin(1)
    return nearest


def _squares(vectors: Floats, centres: Floats) -> npt.NDArray[np.float64]:
    """(M, C): the squared distances."""
    squares = (vectors**2).sum(1)[:, None] - 2 * vectors @ centres.T + (centres**2).sum(1)
    distances: npt.NDArray[np.float64] = np.maximum(squares, 0).astype(np.float64)
    return distances


def _table(home: Ints, steps: Steps, believed: Traces, seen: Traces) -> Table:
    """The table whose states are clusters."""
    home = home + 1  # Outliers are a state of their own, which the search gets rid of.
    size, symbols = int(home.max()) + 1, len(seen.symbols)
    place = np.zeros(seen.x.shape, np.int64)
    place[steps.trace, steps.time] = home
    start = int(np.bincount(place[:, 0]).argmax())
    home = np.where(home == start, 0, np.where(home == 0, start, home))
    place[steps.trace, steps.time] = home
    last = steps.time + 1 == seen.length[steps.trace]
    later = np.pad(place, ((0, 0), (0, 1)))[steps.trace, steps.time + 1]
    rule = home * symbols + believed.x[steps.trace, steps.time]
    write, move = (
        _majority(rule, getattr(seen, row)[steps.trace, steps.time], size * symbols, count)
        for row, count in (("s", symbols), ("m", len(MOVES)))
    )
    after = _majority(rule[~last], later[~last], size * symbols, size)
    shown = np.bincount(rule, minlength=size * symbols) >= LIMITS.least_visits
    act, shape = np.where(shown, write * len(MOVES) + move, -1), (size, symbols)
    return smallest(rows_to_table(seen, act.reshape(shape), after.reshape(shape)))


def _majority(group: Ints, value: npt.NDArray[np.integer], groups: int, values: int) -> Ints:
    """The value that most of each group have."""
    counts = np.bincount(group * values + value, minlength=groups * values)
    most: Ints = counts.reshape(groups, values).argmax(1)
    return most
