"""Merging in C: the decisions that `plain_merger.PlainMerger` makes, and fast."""

from __future__ import annotations

import ctypes
import weakref
from functools import lru_cache
from pathlib import Path

import numpy as np

from compiler.simulation.native.build import load_library
from learners.methods.merging.plain_merger import BREADTH, Decision
from learners.methods.merging.prefix_tree import Integers, PrefixTree

SOURCES = tuple(Path(__file__).parent / name for name in ("folding.c", "merger.c"))
NONE = -1  # as in C: the state of a node that became one itself


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    """The library; CannotBuild without a compiler."""
    source = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    library = load_library(source, ("-O3",), ("merger_new", "merger_steps"))
    pointer = ctypes.c_void_p
    library.merger_new.restype = pointer
    library.merger_new.argtypes = [ctypes.c_int32, ctypes.c_int64, *[pointer] * 4]
    library.merger_free.argtypes = [pointer]
    library.merger_steps.argtypes = [pointer, ctypes.c_int, ctypes.c_int, pointer]
    library.merger_states.argtypes = [pointer]
    library.merger_rows.restype = None
    library.merger_rows.argtypes = [pointer] * 3
    return library


class NativeMerger:
    """Merging in progress, in native memory."""

    def __init__(self, tree: PrefixTree, order: str) -> None:
        self.library, self.order, self.symbols = _library(), order, tree.symbols
        arrays = (tree.source, tree.symbol, tree.action, tree.target)
        pointers = (np.ascontiguousarray(array, np.int32).ctypes.data for array in arrays)
        self.handle = self.library.merger_new(tree.symbols, len(tree.source), *pointers)
        if not self.handle:
            raise MemoryError("there is no memory for the tree of the traces")
        weakref.finalize(self, self.library.merger_free, self.handle)

    @property
    def states(self) -> int:
        return int(self.library.merger_states(self.handle))

    def steps(self, wanted: int) -> list[Decision]:
        told = np.empty((wanted, 4), np.int64)
        done = self.library.merger_steps(self.handle, self.order == BREADTH, wanted, told.ctypes.data)
        if done < 0:
            raise MemoryError("there is no memory to merge the states of these traces")
        return [
            Decision(node, None if state == NONE else state, score, margin)
            for node, state, score, margin in told[:done].tolist()
        ]

    def rows(self) -> tuple[Integers, Integers]:
        action, after = (np.empty((self.states, self.symbols), np.int32) for _ in range(2))
        self.library.merger_rows(self.handle, action.ctypes.data, after.ctypes.data)
        return action, after
