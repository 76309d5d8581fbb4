"""Extraction names states in families, and writes them as source."""

from __future__ import annotations

from dataclasses import replace

from gridlang.compiler.weights.families.known import table_to_families
from gridlang.loading import load_source
from gridlang.source import Source
from gridlang.table import Entry, Family, Member, Table
from tests.programs import PROGRAMS

TABLES = {example.name: example.load().table for example in PROGRAMS}
ADD10 = TABLES["add10"]


def test_names_alone_make_no_family_in_the_source() -> None:
    assert "state carry(v in digit)" in table_to_families(ADD10).text
    bare = table_to_families(replace(ADD10, families=())).text
    assert 'state "carry(0)"' in bare and load_source(Source("<bare>", bare)).table == ADD10


def test_a_family_with_values_left_out_is_written_and_reads_back() -> None:
    """Extraction may see `f(0,0)` and `f(5,0)` only."""
    family = Family("f", ("m", "c"), (Member(0, ("0", 0)), Member(1, ("5", 0))))
    symbols = ("_", *"0123456789")
    row = tuple(Entry(symbol, 3, 1) for symbol in range(len(symbols)))
    digits = (("digit", "0123456789"),)
    table = Table("gaps", symbols, ("f(0,0)", "f(5,0)"), (row, row), digits, families=(family,))
    text = table_to_families(table).text
    assert "state f(v in digit, c in 0..0)" in text and load_source(Source("<gaps>", text)).table == table
