"""Families of states are data of the table, and nobody reads them out of names."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from hypothesis import given

from gridlang.diagnostics import GridError
from gridlang.loading import load_source
from gridlang.source import Source
from gridlang.table import Family, Member, Table, canonical
from gridlang.table_json import table_from_json, table_to_json
from gridlang.terminal.console import missing_pairs
from tests.strategies import tables

EVERY_KIND = """
agent kinds
alphabet
  digit = 0..1
start seek
state seek
  0 : R -> pair(0, 1)
  1 : R -> walk(L, digit, pair(1, 0))
  _ : halt
state pair(m in digit, c in 0..1)
  any : halt
state walk(way : move, over : class, after : state)
  over : way
  _ : R -> after
"""
HOSTILE = """
agent hostile
alphabet
  digit = 0..1
start "a(b)"
state "a(b)"
  d in digit : R -> a(d)
  _ : R -> "a(c)"
state "a(c)"
  _ : R -> "a("
state "a("
  _ : halt
state a(v in digit)
  _ : halt
"""


def table_of(text: str) -> Table:
    return load_source(Source("<test>", text)).table


def told(table: Table) -> dict[str, list[tuple[str, ...]]]:
    """For each family's title, its states and their values, all as text."""
    return {
        family.title: [(table.states[state], *map(repr, values)) for state, values in family.members]
        for family in table.families
    }


def test_numbers_symbols_moves_classes_and_states_are_values() -> None:
    assert told(table_of(EVERY_KIND)) == {
        "pair(m, c)": [("pair(0,1)", "'0'", "1"), ("pair(1,0)", "'1'", "0")],
        "walk(way, over, after)": [("walk(L,digit,pair(1,0))", "'L'", "'digit'", "'pair(1,0)'")],
    }


def test_a_state_whose_name_looks_like_a_member_is_in_no_family() -> None:
    table = table_of(HOSTILE)
    assert told(table) == {"a(v)": [("a(0)", "'0'"), ("a(1)", "'1'")]}
    by_name = dict(zip(table.states, map(table.family_by_state().get, range(len(table.states))), strict=True))
    assert [by_name[name] for name in ("a(b)", "a(c)", "a(")] == [None] * 3
    assert by_name["a(0)"] is by_name["a(1)"] is table.families[0]
    numbers = dict(zip(table.states, table.family_numbers(), strict=True))
    assert numbers["a(0)"] == numbers["a(1)"] and len(set(numbers.values())) == 4


def test_missing_pairs_are_told_at_the_line_that_declares_the_state() -> None:
    program = load_source(Source("<test>", HOSTILE))
    lines = {note.message.split("`")[1]: note.span.line for note in missing_pairs(program) if note.span}
    assert lines == {"a(c)": 9, "a(": 11, "a(0)": 13, "a(1)": 13}


@given(tables(names=True))
def test_families_survive_json_pickling_and_canonical_order(table: Table) -> None:
    assert table_from_json(table_to_json(table)).families == table.families
    assert pickle.loads(pickle.dumps(table)).families == table.families
    small = canonical(table)
    kept = {name: rows for title, members in told(small).items() for name, *rows in members}
    all_of_them = {name: rows for title, members in told(table).items() for name, *rows in members}
    assert kept == {name: rows for name, rows in all_of_them.items() if name in small.states}


@given(tables(names=True))
def test_families_say_nothing_about_what_an_agent_does(table: Table) -> None:
    bare = replace(table, families=())
    assert bare == table and hash(bare) == hash(table)
    assert table_to_json(bare) == table_to_json(table, families=False)


def test_a_member_outside_of_the_table_is_refused() -> None:
    with pytest.raises(GridError, match="not called"):
        Table("t", ("_",), ("f(0)",), ((None,),), families=(Family("f", ("v",), (Member(1, (0,)),)),))
