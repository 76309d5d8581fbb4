"""Extraction names states in families, and writes them as source."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.automata.behaviour_names import named_by_behaviour
from gridlang.compiler.extraction.extract import extract, named_after
from gridlang.compiler.extraction.table_to_source import table_to_families
from gridlang.compiler.simulation.random_inputs import lengths_up_to, random_input
from gridlang.compiler.tensors.dfst import table_to_dfst
from gridlang.loading import load_source
from gridlang.source import Source
from gridlang.table import Entry, Family, Member, Table
from tests.programs import PROGRAMS

TABLES = {example.name: example.load().table for example in PROGRAMS}
ADD10 = TABLES["add10"]


def without_names(table: Table) -> Table:
    return replace(table, states=tuple(map(str, range(len(table.states)))), families=())


def inputs(table: Table) -> list[str]:
    language = language_of(table)
    assert language
    return [random_input(language, lengths_up_to(5), Random(seed)) for seed in range(60)]


def titles(table: Table) -> dict[str, int]:
    return {family.title: len(family.members) for family in table.families}


def test_states_take_over_the_families_of_the_expert() -> None:
    named = named_after(ADD10, without_names(ADD10), inputs(ADD10))
    assert named.states == ADD10.states and named.families == ADD10.families


def test_states_that_hold_a_digit_are_a_family() -> None:
    named = named_by_behaviour(without_names(ADD10))
    assert titles(named) == {"hold(v)": 10}
    assert [values for _, values in named.families[0].members] == [(digit,) for digit in "0123456789"]


def test_weights_that_spell_out_a_table_have_its_families() -> None:
    extraction = extract(table_to_dfst(ADD10))
    assert extraction.table and titles(extraction.table) == titles(ADD10)


def test_names_alone_make_no_family_in_the_source() -> None:
    assert "state carry(v in digit)" in table_to_families(ADD10)
    bare = table_to_families(replace(ADD10, families=()))
    assert 'state "carry(0)"' in bare and load_source(Source("<bare>", bare)).table == ADD10


def test_a_family_with_values_left_out_is_written_and_reads_back() -> None:
    """Extraction may see `f(0,0)` and `f(5,0)` only."""
    family = Family("f", ("m", "c"), (Member(0, ("0", 0)), Member(1, ("5", 0))))
    symbols = ("_", *"0123456789")
    row = tuple(Entry(symbol, 3, 1) for symbol in range(len(symbols)))
    digits = (("digit", "0123456789"),)
    table = Table("gaps", symbols, ("f(0,0)", "f(5,0)"), (row, row), digits, families=(family,))
    text = table_to_families(table)
    assert "state f(u in 0..5, v in 0..0)" in text and load_source(Source("<gaps>", text)).table == table
