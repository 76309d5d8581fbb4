"""Reads that tell all states of a policy apart, and where each rule leads: a characteristic sample.

The shortest reads to each state, and one step further along each of its rules, are each followed by what
tells the reached state from all others. State merging from the root, given these traces or a superset, finds
the agent itself if it has a rule for every symbol (Gold 1978; Oncina and García 1992). Where an agent is
stuck on some symbols, states that no reads tell apart may be joined.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from compiler.automata.merging import NONE, table_to_graph
from gridlang.table import MOVES, Table
from learners.traces.choosing.reads import reached

SAME = 1 << 30  # No reads tell the states apart.

Reads = tuple[int, ...]
Ints = npt.NDArray[np.int64]
Pairs = tuple[npt.NDArray[Any], ...]


class StatePairs:
    """Of each two states, how many reads tell them apart, and the first of these reads."""

    def __init__(self, table: Table) -> None:
        graph, states = table_to_graph(table), len(table.states)
        self.next = graph.next.astype(np.int64)  # (states, symbols), NONE where it halts or is stuck
        self.action = np.where(graph.write == NONE, NONE, graph.write * len(MOVES) + graph.move)
        self.count: Ints = np.full((states, states), SAME, np.int64)
        self.first: Ints = np.full((states, states), NONE, np.int64)
        for symbol, acts in enumerate(self.action.T):
            known = np.flatnonzero(acts != NONE)
            self._tell(np.ix_(known, known), acts[known][:, None] != acts[known], 1, symbol)
        reads = 1
        while (self.count == reads).any():
            for symbol, after in enumerate(self.next.T):
                known = np.flatnonzero(after != NONE)
                later = self.count[after[known][:, None], after[known]] == reads
                self._tell(np.ix_(known, known), later, reads + 1, symbol)
            reads += 1

    def _tell(self, pairs: Pairs, told: npt.NDArray[np.bool_], reads: int, symbol: int) -> None:
        """Keeps what tells these pairs apart, those that fewer reads tell apart excepted."""
        news = told & (self.count[pairs] == SAME)
        self.count[pairs] = np.where(news, reads, self.count[pairs])
        self.first[pairs] = np.where(news, symbol, self.first[pairs])

    def word(self, state: int, other: int) -> Reads:
        """The reads that tell two states apart; none where nothing does."""
        word: list[int] = []
        while self.count[state, other] != SAME:
            symbol = int(self.first[state, other])
            word.append(symbol)
            if self.count[state, other] == 1:
                break
            state, other = int(self.next[state, symbol]), int(self.next[other, symbol])
        return tuple(word)


def characteristic_reads(table: Table) -> list[Reads]:
    """Sequences of reads that a table has rules for; none is the beginning of another."""
    states, pairs = reached(table), StatePairs(table)
    telling = {state: {pairs.word(state, other) for other in states.nodes} - {()} for state in states.nodes}
    sequences: set[Reads] = set()
    for state in states.nodes:
        way = tuple(states.path(state))
        sequences |= {way + word for word in telling[state]}
        for symbol, entry in enumerate(table.rows[state]):
            if entry is None:
                continue
            words = set() if entry.is_idle(symbol) else telling[entry.next]
            sequences |= {(*way, symbol, *word) for word in words | {()}}
    return without_beginnings(sequences)


def without_beginnings(sequences: Iterable[Reads]) -> list[Reads]:
    """The sequences, sorted, that are not the beginning of another one."""
    ordered = sorted(sequences)
    following = [*ordered[1:], ()][: len(ordered)]
    return [each for each, after in zip(ordered, following, strict=True) if after[: len(each)] != each]
