"""Merging states of a partial graph that never disagree, and a bound on how few can be left.

What a state does on a symbol that it does not know is a don't-care, so states that disagree nowhere may be
one. Merging two states makes one of those that both lead to on a symbol, and so on: fold, then determinise.
Finding the fewest states is NP-hard (Pfleeger 1973); many orders of merging are tried, and a set of states
that pairwise disagree, a clique, bounds it from below.

Fewer states for a table: those that never disagree are merged, and the result is checked.

Undefined pairs are don't-cares, so the result may go on where the original is stuck, and does the same
everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.equivalence import equivalent_states, follows
from gridlang.diagnostics import counted, fail
from gridlang.table import MOVES, STAY, Entry, Row, Table, canonical, families_for, reached_states

NONE = -1  # what is not known, and the next state of an idle step
PAIRS_AT_ONCE = 1 << 18  # of states that disagree: some 20 MB
MOST_ORDERS = 50  # random ones; models need none, hard random tables gain a state or two
MOST_PAIRS = 400_000  # in all random orders, about a second
CLIQUE_STARTS = 200  # states to grow cliques from: three seconds where 300 mostly disagree

Bools = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int32]
Distances = npt.NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class RuleGraph:
    """The rules of a table as arrays: what is written, the move and the next state, (states, symbols).

    All are -1 where nothing is known; `next` is -1 for idle steps too. The start is state 0.
    """

    write: Integers
    move: Integers
    next: Integers

    @property
    def size(self) -> int:
        return len(self.write)

    @property
    def edges(self) -> int:
        return int((self.write != NONE).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """A smaller graph, the state in it for each state before, and how few states there could be at best."""

    graph: RuleGraph
    home: tuple[int, ...]
    bound: int


ENTRY = partial(tuple.__new__, Entry)  # as Entry._make, in a third of the time


def table_to_graph(table: Table) -> RuleGraph:
    """A table as arrays, by its own numbers."""
    entries = np.frombuffer(table.flat, np.int32).reshape(len(table.states), len(table.symbols), 3)
    write, move, after = (np.ascontiguousarray(entries[:, :, part]) for part in range(3))
    after[(write == np.arange(len(table.symbols))) & (move == STAY)] = NONE  # idle steps
    return RuleGraph(write, move, after)


def _part(graph: RuleGraph, order: list[int]) -> RuleGraph:
    """Its states in this order, which leaves out none that they lead to."""
    place = np.full(graph.size + 1, NONE, np.int32)  # the last is that of NONE
    place[order] = np.arange(len(order))
    return RuleGraph(graph.write[order], graph.move[order], place[graph.next[order]])


def graph_to_rows(graph: RuleGraph) -> tuple[Row, ...]:
    """The rows of a table that does what a graph does."""
    following = np.where(graph.next == NONE, np.arange(graph.size)[:, None], graph.next)
    parts = (part.ravel().tolist() for part in (graph.write, graph.move, following))
    entries: Iterable[Entry | None] = map(ENTRY, zip(*parts, strict=True))
    known = graph.write != NONE
    if not known.all():
        defined = zip(entries, known.ravel().tolist(), strict=True)
        entries = (entry if is_known else None for entry, is_known in defined)
    return tuple(zip(*[iter(entries)] * known.shape[1], strict=True))


def _nothing_known(states: int, symbols: int) -> tuple[Integers, Integers, Integers]:
    write, move, after = (np.full((states, symbols), NONE, np.int32) for _ in range(3))
    return write, move, after


def incompatible(graph: RuleGraph) -> Bools:
    """Which states disagree on some sequence of symbols that both know: they can never be one."""
    apart: Bools = np.zeros((graph.size, graph.size), np.bool_)
    # One symbol at a time keeps memory at states squared.
    for write, move in zip(graph.write.T, graph.move.T, strict=True):
        known, action = write != NONE, write * len(MOVES) + move
        apart |= (action[:, None] != action) & known[:, None] & known
    # Those that lead to a pair that disagrees do so, too: backwards, each pair once. The first step looks
    # at the fewer: the pairs that disagree, or all others.
    flat_apart = apart.ravel()
    most = 2 * np.count_nonzero(apart) > apart.size
    pairs = _leading_apart(graph, apart) if most else np.flatnonzero(flat_apart)
    flat_apart[pairs] = True
    before = [_Sources.of(going) for going in graph.next.T]
    while len(pairs):
        found = []
        for at in range(0, len(pairs), PAIRS_AT_ONCE):
            ones, others = np.divmod(pairs[at : at + PAIRS_AT_ONCE], graph.size)
            for sources in before:
                reached = sources.pairs(ones, others, graph.size)
                found.append(reached[~flat_apart[reached]])
                flat_apart[found[-1]] = True
        pairs = np.concatenate(found)
    return apart


def _leading_apart(graph: RuleGraph, apart: Bools) -> npt.NDArray[np.int64]:
    """The pairs that are not apart, but lead on some symbol to one that is; each as one number."""
    left = np.flatnonzero(~apart.ravel())
    leads = np.zeros(len(left), np.bool_)
    for at in range(0, len(left), PAIRS_AT_ONCE):
        part = slice(at, at + PAIRS_AT_ONCE)
        ones, others = np.divmod(left[part], graph.size)
        for going in graph.next.T:
            one, other = going[ones], going[others]
            leads[part] |= (one != NONE) & (other != NONE) & apart[one, other]
    return left[leads]


class _Sources(NamedTuple):
    """The states that lead to each one on a symbol: a list of all, and the part of it for each state."""

    states: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    number: npt.NDArray[np.int64]

    @classmethod
    def of(cls, going: Integers) -> _Sources:
        states = np.flatnonzero(going != NONE)
        states = states[np.argsort(going[states], kind="stable")]
        count = np.bincount(going[states], minlength=len(going))
        return cls(states, np.cumsum(count) - count, count)

    def pairs(
        self, ones: npt.NDArray[np.int64], others: npt.NDArray[np.int64], size: int
    ) -> npt.NDArray[np.int64]:
        """All pairs that lead to these pairs, each as one number."""
        many = self.number[ones] * self.number[others]
        led = np.flatnonzero(many)
        many = many[led]
        at = np.repeat(led, many)
        within = np.arange(len(at)) - np.repeat(np.cumsum(many) - many, many)
        one, other = np.divmod(within, self.number[others[at]])
        return self.states[self.start[ones[at]] + one] * size + self.states[self.start[others[at]] + other]


def fold(graph: RuleGraph, distances: Distances | None = None, seed: int = 0) -> Folded:
    """The smallest graph known that does all that this one does; near states are merged first."""
    apart = incompatible(graph)
    rows, against = _leads(graph), _bit_sets(apart)
    bound = clique_bound(against)
    best = list(range(graph.size))
    for order in _orders(graph, apart, distances, Random(seed)):
        home = _merged(rows, against, order)
        if len(set(home)) < len(set(best)):
            best = home
        if len(set(best)) == bound:
            break
    return _quotient(graph, best, bound)


def merge_near(graph: RuleGraph, distances: Distances) -> Folded:
    """States that never disagree merged in one order; whether fewer are possible is not asked."""
    apart = incompatible(graph)
    order = next(_orders(graph, apart, distances, Random(0)))
    return _quotient(graph, _merged(_leads(graph), _bit_sets(apart), order), 0)


def _leads(graph: RuleGraph) -> list[Leads]:
    known = (graph.write != NONE).tolist()
    return [
        {x: after for x, after in enumerate(onward) if knows[x]}
        for onward, knows in zip(graph.next.tolist(), known, strict=True)
    ]


def fold_equivalent(graph: RuleGraph, seed: int = 0) -> Folded:
    """As `fold`, with states that do the same for ever made one first, which loses nothing.

    Where every pair is known all that are left disagree: no fewer are possible, and nothing is searched for.
    """
    firsts = equivalent_states(graph.write, graph.move, graph.next)
    smaller = _quotient(graph, firsts, 0)
    if (graph.write != NONE).all():
        return replace(smaller, bound=smaller.graph.size)
    folded = fold(smaller.graph, seed=seed)
    return replace(folded, home=tuple(folded.home[state] for state in smaller.home))


def _orders(
    graph: RuleGraph, apart: Bools, distances: Distances | None, random: Random
) -> Iterator[list[tuple[int, int]]]:
    """Orders in which to try the pairs that may be merged: those most alike first, the nearest first, any.

    Two states are alike on a symbol that both treat alike: merging these first keeps don't-cares free.
    """
    ones, others = np.nonzero(np.triu(~apart, 1))
    alike = np.zeros(len(ones), np.int64)
    for write, move in zip(graph.write.T, graph.move.T, strict=True):
        same = (write[ones] == write[others]) & (move[ones] == move[others])
        alike += same & (write[ones] != NONE)
    near = np.zeros(len(ones)) if distances is None else distances[ones, others]
    pairs = list(zip(ones.tolist(), others.tolist(), strict=True))
    for keys in ((near, -alike), (-alike, near)):  # The last key sorts first.
        yield [pairs[i] for i in np.lexsort(keys)]
    for _ in range(min(MOST_ORDERS, MOST_PAIRS // max(1, len(pairs)))):
        yield random.sample(pairs, len(pairs))


def _merged(rows: list[Leads], against: list[int], pairs: Iterable[tuple[int, int]]) -> list[int]:
    """The first member of each state's class after the merges that nothing speaks against."""
    folding = _Folding(rows, against)
    for one, other in pairs:
        folding.try_merge(one, other)
    return [folding.first(state) for state in range(len(rows))]


