"""Nodes of a prefix tree that are pairwise different states: a lower bound, and names for the states."""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from compiler.simulation.native.build import CannotBuild, load_library
from learners.methods.smallest.prefix_tree import Numbers, PrefixTree

SOURCE = Path(__file__).parent / "incompatible.c"
CANDIDATES = 3_000  # Their pairs are compared within a second or two.
PLAIN_CANDIDATES = 150  # As many without a C compiler.
MOST_NODES = 200_000  # The nearest to the start; those are below which most was seen.
SAMPLE = 256  # So many nodes tell how often a candidate differs from others.
MOST_PAIRS = 2_000  # Two subtrees are compared as far as this; long equal ones say nothing.
STARTS = 60  # A clique is grown from each of these.
Pairs: TypeAlias = npt.NDArray[np.uint8]


class _Tree(ctypes.Structure):
    """As `struct tree` in C."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("begins", "read", "act", "child", "shape")]


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    """The library; CannotBuild without a compiler."""
    library = load_library(SOURCE.read_text(encoding="utf-8"), ("-O2",), ("incompatible",))
    pointer, long = ctypes.c_void_p, ctypes.c_int64
    library.incompatible.argtypes = [pointer, pointer, long, pointer, long, long, pointer]
    return library


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
        parts = tree.read, tree.act, tree.child, self.shape
        begins = tree.begins.astype(np.int64)
        self._arrays: list[npt.NDArray[Any]] = [begins, *(part.astype(np.int32) for part in parts)]
        try:
            self._library: ctypes.CDLL | None = _library()
        except CannotBuild:
            self._library = None
        self.most_candidates = PLAIN_CANDIDATES if self._library is None else CANDIDATES

    def differ(self, rows: Numbers, columns: Numbers) -> Pairs:
        """For each of some nodes and each of others, whether they are seen to do different things."""
        differs = np.zeros((len(rows), len(columns)), np.uint8)
        if self._library is None:
            for i, u in enumerate(rows.tolist()):
                for j, v in enumerate(columns.tolist()):
                    is_equal = self.shape[u] == self.shape[v]
                    differs[i, j] = not is_equal and distinguishing_suffix(self.tree, u, v) is not None
            return differs
        structure = _Tree(*(array.ctypes.data for array in self._arrays))
        left, right = rows.astype(np.int32), columns.astype(np.int32)
        sides = left.ctypes.data, len(left), right.ctypes.data, len(right)
        if not self._library.incompatible(ctypes.byref(structure), *sides, MOST_PAIRS, differs.ctypes.data):
            raise MemoryError("there is no memory to compare the nodes of a prefix tree")
        return differs


def large_clique(comparison: Comparison) -> list[int]:
    """Nodes of which every two have a distinguishing suffix; as many as a greedy search finds."""
    inner = np.flatnonzero(np.diff(comparison.tree.begins) > 0)
    nodes = inner[np.sort(np.unique(comparison.shape[inner], return_index=True)[1])]
    nodes, most = nodes[:MOST_NODES], comparison.most_candidates
    if len(nodes) > most:
        sample = np.random.default_rng(0).choice(nodes, min(SAMPLE, most), replace=False)
        often = comparison.differ(nodes, sample).sum(axis=1, dtype=np.int64)
        nodes = np.sort(nodes[np.argsort(-often, kind="stable")[:most]])
    return [int(nodes[place]) for place in _greedy_clique(comparison.differ(nodes, nodes))]


def _greedy_clique(differs: Pairs) -> Sequence[int]:
    """Grown from the nodes that differ most, each time by the node that leaves most candidates."""
    sets = [int.from_bytes(row.tobytes(), "little") for row in np.packbits(differs, 1, bitorder="little")]
    largest: list[int] = [0]
    for start in np.argsort(-differs.sum(axis=1, dtype=np.int64), kind="stable")[:STARTS].tolist():
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
