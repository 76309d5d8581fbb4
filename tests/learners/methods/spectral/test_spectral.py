"""Learning by linear algebra: exact from questions, of few dimensions; from traces where these show enough."""

from __future__ import annotations

from hypothesis import given

import gridlang as gl
from benchmarks.asking import agent_named
from gridlang.compiler.proofs.equivalence import compare_tables
from gridlang.compiler.proofs.joint_step import STRICT
from gridlang.learners.methods.asking.ask import ask
from gridlang.learners.methods.spectral.multiplicity import ask_linearly
from gridlang.table import Table
from tests.programs import EXAMPLES
from tests.strategies import tables


@given(tables(max_states=8, max_symbols=4))
def test_what_is_asked_for_is_right_on_all_reads_and_no_rank_is_above_the_states(table: Table) -> None:
    asked, rank = ask_linearly(table, "table")
    assert compare_tables(table, asked.table, stuck=STRICT).equivalent
    assert rank <= len(asked.table.states) == len(ask(table, "table").table.states)


def test_values_that_show_one_at_a_time_take_few_dimensions_and_few_questions() -> None:
    table = agent_named("pairs")
    (asked, rank), other = ask_linearly(table, "table"), ask(table, "table")
    assert (len(asked.table.states), rank) == (122, 32)
    assert asked.queries < other.queries / 2


def test_train_asks_an_agent_and_learns_from_traces() -> None:
    agent = EXAMPLES / "increment.grid"
    (exact,) = gl.train(agent, method="spectral")
    assert exact.training["queries"] > 0 and exact.training["rank"] == 3
    (model,) = gl.train(gl.trace(agent, rule="random-reads:400"), method="spectral")
    assert "queries" not in model.training and model.training["rank"] == 3
    assert gl.equiv(agent, model).equivalent