Leads = dict[int, int]  # where a state leads on each symbol that it knows, or NONE


class _Union(NamedTuple):
    """One union of two classes, with what the kept one was before."""

    kept: int
    gone: int
    members: int
    against: int
    learnt: list[int]  # symbols that only the gone one knew


class _Folding:
    """Classes of states (union-find with undo), each with its members, its opponents and where it leads.

    A class goes by its first member. Paths are not compressed: undoing would have to restore them.
    """

    def __init__(self, rows: list[Leads], against: list[int]) -> None:
        self.home = list(range(len(rows)))
        self.members = [1 << state for state in self.home]  # sets of states, as bits
        self.against = list(against)
        self.rows = list(map(dict, rows))

    def first(self, state: int) -> int:
        while self.home[state] != state:
            state = self.home[state]
        return state

    def try_merge(self, one: int, other: int) -> bool:
        """Merges two states with all that follows from it, or leaves everything as it was."""
        unions: list[_Union] = []
        work = [(one, other)]
        while work:
            one, other = work.pop()
            kept, gone = self.first(one), self.first(other)
            if kept == gone:
                continue
            if kept > gone:
                kept, gone = gone, kept
            if self.against[kept] & self.members[gone]:
                self._undo(unions)
                return False
            learnt = [x for x in self.rows[gone] if x not in self.rows[kept]]
            unions.append(_Union(kept, gone, self.members[kept], self.against[kept], learnt))
            for x, after in self.rows[gone].items():
                known = self.rows[kept].setdefault(x, after)
                if after != NONE and known != after:
                    work.append((known, after))
            self.home[gone] = kept
            self.members[kept] |= self.members[gone]
            self.against[kept] |= self.against[gone]
        return True

    def _undo(self, unions: list[_Union]) -> None:
        for kept, gone, members, against, learnt in reversed(unions):
            self.home[gone] = gone
            self.members[kept], self.against[kept] = members, against
            for x in learnt:
                del self.rows[kept][x]


