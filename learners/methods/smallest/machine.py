"""`Machine`: a guess by numbers, held against all traces, and as a `Table` when it stands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gridlang.table import BLANK, MOVES, STAY, Entry, Table, canonical
from learners.methods.prefix_tree import STUCK, UNSEEN, Numbers, PrefixTree
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
    states = len(machine.act)
    order = [machine.start, *(q for q in range(states) if q != machine.start)]
    place = {q: number for number, q in enumerate(order)}

    def entry(q: int, read: int) -> Entry | None:
        act = int(machine.act[q, read])
        if not used[q, read] or act in (STUCK, UNSEEN):
            return None
        write, move = divmod(act, len(MOVES))
        halts = write == read and move == STAY
        return Entry(write, move, place[q if halts else int(machine.next[q, read])])

    rows = tuple(tuple(entry(q, read) for read in range(tree.symbols)) for q in order)
    names = tuple(f"q{number}" for number in range(states))
    symbols = (BLANK, *traces.symbols[1:])
    numbered = canonical(Table(traces.name, symbols, names, rows, traces.classes, traces.input))
    return Table(
        numbered.name, symbols, names[: len(numbered.states)], numbered.rows, traces.classes, traces.input
    )
