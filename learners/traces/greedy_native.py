"""The greedy choice of traces in C: the rows that `greedy_selection.PlainSelection` chooses, and fast."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from compiler.simulation.native.c_library import CLibrary
from learners.traces.dataset import Ints

LIBRARY = CLibrary(Path(__file__).parent / "greedy_selection.c", "-O2")
NUMBERS_AT_ONCE = 4_000_000  # Rows are looked at in pieces of about so many numbers, 16 MB.

Numbers = npt.NDArray[np.int32]


class NativeSelection:
    """The numbers of all that was shown so far, in native memory."""

    def __init__(self, symbols: int, depth: int, passes: int) -> None:
        self.symbols, self.depth, self.passes = symbols, depth, passes
        self.handle = LIBRARY.own(self, "selection_new", "selection_free")

    def shown(self, rules: Ints) -> list[Numbers]:
        """What each row of rules (N, T), padded with -1, shows, by number."""
        wide = max(1, rules.shape[1])
        size = max(1, NUMBERS_AT_ONCE // (wide * self.depth))
        return [ids for first in range(0, len(rules), size) for ids in self._shown(rules[first:][:size])]

    def _shown(self, rules: Ints) -> list[Numbers]:
        rows, wide = rules.shape
        steps = np.ascontiguousarray(rules, np.int64)
        numbers, ends = np.empty(rows * wide * self.depth, np.int32), np.empty(rows, np.int64)
        room = np.empty(3 * wide, np.uint64)
        if not LIBRARY.selection_shown(self.handle, steps, rows, wide, self.symbols, numbers, ends, room):
            raise MemoryError("there is no memory for what the traces show")
        return np.split(numbers[: ends[-1] if rows else 0].copy(), ends[:-1])[:rows]

    def spread(self, rows: Sequence[Numbers], count: int, seen: Sequence[Numbers] = ()) -> list[int]:
        """At most `count` of the rows, in the order of choice."""
        nothing = np.zeros(0, np.int32)
        items, known = np.concatenate([nothing, *rows]), np.concatenate([nothing, *seen])
        ends = np.cumsum([len(row) for row in rows], dtype=np.int64)
        chosen = np.empty(max(0, min(count, len(rows))), np.int64)
        done = LIBRARY.selection_spread(
            self.handle, items, ends, len(rows), known, len(known), self.passes, len(chosen), chosen
        )
        if done < 0:
            raise MemoryError("there is no memory for the choice of traces")
        return [int(row) for row in chosen[:done]]
