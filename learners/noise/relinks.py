"""Relinks: a table in which one rule leads elsewhere.

A rule that few steps show may lead to a state that does nearly the same as the right one, and counting then
confirms it: what follows is decoded as noise. What the decoder thought possible besides says where else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gridlang.table import Row, Table, canonical
from learners.noise.accounts import Accounts


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
        yield _leading(table, state, symbol, other)


def _leading(table: Table, state: int, symbol: int, after: int) -> Table:
    row = list(table.rows[state])
    entry = row[symbol]
    assert entry is not None
    row[symbol] = entry._replace(next=after)
    rows: tuple[Row, ...] = (*table.rows[:state], tuple(row), *table.rows[state + 1 :])
    return canonical(replace(table, rows=rows, families=()))
