"""The greedy choice of traces in C: the rows that `greedy_selection.PlainSelection` chooses, and fast."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from compiler.simulation.native.build import CannotBuild, load_library
from learners.traces.dataset import Ints

SOURCE = Path(__file__).parent / "greedy_selection.c"
NUMBERS_AT_ONCE = 4_000_000  # Rows are looked at in pieces of about so many numbers, 16 MB.

Numbers = npt.NDArray[np.int32]


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    """The library; CannotBuild without a compiler."""
    library = load_library(SOURCE.read_text(encoding="utf-8"), ("-O2",), ("selection_shown",))
    pointer, long = ctypes.c_void_p, ctypes.c_int64
    library.selection_new.restype = pointer
    library.selection_free.argtypes = [pointer]
    library.selection_shown.argtypes = [pointer, pointer, long, long, long, pointer, pointer, pointer]
    library.selection_spread.restype = long
    library.selection_spread.argtypes = [*[pointer] * 3, long, pointer, long, long, long, pointer]
    return library


class NativeSelection:
    """The numbers of all that was shown so far, in native memory."""

    def __init__(self, symbols: int, depth: int, passes: int) -> None:
        self.library, self.symbols, self.depth, self.passes = _library(), symbols, depth, passes
        self.handle = self.library.selection_new()
        if not self.handle:
            raise CannotBuild("there is no memory for a selection")
        weakref.finalize(self, self.library.selection_free, self.handle)

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
        arrays = (array.ctypes.data for array in (numbers, ends, room))
        if not self.library.selection_shown(
            self.handle, steps.ctypes.data, rows, wide, self.symbols, *arrays
        ):
            raise MemoryError("there is no memory for what the traces show")
        return np.split(numbers[: ends[-1] if rows else 0].copy(), ends[:-1])[:rows]

    def spread(self, rows: Sequence[Numbers], count: int, seen: Sequence[Numbers] = ()) -> list[int]:
        """At most `count` of the rows, in the order of choice."""
        nothing = np.zeros(0, np.int32)
        items, known = np.concatenate([nothing, *rows]), np.concatenate([nothing, *seen])
        ends = np.cumsum([len(row) for row in rows], dtype=np.int64)
        chosen = np.empty(max(0, min(count, len(rows))), np.int64)
        arrays = items.ctypes.data, ends.ctypes.data, len(rows), known.ctypes.data, len(known)
        done = self.library.selection_spread(
            self.handle, *arrays, self.passes, len(chosen), chosen.ctypes.data
        )
        if done < 0:
            raise MemoryError("there is no memory for the choice of traces")
        return [int(row) for row in chosen[:done]]
