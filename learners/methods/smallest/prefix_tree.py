"""`PrefixTree`: all traces at once, a node for each sequence of reads that they share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.diagnostics import GridError, fail
from gridlang.table import MOVES, STAY
from learners.traces.dataset import Traces

STUCK = -1  # What an agent does on a symbol that it has no rule for.
UNSEEN = -2  # What it does there was not seen.
Numbers = npt.NDArray[np.int64]


class PrefixTree(NamedTuple):
    """The edges, each a read in a node and what was done there, sorted by node and by symbol.

    Node 0 is the start. An act is write * 5 + move, or `STUCK`. An edge that halts, since a halt keeps its
    state, and one that is stuck lead to no node of their own: their child is -1. Nodes are numbered by
    their distance from the start, and `begins[v]` to `begins[v + 1]` are the edges of node v.
    """

    symbols: int
    parent: Numbers  # (E,)
    read: Numbers  # (E,)
    act: Numbers  # (E,)
    child: Numbers  # (E,)
    row: Numbers  # (E,) the first trace that takes the edge
    levels: tuple[slice, ...]  # The edges at each distance from the start.
    begins: Numbers  # (V + 1,)
    entry: Numbers  # (V,) the edge that leads to a node; -1 for the start
    depth: Numbers  # (V,)

    @property
    def nodes(self) -> int:
        return len(self.entry)

    def path(self, node: int) -> list[int]:
        """The edges from the start to a node."""
        edges: list[int] = []
        while node:
            edges.append(int(self.entry[node]))
            node = int(self.parent[edges[-1]])
        return edges[::-1]

    def edge(self, node: int, read: int) -> int | None:
        """The edge of a node on a symbol, if that was seen."""
        begin, end = self.begins[node], self.begins[node + 1]
        at = int(begin + np.searchsorted(self.read[begin:end], read))
        return at if at < end and self.read[at] == read else None

    def prefix(self, edge: int) -> tuple[int, int]:
        """A trace, and how many of its steps lead over the edge."""
        return int(self.row[edge]), int(self.depth[self.parent[edge]]) + 1


def prefix_tree(traces: Traces) -> PrefixTree:
    """The tree of all traces; GridError if no agent can have done what they show."""
    acts = np.where(traces.s < 0, STUCK, traces.s.astype(np.int64) * len(MOVES) + traces.m)
    halts = (acts == traces.x.astype(np.int64) * len(MOVES) + STAY) & (traces.x >= 0)
    length = _length_to_halt(traces, halts)
    rows, at = np.arange(len(traces)), np.zeros(len(traces), np.int64)
    parts: list[tuple[Numbers, ...]] = []
    levels: list[slice] = []
    nodes, edges = 1, 0
    for step in range(int(length.max())):
        rows = rows[length[rows] > step]
        keys = at[rows] * len(traces.symbols) + traces.x[rows, step]
        taken, first, which = np.unique(keys, return_index=True, return_inverse=True)
        act = acts[rows[first], step]
        contradicts = act[which] != acts[rows, step]
        if contradicts.any():
            second = int(contradicts.argmax())
            raise _contradiction(traces, int(rows[first[which[second]]]), int(rows[second]), step)
        goes_on = (act != STUCK) & ~halts[rows[first], step]
        child = np.where(goes_on, nodes + np.cumsum(goes_on) - 1, -1)
        parts.append((taken // len(traces.symbols), taken % len(traces.symbols), act, child, rows[first]))
        levels.append(slice(edges, edges + len(taken)))
        at[rows] = child[which]
        nodes, edges = nodes + int(goes_on.sum()), edges + len(taken)
    parent, read, act, child, row = (np.concatenate(part) for part in zip(*parts, strict=True))
    begins = np.searchsorted(parent, np.arange(nodes + 1))
    entry, depth = np.full(nodes, -1, np.int64), np.zeros(nodes, np.int64)
    entry[child[child >= 0]] = np.flatnonzero(child >= 0)
    for number, level in enumerate(levels):
        onward = child[level]
        depth[onward[onward >= 0]] = number + 1
    return PrefixTree(len(traces.symbols), parent, read, act, child, row, tuple(levels), begins, entry, depth)


def _length_to_halt(traces: Traces, halts: npt.NDArray[np.bool_]) -> Numbers:
    """The steps of each trace up to its first halt: after it an agent does the same for ever."""
    steps = np.arange(traces.x.shape[1])
    inside = steps < traces.length[:, None]  # (N, T)
    halted = (halts & inside).any(axis=1)
    last = np.where(halted, (halts & inside).argmax(axis=1), traces.length - 1)
    beyond = inside & (steps > last[:, None])
    for row, step in np.argwhere(beyond).tolist():
        if any(part[row, step] != part[row, last[row]] for part in (traces.x, traces.s, traces.m)):
            halt = f"trace {row} halts at step {last[row] + 1}, keeping its symbol and staying"
            raise _impossible(f"{halt}, and does something else at step {step + 1}")
    return (last + 1).astype(np.int64)


def _contradiction(traces: Traces, first: int, second: int, step: int) -> GridError:
    def does(row: int) -> str:
        write, move = int(traces.s[row, step]), int(traces.m[row, step])
        return f"writes `{traces.symbols[write]}` and moves {MOVES[move]}" if write >= 0 else "is stuck"

    return _impossible(
        f"traces {first} and {second} have read the same {step + 1:,} symbols, but {first} {does(first)}, "
        f"and {second} {does(second)}"
    )


def _impossible(reason: str) -> GridError:
    hint = "the smallest machine is for traces without noise, of one agent from its start"
    return fail("G206", f"no agent did this: {reason}", hint)
