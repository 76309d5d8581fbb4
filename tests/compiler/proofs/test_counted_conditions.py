"""Conditions that finite machines decide: proofs are about inputs that meet them, and about no fewer."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest

import gridlang as gl
from gridlang.clauses.outputs import output_rule
from gridlang.compiler.proofs.certificates import Subject, certificate
from gridlang.compiler.proofs.differences.difference_search import needs_condition
from gridlang.compiler.proofs.joint_step import NEVER
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.prove import comparison_of
from gridlang.compiler.proofs.results.correctness import claims_of, strongest
from gridlang.compiler.proofs.results.readings import as_checked, counts_condition
from gridlang.compiler.simulation.simulate import Run, run
from gridlang.compiler.verifier.clauses.conditions import declared
from gridlang.compiler.verifier.verify import verify
from gridlang.table import MOVES, Entry, Table
from gridlang.world import World
from tests.forgeries.edits import signed
from tests.programs import EXAMPLES
from tests.support.agents import DECREMENT

A = ["number", ["part", 0]]


def decrement(condition: str = "a > 0", **values: int) -> Table:
    return gl.loads(DECREMENT.replace("where a > 0", f"where {condition}"), **values).table


def answers(table: Table) -> list[str]:
    return [claim.answer for claim in claims_of(table)]


@cache
def _certified(condition: str = "a > 0") -> str:
    table = decrement(condition)
    verdict = strongest(table, claims_of(table))
    assert verdict is not None and verdict.conditioned
    side = Subject(table, "decrement.grid", b"")
    return certificate(side, side, verdict)


@pytest.mark.parametrize(
    "where",
    [
        [">=", A, 0],
        ["<", A, 1],
        [">", ["length", ["part", 0]], 0],
        ["or", [">", A, 0], ["==", A, 0]],
        ["other", "a > 0"],
        ["==", ["mod", A, 0], 0],
        "a > 0",
        None,
    ],
)
def test_another_condition_is_refused(where: Any) -> None:
    data = json.loads(_certified())
    for side in ("left", "right"):
        data[side]["table"]["where"] = where
        if where is None:
            del data[side]["table"]["where"]
    assert not verify(json.dumps(signed(data))).valid


CONDITIONS = [
    "a > 0",
    "a mod 3 == 1",
    "length(a) mod 2 == 0 and a > 2",
    "count(a, 1) mod 2 == 1 or length(a) <= 2",
    "not (a == 2 or count(a, 0) >= 2)",
    "a + length(a) > 4",
    "(a - length(a)) mod 2 == 0",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_exactly_the_inputs_that_meet_a_condition_are_counted(condition: str) -> None:
    table = decrement(condition)
    rule = output_rule(table)
    left = as_checked(table, conditioned=True)
    assert rule is not None and counts_condition(left)
    clause = declared(left)
    for text in ("".join(bits) for length in range(1, 7) for bits in product("01", repeat=length)):
        assert clause.declares(text) == rule.language.allows(text), text


def test_an_agent_that_never_ends_is_run_for_long_on_one_input_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    table = decrement()
    rows = [list(row) for row in table.rows]
    rows[0][0] = Entry(0, MOVES.index("R"), 0)
    budgets: list[int] = []

    def counted(table: Table, world: World, steps: int, **options: bool) -> Run:
        budgets.append(steps)
        return run(table, world, steps, **options)

    monkeypatch.setattr("gridlang.compiler.proofs.results.output_proofs.run", counted)
    assert "refuted" not in answers(replace(table, rows=tuple(map(tuple, rows))))
    assert budgets.count(LIMITS.steps_of_a_result) == 1


def test_a_condition_is_needed_where_a_text_that_it_leaves_out_is_stuck() -> None:
    needed = [
        needs_condition(comparison_of(table, table, "inputs", NEVER))
        for table in (decrement(), decrement("a >= 0"), decrement("length(a) > 1"))
    ]
    assert needed == [True, True, True]
    ending = DECREMENT + "  _ : R -> halt\n"
    table = gl.loads(ending).table
    assert not needs_condition(comparison_of(table, table, "inputs", NEVER))


def test_no_values_are_weighed_for_an_agent_that_is_seen_to_be_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    table = gl.load(EXAMPLES / "subtract.grid", base=2).table
    state, one, zero = table.states.index("carry(1)"), table.symbols.index("1"), table.symbols.index("0")
    rows = [list(row) for row in table.rows]
    entry = rows[state][one]
    assert entry is not None and entry.write == zero
    rows[state][one] = entry._replace(write=one)

    def sought(*_: object) -> None:
        pytest.fail("this takes half a minute")

    monkeypatch.setattr("gridlang.compiler.proofs.results.correctness.never_stuck_verdict", sought)
    claims = claims_of(replace(table, rows=tuple(map(tuple, rows))))
    assert [claim.answer for claim in claims[:2]] == ["unknown", "refuted"]
