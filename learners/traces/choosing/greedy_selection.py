"""Choosing traces that show most: rules not yet seen first, then rules reached in new ways."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heapreplace
from typing import Any

import numpy as np
import numpy.typing as npt

from gridlang.learners.traces.dataset import Ints

PASSES = 10  # everything counts as new again in each
DEPTH = 5  # states in the longest way to a rule
RATIO_BITS = 6  # a rule is worth 64 ways of two states, one of these 64 of three, and so on
MIX = np.uint64(0x9E3779B97F4A7C15)

Ids = npt.NDArray[np.signedinteger[Any]]


class Selection:
    """A choice among rows of rules; only ids of one selection can be compared."""

    def __init__(self, symbols: int) -> None:
        self.symbols = symbols

    def shown(self, rules: Ints) -> list[Ids]:
        """What each row of rules (N, T), padded with -1, shows: rules, and rules with the way to them.

        The way is up to DEPTH states before, a walk counted as one; ways are negative numbers. Whoever has
        seen a state's rules after one way need not know that it is the same state after another.
        """
        return [self._shown(row[row >= 0].astype(np.int64)) for row in rules]

    def _shown(self, steps: Ids) -> Ids:
        states = steps // self.symbols
        starts = np.flatnonzero(np.diff(states, prepend=-1))
        stays = states[starts].astype(np.uint64)  # one for each stay in a state
        stay = np.cumsum(np.diff(states, prepend=-1) != 0) - 1  # of each step
        marks, way = [steps], stays
        for depth in range(1, min(DEPTH, len(stays))):
            way = way.copy()
            way[depth:] = way[depth:] * MIX + stays[: len(stays) - depth] + np.uint64(depth)
            reached = stay >= depth
            ways = (way[stay[reached]] * MIX + steps[reached].astype(np.uint64)) * MIX
            marks.append(-1 - (ways >> np.uint64(5)).astype(np.int64) * DEPTH - depth)
        return np.unique(np.concatenate(marks))

    def spread(self, rows: Sequence[Ids], count: int, seen: Sequence[Ids] = ()) -> list[int]:
        """At most `count` of the rows, as `shown` gives them, in the order of choice.

        Each adds the most rules, then the most ways to rules, the shortest first, to what the rows before it
        and those of `seen` show. When nothing is left to add, everything counts as new again; after some such
        passes the rest is taken as it comes. Ties go to the earlier row.
        """
        if not rows:
            return []
        known, places = np.unique(np.concatenate(rows), return_inverse=True)
        items = np.split(places, np.cumsum([len(ids) for ids in rows])[:-1])
        depths = np.where(known < 0, DEPTH - 1 - (-1 - known) % DEPTH, DEPTH)
        value = np.int64(1) << RATIO_BITS * depths
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
    heap = [(-int(gain), row) for row in left if (gain := wanted[items[row]].sum())]
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
