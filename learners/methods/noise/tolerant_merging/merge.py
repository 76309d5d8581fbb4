"""`merged_tables`: tables of noisy traces by state merging, one for each tolerance that is tried."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from compiler.simulation.native.build import CannotBuild
from gridlang.table import MOVES, Entry, Table
from learners.methods.noise.search import LEAST, smallest
from learners.methods.noise.tolerant_merging import native_merger
from learners.methods.noise.tolerant_merging.plain_merger import (
    NOWHERE,
    PlainMerger,
    Records,
    Rows,
    Tolerance,
)
from learners.traces.dataset import Traces

# How much noise there is, and how far it reaches, is not known before a table is: so all of these are tried.
DEPTHS = (2, 3, 4)
SHARES = (0.01, 0.02, 0.05, 0.1)
SPARE = (0.25, 1.0)
TOLERANCES = tuple(Tolerance(*each) for each in product(DEPTHS, SHARES, SPARE))
MOST = 200  # States of a table; a tolerance that leads to more is too strict.


def merged_tables(believed: Traces, seen: Traces) -> Iterator[Table]:
    """Tables of traces that read what is believed, and write and move as they were seen to; one at least."""
    acted = np.where(seen.x >= 0, seen.s.astype(np.int32) * len(MOVES) + seen.m, NOWHERE)
    records = Records(len(seen.symbols), believed.x.astype(np.int32), acted, seen.length.astype(np.int32))
    known: set[Table] = set()
    for tolerance in TOLERANCES:
        rows = merged_rows(records, tolerance)
        # The last tolerance bears most: where even that is too strict, what it led to is all there is.
        if len(rows.action) < MOST or (tolerance == TOLERANCES[-1] and not known):
            table = _table(rows, seen)
            if table not in known:
                known.add(table)
                yield table


def merged_rows(records: Records, tolerance: Tolerance) -> Rows:
    try:
        return native_merger.merge(records, tolerance, MOST)
    except CannotBuild:
        return PlainMerger(records, tolerance, MOST).run()


def _table(rows: Rows, seen: Traces) -> Table:
    """The states as a table; a rule that leads nowhere known stays where it is."""

    def entry(state: int, symbol: int) -> Entry | None:
        if rows.visits[state, symbol] < LEAST:
            return None
        write, move = divmod(int(rows.action[state, symbol]), len(MOVES))
        after = int(rows.after[state, symbol])
        says = Entry(write, move, state if after == NOWHERE else after)
        return says._replace(next=state) if says.is_idle(symbol) else says

    size = len(rows.action)
    table = tuple(tuple(entry(state, symbol) for symbol in range(len(seen.symbols))) for state in range(size))
    names = tuple(f"q{at}" for at in range(size))
    return smallest(Table(seen.name, seen.symbols, names, table, seen.classes, seen.input))
