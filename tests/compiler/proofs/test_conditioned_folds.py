"""Differences where `a >= b`: proven on inputs that meet their condition, and on no others."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from gridlang.compiler.api.certified_files import file_problems
from gridlang.compiler.proofs.certificates import Subject, certificate
from gridlang.compiler.proofs.results.correctness import claims_of, strongest
from gridlang.compiler.verifier.verify import verify
from gridlang.loading import load
from gridlang.program import Program
from tests.forgeries.edits import signed
from tests.programs import EXAMPLES

A, B = ["number", ["part", 0]], ["number", ["part", 2]]


@cache
def subtract() -> Program:
    return load(EXAMPLES / "subtract.grid", base=2)


@cache
def _certified() -> str:
    program = subtract()
    verdict = strongest(program.table, claims_of(program.table))
    assert verdict is not None and verdict.conditioned
    side = Subject(program.table, program.file, program.as_read(), program.argument_texts())
    return certificate(side, side, verdict)


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
    assert _forged(where=[">", A, B])


@pytest.mark.parametrize("value", [["-", B, A], ["+", A, B], ["-", ["-", A, B], 1]])
def test_another_clause_is_refused(value: Any) -> None:
    digits = json.loads(_certified())["left"]["table"]["output"]["digits"]
    assert not _forged(output={"digits": digits, "value": value})


def test_evidence_that_uses_a_condition_is_of_its_own_kind() -> None:
    data = json.loads(_certified())
    shown = data["claims"][0]["evidence"]
    assert shown["kind"] == "conditioned folds"
    shown["kind"] = "folds"
    assert not verify(json.dumps(signed(data))).valid


def test_a_file_with_another_condition_is_not_the_certified_one() -> None:
    program = subtract()
    data = json.loads(_certified())
    assert file_problems(data, program, program, {}) == []
    table = replace(program.table, input=program.table.input.replace(">=", "<="))
    other = program._replace(table=table)
    assert any("another condition" in problem.message for problem in file_problems(data, other, other, {}))
