"""Reads that show every two rules in a row."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.diagnostics import GridError
from gridlang.learners.traces.choosing.reads import covering_reads, covering_steps
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.learners.traces.limits import LIMITS
from gridlang.loading import load
from gridlang.table import Table
from tests.strategies import tables

EXAMPLES = Path(__file__).parents[3] / "examples"


def pairs_of(table: Table, reads: list[int]) -> list[tuple[tuple[int, int] | None, int]]:
    """Each rule, by its state and symbol, with the symbol that was read after it."""
    state, before, pairs = 0, None, []
    for read in reads:
        pairs.append((before, read))
        entry = table.rows[state][read]
        assert entry is not None
        before, state = (state, read), entry.next
    return pairs


def possible_pairs(table: Table) -> set[tuple[tuple[int, int] | None, int]]:
    """All that chains of rules from the start can show, if any symbol may be read."""
    known = [[x for x, entry in enumerate(row) if entry is not None] for row in table.rows]
    pairs: set[tuple[tuple[int, int] | None, int]] = {(None, x) for x in known[0]}
    seen, queue = {0}, [0]
    while queue:
        state = queue.pop()
        for x in known[state]:
            entry = table.rows[state][x]
            assert entry is not None
            if entry.next == state and entry.is_idle(x):
                continue
            pairs |= {((state, x), y) for y in known[entry.next]}
            if entry.next not in seen:
                seen.add(entry.next)
                queue.append(entry.next)
    return pairs


@given(tables(), st.integers(0, 9))
def test_every_pair_of_rules_is_shown_as_often_as_was_asked(table: Table, seed: int) -> None:
    steps = covering_steps(table)
    sequences = list(islice(covering_reads(table, Random(seed), steps), 5_000))
    shown = Counter(pair for each in sequences for pair in pairs_of(table, each))
    assert all(shown[pair] >= LIMITS.often for pair in possible_pairs(table))
    assert all(len(each) <= steps for each in sequences)


def test_reads_are_answered_as_the_table_does_and_end_where_it_halts() -> None:
    program = load(EXAMPLES / "add2.grid", {})
    traces = make_traces(program, [sampling_plan(program.table, "peek-reads")], 1)
    rows = program.table.rows
    for row in range(len(traces)):
        state = 0
        for step in range(traces.length[row]):
            entry = rows[state][traces.x[row, step]]
            assert entry is not None
            assert (entry.write, entry.move) == (traces.s[row, step], traces.m[row, step])
            last, state = entry.is_idle(int(traces.x[row, step])), entry.next
        assert (traces.ending[row] == "halted") == last
    again = make_traces(program, [sampling_plan(program.table, "peek-reads")], 1)
    assert again.inputs == traces.inputs


def test_an_agent_without_a_first_rule_has_nothing_to_record() -> None:
    program = load(EXAMPLES / "add2.grid", {})
    table = program.table
    bare = replace(table, rows=((None,) * len(table.symbols),) * len(table.states))
    with pytest.raises(GridError, match="nothing to record"):
        make_traces(program._replace(table=bare), [sampling_plan(bare, "peek-reads")])
