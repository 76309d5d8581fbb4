"""Sorted rows, threshold by threshold: agents that sort are proven, and no change to their evidence passes."""

from __future__ import annotations

import json
from functools import cache
from itertools import product
from typing import Any
from unittest import mock

import pytest

import gridlang as gl
from gridlang.clauses.outputs import output_rule
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.proofs.values import value_proofs
from gridlang.compiler.proofs.values.clause_goals import wanted_values
from gridlang.compiler.proofs.values.output_task import OutputTask
from gridlang.compiler.verifier.tables import rules_of
from gridlang.table import Table
from tests.programs import EXAMPLES
from tests.support.stored_values import Part, is_valid, left_by, mutants, put

THRESHOLD = ("thresholds", 1)

# For each digit in turn, brings all that there are to the front; a bar keeps the place.
GATHERS = """
agent gathers

alphabet
  digit = 0..1
  '|'

input a = digit*
output sorted(a)

start look(0)

state look(k in 0..1)
  d in digit if d == k : R
  d in digit if d != k : write '|', R -> find(k, d)
  _                    : halt

state find(k in 0..1, had in digit)
  d in digit if d == k : write had, L -> back(k)
  d in digit if d != k : R
  _                    : L -> none(k, had)

state back(k in 0..1)
  digit : L
  '|'   : write k, R -> look(k)

state none(k in 0..1, had in digit)
  digit        : L
  '|' if k < 1 : write had -> look(k + 1)
"""


@cache
def _evidence(source: str = "") -> tuple[Table, dict[str, Any]]:
    table = gl.loads(source).table if source else gl.load(EXAMPLES / "sort.grid", base=3).table
    rule = output_rule(table)
    assert rule is not None
    thresholds = wanted_values(table, rule)[1:]
    with mock.patch.object(value_proofs, "wanted_values", return_value=thresholds):
        return table, value_proofs.value_evidence(OutputTask(table, rule))


def _parts() -> tuple[Part, Part]:
    table, evidence = _evidence()
    return certified_table(table), {"thresholds": json.loads(json.dumps(evidence["thresholds"]))}


def test_thresholds_show_that_a_row_is_sorted() -> None:
    table, part = _parts()
    assert len(part["thresholds"]) == 3
    assert is_valid(table, part, "sorted")
    assert not is_valid(table, part, "values")
    assert not is_valid(table, part["thresholds"][1], "values")
    assert not is_valid(table, part["thresholds"][1], "sorted")


def test_another_way_to_sort_is_proven() -> None:
    assert _evidence(GATHERS)[1]["kind"] == "sorted"


def test_every_threshold_is_needed_in_its_order() -> None:
    table, part = _parts()
    first, second, third = part["thresholds"]
    for some in ([], [second, third], [first, third], [first, second], [first, third, second], [first] * 3):
        assert not is_valid(table, {"thresholds": some}, "sorted")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((*THRESHOLD, "classes"), [0, 1, 1, 1]),
        ((*THRESHOLD, "classes"), [0, 1, 1, 2]),
        ((*THRESHOLD, "proofs", 0, "systems", 0, "values"), [0, 0, 0, 1]),
        ((*THRESHOLD, "proofs", 0, "systems", 0, "values"), [0, 1, 1, 1]),
        ((*THRESHOLD, "proofs", 0, "systems", 0, "base"), [2, 1]),
        ((*THRESHOLD, "proofs", 0, "invariants"), []),
        ((*THRESHOLD, "proofs"), []),
        ((*THRESHOLD, "row"), 1),
        (THRESHOLD, None),
        (("thresholds",), {}),
        (("thresholds",), None),
        (("more",), []),
    ],
)
def test_other_thresholds_are_refused(path: tuple[Any, ...], value: Any) -> None:
    table, part = _parts()
    assert not is_valid(table, put(part, path, value), "sorted")


@pytest.mark.parametrize(
    "clause", [["part", 0], ["reverse", ["part", 0]], ["sorted", "0"], ["length", ["part", 0]]]
)
def test_another_clause_is_refused(clause: Any) -> None:
    table, part = _parts()
    assert not is_valid(put(table, ("output", "value"), clause), part, "sorted")


def test_a_mutant_that_leaves_another_row_is_refused() -> None:
    table, part = _parts()
    inputs = ["".join(row) for length in (1, 2, 3, 4) for row in product("012", repeat=length)]
    wrong = 0
    for mutant in mutants(table, 3):
        rules = rules_of(mutant, "left", None)
        results = ((text, left_by(rules, text)) for text in inputs)
        if any(result not in (None, "".join(sorted(text))) for text, result in results):
            wrong += 1
            assert not is_valid(mutant, part, "sorted"), mutant["rules"]
    assert wrong > 20
