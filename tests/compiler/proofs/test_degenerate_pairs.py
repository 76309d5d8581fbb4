"""Tables and clauses at the edge: whatever is compared gets an answer, soon, or an error with a code."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gridlang.clauses.input_clauses import parse_language
from gridlang.compiler.proofs.abstractions.input_automaton import InputRows, row_automaton
from gridlang.compiler.proofs.prove import SCOPES, prove
from gridlang.diagnostics import GridError
from gridlang.table import Entry, Table
from tests.support.pairs import MODES
from tests.support.searches import searched

DEGENERATE = (
    "",
    "_",
    "_?",
    "_*",
    "mark",
    "mark?",
    "any",
    "any?",
    "any*",
    "(mark?, any?)*",
    "_?, _?",
    "'x'",
    "'q'",
)


@st.composite
def degenerate_tables(draw: st.DrawFn, clause: str, symbols: tuple[str, ...]) -> Table:
    """One state or a few, over one symbol or a few."""
    states = draw(st.integers(1, 3))

    def entry(state: int, symbol: int) -> Entry | None:
        write, move = draw(st.integers(0, len(symbols) - 1)), draw(st.integers(0, 4))
        after = state if (write, move) == (symbol, 4) else draw(st.integers(0, states - 1))
        return draw(st.sampled_from([Entry(write, move, after), None]))

    rows = tuple(tuple(entry(q, x) for x in range(len(symbols))) for q in range(states))
    classes = (("mark", "".join(symbols[1:])),) if symbols[1:] else ()
    return Table("small", symbols, tuple(f"q{i}" for i in range(states)), rows, classes, clause)


@given(st.data())
@searched(40)
def test_whatever_is_compared_gets_an_answer_or_an_error_of_its_own(data: st.DataObject) -> None:
    """Empty and almost empty languages, single states and alphabets of one symbol are no reason to crash."""
    clause = data.draw(st.sampled_from(DEGENERATE))
    symbols = ("_", "x", "y")[: data.draw(st.integers(1, 3))]
    left, right = (data.draw(degenerate_tables(clause, symbols)) for _ in range(2))
    scope = data.draw(st.sampled_from(SCOPES))
    stuck, radius = data.draw(st.sampled_from(MODES)), data.draw(st.sampled_from([None, 0, 1, 2]))
    try:
        verdict = prove(left, right, scope, radius=radius, stuck=stuck, limit=500)
    except GridError as error:
        assert error.diagnostics[0].code in {"G021", "G031", "G070", "G140", "G143"}
    else:
        assert verdict.equivalent is not None or verdict.reason


def test_a_run_over_many_columns_is_followed_quickly() -> None:
    """A run that walks away over thousands of columns asks about each of them."""
    symbols = ("_", "x", "y")
    language = parse_language("any*, mark", {"mark": "xy"}, symbols)
    automaton = row_automaton(language, symbols)
    assert automaton is not None
    rows = InputRows(language, symbols, automaton)
    first: dict[tuple[int, int], int] = {}
    for column in range(4_000):
        first[column, 0] = rows.options(first, (column, 0))[0]
    assert set(first.values()) == {0} and rows.options(first, (4_000, 0)) == [0, 1, 2]
