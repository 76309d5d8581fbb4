"""Reads that tell all states of a policy apart, and where each rule leads: a characteristic sample.

The shortest reads to each state, and one step further along each of its rules, are each followed by what
tells the reached state from all others. State merging from the root, given these traces or a superset, finds
the agent itself if it has a rule for every symbol (Gold 1978; Oncina and García 1992). Where an agent is
stuck on some symbols, states that no reads tell apart may be joined.
"""

from __future__ import annotations

from collections import deque

from gridlang.table import Table
from learners.traces.reads import Step
from learners.traces.state_pairs import Reads, StatePairs


def characteristic_reads(table: Table) -> list[list[Step]]:
    """What a table does on these sequences of reads; none is the beginning of another."""
    ways, pairs = _shortest_ways(table), StatePairs(table)
    telling = {state: {pairs.word(state, other) for other in ways} - {()} for state in ways}
    sequences: set[Reads] = set()
    for state, way in ways.items():
        sequences |= {way + word for word in telling[state]}
        for symbol, entry in enumerate(table.rows[state]):
            if entry is None:
                continue
            words = set() if entry.is_idle(symbol) else telling[entry.next]
            sequences |= {(*way, symbol, *word) for word in words | {()}}
    ordered = sorted(sequences)
    following = [*ordered[1:], ()]
    longest = [each for each, after in zip(ordered, following, strict=True) if after[: len(each)] != each]
    return [_steps(table, reads) for reads in longest]


def _shortest_ways(table: Table) -> dict[int, Reads]:
    """The shortest reads to each reachable state."""
    ways: dict[int, Reads] = {0: ()}
    queue = deque([0])
    while queue:
        state = queue.popleft()
        for symbol, entry in enumerate(table.rows[state]):
            if entry is not None and entry.next not in ways:
                ways[entry.next] = (*ways[state], symbol)
                queue.append(entry.next)
    return ways


def _steps(table: Table, reads: Reads) -> list[Step]:
    state, steps = 0, []
    for symbol in reads:
        entry = table.rows[state][symbol]
        assert entry is not None
        steps.append((symbol, entry.write, entry.move))
        state = entry.next
    return steps
