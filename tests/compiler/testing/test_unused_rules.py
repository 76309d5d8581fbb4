"""`gridlang test` names rules that nothing can use, and none that some run uses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang import load
from gridlang.compiler.proofs.reach import dead_pairs
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.testing.report import report_lines, unused_rules
from gridlang.table import Table
from tests.programs import DISTINCT, Example
from tests.support.command_line import answer
from tests.support.pairs import pairs, small_inputs, small_worlds
from tests.support.searches import searched

# `right` never reads what it has just turned into a 0; `back` reads a 1 on worlds that are no inputs.
WASTEFUL = """agent wasteful
alphabet
  bit = 0..1
input a = '0'+
output a
start go
state go
  0 : R
  1 : write 0, S -> right
  _ : L -> back
state right
  0 : halt
  1 : halt
  _ : halt
state back
  0 : halt
  1 : L
  _ : halt
"""


@given(pairs(), st.sampled_from(["worlds", "inputs"]))
@searched(30)
def test_no_pair_is_called_dead_that_some_run_uses(pair: tuple[Table, Table], scope: str) -> None:
    for table in pair:
        dead = dead_pairs(table, scope)
        if dead:
            for world in small_worlds(table) if scope == "worlds" else small_inputs(table):
                assert dead.isdisjoint(run(table, world, 40, profile=True).profile or ())


@pytest.mark.parametrize(
    "example",
    [pytest.param(p, marks=pytest.mark.long if p.name == "subtract" else (), id=p.name) for p in DISTINCT],
)
def test_no_rule_of_an_example_is_unused(example: Example) -> None:
    assert unused_rules(example.load(), ()) == ([], [])


@pytest.mark.long
def test_rules_that_nothing_can_use_are_told(tmp_path: Path) -> None:
    path = tmp_path / "wasteful.grid"
    path.write_text(WASTEFUL, encoding="utf-8")
    (data,) = answer("test", str(path), "--cases", "0")["files"]
    assert [(rule["line"], rule["rule"]) for rule in data["dead"]] == [(13, "1 : halt"), (14, "_ : halt")]
    assert {rule["line"] for rule in data["dead_on_inputs"]} == {9, 12, 17, 18}
    shown = list(report_lines(load(path), data))
    assert f"warning: {path}:13: this rule can never fire: no world shows `1` in state `right`" in shown
    assert f"note: {path}:17: no declared input uses this rule: 1 : L" in shown
