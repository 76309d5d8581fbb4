"""Fewer states for a partial table: states that never disagree are merged.

Undefined pairs are don't-cares, so the result may go on where the original is stuck, and does the same
everywhere else. Finding the fewest states is NP-hard; a set of states that pairwise disagree bounds it
from below.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from itertools import combinations

from compiler.proofs.equivalence import compare_tables
from gridlang.diagnostics import fail
from gridlang.table import Entry, Table, canonical, families_for

TRIES = 24


@dataclass(frozen=True, slots=True)
class Minimized:
    """A smaller table, and the fewest states that any could have; equal means exact.

    >>> import gridlang as gl
    >>> gl.minimize("examples/mult2.grid").bound
    21
    """

    table: Table
    bound: int

    @property
    def exact(self) -> bool:
        return len(self.table.states) == self.bound

    def __repr__(self) -> str:
        best = "no table can have fewer" if self.exact else f"at least {self.bound} are needed"
        return f"Minimized({self.table.name}: {len(self.table.states)} states, {best})"


def minimize_table(table: Table, seed: int = 0) -> Minimized:
    """Merges states that agree wherever both are defined; the result is checked against the original."""
    start = _quotient(table, _identical(table))
    against = _disagreements(start)
    bound = _clique(against)
    best = start
    rng = random.Random(seed)
    for attempt in range(TRIES):
        if len(best.states) == bound:
            break
        order = [
            pair for pair in combinations(range(len(start.states)), 2) if pair[1] not in against[pair[0]]
        ]
        if attempt:
            rng.shuffle(order)
        else:
            order.sort(key=lambda pair: -_agreement(start, *pair))
        candidate = _quotient(start, _merged(start, order, against))
        if len(candidate.states) < len(best.states):
            best = candidate
    if not compare_tables(table, best).equivalent:
        raise fail("G086", f"minimising `{table.name}` went wrong; the original was kept")
    return Minimized(best, bound)


def _is_idle(symbol: int, entry: Entry) -> bool:
    return entry.is_idle(symbol)


def _identical(table: Table) -> list[int]:
    """The class of each state under equality of all behaviour, stuck pairs included."""
    blocks = [0] * len(table.states)
    while True:
        signatures: dict[tuple[object, ...], int] = {}
        after = [
            signatures.setdefault(_signature(table, state, blocks), len(signatures))
            for state in range(len(table.states))
        ]
        if len(signatures) == len(set(blocks)):
            return after
        blocks = after


def _signature(table: Table, state: int, blocks: list[int]) -> tuple[object, ...]:
    def look(symbol: int, entry: Entry | None) -> object:
        if entry is None or _is_idle(symbol, entry):
            return entry is None
        return entry.write, entry.move, blocks[entry.next]

    return (blocks[state], *(look(symbol, entry) for symbol, entry in enumerate(table.rows[state])))


def _disagreements(table: Table) -> list[set[int]]:
    """For each state, those it can never be merged with: a fixpoint over pairs."""
    size = len(table.states)
    against: list[set[int]] = [set() for _ in range(size)]
    leads: dict[tuple[int, int], list[tuple[int, int]]] = {}
    work: list[tuple[int, int]] = []
    for p, q in combinations(range(size), 2):
        for symbol, (a, b) in enumerate(zip(table.rows[p], table.rows[q], strict=True)):
            if a is None or b is None:
                continue
            if (a.write, a.move) != (b.write, b.move):
                work.append((p, q))
                break
            if a.next != b.next and not _is_idle(symbol, a):
                leads.setdefault((min(a.next, b.next), max(a.next, b.next)), []).append((p, q))
    while work:
        p, q = work.pop()
        if q in against[p]:
            continue
        against[p].add(q)
        against[q].add(p)
        work += leads.get((min(p, q), max(p, q)), [])
    return against


def _clique(against: list[set[int]]) -> int:
    """The size of a large set of states that pairwise disagree, grown greedily from each state."""
    best = 1
    for state in range(len(against)):
        members = [state]
        left = set(against[state])
        while left:
            choice = max(sorted(left), key=lambda q: len(against[q] & left))
            members.append(choice)
            left &= against[choice]
        best = max(best, len(members))
    return best


def _agreement(table: Table, p: int, q: int) -> int:
    """How many symbols two states treat alike: merging these first keeps don't-cares free."""
    pairs = zip(table.rows[p], table.rows[q], strict=True)
    return sum(a is not None and b is not None and a[:2] == b[:2] for a, b in pairs)


def _merged(table: Table, order: list[tuple[int, int]], against: list[set[int]]) -> list[int]:
    """Merges pairs in order, each with all the merges that it forces, wherever nothing disagrees."""
    home = list(range(len(table.states)))
    members = [{state} for state in range(len(table.states))]
    for p, q in order:
        if home[p] != home[q]:
            _try_merge(table, home, members, (p, q), against)
    return home


def _try_merge(
    table: Table, home: list[int], members: list[set[int]], pair: tuple[int, int], against: list[set[int]]
) -> None:
    undo: list[tuple[int, int, set[int]]] = []
    work = [pair]
    while work:
        p, q = work.pop()
        a, b = home[p], home[q]
        if a == b:
            continue
        if any(against[x] & members[b] for x in members[a]):
            for kept, gone, moved in reversed(undo):
                members[kept] -= moved
                members[gone] = moved
                for state in moved:
                    home[state] = gone
            return
        moved = members[b]
        work += _forced(table, members[a], moved)
        undo.append((a, b, moved))
        members[a] = members[a] | moved
        members[b] = set()
        for state in moved:
            home[state] = a


def _forced(table: Table, left: set[int], right: set[int]) -> list[tuple[int, int]]:
    """The next states that become one when two sets of states do."""
    forced = []
    for symbol in range(len(table.symbols)):
        entries = [
            e for e in (table.rows[s][symbol] for s in (*left, *right)) if e and not _is_idle(symbol, e)
        ]
        forced += [(entries[0].next, entry.next) for entry in entries[1:]]
    return forced


def _quotient(table: Table, home: list[int]) -> Table:
    """One state a class, named after its first member."""
    classes = sorted(set(home), key=home.index)
    number = {block: i for i, block in enumerate(classes)}
    rows: list[list[Entry | None]] = [[None] * len(table.symbols) for _ in classes]
    for state, symbol, entry in table.entries():
        row = number[home[state]]
        after = row if _is_idle(symbol, entry) else number[home[entry.next]]
        rows[row][symbol] = Entry(entry.write, entry.move, after)
    names = tuple(table.states[home.index(block)] for block in classes)
    families = families_for(names, table)
    return canonical(replace(table, states=names, rows=tuple(map(tuple, rows)), families=families))
