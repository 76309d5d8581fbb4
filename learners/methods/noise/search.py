"""Search for the table that makes noisy traces likeliest: it counts, and trains nothing.

A table is estimated anew from what it decodes, until that helps no more. What it costs is the nats of all
records and of its own rules, and no step is taken that does not make it less. One that rests at too few
states calls noise what the others do. So tables near it are tried, those that promise most first:

Merges make two states one, and what follows from it, where few steps contradict it.

Splits give a table the memory of one edge. Noise falls on the records of a rule alike, whatever came before;
where it seems to fall on those alone that were entered by one edge, the table has forgotten something. It is
doubled, and the edge leads from the first into the second, until its target is entered by another.

Relinks lead one rule elsewhere, where the decoder thought possible; exchanges two, each to where the other
did: states that do nearly the same confirm each other, and to mend one of the rules alone makes it worse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.merging import minimize_table
from gridlang.compiler.traces.dataset import Traces
from gridlang.compiler.traces.one_trace import chosen
from gridlang.diagnostics import GridError
from gridlang.learners.methods.noise.corruption import Rates
from gridlang.learners.methods.noise.decoding import Accounts, Doubles, decode
from gridlang.learners.methods.noise.limits import LIMITS
from gridlang.learners.methods.table_rows import rows_to_table, table_to_rows
from gridlang.table import MOVES, Entry, Row, Table, canonical

Longs = npt.NDArray[np.int64]


def rule_nats(table: Table) -> float:
    """The cost of one rule: its write, its move and its next state."""
    return float(np.log(len(table.symbols) * len(MOVES) * len(table.states)))


def tables_after_a_merge(table: Table, visits: Doubles) -> list[Table]:
    """The tables that one merge leads to, those that promise most first; `visits` are of each rule."""
    ranked: list[tuple[float, Table]] = []
    for other in range(len(table.states)):
        for one in range(other):
            for few in LIMITS.few:
                folding = _Folding(table, visits, few)
                folded = folding.table_of(one, other)
                if folded is not None:
                    ranked.append(
                        (LIMITS.lost_price * folding.lost + rule_nats(table) * folded.transitions, folded)
                    )
                    break
    return [folded for _, folded in sorted(ranked, key=lambda each: each[0])]


class _Folding:
    """States that are made one, until all rules of each are of one kind."""

    def __init__(self, table: Table, visits: Doubles, few: float) -> None:
        self.table, self.few = table, few
        self.rows: list[list[Entry | None]] = [list(row) for row in table.rows]
        self.visits = visits.tolist()
        self.home = list(range(len(table.states)))
        self.agreed = 0  # rules that two states had alike
        self.lost = 0.0  # steps that are called noise

    def table_of(self, one: int, other: int) -> Table | None:
        """The table in which these are one; None if that is contradicted or unsupported."""
        waiting = [(one, other)]
        while waiting:
            first, second = sorted(self._at(each) for each in waiting.pop())
            if first != second and not self._joined(first, second, waiting):
                return None
        if not self.agreed:
            return None
        rows = tuple(self._row(state) for state in range(len(self.home)))
        return canonical(replace(self.table, rows=rows, families=()))

    def _joined(self, kept: int, given_up: int, waiting: list[tuple[int, int]]) -> bool:
        self.home[given_up] = kept
        for symbol, theirs in enumerate(self.rows[given_up]):
            ours = self.rows[kept][symbol]
            if theirs is None:
                continue
            few, many = sorted((self.visits[kept][symbol], self.visits[given_up][symbol]))
            if ours is None:
                self.rows[kept][symbol] = theirs
            elif ours[:2] == theirs[:2] and few > self.few and not ours.is_idle(symbol):
                self.agreed += 1
                waiting.append((ours.next, theirs.next))
            else:
                self.agreed += ours[:2] == theirs[:2]
                self.lost += few * (ours != theirs)
                if self.visits[given_up][symbol] == many:
                    self.rows[kept][symbol] = theirs
            self.visits[kept][symbol] = few + many
        return self.lost <= LIMITS.merge_lost

    def _at(self, state: int) -> int:
        while self.home[state] != state:
            state = self.home[state]
        return state

    def _row(self, state: int) -> Row:
        row = self.rows[self._at(state)]
        return tuple(
            entry and entry._replace(next=state if entry.is_idle(symbol) else self._at(entry.next))
            for symbol, entry in enumerate(row)
        )


def split_tables(table: Table, accounts: Accounts, seen: Traces, most: int) -> Iterator[Table]:
    """Tables with one more memory, those first that explain most."""
    paths = _Paths.of(table, accounts, seen)
    ranked = sorted(paths.memories(), key=lambda each: -each[0])
    yield from (paths.remembering(memory) for _, memory in ranked[:most])


class _Memory(NamedTuple):
    """Whether a state was last entered by this edge."""

    rule: int  # the edge's state times the symbols, plus its symbol
    target: int
    loops: bool  # whether the target's own edges count as entering it


@dataclass(frozen=True, slots=True, eq=False)
class _Paths:
    """The likeliest paths through a table, beside what was recorded."""

    table: Table
    rates: Rates
    rule: Longs  # (N, T): state times symbols plus symbol, -1 in the padding
    after: Longs  # (N, T): the state that comes next, -1 at the end
    s: Longs
    m: Longs

    @staticmethod
    def of(table: Table, accounts: Accounts, seen: Traces) -> _Paths:
        state = accounts.state.astype(np.int64)
        rule = np.where(state >= 0, state * len(seen.symbols) + accounts.x, -1)
        after = np.pad(state[:, 1:], ((0, 0), (0, 1)), constant_values=-1)
        return _Paths(table, accounts.rates, rule, after, seen.s.astype(np.int64), seen.m.astype(np.int64))

    def memories(self) -> Iterator[tuple[float, _Memory]]:
        """Each memory that saves more nats than its rules take, and how many."""
        symbols, price = len(self.table.symbols), rule_nats(self.table)
        for state, symbol, entry in self.table.entries():
            for loops in (False, True) if not entry.is_idle(symbol) else ():
                memory = _Memory(state * symbols + symbol, entry.next, loops)
                saved = self._saved(self._counts(memory)) - price
                if (saved > 0).any():
                    yield float(saved[saved > 0].sum()), memory

    def _counts(self, memory: _Memory) -> tuple[Longs, Longs, Longs]:
        """(2, rules, values), without the memory and with it: writes, moves, and states that come next."""
        n, k = len(self.table.states), len(self.table.symbols)
        valid = self.rule >= 0
        key = (self._remembers(memory) * n * k + self.rule)[valid]
        parts = []
        for values, count in ((self.s, k), (self.m, len(MOVES)), (self.after + 1, n + 1)):
            flat = np.bincount(key * count + values[valid], minlength=2 * n * k * count)
            parts.append(flat.reshape(2, n * k, count))
        return parts[0], parts[1], parts[2][:, :, 1:]

    def _remembers(self, memory: _Memory) -> npt.NDArray[np.bool_]:
        """(N, T): whether the target was last entered by the edge before each step."""
        here = self.rule == memory.rule
        enters = (self.after == memory.target) & (self.rule >= 0)
        if not memory.loops:
            enters &= (self.rule // len(self.table.symbols) != memory.target) | here
        when = np.where(enters, 2 * np.arange(1, enters.shape[1] + 1) + here, 0)
        last = np.maximum.accumulate(when, 1)
        return np.pad(last[:, :-1] % 2 == 1, ((0, 0), (1, 0)))

    def _saved(self, counts: tuple[Longs, Longs, Longs]) -> Doubles:
        """(rules,): nats that two rules save against one."""
        saved = np.zeros(counts[0].shape[1])
        for each, rate in zip(counts, (self.rates.writes, self.rates.moves, LIMITS.astray), strict=True):
            saved += _nats(each.sum(0), rate) - _nats(each, rate).sum(0)
        return saved

    def remembering(self, memory: _Memory) -> Table:
        """The table twice over, the second with the memory."""
        n, k = len(self.table.states), len(self.table.symbols)
        counts = self._counts(memory)
        worth = self._saved(counts) > rule_nats(self.table)
        shown = worth & (counts[0].sum(-1) >= LIMITS.shown)  # (2, rules)
        rule, half = np.arange(n * k), np.arange(2)[:, None]
        old = [part.ravel().astype(np.int64) for part in table_to_rows(self.table)]
        stays = np.where(old[2] < 0, rule // k, old[2])
        told = [each.argmax(-1) for each in counts]
        told[2] = np.where(counts[2].any(-1), told[2], stays)
        write, move, after = (np.where(shown, new, part) for new, part in zip(told, old, strict=True))
        enters = (after == memory.target) & (memory.loops | (rule // k != after))
        later = np.where(enters, 0, half)
        later[(after == memory.target) & (rule == memory.rule)] = 1
        act, after = (write * len(MOVES) + move), after + n * later
        return rows_to_table(self.table, act.reshape(2 * n, k), after.reshape(2 * n, k))


def _nats(counts: Longs, rate: float) -> Doubles:
    """The cost of a rule's records if the most frequent ones are right."""
    values, rate = counts.shape[-1], max(rate, LIMITS.least_rate)
    most, total = counts.max(-1), counts.sum(-1)
    nats: Doubles = -most * np.log1p(-rate) - (total - most) * np.log(rate / max(values - 1, 1))
    return nats


