"""Merging the states of a prefix tree in plain Python: what runs without a C compiler."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from compiler.automata.state_merger import StateMerger
from learners.methods.prefix_tree import PrefixTree

Integers = npt.NDArray[np.int32]


class PlainMerger(StateMerger):
    """`StateMerger` for a tree in arrays."""

    def __init__(self, tree: PrefixTree, order: str) -> None:
        super().__init__(tree.symbols, tree.edges(), order)

    def rows(self) -> tuple[Integers, Integers]:
        """As arrays."""
        action, after = self.lists()
        return np.array(action, np.int32), np.array(after, np.int32)
