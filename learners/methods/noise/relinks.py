"""Relinks: a table in which one rule leads elsewhere, or two lead where the other did.

A rule that few steps show may lead to a state that does nearly the same as the right one, and counting then
confirms it: what follows is decoded as noise. What the decoder thought possible besides says where else. Two
states that do nearly the same may each lead, on one symbol, to where the other should; to mend one of the
rules alone makes it worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from gridlang.table import Row, Table, canonical
from learners.methods.noise.accounts import Accounts


def relinked_tables(table: Table, accounts: Accounts, most: int) -> Iterator[Table]:
    """Tables with one edge changed, those first where most of what happened spoke for it."""
    visits = np.maximum(accounts.visits, 1.0)
    ranked: list[tuple[float, int, int, int]] = []
    for state, symbol, entry in table.entries():
        if entry.is_idle(symbol):
            continue
        share = accounts.went[state, symbol] / visits[state, symbol]
        ranked += [
            (float(share[other]), state, symbol, other) for other in range(len(share)) if other != entry.next
        ]
    for _, state, symbol, other in sorted(ranked, reverse=True)[:most]:
        yield _leading(table, symbol, {state: other})


def exchanged_tables(table: Table, accounts: Accounts, most: int) -> Iterator[Table]:
    """Tables in which two states lead where the other did on one symbol, the likeliest first."""
    share = accounts.went / np.maximum(accounts.visits, 1.0)[:, :, None]
    ranked: list[tuple[float, int, int, int]] = []
    for symbol in range(len(table.symbols)):
        after = {
            state: entry.next
            for state, row in enumerate(table.rows)
            if (entry := row[symbol]) is not None and not entry.is_idle(symbol)
        }
        ranked += [
            (float(share[one, symbol, after[other]] + share[other, symbol, after[one]]), symbol, one, other)
            for one, other in combinations(after, 2)
            if after[one] != after[other]
        ]
    for _, symbol, one, other in sorted(ranked, reverse=True)[:most]:
        leads = {state: entry.next for state in (one, other) if (entry := table.rows[state][symbol])}
        yield _leading(table, symbol, {one: leads[other], other: leads[one]})


def _leading(table: Table, symbol: int, after: Mapping[int, int]) -> Table:
    """The table in which some states lead elsewhere on a symbol."""
    rows: list[Row] = list(table.rows)
    for state, target in after.items():
        row = list(rows[state])
        entry = row[symbol]
        assert entry is not None
        row[symbol] = entry._replace(next=target)
        rows[state] = tuple(row)
    return canonical(replace(table, rows=tuple(rows), families=()))
