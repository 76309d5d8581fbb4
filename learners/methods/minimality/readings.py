"""`Tree`: what traces show, read step by step: a node for each sequence of reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from gridlang.table import STAY
from learners.traces.dataset import Traces

Act: TypeAlias = tuple[int, int] | None  # what is written, and the move; None where the agent is stuck
Step: TypeAlias = tuple[int, Act]  # a read, and what is done


class Contradiction(Exception):
    """Two traces have read the same, and do different things."""


class Tree:
    """Nodes are numbered as steps come to them, 0 the start; `inner` are those with an edge, in that order.

    (M1) A machine in a state reads a symbol; for that pair it has one act and one next state, or none: then
         it is stuck. An act that keeps the symbol and stays halts, and keeps the state. So all traces with
         the same reads are in the same state, and a node is one state of whatever machine has done them.
    """

    def __init__(self) -> None:
        self.edges: dict[tuple[int, int], tuple[Act, int | None]] = {}
        self.inner: dict[int, None] = {}
        self.nodes = 1

    def add(self, steps: Iterable[Step]) -> list[int]:
        """Reads one trace, and says from which node each step goes.

        Contradiction if no machine does this and what was read before.
        """
        node: int | None = 0
        passed: list[int] = []
        for read, act in steps:
            if node is None:
                raise Contradiction
            passed.append(node)
            if (node, read) not in self.edges:
                self.inner.setdefault(node)
                halts = act == (read, STAY)
                child = None
                if act is not None and not halts:
                    child, self.nodes = self.nodes, self.nodes + 1
                self.edges[node, read] = (act, child)
            shown, child = self.edges[node, read]
            if shown != act:
                raise Contradiction
            if act == (read, STAY):
                continue  # It has halted, and its state is kept.
            node = child
        return passed

    def node(self, reads: Iterable[int]) -> int | None:
        """The node after these reads; None if they were not seen."""
        node: int | None = 0
        for read in reads:
            act, child = self.edges.get((node, read), (None, None)) if node is not None else (None, None)
            node = node if act == (read, STAY) else child
        return node

    def tells_apart(self, first: int, second: int, suffix: Sequence[int]) -> bool:
        """(M2) Whether two nodes do different things after a suffix: then they are different states."""
        u: int | None = first
        v: int | None = second
        for read in suffix:
            if u is None or v is None or (u, read) not in self.edges or (v, read) not in self.edges:
                return False
            (act, after_u), (other, after_v) = self.edges[u, read], self.edges[v, read]
            if act != other:
                return True
            u, v = after_u, after_v
        return False


def steps_of(traces: Traces, row: int, count: int | None = None) -> list[Step]:
    """The steps of one trace, or its first ones."""
    length = int(traces.length[row]) if count is None else count
    reads, writes, moves = (part[row, :length].tolist() for part in (traces.x, traces.s, traces.m))
    return [
        (read, None if write < 0 else (write, move))
        for read, write, move in zip(reads, writes, moves, strict=True)
    ]
