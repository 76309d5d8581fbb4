"""`merged`: the table of an agent from its traces, by state merging."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gridlang.diagnostics import fail, listing
from gridlang.display import Shown
from gridlang.table import MAX_STATES, MOVES, Entry, Table
from learners.extraction.state_names import named_by_behaviour
from learners.methods.merging.native_merger import LIBRARY, NativeMerger
from learners.methods.merging.plain_merger import EVIDENCE, ORDERS, Merger, PlainMerger
from learners.methods.prefix_tree import NOWHERE, idle_steps, prefix_tree
from learners.traces.dataset import Traces

OnProgress = Callable[[int], None]
AT_A_TIME = 100  # decisions per word of progress; milliseconds in C


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
    nodes: int  # of the prefix tree
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
    idle = idle_steps(traces)
    _check_endings(traces, idle)
    tree = prefix_tree(traces, idle)
    merger: Merger = NativeMerger(tree, order) if LIBRARY.builds() else PlainMerger(tree, order)
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


def _check_endings(traces: Traces, idle: npt.NDArray[np.bool_]) -> None:
    """GridError unless idle steps are halts: the last step of each trace that halted, and of no other."""
    last = np.arange(idle.shape[1]) == traces.length[:, None] - 1
    early = (idle & ~last).any(1)
    if early.any():
        row = int(early.argmax())
        step = int(idle[row].argmax())
        title = f"trace {row} goes on after it has halted: step {step} keeps its symbol and stays"
        raise fail("G203", title, "end it there, as halted")
    halted = np.array([ending == "halted" for ending in traces.ending])
    wrong = halted != (idle & last).any(1)
    if wrong.any():
        row = int(wrong.argmax())
        does, ending = ("is no idle step", "cut") if halted[row] else ("is an idle step", "halted")
        title = f"trace {row} ends {traces.ending[row]}, but its last step {does}"
        raise fail("G203", title, f"an agent halts by a step that keeps its symbol and stays; say `{ending}`")


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
