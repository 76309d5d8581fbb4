"""Merging in C: the decisions of `plain_merger.PlainMerger`, and fast."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from compiler.simulation.native.c_library import CLibrary
from learners.methods.merging.plain_merger import BREADTH, Decision, Integers
from learners.methods.prefix_tree import PrefixTree

SOURCES = tuple(Path(__file__).parent / name for name in ("folding.c", "merger.c"))
LIBRARY = CLibrary(lambda: "".join(path.read_text(encoding="utf-8") for path in SOURCES), "-O3")
NONE = -1  # as in C: the state of a node that became one itself


class NativeMerger:
    """Merging in progress, in native memory."""

    def __init__(self, tree: PrefixTree, order: str) -> None:
        self.order, self.symbols = order, tree.symbols
        arrays = (tree.parent, tree.read, tree.act, tree.child)
        self.handle = LIBRARY.own(self, "merger_new", "merger_free", tree.symbols, len(tree.read), *arrays)

    @property
    def states(self) -> int:
        return int(LIBRARY.merger_states(self.handle))

    def steps(self, wanted: int) -> list[Decision]:
        told = np.empty((wanted, 4), np.int64)
        done = LIBRARY.merger_steps(self.handle, self.order == BREADTH, wanted, told)
        if done < 0:
            raise MemoryError("there is no memory to merge the states of these traces")
        return [
            Decision(node, None if state == NONE else state, score, margin)
            for node, state, score, margin in told[:done].tolist()
        ]

    def rows(self) -> tuple[Integers, Integers]:
        action, after = (np.empty((self.states, self.symbols), np.int32) for _ in range(2))
        LIBRARY.merger_rows(self.handle, action, after)
        return action, after
