"""Merging states that never disagree: what is known is kept, and no table has fewer states than the bound."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.automata.merging import (
    fold,
    graph_to_rows,
    incompatible,
    minimize_table,
    table_to_graph,
)
from gridlang.compiler.proofs.equivalence import compare_tables
from gridlang.table import STAY, Entry, Table, canonical
from tests.strategies import tables


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
def test_states_are_incompatible_where_they_disagree_now_or_later(table: Table) -> None:
    graph = table_to_graph(table)
    does = np.stack((graph.write, graph.move, graph.next), axis=2).tolist()
    pairs = list(product(range(graph.size), repeat=2))

    def both(p: int, q: int) -> list[tuple[list[int], list[int]]]:
        """What two states do on each symbol that both know."""
        return [steps for steps in zip(does[p], does[q], strict=True) if -1 not in (steps[0][0], steps[1][0])]

    apart = {pair for pair in pairs if any(one[:2] != other[:2] for one, other in both(*pair))}
    size = -1
    while size != len(apart):
        size = len(apart)
        apart |= {pair for pair in pairs if any((one[2], other[2]) in apart for one, other in both(*pair))}
    assert set(zip(*map(np.ndarray.tolist, np.nonzero(incompatible(graph))), strict=True)) == apart


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
