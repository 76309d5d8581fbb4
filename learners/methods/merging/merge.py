"""`merged`: the table of an agent from its traces, by state merging."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from compiler.simulation.native.build import CannotBuild
from gridlang.diagnostics import fail, listing
from gridlang.display import Shown
from gridlang.table import MAX_STATES, MOVES, Entry, Table
from learners.extraction.state_names import named_by_behaviour
from learners.methods.merging.native_merger import NativeMerger
from learners.methods.merging.plain_merger import EVIDENCE, ORDERS, Merger, PlainMerger
from learners.methods.merging.prefix_tree import NOWHERE, PrefixTree, prefix_tree
from learners.traces.dataset import Traces

OnProgress = Callable[[int], None]
AT_A_TIME = 100  # Progress is told after so many decisions, which take milliseconds in C.


@dataclass(frozen=True, slots=True)
class Merged(Shown):
    """A table that does what all traces show, and how it came about.

    `guesses` counts the merges without evidence: two states, or a known and a new one, would have done as
    well. `margin` is the least evidence of any other merge, in steps that agree.

    >>> import gridlang as gl
    >>> merged(gl.trace("examples/add2.grid", rule="worlds", count=400))
    Merged(Table(add2: 12 states, 4 symbols, 38 rules), 27 merges, 0 of them guesses)
    """

    table: Table
    order: str
    nodes: int  # The tree of the traces had so many.
    merges: int
    guesses: int
    margin: int
    seconds: float

    def __repr__(self) -> str:
        return f"Merged({self.table!r}, {self.merges:,} merges, {self.guesses:,} of them guesses)"


def merged(traces: Traces, order: str = EVIDENCE, progress: OnProgress = lambda _: None) -> Merged:
    """The agent that the traces show, its states told apart by what was seen of them.

    Every trace, replayed on the table, reads, writes and moves as it did, and halts or is stuck where it did.
    What no trace shows is undefined. `progress` is told the states so far. GridError where no agent made
    the traces.
    """
    if order not in ORDERS:
        raise fail("G204", f"there is no order of merging called {order!r}", f"it is {listing(ORDERS)}")
    start = time.perf_counter()
    tree = prefix_tree(traces)
    merger = merger_for(tree, order)
    margins: list[int] = []
    while decisions := merger.steps(AT_A_TIME):
        margins += [decision.margin for decision in decisions if decision.state is not None]
        progress(merger.states)
        if merger.states > MAX_STATES:
            hint = "merging needs far more traces, or traces without noise"
            raise fail("G204", f"no table of {MAX_STATES:,} states does what these traces show", hint)
    return Merged(
        table=_table(traces, merger),
        order=order,
        nodes=tree.nodes,
        merges=len(margins),
        guesses=margins.count(0),
        margin=min((margin for margin in margins if margin), default=0),
        seconds=time.perf_counter() - start,
    )


def merger_for(tree: PrefixTree, order: str) -> Merger:
    """A merger in C where there is a compiler, else in Python."""
    try:
        return NativeMerger(tree, order)
    except CannotBuild:
        return PlainMerger(tree, order)


def _table(traces: Traces, merger: Merger) -> Table:
    """The table, its states breadth first; merging leads to all of them."""
    actions, following = merger.rows()
    order = _breadth_first(following.tolist())
    place = np.argsort(order)
    own = np.arange(len(order))[:, None]
    after = place[np.where(following == NOWHERE, own, following)]
    parts = (*np.divmod(actions, len(MOVES)), after)  # Without an action the symbol written is negative.
    rows = tuple(
        tuple(Entry(*rule) if rule[0] >= 0 else None for rule in zip(*row, strict=True))
        for row in zip(*(part[order].tolist() for part in parts), strict=True)
    )
    names = tuple(f"q{state}" for state in range(len(rows)))
    return named_by_behaviour(Table(traces.name, traces.symbols, names, rows, traces.classes, traces.input))


def _breadth_first(following: list[list[int]]) -> list[int]:
    """All states, in the order in which they are reached."""
    order, reached = [0], {0, NOWHERE}
    for state in order:
        for after in following[state]:
            if after not in reached:
                reached.add(after)
                order.append(after)
    return order
