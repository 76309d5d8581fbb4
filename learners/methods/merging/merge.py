"""`merged`: the table of an agent from its traces, by state merging."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gridlang.compiler.automata.acts import lists_to_table
from gridlang.compiler.native.c_library import CLibrary
from gridlang.compiler.weights.families.readable import named
from gridlang.diagnostics import fail, listing
from gridlang.learners.methods.merging.state_merger import BREADTH, EVIDENCE, ORDERS, Decision, StateMerger
from gridlang.learners.methods.prefix_tree import PrefixTree, prefix_tree
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.traces.one_trace import ENDINGS
from gridlang.outcomes import Outcome
from gridlang.table import MAX_STATES, STAY, Table

LIBRARY = CLibrary(Path(__file__).parent / "merger.c", "-O3")
OnProgress = Callable[[int], None]
AT_A_TIME = 100  # decisions per word of progress; milliseconds in C


class Merged(NamedTuple):
    """A table that does what all traces show, and how many merges led to it."""

    table: Table
    merges: int


def plain_merger(tree: PrefixTree, order: str) -> StateMerger:
    """Merging without a C compiler."""
    return StateMerger(tree.symbols, tree.edges(), order)


class NativeMerger:
    """Merging in C: the decisions of `StateMerger`, and fast."""

    def __init__(self, tree: PrefixTree, order: str) -> None:
        self.order, self.symbols = order, tree.symbols
        arrays = (tree.parent, tree.read, tree.act, tree.child)
        self.handle = LIBRARY.own(self, "merger_new", "merger_free", tree.symbols, len(tree.read), *arrays)

    @property
    def states(self) -> int:
        return int(LIBRARY.merger_states(self.handle))

    def steps(self, wanted: int) -> list[Decision]:
        told = np.empty((wanted, 4), np.int64)
        done = LIBRARY.merger_steps(self.handle, self.order == BREADTH, wanted, told)
        if done < 0:
            raise MemoryError("there is no memory to merge the states of these traces")
        return [
            Decision(node, None if state < 0 else state, score, margin)
            for node, state, score, margin in told[:done].tolist()
        ]

    def lists(self) -> tuple[list[list[int]], list[list[int]]]:
        action, after = (np.empty((self.states, self.symbols), np.int32) for _ in range(2))
        LIBRARY.merger_rows(self.handle, action, after)
        return action.tolist(), after.tolist()


def merged(traces: Traces, order: str = EVIDENCE, progress: OnProgress = lambda _: None) -> Merged:
    """The agent that the traces show, its states told apart by what was seen of them.

    Every trace, replayed on the table, does and ends as it did. What no trace shows is undefined. `progress`
    is told the states so far. GridError where no agent made the traces.
    """
    if order not in ORDERS:
        raise fail("G204", f"there is no order of merging called {order!r}", f"it is {listing(ORDERS)}")
    _check_endings(traces)
    tree = prefix_tree(traces)
    merger = NativeMerger(tree, order) if LIBRARY.builds() else plain_merger(tree, order)
    merges = 0
    while decisions := merger.steps(AT_A_TIME):
        merges += sum(decision.state is not None for decision in decisions)
        progress(merger.states)
        if merger.states > MAX_STATES:
            hint = "merging needs far more traces, all of one agent"
            raise fail("G204", f"no table of {MAX_STATES:,} states does what these traces show", hint)
    table = named(lists_to_table(traces, *merger.lists()))
    return Merged(table, merges)


def _check_endings(traces: Traces) -> None:
    """GridError unless idle steps are halts: the last step of each trace that halted, and of no other."""
    idle = (traces.x == traces.s) & (traces.m == STAY)  # (N, T)
    last = np.arange(idle.shape[1]) == traces.length[:, None] - 1
    early = (idle & ~last).any(1)
    if early.any():
        row = int(early.argmax())
        step = int(idle[row].argmax())
        title = f"trace {row} goes on after it has halted: step {step} keeps its symbol and stays"
        raise fail("G203", title, "end it there, as halted")
    halted = np.array([ending == Outcome.HALTED for ending in traces.ending])
    wrong = halted != (idle & last).any(1)
    if wrong.any():
        row = int(wrong.argmax())
        does, ending = (
            ("is not an idle step", Outcome.BUDGET) if halted[row] else ("is an idle step", Outcome.HALTED)
        )
        title = f"trace {row} ends {ENDINGS[traces.ending[row]]}, but its last step {does}"
        hint = f"an agent halts by a step that keeps its symbol and stays; say `{ENDINGS[ending]}`"
        raise fail("G203", title, hint)
