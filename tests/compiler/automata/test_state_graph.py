"""The networkx graph of a table: all of the table is in it, and it costs nothing where nobody asks for it."""

from __future__ import annotations

import networkx as nx
from hypothesis import given

from gridlang.compiler.automata.state_graph import to_networkx
from gridlang.loading import load
from gridlang.table import MOVES, Table
from tests.programs import EXAMPLES
from tests.strategies import canonical_tables
from tests.support.searches import searched

ADD10 = str(EXAMPLES / "add10.grid")


@given(canonical_tables)
@searched(20)
def test_the_graph_holds_every_state_and_every_entry_of_the_table(table: Table) -> None:
    graph = to_networkx(table)
    assert [graph.nodes[state]["name"] for state in graph] == list(table.states)
    assert [state for state, start in graph.nodes(data="start") if start] == [0]
    assert graph.number_of_edges() == table.transitions
    for state, symbol, entry in table.entries():
        step = graph.edges[state, entry.next, symbol]
        assert (step["read"], step["write"]) == (table.symbols[symbol], table.symbols[entry.write])
        assert step["move"] == MOVES[entry.move] and step["halts"] == table.is_halt(state, symbol)
    halting = {state for state, symbol, _ in table.entries() if table.is_halt(state, symbol)}
    assert {state for state, halts in graph.nodes(data="halts") if halts} == halting
    assert nx.descendants(graph, 0) | {0} == set(
        graph
    )  # a canonical table has no state that is never reached


def test_families_and_rules_of_the_source_are_in_the_graph() -> None:
    program = load(ADD10)
    graph = to_networkx(program.table, program.rules)
    carry = {about["parameters"] for _, about in graph.nodes(data=True) if about["family"] == "carry"}
    assert {str(value) for (value,) in carry} == set("0123456789")
    assert graph.nodes[0]["family"] == "" and graph.nodes[0]["name"] == "seek"
    assert all(rule is not None for _, _, rule in graph.edges(data="rule"))
