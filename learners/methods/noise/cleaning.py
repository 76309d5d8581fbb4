"""Cleaning: from noisy traces alone to a table, and to the likeliest truth of each trace.

Every round begins with tables that noise-tolerant merging gives in seconds, and a search goes on from the
likeliest. Merging takes writes and moves as they were recorded, so that what it says is what most records say
and never what was said before. Every second round begins apart from all others, with reads as they were
recorded, too; those between take the reads that the best table of all believes. Candidates are weighed by the
records alone. The end is reached when two that began apart have come to the same: where one rests alone may
be a table that calls a state noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gridlang.compiler.simulation.native.c_library import CLibrary
from gridlang.compiler.traces.dataset import Traces
from gridlang.compiler.traces.one_trace import chosen
from gridlang.diagnostics import fail
from gridlang.learners.methods.noise.corruption import Rates
from gridlang.learners.methods.noise.decoding import Judgement, judgement, refuse_without_compiler
from gridlang.learners.methods.noise.limits import LIMITS
from gridlang.learners.methods.noise.search import (
    Candidate,
    estimated,
    first_traces,
    improved,
    likeliest,
    smallest,
)
from gridlang.learners.methods.table_rows import Integers, rows_to_table
from gridlang.learners.training.recipes import Recipe
from gridlang.table import MOVES, Table

LIBRARY = CLibrary(Path(__file__).parent / "tolerant.c", "-O3")
NOWHERE = -1


UNKNOWN = Rates(0.1, 0.1, 0.1)  # the prior of the noise


@dataclass(frozen=True, slots=True, eq=False)
class CleaningPlan:
    """The most rounds, and the seed; the recipe and device by which models learn from the result."""

    recipe: Recipe
    rounds: int = 8
    seed: int = 0
    device: str = "auto"


@dataclass(frozen=True, slots=True, eq=False)
class Cleaned:
    """The likeliest truth, the likeliest table, and the records judged wrong."""

    traces: Traces
    best: Candidate
    judgement: Judgement
    rounds: int
    found_again: int  # rounds that began apart and found a table as likely


@dataclass(frozen=True, slots=True)
class RoundOfCleaning:
    """The result of one round, for progress."""

    number: int
    rates: Rates
    states: int
    cost: float
    judged_wrong: int


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """The state between two rounds."""

    rounds: int
    best: Candidate | None
    found_again: int
    unimproved: int

    @property
    def at_rest(self) -> bool:
        strong = self.best is not None and max(self.best.accounts.rates.by_kind.values()) > LIMITS.strong
        return not strong and (self.found_again >= LIMITS.found or self.unimproved >= LIMITS.unimproved)


class Round(NamedTuple):
    """How a round begins: independently, or with the reads that the best table implies."""

    number: int
    best: Candidate | None
    apart: bool
    believed: Traces
    random: np.random.Generator


def cleaned(
    seen: Traces,
    plan: CleaningPlan,
    belief: Belief | None = None,
    *,
    on_belief: Callable[[Belief], None] = lambda _: None,
    on_round: Callable[[RoundOfCleaning], None] = lambda _: None,
    progress: Callable[[str], None] = lambda _: None,
) -> Cleaned:
    """The traces without their noise; only reads, writes, moves, lengths and endings of `seen` are used.

    `belief`, once given to `on_belief`, continues a run.
    """
    refuse_stuck(seen)
    refuse_without_compiler()
    belief = belief or Belief(0, None, 0, 0)
    cleaning = Cleaning(seen, plan, progress)
    while belief.rounds < plan.rounds and not belief.at_rest:
        belief = cleaning.after(belief)
        on_belief(belief)
        on_round(_told(belief, cleaning.searched))
    assert belief.best is not None  # There is one after any round.
    progress("estimating the noise in all traces")
    best = cleaning.on_all(belief.best)
    told = judgement(seen, best.accounts)
    if max(told.rates.by_kind.values()) > LIMITS.too_strong:
        hint = "more traces, or more --rounds, may help"
        raise fail("G222", "the likeliest table calls most of what was recorded noise", hint)
    x, s, m = best.accounts.x, best.accounts.s, best.accounts.m
    traces = replace(seen, x=x, s=s, m=m, data={**seen.data, "cleaned": told.as_json()})
    return Cleaned(traces, best, told, belief.rounds, belief.found_again)


def _told(belief: Belief, searched: Traces) -> RoundOfCleaning:
    best = belief.best
    assert best is not None
    told = judgement(searched, best.accounts)
    return RoundOfCleaning(belief.rounds, told.rates, len(best.table.states), best.cost, told.wrong)


def refuse_stuck(seen: Traces) -> None:
    """GridError for traces whose last step shows a read alone."""
    if seen.strict:
        hint = "record them without --strict"
        raise fail("G221", "traces that show where the agent is stuck cannot be cleaned of noise", hint)


class Cleaning:
    """The traces, and how they are cleaned."""

    def __init__(self, seen: Traces, plan: CleaningPlan, progress: Callable[[str], None]) -> None:
        self.seen, self.plan, self.progress = seen, plan, progress
        self.searched = first_traces(seen, LIMITS.searched)

    def after(self, belief: Belief) -> Belief:
        """The belief after one more round: tables, and where a search leads from them."""
        best, at = belief.best, self._round(belief)
        found = self._found(at)
        if best is None:
            return Belief(at.number, found, 1, 0)
        near = abs(found.cost - best.cost) < LIMITS.nearly
        again = belief.found_again + (near and at.apart)
        if found.cost < best.cost - LIMITS.same:
            return Belief(at.number, found, again if near else 1, 0)
        return Belief(at.number, best, again, belief.unimproved + 1)

    def _round(self, belief: Belief) -> Round:
        number, best = belief.rounds + 1, belief.best
        random = np.random.default_rng([self.plan.seed, number, 0x636C65616E])  # spells `clean`
        if best is None or number % 2 == 1:
            return Round(number, best, True, self.seen, random)
        return Round(number, best, False, replace(self.seen, x=self.on_all(best).accounts.x), random)

    def _found(self, at: Round) -> Candidate:
        """The likeliest table of a round, independent of the best so far or based on it."""
        best = at.best
        rates, read = (UNKNOWN, None) if best is None else (best.accounts.rates, best.accounts.read)
        start = likeliest(self._merged(at), self.searched, rates, read)
        if best is None or at.apart or LIMITS.same < abs(start.cost - best.cost) < LIMITS.far:
            return improved(start, self.searched, lambda found: self._tell(at.number, found))
        return start

    def _merged(self, at: Round) -> Iterator[Table]:
        """Tables by state merging; of rounds that begin apart, only the first merges all traces."""
        self.progress(f"round {at.number}: merging states")
        if at.best is None or not at.apart:
            return tolerant_tables(at.believed, self.seen)
        count = len(self.seen)
        drawn = chosen(self.seen, np.sort(at.random.permutation(count)[: max(1, int(LIMITS.drawn * count))]))
        return tolerant_tables(drawn, drawn)

    def on_all(self, best: Candidate) -> Candidate:
        """The table with all traces, estimated anew where the search has not seen all of them."""
        if self.searched is self.seen:
            return best
        return estimated(best.table, self.seen, best.accounts.rates, best.accounts.read)

    def _tell(self, number: int, at: Candidate) -> None:
        self.progress(f"round {number}: searching, {len(at.table.states)} states, {at.cost:,.0f} nats")


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


# amount and reach of the noise are unknown before there is a table: all of these are tried
TOLERANCES = tuple(Tolerance(*each) for each in product((2, 3, 4), (0.01, 0.02, 0.05, 0.1), (0.25, 1.0)))


def tolerant_tables(believed: Traces, seen: Traces) -> Iterator[Table]:
    """Tables of traces that read what is believed, and write and move as they were seen to; one at least.

    Nodes and colours are those of exact merging, but an edge counts how often each action was recorded on it.
    If two edges are taken for one rule, the actions that most records of the one and of the other say may
    differ, and records are *lost*: they are called lies. A blue node fits a red one if its tree, to some
    depth, loses no more than a share of what they have in common, and more for each rule that a new state
    would have to learn. The busiest blue nodes are looked at. One that fits no red node becomes red; else the
    fold is made that has most in common and loses least. Nodes that were hardly ever visited say nothing.
    """
    acted = np.where(seen.x >= 0, seen.s.astype(np.int32) * len(MOVES) + seen.m, NOWHERE)
    records = Records(len(seen.symbols), believed.x.astype(np.int32), acted, seen.length.astype(np.int32))
    known: set[Table] = set()
    for tolerance in TOLERANCES:
        rows = merged_rows(records, tolerance, LIMITS.merged_states)
        # if even the largest tolerance is too strict, its table must do
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
