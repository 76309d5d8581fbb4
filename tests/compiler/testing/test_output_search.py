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