def relinked_tables(table: Table, accounts: Accounts, most: int) -> Iterator[Table]:
    """Tables with one edge changed, the best supported first."""
    share, leads = _shares(accounts), _leads(table)
    ranked = [
        (float(share[state, symbol, other]), state, symbol, other)
        for (state, symbol), after in leads.items()
        for other in range(len(table.states))
        if other != after
    ]
    for _, state, symbol, other in sorted(ranked, reverse=True)[:most]:
        yield _leading(table, symbol, {state: other})


def exchanged_tables(table: Table, accounts: Accounts, most: int) -> Iterator[Table]:
    """Tables in which two states lead where the other did on one symbol, the likeliest first."""
    share, leads = _shares(accounts), _leads(table)
    ranked = [
        (float(share[one, symbol, second] + share[other, symbol, first]), symbol, one, other)
        for ((one, symbol), first), ((other, same), second) in combinations(leads.items(), 2)
        if symbol == same and first != second
    ]
    for _, symbol, one, other in sorted(ranked, reverse=True)[:most]:
        yield _leading(table, symbol, {one: leads[other, symbol], other: leads[one, symbol]})


def _shares(accounts: Accounts) -> Doubles:
    """(n, k, n): how often each state came next after a rule."""
    shares: Doubles = accounts.went / np.maximum(accounts.visits, 1.0)[:, :, None]
    return shares


