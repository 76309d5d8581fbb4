"""Choosing traces that show most: rules not yet seen first, then rules reached in new ways.

`Selection` is the definition, and the fallback without a C compiler; `NativeSelection` chooses the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heapreplace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gridlang.compiler.native.c_library import CLibrary
from gridlang.learners.traces.dataset import Ints
from gridlang.learners.traces.limits import LIMITS

PASSES = 10  # everything counts as new again in each
DEPTH = 5  # states in the longest way to a rule
RATIO_BITS = 6  # a rule is worth 64 ways of two states, one of these 64 of three, and so on
MIX = np.uint64(0x9E3779B97F4A7C15)
LIBRARY = CLibrary(Path(__file__).with_suffix(".c"), "-O2", DEPTH=DEPTH, RATIO_BITS=RATIO_BITS)

Ids = npt.NDArray[np.signedinteger[Any]]


def selection_for(symbols: int) -> Selection:
    """A selection in C where there is a compiler, else in numpy."""
    return NativeSelection(symbols) if LIBRARY.builds() else Selection(symbols)


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


class NativeSelection(Selection):
    """The same in C, where what was shown has numbers of its own."""

    def __init__(self, symbols: int) -> None:
        super().__init__(symbols)
        self.handle = LIBRARY.own(self, "selection_new", "selection_free")

    def shown(self, rules: Ints) -> list[Ids]:
        size = max(1, LIMITS.numbers_at_once // (max(1, rules.shape[1]) * DEPTH))
        return [ids for first in range(0, len(rules), size) for ids in self._numbers(rules[first:][:size])]

    def _numbers(self, rules: Ints) -> list[Ids]:
        rows, wide = rules.shape
        steps = np.ascontiguousarray(rules, np.int64)
        numbers, ends = np.empty(rows * wide * DEPTH, np.int32), np.empty(rows, np.int64)
        room = np.empty(3 * wide, np.uint64)
        if not LIBRARY.selection_shown(self.handle, steps, rows, wide, self.symbols, numbers, ends, room):
            raise MemoryError("there is no memory for what the traces show")
        return list(np.split(numbers[: ends[-1] if rows else 0].copy(), ends[:-1])[:rows])

    def spread(self, rows: Sequence[Ids], count: int, seen: Sequence[Ids] = ()) -> list[int]:
        nothing = np.zeros(0, np.int32)
        items, known = np.concatenate([nothing, *rows]), np.concatenate([nothing, *seen])
        ends = np.cumsum([len(row) for row in rows], dtype=np.int64)
        chosen = np.empty(max(0, min(count, len(rows))), np.int64)
        done = LIBRARY.selection_spread(
            self.handle, items, ends, len(rows), known, len(known), PASSES, len(chosen), chosen
        )
        if done < 0:
            raise MemoryError("there is no memory for the choice of traces")
        return [int(row) for row in chosen[:done]]
