"""`gridlang test` finds planted bugs and shrinks them."""

from __future__ import annotations

from typing import Any

import pytest

from gridlang.clauses.outputs import output_rule
from gridlang.compiler.testing.limits import LIMITS
from gridlang.compiler.testing.output_search import search_counterexample
from gridlang.compiler.testing.report import test_report as report_of
from gridlang.loading import load_source
from gridlang.source import Source
from tests.programs import EXAMPLES, PROGRAMS, Example
from tests.support.changed_limits import limits_with

ADD = (EXAMPLES / "add.grid").read_text(encoding="utf-8")
BUGS = [
    ("(d+v) div base", "0"),
    ("(d+v) mod base", "(d+v+1) mod base"),
    ("d + c < base  : write d + c", "d + c < base  : write d"),
    ("d + c == base : write 0, L", "d + c == base : write 0, L -> home"),
    ("_                           : write c, L -> home", "_                           : write 0, L -> home"),
    ("0 : write _, R -> look", "0 : write _, L -> look"),
    ("_          : D -> finish", "_          : R -> finish"),
    ("sign           : write _, U", "sign           : U"),
    ("digit | _ : L", "digit : L"),
    ("_     : R -> strip", "_     : halt"),
]


@pytest.mark.parametrize(("right", "wrong"), BUGS)
def test_a_planted_bug_is_found_with_at_most_three_digits_a_side(right: str, wrong: str) -> None:
    assert ADD.count(right) >= 1, right
    table = load_source(Source("bug.grid", ADD.replace(right, wrong))).table
    rule = output_rule(table)
    assert rule is not None
    wrong_result = search_counterexample(table, rule, cases=400)[0].smallest
    if right == "_     : R -> strip":  # only a leading zero is left: not wrong by value
        assert wrong_result is None
        return
    assert wrong_result is not None
    a, b = wrong_result.input.split("+")
    assert len(a) <= 3 and len(b) <= 3, wrong_result


def test_a_bug_beyond_the_exhaustive_lengths_is_found_and_shrunk() -> None:
    text = (
        "agent t\nalphabet\n  digit = 0..9\ninput a = digit+\noutput a\nstart s(0)\n"
        "state s(n in 0..7)\n  digit if n < 7 : R -> s(n+1)\n  8 if n == 7 : write 9, R -> s(0)\n"
        "  digit except 8 if n == 7 : R -> s(0)\n  _ : halt\n"
    )
    table = load_source(Source("t", text)).table
    rule = output_rule(table)
    assert rule is not None
    wrong = search_counterexample(table, rule, cases=2000)[0].smallest
    assert wrong is not None and (wrong.input, wrong.got) == ("00000008", "00000009")


@pytest.mark.parametrize("example", PROGRAMS, ids=lambda e: e.name)
def test_every_example_passes_its_own_tests_and_search(
    example: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CI runs the whole search as well: `gridlang test examples/*.grid`."""
    monkeypatch.setattr(
        "gridlang.compiler.testing.input_search.LIMITS", limits_with(LIMITS, listed_cost=3_000_000)
    )
    data = report_of(example.load(), 30, 100_000, 0, "auto", lambda _: None)
    assert data["failed"] == 0 and data["passed"] >= 1, data


def test_the_same_seed_finds_the_same_counterexample() -> None:
    table = load_source(Source("bug.grid", ADD.replace("(d+v) div base", "0"))).table
    rule = output_rule(table)
    assert rule is not None
    assert search_counterexample(table, rule, seed=5) == search_counterexample(table, rule, seed=5)


BITS = "agent t\nalphabet\n  bit = 0..1\n"


def searched_for(clauses: str, states: str, steps: int = 10_000, **options: int) -> dict[str, Any]:
    program = load_source(Source("t", f"{BITS}{clauses}\nstart go\n{states}"))
    return report_of(program, 50, steps, 0, "auto", lambda _: None, **options)


@pytest.mark.usefixtures("full_list")
def test_inputs_without_a_value_show_nothing() -> None:
    still = "state go\n  any : halt\n"
    some = searched_for("input a = bit+\noutput a if a div a == 1 else 0", still)
    numbers = some["search"]
    assert numbers["without_value"] > 10 and some["failed"] == 0 and some["passed"] == 1
    assert numbers["checked"] + numbers["without_value"] == numbers["cases"]
    none = searched_for("input a = bit+\noutput a div 0", still)
    assert none["search"]["checked"] == 0 and none["failed"] == 1 and none["passed"] == 0
    assert searched_for("input a = (bit, bit)\noutput a", still, longest=1)["failed"] == 1


def test_a_run_that_does_not_halt_is_wrong_if_it_is_sudden_and_else_counted_apart() -> None:
    countdown = """state go
  bit : R
  _ : L -> down
state down
  1 : write 0, R -> go
  0 : write 1, L
  _ : R -> wipe
state wipe
  1 : write _, R
  _ : write 0, S -> done
state done
  any : halt
"""
    slow = searched_for("input a = bit+\noutput 0", countdown)
    numbers = slow["search"]
    assert slow["failed"] == 0 and numbers["unfinished"] > 0
    assert numbers["checked"] + numbers["unfinished"] == numbers["cases"]
    sudden = searched_for(
        "input a = bit+\noutput 0",
        countdown.replace("1 : write 0, R -> go", "1 : write 0, R -> off")
        + "state off\n  bit : R\n  _ : write 0, L -> back\nstate back\n  bit : L\n  _ : write 0, R -> off\n",
    )
    assert sudden["counterexample"]["outcome"] == "budget" and sudden["counterexample"]["input"] == "1"


def test_a_run_that_can_never_end_is_told_as_such() -> None:
    circles = searched_for(
        "input a = bit+\noutput a", "state go\n  any : U -> to\nstate to\n  any : D -> go\n"
    )
    assert circles["counterexample"]["outcome"] == "looping"
    away = searched_for("input a = bit+\noutput a", "state go\n  any : write 1, L\n", steps=10**9)
    assert "walks off" in away["counterexample"]["reason"] and away["counterexample"]["steps"] < 10**6
