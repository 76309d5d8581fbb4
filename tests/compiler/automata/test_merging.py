"""Merging states that never disagree: what is known is kept, and no table has fewer states than the bound."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from compiler.automata.merging import fold, graph_to_rows, incompatible, table_to_graph
from compiler.automata.minimize import minimize_table
from compiler.proofs.equivalence import compare_tables
from gridlang.table import STAY, Entry, Table, canonical
from tests.strategies import tables


@given(tables(max_states=10, max_symbols=4))
def test_a_table_reads_back_from_its_graph(table: Table) -> None:
    assert replace(table, rows=graph_to_rows(table_to_graph(table))) == table


@given(tables(max_states=10, max_symbols=4), st.integers(0, 10))
def test_folding_keeps_all_that_a_graph_does(table: Table, seed: int) -> None:
    source = canonical(table)
    folded = fold(table_to_graph(source), None, seed)
    assert folded.bound <= folded.graph.size <= len(source.states)
    names = tuple(f"n{state}" for state in range(folded.graph.size))
    smaller = replace(source, states=names, rows=graph_to_rows(folded.graph), families=())
    assert compare_tables(source, smaller).equivalent
    assert not incompatible(folded.graph).diagonal().any()


@given(tables(max_states=10, max_symbols=4))
def test_minimising_does_the_same_with_no_more_states(table: Table) -> None:
    small = minimize_table(table)
    assert small.bound <= len(small.table.states) <= len(canonical(table).states)
    assert compare_tables(table, small.table).equivalent


def test_folding_finds_states_with_disjoint_symbols() -> None:
    """A walks on x until it reads y, B on y until it reads x: neither knows what the other does."""
    one = Entry(1, 3, 0)
    parts = Table(
        "two", ("_", "x", "y"), ("a", "b"), ((None, one, Entry(2, 3, 1)), (Entry(0, STAY, 1), None, None))
    )
    assert fold(table_to_graph(parts)).graph.size == 1
