"""Differences where `a >= b`: proven on inputs that meet their condition, and on no others."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.api.certified_files import file_problems
from gridlang.compiler.proofs.certificates import Subject, certificate
from gridlang.compiler.proofs.results.correctness import claims_of, strongest
from gridlang.compiler.proofs.results.output_proofs import prove_output
from gridlang.compiler.verifier.verify import verify
from gridlang.loading import load
from gridlang.program import Program
from tests.forgeries.edits import signed
from tests.programs import EXAMPLES
from tests.support.changed_rules import Change, changed, changes, errs
from tests.support.searches import searched

A, B = ["number", ["part", 0]], ["number", ["part", 2]]


@cache
def subtract(base: int = 2) -> Program:
    return load(EXAMPLES / "subtract.grid", base=base)


@cache
def _certified(base: int = 2) -> str:
    program = subtract(base)
    verdict = strongest(claims_of(program.table))
    assert verdict is not None and verdict.conditioned
    side = Subject(program.table, program.file, program.as_read(), program.argument_texts())
    return certificate(side, side, verdict)


@pytest.mark.parametrize("base", [2, 3])  # base ten is among the examples
def test_a_difference_is_proven_where_the_condition_is_met(base: int) -> None:
    claims = claims_of(subtract(base).table)
    assert [(claim.says, claim.answer) for claim in claims] == [
        ("never stuck", "proven"),
        ("output a - b", "proven"),
        ("halts", "proven"),
    ]
    checked = verify(_certified(base))
    assert checked.valid and checked.claim and checked.claim["halts"] and checked.claim["output"]


@pytest.mark.parametrize(
    ("condition", "proven"),
    [
        ("a > b", True),
        ("a == b", True),
        ("a >= b and length(a) == 2", True),
        ("not a < b", True),
        ("b <= a", True),
        ("a != b", False),
        ("a <= b", False),
        ("a >= b or length(a) == 2", False),
        ("length(a) >= length(b)", False),
    ],
)
def test_a_difference_is_proven_where_the_condition_says_that_it_is_not_below_zero(
    condition: str, proven: bool
) -> None:
    table = subtract().table
    table = replace(table, input=table.input.replace("a >= b", condition))
    claim = prove_output(table)
    assert claim is not None and (claim.answer == "proven") == proven


def test_without_a_condition_a_difference_is_not_proven() -> None:
    table = subtract().table
    claim = prove_output(replace(table, input=table.input.split(" where ")[0]))
    assert claim is not None and claim.answer != "proven"


def _forged(**table: Any) -> bool:
    """Whether a certificate is valid whose tables have other parts; None takes one away."""
    data = json.loads(_certified())
    for side in ("left", "right"):
        data[side]["table"].update(table)
        data[side]["table"] = {name: part for name, part in data[side]["table"].items() if part is not None}
    return verify(json.dumps(signed(data))).valid


@pytest.mark.parametrize(
    "where",
    [
        ["<=", A, B],
        ["!=", A, B],
        ["or", [">=", A, B], ["<", A, B]],
        [">=", ["length", ["part", 0]], ["length", ["part", 2]]],
        ["other", "a >= b"],
        "a >= b",
        None,
    ],
)
def test_another_condition_is_refused(where: Any) -> None:
    assert not _forged(where=where)


def test_conditions_that_say_more_are_allowed() -> None:
    assert _forged(where=["and", [">=", A, B], ["other", "is_prime(a)"]])
    data = json.loads(_certified())
    for side in ("left", "right"):
        data[side]["table"]["where"] = [">", A, B]
    said = str(verify(json.dumps(signed(data))))
    counted = re.search(r"product_states is \d+, but the evidence has (\d+)\)", said)
    assert counted is not None, said  # fewer columns, and nothing else is wrong
    data["claim"]["product_states"] = int(counted[1])
    assert verify(json.dumps(signed(data))).valid


@pytest.mark.parametrize("value", [["-", B, A], ["+", A, B], ["-", ["-", A, B], 1]])
def test_another_clause_is_refused(value: Any) -> None:
    digits = json.loads(_certified())["left"]["table"]["output"]["digits"]
    assert not _forged(output={"digits": digits, "value": value})


def test_evidence_that_uses_a_condition_is_of_its_own_kind() -> None:
    data = json.loads(_certified())
    assert data["evidence"]["kind"] == "conditioned folds"
    data["evidence"]["kind"] = "folds"
    assert not verify(json.dumps(signed(data))).valid


def test_a_file_with_another_condition_is_not_the_certified_one() -> None:
    program = subtract()
    data = json.loads(_certified())
    assert file_problems(data, program, program, {}) == []
    table = replace(program.table, input=program.table.input.replace(">=", "<="))
    other = program._replace(table=table)
    assert any("another condition" in problem.message for problem in file_problems(data, other, other, {}))


@pytest.mark.long
@given(st.sampled_from(changes(subtract().table)))
@searched(4)
def test_no_mutant_is_proven_that_errs(change: Change) -> None:
    table = changed(subtract().table, change)
    claim = prove_output(table)
    if claim is not None and claim.answer == "proven":
        assert not errs(table, 7)
