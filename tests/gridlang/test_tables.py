"""A table is validated once, when it is made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.diagnostics import GridError
from gridlang.table import STAY, Entry, Table
from tests.strategies import tables
from tests.support.searches import searched

STRANGE = [
    (-1, 0, 0),
    (0, -1, 0),
    (0, 0, -1),
    (-1, -1, -1),
    (99, 0, 0),
    (0, 5, 0),
    (0, 0, 99),
    (0, 0, 2**40),
    (0.5, 0, 0),
    ("_", 0, 0),
    (0, 0),
    (),
]


def with_entry(table: Table, state: int, symbol: int, entry: Any) -> Table:
    rows = [list(row) for row in table.rows]
    rows[state][symbol] = entry
    return replace(table, rows=tuple(map(tuple, rows)))


@given(st.data(), tables())
@searched(60)
def test_an_entry_that_does_not_exist_is_refused_wherever_it_stands(
    data: st.DataObject, table: Table
) -> None:
    state = data.draw(st.integers(0, len(table.states) - 1))
    symbol = data.draw(st.integers(0, len(table.symbols) - 1))
    strange = data.draw(st.sampled_from(STRANGE))
    entry = Entry(*strange) if len(strange) == 3 else strange
    with pytest.raises(GridError, match="G080"):
        with_entry(table, state, symbol, entry)


def test_entries_of_wrong_lengths_are_refused_also_where_they_make_up_for_each_other() -> None:
    rows: Any = (((0, 0), (0, 0, 0, 0)),)
    with pytest.raises(GridError, match="an entry must be three small whole numbers"):
        Table("t", ("_", "a"), ("q",), rows)


def test_the_message_names_the_entry() -> None:
    table = Table("t", ("_", "a"), ("p", "q"), ((None, Entry(0, 0, 1)), (Entry(0, STAY, 1), None)))
    with pytest.raises(GridError, match="state `q` on `a` names a symbol, move or state that does not exist"):
        with_entry(table, 1, 1, Entry(-1, -1, -1))
    with pytest.raises(GridError, match="state `q` on `_` is idle but changes the state"):
        with_entry(table, 1, 0, Entry(0, STAY, 0))
