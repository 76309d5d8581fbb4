"""Nodes of a prefix tree that are pairwise different states: a lower bound, and names for the states."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gridlang.compiler.simulation.native.c_library import CLibrary
from gridlang.learners.methods.prefix_tree import Numbers, PrefixTree
from gridlang.learners.methods.smallest.limits import LIMITS

LIBRARY = CLibrary(Path(__file__).parent / "incompatible.c", "-O2")
Pairs: TypeAlias = npt.NDArray[np.uint8]


def distinguishing_suffix(tree: PrefixTree, first: int, second: int) -> tuple[int, ...] | None:
    """The shortest reads after which two nodes are seen to do different things; None if none are seen."""
    waiting: deque[tuple[int, int, tuple[int, ...]]] = deque([(first, second, ())])
    while waiting:
        u, v, reads = waiting.popleft()
        for one in range(int(tree.begins[u]), int(tree.begins[u + 1])):
            other = tree.edge(v, int(tree.read[one]))
            if other is None:
                continue
            longer = (*reads, int(tree.read[one]))
            if tree.act[one] != tree.act[other]:
                return longer
            if min(tree.child[one], tree.child[other]) >= 0:
                waiting.append((int(tree.child[one]), int(tree.child[other]), longer))
    return None


def subtree_shapes(tree: PrefixTree) -> Numbers:
    """A number for each node, the same for nodes whose subtrees are equal."""
    shape = [0] * tree.nodes
    numbers: dict[tuple[tuple[int, int, int], ...], int] = {}
    begins, parts = tree.begins.tolist(), (tree.read.tolist(), tree.act.tolist(), tree.child.tolist())
    for node in range(tree.nodes - 1, -1, -1):
        edges = slice(begins[node], begins[node + 1])
        below = [shape[child] if child >= 0 else -1 for child in parts[2][edges]]
        key = tuple(zip(parts[0][edges], parts[1][edges], below, strict=True))
        shape[node] = numbers.setdefault(key, len(numbers))
    return np.array(shape, np.int64)


class Comparison:
    """Which nodes of a tree cannot be one state; in C where there is a compiler."""

    def __init__(self, tree: PrefixTree) -> None:
        self.tree, self.shape = tree, subtree_shapes(tree)
        self.most_candidates = LIMITS.candidates
        self._native = None
        if not LIBRARY.builds():
            self.most_candidates = LIMITS.plain_candidates
            return
        parts = (tree.read, tree.act, tree.child, self.shape)
        arrays = (part.astype(np.int32) for part in parts)
        self._native = LIBRARY.structs["tree"](tree.begins.astype(np.int64), *arrays)

    def differ(self, rows: Numbers, columns: Numbers) -> Pairs:
        """For each of some nodes and each of others, whether they are seen to do different things."""
        differs = np.zeros((len(rows), len(columns)), np.uint8)
        if self._native is None:
            for i, u in enumerate(rows.tolist()):
                for j, v in enumerate(columns.tolist()):
                    is_equal = self.shape[u] == self.shape[v]
                    differs[i, j] = not is_equal and distinguishing_suffix(self.tree, u, v) is not None
            return differs
        left, right = rows.astype(np.int32), columns.astype(np.int32)
        sides = (left, len(left), right, len(right))
        if not LIBRARY.incompatible(self._native, *sides, LIMITS.pairs, differs):
            raise MemoryError("there is no memory to compare the nodes of a prefix tree")
        return differs


def large_clique(comparison: Comparison) -> list[int]:
    """Nodes that are pairwise told apart by a suffix; as many as a greedy search finds."""
    inner = np.flatnonzero(np.diff(comparison.tree.begins) > 0)
    nodes = inner[np.sort(np.unique(comparison.shape[inner], return_index=True)[1])]
    nodes, most = nodes[: LIMITS.clique_nodes], comparison.most_candidates
    if len(nodes) > most:
        sample = np.random.default_rng(0).choice(nodes, min(LIMITS.sample, most), replace=False)
        often = comparison.differ(nodes, sample).sum(axis=1, dtype=np.int64)
        nodes = np.sort(nodes[np.argsort(-often, kind="stable")[:most]])
    return [int(nodes[place]) for place in _greedy_clique(comparison.differ(nodes, nodes))]


def _greedy_clique(differs: Pairs) -> Sequence[int]:
    """Grown from the nodes that differ most, each time by the node that leaves most candidates."""
    sets = [int.from_bytes(row.tobytes(), "little") for row in np.packbits(differs, 1, bitorder="little")]
    largest: list[int] = [0]
    for start in np.argsort(-differs.sum(axis=1, dtype=np.int64), kind="stable")[: LIMITS.starts].tolist():
        clique, candidates = [start], sets[start]
        while candidates and len(clique) + candidates.bit_count() > len(largest):
            best = max(_members(candidates), key=lambda node: (sets[node] & candidates).bit_count())
            clique.append(best)
            candidates &= sets[best]
        if len(clique) > len(largest):
            largest = clique
    return largest


def _members(bits: int) -> Sequence[int]:
    text = np.frombuffer(bits.to_bytes(-(-bits.bit_length() // 8), "little"), np.uint8)
    members: list[int] = np.flatnonzero(np.unpackbits(text, bitorder="little")).tolist()
    return members
