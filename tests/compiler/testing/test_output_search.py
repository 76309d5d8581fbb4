"""`gridlang test` finds planted bugs and shrinks them."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.testing.output_search import search_counterexample
from compiler.testing.report import test_report as report_of
from gridlang.clauses.outputs import output_rule
from gridlang.loading import load, load_source
from gridlang.source import Source
from tests.programs import EXAMPLES, PROGRAMS, Example

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
    found = search_counterexample(table, rule, cases=400).counterexample
    if right == "_     : R -> strip":  # only a leading zero is left: not wrong by value
        assert found is None
        return
    assert found is not None
    a, b = found.input.split("+")
    assert len(a) <= 3 and len(b) <= 3, found


def test_a_bug_beyond_the_exhaustive_lengths_is_found_and_shrunk() -> None:
    text = (
        "agent t\nalphabet\n  digit = 0..9\ninput a = digit+\noutput a\nstart s(0)\n"
        "state s(n in 0..7)\n  digit if n < 7 : R -> s(n+1)\n  8 if n == 7 : write 9, R -> s(0)\n"
        "  digit except 8 if n == 7 : R -> s(0)\n  _ : halt\n"
    )
    table = load_source(Source("t", text)).table
    rule = output_rule(table)
    assert rule is not None
    found = search_counterexample(table, rule, cases=2000).counterexample
    assert found is not None and (found.input, found.got) == ("00000008", "00000009")


@pytest.mark.parametrize("example", PROGRAMS, ids=lambda e: e.name)
def test_every_example_passes_its_own_tests_and_search(
    example: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CI runs the whole search as well: `gridlang test examples/*.grid`."""
    monkeypatch.setattr("compiler.testing.input_search.EXHAUSTIVE_STEPS", 60_000)
    data = report_of(example.load(), 30, 100_000, 0, "auto", lambda _: None)
    assert data["failed"] == 0 and data["passed"] >= 1, data


def test_the_same_seed_finds_the_same_counterexample() -> None:
    table = load_source(Source("bug.grid", ADD.replace("(d+v) div base", "0"))).table
    rule = output_rule(table)
    assert rule is not None
    assert search_counterexample(table, rule, seed=5) == search_counterexample(table, rule, seed=5)


def test_failing_test_lines_say_what_was_expected(tmp_path: Path) -> None:
    path = tmp_path / "t.grid"
    path.write_text(
        "agent t\nalphabet\n  bit = 0..1\nstart a\nstate a\n  bit : R\n  _ : halt\n"
        'test "01" = "10"\ntest "01" = "01" in 4 steps\ntest "01" = "01" within 2 steps\ntest "01" stuck\n'
        'test """\n  [0]1\n""" after 1 step = "1"\ntest "01" = "01" in 3 steps\n'
    )
    data = report_of(load(path), 0, 1000, 0, "auto", lambda _: None)
    assert [t["problem"] for t in data["tests"]] == [
        'expected "10", got "01"',
        "expected exactly 4 steps, took 3",
        "expected at most 2 steps, took 3",
        "expected it to be stuck, but it halted after 3 steps in state `a` at (2, 0)",
        'expected "1", got "01"',
        None,
    ]


def test_tests_are_for_the_default_arguments_alone() -> None:
    data = report_of(load(EXAMPLES / "add.grid", {"base": "3"}), 50, 100_000, 0, "auto", lambda _: None)
    assert data["tests"] == [] and data["skipped"] > 0 and data["failed"] == 0
