"""`tolerant_tables`: tables of noisy traces by noise-tolerant merging, one for each tolerance that is tried.

Nodes and colours are those of exact merging: red nodes are states, the root first, and the nodes that their
edges lead to are blue, each the root of a tree. But here an edge counts how often each action was recorded
on it. If two edges are taken for one rule, the actions that most records of the one and of the other say
may differ, and records are *lost*: they are called lies. Noise loses a share of the records that two edges
have in common, however alike their states are. So a blue node fits a red one if its tree, to some depth,
loses no more than that share, and some more for each rule that a new state would have to learn.

The busiest blue nodes are looked at. One that fits no red node becomes red; else the fold is made that has
most in common and loses least. Nodes that were hardly ever visited say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from compiler.simulation.native.c_library import CLibrary
from gridlang.table import MOVES, Table
from learners.methods.noise.limits import LIMITS
from learners.methods.noise.search import smallest
from learners.methods.table_rows import Integers, rows_to_table
from learners.traces.dataset import Traces

LIBRARY = CLibrary(Path(__file__).parent / "tolerant.c", "-O3")
NOWHERE = -1


class Tolerance(NamedTuple):
    """How far apart two states may be that are taken for one."""

    depth: int  # steps from them that are compared
    share: float  # of what they have in common that may be lost,
    spare: float  # and records for each rule of the blue node


class Records(NamedTuple):
    """Traces as they are merged: what was read, and the number of the action that was recorded."""

    symbols: int
    read: Integers  # (N, T)
    action: Integers
    length: Integers  # (N,)


class Rows(NamedTuple):
    """By state and symbol: what most records say, where it leads (or nowhere), and how many there were."""

    action: Integers
    after: Integers
    visits: Integers


# How much noise there is, and how far it reaches, is not known before a table is: all of these are tried.
TOLERANCES = tuple(Tolerance(*each) for each in product((2, 3, 4), (0.01, 0.02, 0.05, 0.1), (0.25, 1.0)))


def tolerant_tables(believed: Traces, seen: Traces) -> Iterator[Table]:
    """Tables of traces that read what is believed, and write and move as they were seen to; one at least."""
    acted = np.where(seen.x >= 0, seen.s.astype(np.int32) * len(MOVES) + seen.m, NOWHERE)
    records = Records(len(seen.symbols), believed.x.astype(np.int32), acted, seen.length.astype(np.int32))
    known: set[Table] = set()
    for tolerance in TOLERANCES:
        rows = merged_rows(records, tolerance, LIMITS.merged_states)
        # Where even the last and largest tolerance is too strict, its table is all there is.
        if len(rows.action) < LIMITS.merged_states or (tolerance == TOLERANCES[-1] and not known):
            act = np.where(rows.visits >= LIMITS.least_visits, rows.action, NOWHERE)
            table = smallest(rows_to_table(seen, act, rows.after))
            if table not in known:
                known.add(table)
                yield table


def merged_rows(records: Records, tolerance: Tolerance, most: int) -> Rows:
    """The rows of at most `most` states."""
    arrays = [np.ascontiguousarray(each, np.int32) for each in records[1:]]
    rows = Rows(*(np.empty((most, records.symbols), np.int32) for _ in Rows._fields))
    how = LIBRARY.structs["tolerance"](
        records.symbols, tolerance.depth, most, tolerance.share, tolerance.spare
    )
    states = LIBRARY.tolerant_merge(how, *records.read.shape, *arrays, *rows)
    if states < 0:
        raise MemoryError("there is no memory for the tree of the traces")
    return Rows(*(each[:states] for each in rows))
