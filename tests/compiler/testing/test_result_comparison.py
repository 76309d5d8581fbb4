"""Results are compared on declared inputs, whichever way two agents go; what is tested is never called proven."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

import gridlang as gl
from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.testing.result_comparison import compare_results
from gridlang.diagnostics import GridError
from gridlang.table import Table
from gridlang.world import string_world
from tests.support.command_line import answer
from tests.support.pairs import pairs, table_of
from tests.support.searches import searched

HEADER = "agent a\nalphabet\n  bit = 0..1\ninput a = bit+\noutput a\nstart s\n"
WALKER = f"{HEADER}state s\n  bit : R\n  _ : halt\n"
FEW_INPUTS = WALKER.replace("bit+", "(bit, bit?)")
SITTER = f"{HEADER}state s\n  any : halt\n"
PADDER = f"{HEADER}state s\n  bit : L -> t\nstate t\n  _ : write 0, L -> u\nstate u\n  any : halt\n"
CHOOSER = f"{HEADER}state s\n  0 : halt\n  1 : R -> t\nstate t\n  any : L -> s\n"
RUNAWAY = f"{HEADER}state s\n  0 : halt\n  1 : R -> t\nstate t\n  any : R\n"
ACCEPTOR = f"{HEADER}state s\n  1 : R\n  _ : halt\n"


def table(source: str) -> Table:
    return gl.loads(source).table


def test_agents_that_go_different_ways_may_leave_the_same() -> None:
    compared = compare_results(table(WALKER), table(SITTER), cases=20)
    assert compared.tested and compared.equivalent is None and compared.inputs.cases > 500


def test_numbers_are_compared_as_the_output_clause_does() -> None:
    assert compare_results(table(WALKER), table(PADDER), cases=20).tested
    text = WALKER.replace("output a\n", "")
    different = compare_results(table(text), table(PADDER), cases=20).difference
    assert different is not None and different.input == "0"
    assert (different.left.result, different.right.result) == ("0", "00")


def test_circles_differ_from_a_halt_and_a_run_without_end_decides_nothing() -> None:
    circles = compare_results(table(SITTER), table(CHOOSER), cases=5, steps=1_000).difference
    assert circles is not None and (circles.input, circles.right.outcome) == ("1", "looping")
    away = compare_results(table(SITTER), table(RUNAWAY), cases=5, steps=1_000)
    assert away.difference is None and away.undecided and not away.tested and away.equivalent is None
    assert away.undecided.input == "1" and away.undecided.right.outcome == "budget"


def test_stuck_is_an_outcome_of_its_own() -> None:
    assert compare_results(table(ACCEPTOR), table(ACCEPTOR), cases=5).tested
    stuck = compare_results(table(SITTER), table(ACCEPTOR), cases=5).difference
    assert stuck is not None and (stuck.input, stuck.right.outcome) == ("0", "stuck")


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


def test_agents_are_compared_on_inputs_that_both_know() -> None:
    with pytest.raises(GridError, match="G140"):
        compare_results(table_of("ant"), table_of("ant"))
    with pytest.raises(GridError, match="G085"):
        compare_results(table_of("add10"), table_of("add2"))


def test_what_is_proven_where_both_halt_is_called_tested() -> None:
    partly = replace(compare_results(table(WALKER), table(SITTER), cases=5), proven_results=True)
    assert partly.equivalent is None and not partly.as_json()["proven"]
    said = "\n".join(partly.lines("left", "right"))
    assert said.startswith("tested: ") and "on every declared input on which both halt" in said


def test_inputs_of_any_symbol_are_those_of_the_left(tmp_path: Path) -> None:
    left, right = tmp_path / "left.grid", tmp_path / "right.grid"
    text = FEW_INPUTS.replace("output a\n", "").replace("(bit, bit?)", "any")
    left.write_text(text, encoding="utf-8")
    right.write_text(text.replace("0..1\n", "0..1\n  'z'\n"), encoding="utf-8")
    assert answer("equiv", str(left), str(right), "--io")["tested"] is True
