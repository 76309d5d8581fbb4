"""What traces show of an agent: the rules they exercise, and the states they tell apart."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.merging import NONE, RuleGraph, incompatible, table_to_graph
from gridlang.diagnostics import fail
from gridlang.display import Shown
from gridlang.learners.traces.choosing.reads import reached
from gridlang.learners.traces.dataset import Ints, Shorts, Traces
from gridlang.learners.traces.limits import LIMITS
from gridlang.learners.traces.one_trace import ENDINGS
from gridlang.learners.traces.recording import in_alphabet
from gridlang.table import MOVES, Table

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Coverage(Shown):
    """Rules are pairs of state and symbol that can be reached from the start.

    Rules that nobody wrote are not counted: those of the target `halt`, and of the rest of a word.

    Two states are told apart if some sequence of reads, along rules that were exercised, makes
    them act differently. `possible` of the pairs would be if every rule were exercised.

    >>> import gridlang as gl
    >>> gl.coverage("examples/add2.grid", gl.trace("examples/add2.grid")).missing
    ()
    """

    traces: int
    steps: int
    longest: int
    endings: dict[str, int]
    reachable: int  # rules
    missing: tuple[tuple[str, str], ...]  # rules that no trace exercises: state, symbol
    states: int  # in which some trace acts
    pairs: int | None  # of these states
    told_apart: int | None
    possible: int | None
    alike: tuple[tuple[str, str], ...]  # some pairs that could be told apart, and are not

    @property
    def covered(self) -> int:
        return self.reachable - len(self.missing)

    def __repr__(self) -> str:
        apart = f", {self.told_apart:,} of {self.pairs:,} pairs of states told apart" if self.pairs else ""
        return f"Coverage({self.covered:,} of {self.reachable:,} rules exercised{apart})"

    def as_json(self) -> dict[str, Any]:
        keys = "traces steps longest endings covered reachable missing states pairs told_apart possible alike"
        told = {key: getattr(self, key) for key in keys.split()}
        return told | {key: [list(pair) for pair in told[key]] for key in ("missing", "alike")}


@lru_cache(maxsize=8)
def _arrays(table: Table) -> tuple[Ints, Ints]:
    """The next state, and what is written and moved as one number, (states, symbols); -1 without a rule."""
    shape = (len(table.states), len(table.symbols))
    after, action = np.full(shape, -1, np.int32), np.full(shape, -1, np.int32)
    for q, x, entry in table.entries():
        after[q, x], action[q, x] = entry.next, entry.write * len(MOVES) + entry.move
    return after, action


def coverage(table: Table, traces: Traces) -> Coverage:
    """What the traces show of the table that made them; GridError if another agent did."""
    used = _used(table, traces)
    endings = Counter(traces.ending)
    written = _reachable(table)
    written[[not table.is_written(state) for state in range(len(table.states))]] = False
    missing = written & ~used
    return Coverage(
        traces=len(traces),
        steps=traces.steps,
        longest=int(traces.length.max()),
        endings={word: endings[outcome] for outcome, word in ENDINGS.items()},
        reachable=int(written.sum()),
        missing=tuple((table.states[q], table.symbols[x]) for q, x in np.argwhere(missing)),
        states=int(used.any(1).sum()),
        **_pairs(table, used),
    )


def unexercised(table: Table, traces: Traces) -> set[tuple[int, int]]:
    """All rules of the table that no trace reaches."""
    return {(int(q), int(x)) for q, x in np.argwhere(_reachable(table) & ~_used(table, traces))}


def _used(table: Table, traces: Traces) -> Flags:
    """Which rules the traces exercise, (states, symbols)."""
    used = np.zeros((len(table.states), len(table.symbols)), np.bool_)
    rules = replay(table, traces)
    used.reshape(-1)[np.unique(rules[rules >= 0])] = True
    return used


def replay(table: Table, traces: Traces, file: str = "") -> Ints:
    """The rule of each step as state * symbols + symbol, (N, T), padded with -1.

    GridError if the table does not do what the traces show.
    """
    known = in_alphabet(traces, table.symbols, file)
    rules, wrong = rules_of(table, known.x, known.s, known.m)
    if wrong.any():
        row = int(wrong.any(1).argmax())
        where = f"trace {row} at step {int(wrong[row].argmax())}"
        hint = "the file that was traced has changed since, or these are traces of another agent"
        raise fail("G102", f"`{table.name}` does not do what these traces show: {where}", hint, file)
    return rules


def rules_of(table: Table, x: Shorts, s: Shorts, m: Shorts) -> tuple[Ints, Flags]:
    """The rule of each step, and where a step is not what the table does."""
    after, action = _arrays(table)
    k, over = len(table.symbols), len(table.states)
    # runs that differ or have ended stay in a state beyond the last
    after = np.where(after < 0, over, after)
    after = np.pad(after, ((0, 1), (0, 1)), constant_values=over).ravel()
    action = np.pad(action, ((0, 1), (0, 1)), constant_values=-1).ravel()
    reads, done = np.ascontiguousarray(x.T), np.ascontiguousarray(np.where(s < 0, -1, s * len(MOVES) + m).T)
    rules = np.full(reads.shape, -1, np.int32)
    wrong = np.zeros(reads.shape, np.bool_)
    state = np.zeros(len(x), np.int32)
    for t, (read, did) in enumerate(zip(reads, done, strict=True)):
        going = (read >= 0) & (state < over)
        place = state * (k + 1) + np.where(going, read, k)
        wrong[t] = going & (action[place] != did)
        # Where a run is stuck it is the lack of a rule that is shown.
        rules[t] = np.where(going & (did >= 0), state * k + read, -1)
        state = np.where(going & ~wrong[t], after[place], np.where(read < 0, state, over))
    return np.ascontiguousarray(rules.T), np.ascontiguousarray(wrong.T)


def _reachable(table: Table) -> Flags:
    """The rules of the states that a chain of rules leads to."""
    states = np.isin(np.arange(len(table.states)), reached(table).nodes)
    return (_arrays(table)[0] >= 0) & states[:, None]


def _pairs(table: Table, used: Flags) -> dict[str, Any]:
    if len(table.states) > LIMITS.most_states:
        return {"pairs": None, "told_apart": None, "possible": None, "alike": ()}
    seen = np.flatnonzero(used.any(1))
    half = np.triu(np.ones((len(seen), len(seen)), np.bool_), 1)
    both = np.ix_(seen, seen)
    apart = told_apart(table, used)[both] & half
    possible = told_apart(table, _reachable(table))[both] & half
    alike = seen[np.argwhere(possible & ~apart)[: LIMITS.alike_shown]]
    return {
        "pairs": int(half.sum()),
        "told_apart": int(apart.sum()),
        "possible": int(possible.sum()),
        "alike": tuple((table.states[p], table.states[q]) for p, q in alike),
    }


def told_apart(table: Table, used: Flags) -> Flags:
    """Which states some sequence of reads tells apart along the used rules, (states, states)."""
    graph = table_to_graph(table)
    write, move, after = (np.where(used, part, NONE) for part in (graph.write, graph.move, graph.next))
    return incompatible(RuleGraph(write, move, after))
