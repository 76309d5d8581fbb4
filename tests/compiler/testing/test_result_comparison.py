"""Results are compared on declared inputs, whichever way two agents go; what is tested is never called proven."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

import gridlang as gl
from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.testing.result_comparison import compare_results
from gridlang.table import Table
from gridlang.world import string_world
from tests.support.pairs import pairs
from tests.support.searches import searched

HEADER = "agent a\nalphabet\n  bit = 0..1\ninput a = bit+\noutput a\nstart s\n"
WALKER = f"{HEADER}state s\n  bit : R\n  _ : halt\n"
SITTER = f"{HEADER}state s\n  any : halt\n"


def table(source: str) -> Table:
    return gl.loads(source).table


@pytest.mark.long
@given(pairs())
@searched(5)
def test_what_is_said_of_results_is_what_runs_show(pair: tuple[Table, Table]) -> None:
    left, right = pair
    compared = compare_results(left, right, cases=0, steps=100)
    language = language_of(left)
    assert language is not None
    if compared.difference:
        mine, other = (run(t, string_world(compared.difference.input), 100) for t in pair)
        assert (mine.outcome, mine.result) != (other.outcome, other.result)
    for length in range(min(compared.inputs.exhaustive, 3) + 1):
        for text in language.strings(length):
            mine, other = (run(t, string_world(text), 100) for t in pair)
            if "halted" in (mine.outcome, other.outcome) and compared.tested:
                assert (mine.outcome, mine.result) == (other.outcome, other.result)


def test_what_is_proven_where_both_halt_is_called_tested() -> None:
    partly = replace(compare_results(table(WALKER), table(SITTER), cases=5), proven_results=True)
    assert partly.equivalent is None and not partly.as_json()["proven"]
    said = "\n".join(partly.lines("left", "right"))
    assert said.startswith("tested: ") and "on every declared input on which both halt" in said