def _quotient(graph: RuleGraph, home: list[int], bound: int) -> Folded:
    """One state a class, in the order of their first members."""
    number = {first: i for i, first in enumerate(dict.fromkeys(home))}
    write, move, after = _nothing_known(len(number), graph.write.shape[1])
    state, x = np.nonzero(graph.write != NONE)
    homes = np.array([number[first] for first in home], np.int32)
    write[homes[state], x], move[homes[state], x] = graph.write[state, x], graph.move[state, x]
    following = graph.next[state, x]
    after[homes[state], x] = np.where(following == NONE, NONE, homes[following])
    return Folded(RuleGraph(write, move, after), tuple(homes.tolist()), bound)


def clique_bound(against: list[int]) -> int:
    """The size of a large clique of states that pairwise disagree, as bit sets; grown greedily.

    The greedy `large_clique_size` and the exact `max_weight_clique` of networkx give the same sizes on the
    examples and on models (12 add2, 20 add10, 21 mult2, 89 mult10). On mult10 they take 2.8 and 5.1 times as
    long as bit sets do.
    """
    everywhere = {state for state, others in enumerate(against) if others.bit_count() == len(against) - 1}
    if everywhere:  # in every largest clique: search only the others
        rest = sum(1 << state for state in range(len(against)) if state not in everywhere)
        return len(everywhere) + _grown([bits & rest for bits in against], list(_members(rest)))
    return _grown(against, list(range(len(against))))


def _grown(against: list[int], states: list[int]) -> int:
    """The size of the largest of the cliques that are grown from some of these states."""
    best = 1 if states else 0
    by_degree = sorted(states, key=lambda state: -against[state].bit_count())
    for state in by_degree[:CLIQUE_STARTS]:
        size, left, others = 1, against[state], list(_members(against[state]))
        while others:
            counts = [(against[other] & left).bit_count() for other in others]
            left &= against[others[counts.index(max(counts))]]
            others = [other for other in others if left >> other & 1]
            size += 1
        best = max(best, size)
    return best


def _bit_sets(rows: Bools) -> list[int]:
    """Each row of booleans as one integer; bit i stands for column i."""
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(rows, axis=1, bitorder="little")]


def _members(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


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

    def as_json(self, before: int) -> dict[str, Any]:
        """Tells how many states are left, with a note in words."""
        after, best = len(self.table.states), f"the best found; no table has fewer than {self.bound}"
        least = "no table can have fewer" if self.exact else best
        note = f"minimised from {before} to {counted(after, 'state')}: {least}"
        return {"from": before, "to": after, "bound": self.bound, "exact": self.exact, "note": note}

    def __repr__(self) -> str:
        best = "no table can have fewer" if self.exact else f"none has fewer than {self.bound}"
        return f"Minimized({self.table.name}: {counted(len(self.table.states), 'state')}, {best})"


def minimize_table(table: Table, seed: int = 0) -> Minimized:
    """Merges states that agree wherever both are defined; each class is named after its first member."""
    order = reached_states(table)
    folded = fold_equivalent(_part(table_to_graph(table), order), seed)
    first: dict[int, int] = {}
    for state, home in zip(order, folded.home, strict=True):
        first.setdefault(home, state)
    names = tuple(table.states[first[home]] for home in range(folded.graph.size))
    rows, families = graph_to_rows(folded.graph), families_for(names, table)
    smaller = canonical(replace(table, states=names, rows=rows, families=families))
    if not follows(table, smaller):
        raise fail("G086", f"minimising `{table.name}` went wrong; the original was kept")
    return Minimized(smaller, folded.bound)
