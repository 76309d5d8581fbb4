"""Traces to weights by a singular value decomposition, with what no trace shows filled in.

Rows are the beginnings of traces, columns what is done on one or two further reads: a block of the agent's
Hankel matrix, known where a trace shows it. The rest is completed with the fewest dimensions that explain
what is known (hard imputation; Mazumder, Hastie and Tibshirani 2010). Coordinates of the rows are hidden
vectors; least squares from each to the next gives a DFST (Hsu, Kakade and Zhang 2009; Balle and others 2014).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.traces.dataset import Traces
from gridlang.learners.methods.prefix_tree import PrefixTree, prefix_tree
from gridlang.learners.training.train import metadata_of
from gridlang.table import MOVES

MOST_ROWS = 600  # those with most known entries: a decomposition of more takes minutes
WELL_KNOWN = 0.5  # of what is known of the best row: what is hardly known is completed in any way
MOST_DIMENSIONS = 60
SWEEPS = 60  # of filling in, for each number of dimensions
EXPLAINED = 0.1  # the largest error of a known entry that counts as explained
UNKNOWN, NOTHING = -1, -2  # no trace shows it; nothing is done, for the run has ended
Floats = npt.NDArray[np.float64]


class Block(NamedTuple):
    """Known entries of the Hankel matrix; `next[row, read]` is the row after a read, or -1."""

    entries: Floats  # (rows, columns)
    known: npt.NDArray[np.bool_]
    next: npt.NDArray[np.int64]  # (rows, symbols)
    acts: npt.NDArray[np.int64]  # (rows, symbols), -1 where no trace shows one


def spectral_model(traces: Traces, tell: Callable[[str], None] = lambda _: None) -> tuple[Dfst, int, float]:
    """A DFST with as many dimensions as explain the traces, and the largest error of a known entry."""
    block = hankel_block(prefix_tree(traces))
    dimensions, error = 1, np.inf
    filled = np.where(block.known, block.entries, 0.0)
    while True:
        tell(f"decomposing: {dimensions} dimensions")
        filled, vectors, error = _completed(block, filled, dimensions)
        enough = min(MOST_DIMENSIONS, *filled.shape)
        if error <= EXPLAINED or dimensions >= enough:
            return _dfst(traces, block, vectors), dimensions, error
        dimensions += 1 + dimensions // 8


def hankel_block(tree: PrefixTree) -> Block:
    """The acts after one read and after two, of the rows that are known best."""
    k = tree.symbols
    after, acts = np.full((2, tree.nodes, k), UNKNOWN, np.int64)
    goes = tree.act >= 0
    after[tree.parent, tree.read] = tree.child
    acts[tree.parent[goes], tree.read[goes]] = tree.act[goes]
    after[after < 0] = -1
    later = np.where(after[:, :, None] < 0, UNKNOWN, acts[after])  # (nodes, k, k): on the second read
    ends = tree.child < 0
    later[tree.parent[ends], tree.read[ends]] = NOTHING
    seen = np.concatenate([acts, later.reshape(tree.nodes, k * k)], 1)  # (nodes, suffixes)
    much = (seen != UNKNOWN).sum(1)
    order = np.argsort(-much, kind="stable")[: MOST_ROWS - 1]
    rows = np.union1d([0], order[much[order] >= WELL_KNOWN * much.max()])
    place = np.full(tree.nodes + 1, -1, np.int64)
    place[rows] = np.arange(len(rows))
    parts, known = [], []
    for suffix in seen[rows].T:
        for act in np.unique(suffix[suffix >= 0]):
            parts.append(suffix == act)
            known.append(suffix != UNKNOWN)
    return Block(np.array(parts, float).T, np.array(known).T, place[after[rows]], acts[rows])


def _completed(block: Block, filled: Floats, dimensions: int) -> tuple[Floats, Floats, float]:
    """The block completed at this rank, its rows in that many dimensions, and the error."""
    for _ in range(SWEEPS):
        left, values, right = np.linalg.svd(filled, full_matrices=False)
        vectors = left[:, :dimensions] * values[:dimensions]
        guess = vectors @ right[:dimensions]
        error = float(np.abs(guess - block.entries)[block.known].max())
        filled = np.where(block.known, block.entries, guess)
        if error <= EXPLAINED / 10:
            break
    return filled, vectors, error


def _dfst(traces: Traces, block: Block, vectors: Floats) -> Dfst:
    """Weights by least squares: from each row to the row after a read, and to what is done."""
    k, moves, d = len(traces.symbols), len(MOVES), vectors.shape[1]
    A, B, C = np.zeros((k, d, d)), np.zeros((k, k, d)), np.zeros((k, moves, d))
    for read in range(k):
        on = block.next[:, read] >= 0
        if on.any():
            A[read] = np.linalg.lstsq(vectors[on], vectors[block.next[on, read]], rcond=None)[0].T
        did = block.acts[:, read] >= 0
        if did.any():
            written, moved = np.divmod(block.acts[did, read], moves)
            B[read] = np.linalg.lstsq(vectors[did], np.eye(k)[written], rcond=None)[0].T
            C[read] = np.linalg.lstsq(vectors[did], np.eye(moves)[moved], rcond=None)[0].T
    a, b, c, h0 = (part.astype(np.float32) for part in (A, B, C, vectors[0]))
    return Dfst(a, b, c, h0, traces.symbols, tuple(MOVES), metadata_of(traces))
