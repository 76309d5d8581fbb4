"""Choosing traces that show most: rules not yet seen first, then rules reached in new ways."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heapreplace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from compiler.simulation.native.build import CannotBuild
from learners.traces.dataset import Ints
from learners.traces.greedy_native import NativeSelection

PASSES = 10  # Everything counts as new again in each pass.
DEPTH = 5  # A way to a rule has at most so many states.
RATIO = 64  # A rule is worth so many ways of two states, one of these so many of three, and so on.
MIX = np.uint64(0x9E3779B97F4A7C15)

Ids = npt.NDArray[np.signedinteger[Any]]


class Selection(Protocol):
    """A choice among rows of rules; what two rows show is compared by the ids of one selection."""

    def shown(self, rules: Ints) -> list[Any]: ...

    def spread(self, rows: Sequence[Any], count: int, seen: Sequence[Any] = ()) -> list[int]: ...


def selection_for(symbols: int) -> Selection:
    """A selection in C where there is a compiler, else in numpy."""
    try:
        return NativeSelection(symbols, DEPTH, PASSES)
    except CannotBuild:
        return PlainSelection(symbols)


class PlainSelection:
    """The definition, and what is used without a C compiler."""

    def __init__(self, symbols: int) -> None:
        self.symbols = symbols

    def shown(self, rules: Ints) -> list[Ids]:
        return shown(rules, self.symbols)

    def spread(self, rows: Sequence[Ids], count: int, seen: Sequence[Ids] = ()) -> list[int]:
        return spread(rows, count, seen)


def shown(rules: Ints, symbols: int) -> list[Ids]:
    """What each row of rules (N, T), padded with -1, shows: rules, and rules with the way to them.

    The way is the states before, a walk counted as one; ways of up to DEPTH states are negative numbers.
    A learner that has seen a state's rules after one way only need not know that it is the same state
    after another.
    """
    return [_shown(row[row >= 0].astype(np.int64), symbols) for row in rules]


def _shown(steps: Ids, symbols: int) -> Ids:
    states = steps // symbols
    starts = np.flatnonzero(np.diff(states, prepend=-1))
    stays = states[starts].astype(np.uint64)  # There is one for each stay in a state.
    stay = np.cumsum(np.diff(states, prepend=-1) != 0) - 1  # Each step belongs to this stay.
    marks, way = [steps], stays
    for depth in range(1, min(DEPTH, len(stays))):
        way = way.copy()
        way[depth:] = way[depth:] * MIX + stays[: len(stays) - depth] + np.uint64(depth)
        reached = stay >= depth
        ways = (way[stay[reached]] * MIX + steps[reached].astype(np.uint64)) * MIX
        marks.append(-1 - (ways >> np.uint64(5)).astype(np.int64) * DEPTH - depth)
    return np.unique(np.concatenate(marks))


def spread(rows: Sequence[Ids], count: int, seen: Sequence[Ids] = ()) -> list[int]:
    """At most `count` of the rows, as `shown` gives them, in the order of choice.

    Each choice adds the most rules, then the most ways to rules, the shortest first, to what the rows
    chosen before it and the rows of `seen` show. When nothing is left to add, everything counts as new
    again, so that rare rules are shown several times; after some such passes the rest is taken as it
    comes. Ties go to the earlier row.
    """
    if not rows:
        return []
    known, places = np.unique(np.concatenate(rows), return_inverse=True)
    items = np.split(places, np.cumsum([len(ids) for ids in rows])[:-1])
    value = np.where(known < 0, RATIO ** (DEPTH - 1 - (-1 - known) % DEPTH), RATIO**DEPTH)
    wanted = value.copy()
    if seen:
        wanted[np.isin(known, np.concatenate(seen))] = 0
    left = list(range(len(items)))
    chosen: list[int] = []
    for _ in range(PASSES):
        chosen += _one_pass(items, left, wanted, count - len(chosen))
        taken = set(chosen)
        left = [row for row in left if row not in taken]
        wanted = value.copy()
    return chosen + left[: count - len(chosen)]


def _one_pass(items: list[Ids], left: list[int], wanted: Ids, count: int) -> list[int]:
    """Choices until nothing is left to add. A gain only shrinks, so an old one bounds the new one."""
    ends = np.cumsum([len(items[row]) for row in left])
    sums = np.cumsum(np.concatenate([[0], *(wanted[items[row]] for row in left)]))
    gains = np.diff(sums[ends], prepend=0) if left else ends
    heap = [(-int(gain), row) for gain, row in zip(gains, left, strict=True) if gain]
    heapify(heap)
    chosen: list[int] = []
    while heap and len(chosen) < count:
        bound, row = heap[0]
        gain = int(wanted[items[row]].sum())
        if gain and gain == -bound:
            chosen.append(row)
            wanted[items[row]] = 0
        if gain == -bound or not gain:
            heappop(heap)
        else:
            heapreplace(heap, (-gain, row))
    return chosen
