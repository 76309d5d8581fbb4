"""Families keep their states through minimising, tensors, proofs and drawings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gridlang.compiler.automata.merging import minimize_table
from gridlang.compiler.drawing.graphs import families, state_graph
from gridlang.compiler.proofs.abstractions.grains import grains
from gridlang.compiler.tensors.dfst import dfst_from_bytes, dfst_to_bytes, dfst_to_table, table_to_dfst
from gridlang.program import Program
from gridlang.table import Entry, Family, Member, Table
from tests.programs import PROGRAMS

R, U = 3, 0
ROW = (Entry(0, R, 1), Entry(1, U, 2))
PLAIN = Table("plain", ("_", "x"), ("a(0)", "a(1)", "a(b)"), (ROW, ROW, (Entry(1, R, 0), None)))
GROUPED = replace(PLAIN, families=(Family("a", ("v",), (Member(0, (0,)), Member(1, (1,)))),))


def test_a_model_with_families_that_cannot_be_read_has_none() -> None:
    model = table_to_dfst(GROUPED)
    for text in ("[", "3", '[{"name": "a"}]', '[{"name": "a", "parameters": ["v"], "members": [["b"]]}]'):
        broken = replace(model, metadata={**model.metadata, "families": text})
        assert dfst_to_table(dfst_from_bytes(dfst_to_bytes(broken))).families == ()


@pytest.mark.parametrize("name", ["add10", "mult", "flood", "sort"])
def test_minimising_keeps_the_families_of_states_that_survive(name: str) -> None:
    table = next(example for example in PROGRAMS if example.name == name).load().table
    smaller = minimize_table(table).table
    before = {table.states[state]: family.name for state, family in table.family_by_state().items()}
    after = {smaller.states[state]: family.name for state, family in smaller.family_by_state().items()}
    assert after == {state: family for state, family in before.items() if state in smaller.states}


def test_a_merged_member_leaves_its_family() -> None:
    [family] = minimize_table(GROUPED).table.families
    assert family.members == (Member(0, (0,)),)


def test_states_are_drawn_and_proven_as_a_family_only_where_they_are_one() -> None:
    assert families(GROUPED) == {"a": (0, 1)} and families(PLAIN) == {}
    assert [node.name for node in state_graph(Program(GROUPED, ""), True).nodes] == ["a(v)", "a(b)"]
    assert len(state_graph(Program(PLAIN, ""), True).nodes) == 3
    assert [next(grains(table)).kinds for table in (GROUPED, PLAIN)] == [[0, 0, 1], [0, 1, 2]]
