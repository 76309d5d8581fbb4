"""`Machine`: a guess by numbers, held against all traces, and as a `Table` when it stands."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gridlang.table import Table, canonical
from learners.methods.prefix_tree import UNSEEN, Numbers, PrefixTree
from learners.methods.table_rows import rows_to_table
from learners.traces.dataset import Traces


class Machine(NamedTuple):
    """What each state does on each symbol, and where it goes; the start is any state."""

    start: int
    act: Numbers  # (k, symbols) acts as in a tree; `UNSEEN` where nothing is known
    next: Numbers  # (k, symbols)


def contradicted(machine: Machine, tree: PrefixTree) -> Numbers:
    """The edges at which the machine first does something else than the traces, nearest the start first."""
    state = np.full(tree.nodes, -1, np.int64)
    state[0] = machine.start
    wrong: list[Numbers] = []
    for level in tree.levels:
        parent, read, child = tree.parent[level], tree.read[level], tree.child[level]
        at = state[parent]
        same = machine.act[at, read] == tree.act[level]
        wrong.append(level.start + np.flatnonzero(~same & (at >= 0)))
        onward = same & (at >= 0) & (child >= 0)
        state[child[onward]] = machine.next[at[onward], read[onward]]
    return np.concatenate(wrong)


def table_of(machine: Machine, tree: PrefixTree, traces: Traces) -> Table:
    """The machine as a table with the rules that the traces use, its states breadth first."""
    used, state = np.zeros(machine.act.shape, bool), np.full(tree.nodes, -1, np.int64)
    state[0] = machine.start
    for level in tree.levels:
        at, read, child = state[tree.parent[level]], tree.read[level], tree.child[level]
        used[at, read] = True
        state[child[child >= 0]] = machine.next[at, read][child >= 0]
    order = np.argsort(np.arange(len(machine.act)) != machine.start, kind="stable")
    act = np.where(used, machine.act, UNSEEN)[order]
    table = canonical(rows_to_table(traces, act, np.argsort(order)[machine.next][order]))
    return replace(table, states=tuple(f"q{number}" for number in range(len(table.states))))
