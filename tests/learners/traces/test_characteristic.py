"""Reads from which state merging comes to the agent itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.proofs.equivalence import compare_tables
from gridlang.learners.methods.merging.merge import merged
from gridlang.learners.methods.registry import ORDERS
from gridlang.learners.traces.choosing.reads import characteristic_reads, record_reads
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.loading import load
from gridlang.program import Program
from gridlang.table import MOVES, STAY, Entry, Table
from tests.programs import EXAMPLES, ROOT
from tests.strategies import tables


@st.composite
def total_tables(draw: st.DrawFn) -> Table:
    """A table with a rule for every symbol in every state."""
    table = draw(tables())
    states, symbols = range(len(table.states)), range(len(table.symbols))
    moves = [move for move in range(len(MOVES)) if move != STAY]  # Whoever stays and keeps a symbol halts.
    entries = st.builds(Entry, st.sampled_from(symbols), st.sampled_from(moves), st.sampled_from(states))
    rows = tuple(tuple(entry or draw(entries) for entry in row) for row in table.rows)
    return replace(table, rows=rows)


@given(total_tables())
def test_merging_from_the_root_comes_to_any_agent_that_is_never_stuck(table: Table) -> None:
    traces = record_reads(
        Program(table, "random"), characteristic_reads(table), {"rule": "peek-characteristic"}
    )
    assert compare_tables(table, merged(traces, "breadth").table).equivalent


AGENTS = sorted(
    [*EXAMPLES.glob("*.grid"), *EXAMPLES.glob("suite/*.grid"), *ROOT.glob("benchmarks/agents/*.grid")]
)


NOT_HERE = ("walks", "match")  # a library; an agent that is stuck on most reads, and needs more traces


@pytest.mark.parametrize(
    "path", [path for path in AGENTS if path.stem not in NOT_HERE], ids=lambda path: path.stem
)
def test_both_orders_come_to_these_agents_though_these_are_stuck_on_some_reads(path: Path) -> None:
    program = load(path, {})
    traces = make_traces(program, [sampling_plan(program.table, "peek-characteristic")], 0)
    for order in ORDERS:
        assert compare_tables(program.table, merged(traces, order).table).equivalent


def test_a_part_of_the_sample_is_drawn_by_its_seed() -> None:
    program = load(EXAMPLES / "add2.grid", {})
    plan = sampling_plan(program.table, "peek-characteristic", count=10)
    first, again, other = (make_traces(program, [plan], seed) for seed in (0, 0, 1))
    assert len(first) == 10 and first.inputs == again.inputs != other.inputs
