"""Search for the table that makes noisy traces likeliest: it counts, and trains nothing.

A table is estimated anew from what it decodes, until that helps no more. One that rests at too few states
calls noise what the others do: so states are split where the records differ by the way they were entered,
states are merged that do the same, and edges are led elsewhere. What a table costs is the nats of all records
and of its own rules, and no step is taken that does not make it less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from compiler.automata.minimize import minimize_table
from gridlang.diagnostics import GridError
from gridlang.table import MOVES, Table, canonical
from learners.methods.noise.corruption import Rates
from learners.methods.noise.decoding import Accounts, Doubles, decode
from learners.methods.noise.limits import LIMITS
from learners.methods.noise.moves import (
    exchanged_tables,
    relinked_tables,
    rule_nats,
    split_tables,
    tables_after_a_merge,
)
from learners.methods.table_rows import rows_to_table, table_to_rows
from learners.traces.dataset import Traces
from learners.traces.one_trace import chosen


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A table, what was believed of noise and worlds, and what happened in the traces if all of it is so."""

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

    `read` is what is believed of worlds, None before anything is. What costs far
    more than `less_than` is left as it is.
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
