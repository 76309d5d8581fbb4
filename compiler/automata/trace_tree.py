"""All traces as one tree, a node for each sequence of reads that they share, in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gridlang.table import MOVES, STAY

NOWHERE = -1  # child of an edge that halts or is stuck
STUCK = -1  # act of an agent without a rule
UNSEEN = -2  # act where nothing was seen


class TreeEdge(NamedTuple):
    """A read in a node, and what was done there: an act is write * 5 + move, or `STUCK`."""

    parent: int
    read: int
    act: int
    child: int


class Seen(NamedTuple):
    """One step of a trace: the symbol read, and the act."""

    read: int
    act: int


def tree_edges(traces: Iterable[Sequence[Seen]]) -> list[TreeEdge]:
    """The edges, by their distance from the start, by node and by symbol. One agent made the traces."""
    begun: dict[int, _Known] = {}
    for trace in traces:
        here = begun
        for step in trace:
            here = here.setdefault(step.read, _Known(step.act, {})).after
    edges, nodes = list[TreeEdge](), [begun]
    for parent, node in enumerate(nodes):
        for read, (act, after) in sorted(node.items()):
            goes_on = act not in (STUCK, read * len(MOVES) + STAY)
            edges.append(TreeEdge(parent, read, act, len(nodes) if goes_on else NOWHERE))
            if goes_on:
                nodes.append(after)
    return edges


class _Known(NamedTuple):
    act: int
    after: dict[int, _Known]