def _leads(table: Table) -> dict[tuple[int, int], int]:
    """Where each rule leads that does not halt, by state and symbol."""
    return {(state, x): entry.next for state, x, entry in table.entries() if not entry.is_idle(x)}


def _leading(table: Table, symbol: int, targets: Mapping[int, int]) -> Table:
    """The table in which some states lead elsewhere on a symbol."""
    write, move, after = table_to_rows(table)
    for state, target in targets.items():
        after[state, symbol] = target
    return canonical(rows_to_table(table, write * len(MOVES) + move, after))


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A table, beliefs about noise and worlds, and what then happened in the traces."""

    table: Table
    rates: Rates
    read: Doubles
    accounts: Accounts

    @property
    def cost(self) -> float:
        """Nats of the records, and of the rules that explain them."""
        return self.accounts.nats + self.table.transitions * rule_nats(self.table)


def weighed(table: Table, seen: Traces, rates: Rates, read: Doubles | None = None) -> Candidate:
    accounts = decode(table, seen, rates, read)
    return Candidate(table, rates, accounts.read if read is None else read, accounts)


def estimated(
    table: Table, seen: Traces, rates: Rates, read: Doubles | None = None, less_than: float = inf
) -> Candidate:
    """The table and the rates, estimated anew as long as that makes the records likelier.

    `read` is what is believed of worlds, if anything. What costs far more than `less_than` is left as it is.
    """
    best = weighed(table, seen, rates, read)
    if read is None:
        best = weighed(table, seen, best.accounts.rates, best.accounts.read)
    for _ in range(LIMITS.estimates):
        if best.cost > less_than + LIMITS.hopeless:
            break
        told = best.accounts
        following = weighed(tabulated(best.table, told), seen, told.rates, told.read)
        gained = best.cost - following.cost
        best = following if gained > 0 else best
        if gained < LIMITS.same:
            break
    return best


def likeliest(tables: Iterable[Table], seen: Traces, rates: Rates, read: Doubles | None = None) -> Candidate:
    """The likeliest of some tables when it is estimated; those that some traces speak against are not."""
    few = first_traces(seen, LIMITS.glanced)

    def nats(table: Table) -> float:
        glance = weighed(table, few, rates, read)
        return weighed(glance.table, few, glance.accounts.rates, glance.accounts.read).cost

    best: Candidate | None = None
    for table in sorted(tables, key=nats)[: LIMITS.estimated]:
        tried = estimated(table, seen, rates, read, inf if best is None else best.cost)
        best = tried if best is None or tried.cost < best.cost else best
    assert best is not None  # There is a table at least.
    return best


def first_traces(seen: Traces, steps: int) -> Traces:
    """The first traces, up to that many steps; one at least."""
    rows = max(1, int(np.searchsorted(np.cumsum(seen.length, dtype=np.int64), steps)))
    return seen if rows >= len(seen) else chosen(seen, np.arange(rows))


def tabulated(table: Table, accounts: Accounts) -> Table:
    """The rules that most steps show, minimised; a rule that hardly any step shows is left out."""
    write, move, after = (each.argmax(2) for each in (accounts.wrote, accounts.moved, accounts.went))
    before = table_to_rows(table)[2]
    ends = (before >= 0) & ~accounts.went.any(2)  # Every trace ends there.
    act = np.where(accounts.visits >= LIMITS.least_visits, write * len(MOVES) + move, -1)
    return smallest(rows_to_table(table, act, np.where(ends, before, after)))


def smallest(table: Table) -> Table:
    """The minimised table, its states as they are reached; the same where that cannot be done."""
    names = tuple(f"q{at}" for at in range(len(table.states)))
    table = canonical(replace(table, states=names, families=()))
    try:
        return minimize_table(table).table
    except GridError:
        return table


def improved(best: Candidate, seen: Traces, progress: Callable[[Candidate], None]) -> Candidate:
    """The likeliest table that merges and splits lead to, one at a time."""
    while True:
        progress(best)
        for proposal in _proposals(best, seen):
            told = best.accounts
            tried = estimated(smallest(proposal), seen, told.rates, told.read, best.cost)
            if tried.cost < best.cost - LIMITS.same:
                best = tried
                break
        else:
            return best


def _proposals(best: Candidate, seen: Traces) -> Iterator[Table]:
    yield from tables_after_a_merge(best.table, best.accounts.visits)[: LIMITS.merges]
    yield from split_tables(best.table, best.accounts, seen, LIMITS.splits)
    yield from relinked_tables(best.table, best.accounts, LIMITS.relinks)
    yield from exchanged_tables(best.table, best.accounts, LIMITS.exchanges)
