"""`PrefixTree`: all traces as one tree, a node for each sequence of reads that they share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.acts import NOWHERE, STUCK
from gridlang.diagnostics import GridError, fail
from gridlang.learners.traces.dataset import Traces
from gridlang.table import MOVES, STAY

Integers = npt.NDArray[np.int32]


class TreeEdge(NamedTuple):
    """A read in a node, and what was done there: an act is write * 5 + move, or `STUCK`."""

    parent: int
    read: int
    act: int
    child: int


@dataclass(frozen=True, eq=False)
class PrefixTree:
    """The edges, each a read in a node and what was done there, sorted by node and by symbol.

    Node 0 is the start, and nodes are numbered by their distance from it. An act is write * 5 + move, or
    `STUCK`. A halt keeps its state, and nothing follows where an agent is stuck: such edges have no child.
    """

    symbols: int
    parent: Integers  # (E,)
    read: Integers  # (E,)
    act: Integers  # (E,)
    child: Integers  # (E,)

    def edges(self) -> Iterator[TreeEdge]:
        """The edges one by one."""
        parts = (array.tolist() for array in (self.parent, self.read, self.act, self.child))
        return map(TreeEdge._make, zip(*parts, strict=True))


def prefix_tree(traces: Traces) -> PrefixTree:
    """The tree of all traces, which end where they halt; GridError if one agent cannot have made them."""
    steps = int(traces.length.max())
    x, s, m = (rows[:, :steps] for rows in (traces.x, traces.s, traces.m))
    keys = np.ascontiguousarray((x + 1).astype(">u2"))
    order = np.argsort(keys.view(f"V{2 * steps}").ravel(), kind="stable")
    x = np.ascontiguousarray(x[order].T)  # (T, N)
    acts = np.where(s < 0, STUCK, s.astype(np.int32) * len(MOVES) + m)[order].T
    inside = x >= 0
    alike = np.zeros_like(inside)
    alike[:, 1:] = np.logical_and.accumulate((x[:, 1:] == x[:, :-1]) & inside[:, 1:], 0)
    new = inside & ~alike
    edge = np.cumsum(new.ravel(), dtype=np.int32).reshape(new.shape) - 1  # (T, N), wrong outside
    at = np.nonzero(new)
    act = acts[at].astype(np.int32)
    differs = np.where(inside, acts != act[edge], False)
    if differs.any():
        earliest, wrong = (int(number) for number in np.unravel_index(int(differs.argmax()), differs.shape))
        raise _contradiction(traces, int(order[at[1][edge[earliest, wrong]]]), int(order[wrong]), earliest)
    step, place = at
    read = x[at].astype(np.int32)
    goes_on = (act != STUCK) & (act != read * len(MOVES) + STAY)
    child = np.where(goes_on, np.cumsum(goes_on, dtype=np.int32), np.int32(NOWHERE))
    parent = np.where(step > 0, child[edge[step - 1, place]], np.int32(0))
    return PrefixTree(len(traces.symbols), parent, read, act, child)


def _contradiction(traces: Traces, one: int, other: int, step: int) -> GridError:
    """After the same reads one agent does the same; the earliest step at which it does not is named."""
    first, second = sorted((one, other))
    acts = " and ".join(_act(traces, row, step) for row in (first, second))
    return fail(
        "G202",
        f"no agent made these traces: {first} and {second} read the same up to step {step}, and act apart",
        f"they {acts} there; give traces of one agent",
    )


def _act(traces: Traces, row: int, step: int) -> str:
    written, move = int(traces.s[row, step]), int(traces.m[row, step])
    return "are stuck" if written < 0 else f"write {traces.symbols[written]} and move {MOVES[move]}"
