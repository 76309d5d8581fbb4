"""Hypotheses about what really happened in noisy traces, many at once, as rows of arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from gridlang.table import DELTAS

# A cell as one number, x below y: two cells are the same if their numbers are.
PLACES = np.array([dx + (dy << 32) for dx, dy in DELTAS], np.int64)

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Shorts = npt.NDArray[np.int16]
Words = npt.NDArray[np.uint64]


@dataclass(slots=True, eq=False)
class Beam:
    """Hypotheses of a chunk of traces, one a row, those of one trace beside each other."""

    trace: Ints  # (H,)
    cost: Floats  # (H,)
    hidden: Floats  # (H, d)
    place: Ints  # (H,): the cell of the head, packed into one number
    world: Words  # (H,): a hash of what is known of the world
    x: Shorts  # (H, T)
    s: Shorts
    m: Shorts
    places: Ints  # (H, T): where each step was taken
    doubt: Floats  # (H, T): the probability of what was given up for this hypothesis

    def take(self, rows: npt.NDArray[Any]) -> Beam:
        return Beam(*(getattr(self, each.name)[rows] for each in fields(self)))

    def __len__(self) -> int:
        return len(self.trace)


def held(beam: Beam, t: int) -> Ints:
    """What the cell under each head was left with, -1 where it was not visited."""
    if not t:
        return np.full(len(beam), -1, np.int64)
    back = (beam.places[:, :t] == beam.place[:, None])[:, ::-1]
    ago = back.argmax(1)
    every = np.arange(len(beam))
    return np.where(back[every, ago], beam.s[every, t - 1 - ago], -1).astype(np.int64)


def least(trace: Ints, cost: Floats, count: int) -> Floats:
    """The least cost of each trace."""
    least = np.full(count, np.inf, np.float32)
    np.minimum.at(least, trace, cost)
    return least


def ranks(trace: Ints, cost: Floats) -> Ints:
    """The place of each among those of its trace, the cheapest first; 0 for it."""
    order = np.lexsort((cost, trace))
    sorted_trace = trace[order]
    new = np.ones(len(order), bool)
    new[1:] = sorted_trace[1:] != sorted_trace[:-1]
    starts = np.flatnonzero(new)[np.cumsum(new) - 1] if len(order) else np.zeros(0, np.int64)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order)) - starts
    return ranks


def cell_hash(place: Ints, symbol: Ints) -> Words:
    """A random number for a cell that holds a symbol; their sum stands for a world."""
    mixed = place.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed += (symbol.astype(np.int64) + 1).astype(np.uint64) * np.uint64(0xD1B54A32D192ED03)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


def doubt(beam: Beam, kept: Ints, given_up: Ints, t: int) -> None:
    """Where what is kept and what is given up differ, the latter might be true."""
    share = 1 / (1 + np.exp(np.minimum(beam.cost[given_up] - beam.cost[kept], 50)))
    differ = np.zeros((len(kept), t + 1), bool)
    for name in "xsm":
        rows = getattr(beam, name)[:, : t + 1]
        differ |= rows[kept] != rows[given_up]
    np.add.at(beam.doubt[:, : t + 1], kept, differ * share[:, None].astype(np.float32))
