"""Conditions of inputs: proofs cover more than they ask for, and what shows a difference meets them."""

from __future__ import annotations

import json

import pytest

import gridlang as gl
from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.api.certified_files import file_problems
from gridlang.compiler.proofs.certificates import Subject, certificate
from gridlang.compiler.proofs.joint_step import NEVER
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.verifier.verify import verify
from gridlang.program import Program
from tests.forgeries.edits import signed

AGENT = """agent {name}

alphabet
  bit = 0..1

input a = bit{{1,4}}, 'x', b = bit{{2,}} where {condition}
output join(text(a + b), "_", b)

alphabet
  x = 'x'

start zeros

state zeros
  0 : R
  1 : R -> seen
  x : {at_x}

state seen
  any : halt
"""


def agent(name: str, condition: str = "a > 0", at_x: str = "halt") -> Program:
    return gl.loads(AGENT.format(name=name, condition=condition, at_x=at_x))


def certified(left: Program, right: Program) -> str:
    verdict = prove(left.table, right.table, "inputs")
    sides = [Subject(side.table, side.file, side.as_read()) for side in (left, right)]
    return certificate(sides[0], sides[1], verdict)


def test_a_proof_is_about_all_texts_of_the_form() -> None:
    left, right = agent("left"), agent("right")
    verdict = prove(left.table, right.table, "inputs")
    assert verdict.equivalent and verdict.condition == "a > 0"
    text = certified(left, right)
    assert verify(text).valid
    one_to_four = [",", "01", ["?", [",", "01", "01"]], ["?", "01"]]
    clause = [one_to_four, "x", [",", "01", ["+", "01"]]]
    assert json.loads(text)["left"]["table"]["input"] == clause
    assert file_problems(json.loads(text), left, right, {}) == []


def test_a_difference_that_no_input_shows_is_unknown_and_the_condition_is_named() -> None:
    left, right = agent("left"), agent("right", at_x="L -> seen")
    verdict = prove(left.table, right.table, "inputs", radius=0)
    assert verdict.equivalent is None and "of the condition `a > 0`" in verdict.reason
    shown = prove(agent("left", "a >= 0").table, right.table, "inputs")
    assert shown.equivalent is False and shown.input == "0x00"


def test_a_proof_uses_the_condition_where_it_must_and_its_certificate_has_it() -> None:
    left, right = agent("left"), agent("right", at_x="L -> seen")
    verdict = prove(left.table, right.table, "inputs")
    assert verdict.equivalent and verdict.conditioned and not verdict.condition
    data = json.loads(certified(left, right))
    assert verify(json.dumps(data)).valid and data["left"]["table"]["where"][0] == ">"
    data["left"]["table"]["where"][0] = ">="
    assert not verify(json.dumps(signed(data))).valid


@pytest.mark.parametrize("condition", ["a == b", "a < b and b mod 3 == 1", "length(a) == 4"])
def test_an_input_that_shows_a_difference_meets_the_condition(condition: str) -> None:
    left, right = agent("left", condition), agent("right", condition, "L -> seen")
    verdict = prove(left.table, right.table, "inputs")
    language = language_of(left.table)
    assert verdict.equivalent is False and verdict.input and language and language.declares(verdict.input)
    text = certified(left, right)
    assert verify(text).valid


def test_a_text_that_is_no_input_refutes_nothing() -> None:
    text = AGENT.replace("x : {at_x}\n", "")
    bound = gl.loads(text.format(name="n", condition="a > 0")).table
    verdict = prove(bound, bound, "inputs", radius=0, stuck=NEVER)
    assert verdict.equivalent is None and "of the condition" in verdict.reason
