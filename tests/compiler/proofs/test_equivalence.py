"""Comparing tables, and making them smaller."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.automata.merging import minimize_table
from gridlang.compiler.proofs.equivalence import compare_tables
from gridlang.compiler.simulation.simulate import run
from gridlang.table import Entry, Table, canonical
from gridlang.world import World
from tests.programs import PROGRAMS
from tests.strategies import tables, worlds
from tests.support.searches import searched


@given(tables())
def test_every_table_is_equivalent_to_itself_in_another_order(table: Table) -> None:
    verdict = compare_tables(table, canonical(table))
    assert verdict.equivalent and verdict.counterexample is None
    shuffled = ("_", *reversed(table.symbols[1:]))
    place = [shuffled.index(symbol) for symbol in table.symbols]
    rows = tuple(
        tuple(
            entry and Entry(place[entry.write], entry.move, entry.next)
            for entry in (row[table.symbols.index(symbol)] for symbol in shuffled)
        )
        for row in table.rows
    )
    assert compare_tables(table, Table("other", shuffled, table.states, rows)).equivalent


@given(st.data())
@searched(67)
def test_a_verdict_is_right_about_every_world(data: st.DataObject) -> None:
    """What is called equivalent runs alike; a counterexample is real on both tables."""
    left: Table = data.draw(tables(max_states=4, max_symbols=3))
    right = left
    state = data.draw(st.integers(0, len(left.states) - 1))
    symbol = data.draw(st.integers(0, len(left.symbols) - 1))
    entry = data.draw(
        st.builds(
            Entry,
            st.integers(0, len(left.symbols) - 1),
            st.integers(0, 4),
            st.integers(0, len(left.states) - 1),
        )
    )
    if not (entry.is_idle(symbol) and entry.next != state):
        rows = [list(row) for row in left.rows]
        rows[state][symbol] = entry
        right = Table("changed", left.symbols, left.states, tuple(map(tuple, rows)))
    verdict = compare_tables(left, right)
    if verdict.equivalent:
        world: World = data.draw(worlds(left))
        mine, other = run(left, world, 60, trace=True), run(right, world, 60, trace=True)
        assert mine.trace is not None and other.trace is not None
        assert other.trace[: len(mine.trace)] == mine.trace
        return
    steps = verdict.counterexample
    assert steps and all(step.left == step.right for step in steps[:-1])
    assert steps[-1].left is not None and steps[-1].left != steps[-1].right


def test_the_counterexample_is_a_shortest_one() -> None:
    def chain(last: int) -> Table:
        rows = [(Entry(0, 3, i + 1), Entry(1, 3, i + 1)) for i in range(4)]
        return Table("chain", ("_", "x"), tuple("abcde"), (*rows, (Entry(last, 2, 4), None)))

    steps = compare_tables(chain(0), chain(1)).counterexample
    assert steps is not None and len(steps) == 5


@pytest.mark.parametrize(("name", "states"), [("add2", 12), ("add10", 20), ("mult2", 21), ("mult10", 89)])
def test_what_minimising_finds_on_the_experts_is_exact(name: str, states: int) -> None:
    smaller = minimize_table(next(p for p in PROGRAMS if p.name == name).load().table)
    assert (len(smaller.table.states), smaller.exact) == (states, True)
