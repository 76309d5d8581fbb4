"""Strips: sound on all small worlds and inputs by brute force, strong enough for the experts, and checked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.automata.merging import minimize_table
from gridlang.compiler.proofs.joint_step import STRICT, Stuck
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.verifier.verify import Checked, verify
from gridlang.table import Table
from tests.forgeries.edits import signed
from tests.forgeries.genuine import by_strips, certified, copied, genuine, text_of
from tests.programs import DISTINCT
from tests.support.pairs import MODES, first_difference, pairs, small_inputs, small_worlds, table_of
from tests.support.searches import searched

CLAUSES = {example.name: example.load().table.input for example in DISTINCT}
LARGE = ("add10", "mult10")
WITH_INPUTS = [name for name, clause in CLAUSES.items() if clause and " where " not in clause]


def checked(data: dict[str, Any]) -> Checked:
    return verify(text_of(data))


@given(pairs(), st.integers(0, 13), st.sampled_from(["worlds", "inputs"]), st.sampled_from(MODES))
@searched(40)
def test_strips_alone_are_sound_and_their_certificates_valid(
    pair: tuple[Table, Table], number: int, scope: str, stuck: Stuck
) -> None:
    left, right = pair
    verdict = by_strips(left, right, number, scope, stuck)
    if verdict is not None:
        assert checked(certified(left, right, verdict)).valid
        for world in small_inputs(left) if scope == "inputs" else small_worlds(left):
            assert first_difference(left, right, world, stuck=stuck) is None


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name in LARGE else ()) for name in WITH_INPUTS]
)
def test_a_minimised_expert_is_proven_on_inputs_in_both_directions(name: str) -> None:
    expert = table_of(name)
    smaller = minimize_table(expert).table
    for left, right in ((expert, smaller), (smaller, expert)):
        verdict = prove(left, right, "inputs")
        assert verdict.equivalent
        assert checked(certified(left, right, verdict)).valid


def test_a_strip_at_all_worlds_needs_no_input_clause() -> None:
    eat = table_of("palindrome")
    verdict = by_strips(eat, eat, 0, "worlds", STRICT)
    assert verdict is not None and verdict.evidence is not None
    assert (verdict.evidence["columns"], verdict.evidence["rows"]) == (None, (0, 0))
    assert checked(certified(eat, eat, verdict)).valid


GRAMS = [
    (side, kind, number)
    for side in ("left", "right")
    for kind, grams in enumerate(genuine("inputs")["evidence"][side])
    for number in range(len(grams))
]


@given(st.sampled_from(GRAMS))
@searched(20)
def test_no_gram_can_be_spared(gram: tuple[str, int, int]) -> None:
    side, kind, number = gram
    edited = copied(genuine("inputs"))
    del edited["evidence"][side][kind][number]
    problems = checked(signed(edited)).problems
    assert problems and problems[0].where.startswith("evidence")


def edited_evidence(**parts: Any) -> dict[str, Any]:
    edited = copied(genuine("inputs"))
    edited["evidence"].update(parts)
    return signed(edited)


@pytest.mark.parametrize(
    ("parts", "where"),
    [
        ({"rows": [1, 1]}, "evidence"),
        ({"rows": [0, 1]}, "evidence, labels"),
        ({"rows": [0, True]}, "evidence"),
        ({"depth": 0}, "evidence"),
        ({"dim": 1}, "evidence"),
        ({"columns": None}, "evidence, labels"),
        ({"coarse": []}, "evidence, coarse"),
        ({"classes": [0]}, "evidence, classes"),
        ({"descents": [[0, 0, 1, 0], [0, 0, 1, 0]]}, "evidence, descents"),
        ({"descents": [[0, 0, 2, 0]]}, "evidence, descents"),
        ({"left": []}, "evidence, grams"),
    ],
)
def test_evidence_of_another_shape_is_refused(parts: dict[str, Any], where: str) -> None:
    assert [problem.where for problem in checked(edited_evidence(**parts)).problems] == [where]


def test_classes_that_mix_symbols_cannot_hide_a_step() -> None:
    """With all symbols in one class, every cell may hold any: then more steps must be there."""
    edited = copied(genuine("inputs"))
    classes = edited["evidence"]["classes"]
    assert not checked(edited_evidence(classes=[0] * len(classes))).valid


@pytest.mark.parametrize("steps", [-1, 0, 1, 2, 20_000, True, None])
def test_a_descent_goes_on_as_it_says(steps: object) -> None:
    edited = copied(genuine("descents"))
    edited["evidence"]["descents"][0][3] = steps
    problems = checked(signed(edited)).problems
    assert problems and problems[0].where.startswith("evidence")


def test_no_descent_can_be_spared() -> None:
    for index in range(len(genuine("descents")["evidence"]["descents"])):
        edited = copied(genuine("descents"))
        del edited["evidence"]["descents"][index]
        assert not checked(signed(edited)).valid
