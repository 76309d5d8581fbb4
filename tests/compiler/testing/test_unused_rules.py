"""`gridlang test` names rules that nothing can use, and none that some run uses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.proofs.reach import dead_pairs
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.testing.report import unused_rules
from gridlang.table import Table
from tests.programs import DISTINCT, Example
from tests.support.pairs import pairs, small_inputs, small_worlds
from tests.support.searches import searched


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
