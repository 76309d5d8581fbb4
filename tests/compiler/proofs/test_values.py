"""Values: certificates of what agents leave are valid, and no change to them shows what is not so."""

from __future__ import annotations

import copy
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import rules_of
from gridlang.loading import load
from tests.programs import EXAMPLES, ROOT
from tests.support.searches import spread
from tests.support.stored_values import is_valid, left_by, mutants, places, put, stored

STORED = sorted(path.stem for path in (ROOT / "tests" / "golden" / "values").glob("*.json"))


@pytest.mark.parametrize("name", STORED)
def test_why_an_agent_leaves_what_its_clause_saysis_valid(name: str) -> None:
    assert is_valid(*stored(name))


@pytest.mark.parametrize("name", ["increment", "mult2"])
def test_the_stored_tables_are_those_of_the_examples(name: str) -> None:
    table, _ = stored(name)
    assert table == certified_table(load(EXAMPLES / f"{name}.grid").table)


def test_no_node_can_be_left_out() -> None:
    table, part = stored("increment")
    for index in range(len(part["proofs"][0]["invariants"])):
        less = copy.deepcopy(part)
        del less["proofs"][0]["invariants"][index]
        assert not is_valid(table, less)


def test_an_invariant_of_one_part_does_not_hold_in_another() -> None:
    table, part = stored("binary_addition")
    invariants = part["proofs"][0]["invariants"]
    for index in spread(range(len(invariants)), 12):
        state, row, classes, where, *polynomials = invariants[index]
        for other in (-2, -1, 0, 1, 2, 3, 4, None):
            taken = any(entry[:4] == [state, row, classes, other] for entry in invariants)
            if other != where and not taken:
                forged = [state, row, classes, *([] if other is None else [other]), *polynomials]
                assert not is_valid(table, put(part, ("proofs", 0, "invariants", index), forged))


@pytest.mark.parametrize("name", ["increment", "times", "sortbase3"])
def test_a_changed_coefficient_is_refused(name: str) -> None:
    table, part = stored(name)
    _, _, _, first, *_ = part["proofs"][0]["invariants"][0]
    for place in range(1, len(first), 2):
        path = ("proofs", 0, "invariants", 0, 3, place)
        assert not is_valid(table, put(part, path, first[place] + 1))


@pytest.mark.parametrize("name", STORED)
def test_another_base_or_value_or_row_is_refused(name: str) -> None:
    table, part = stored(name)
    system = ("proofs", 0, "systems", 0)
    value = part["proofs"][0]["systems"][0]["values"][1]
    changes: list[tuple[tuple[Any, ...], Any]] = [
        ((*system, "base"), [7, 1]),
        ((*system, "values", 0), 1),
        ((*system, "values", 1), value + 1),
        (("row",), part["row"] - 1),
    ]
    for path, value in changes:
        assert not is_valid(table, put(part, path, value)), (path, value)


CLAUSES = {
    "binary_addition": [
        ["text", ["+", ["number", ["part", 0]], ["number", ["part", 2]]]],
        ["reverse", ["text", ["number", ["reverse", ["part", 0]]]]],
    ],
    "increment": [
        ["+", ["number", ["part", 0]], 2],
        ["-", ["number", ["part", 0]], 1],
        1,
        ["length", ["part", 0]],
    ],
    "mult2": [["+", ["number", ["part", 0]], ["number", ["part", 2]]], ["*", ["number", ["part", 0]], 3]],
    "times": [["repeat", "*", ["length", ["part", 0]]], ["repeat", "1", ["length", ["part", 0]]], 1, "1"],
    "sortbase3": [["part", 0], ["reverse", ["part", 0]], ["number", ["part", 0]], ["sorted", "0"]],
    "binary_multiplication": [
        ["text", ["*", ["number", ["part", 0]], ["number", ["part", 2]]]],
        ["reverse", ["text", ["number", ["reverse", ["part", 0]]]]],
    ],
}


@pytest.mark.parametrize("name", STORED)
def test_another_clause_is_refused(name: str) -> None:
    table, part = stored(name)
    for value in CLAUSES[name]:
        assert not is_valid(put(table, ("output", "value"), value), part), value


def test_a_count_of_two_symbols_is_refused() -> None:
    """A system in which no symbol counts could pass for one that counts a longer text."""
    table, part = stored("increment")
    part["proofs"][0]["systems"].append({"base": [1, 1], "values": [0, 0, 0]})
    assert is_valid(table, part)
    more = ["+", table["output"]["value"], ["count", ["part", 0], "11"]]
    assert not is_valid(put(table, ("output", "value"), more), part)


def test_a_mutant_that_leaves_another_number_is_refused() -> None:
    table, part = stored("increment")
    inputs = ["".join(bits) for length in (1, 2, 3) for bits in product("01", repeat=length)]
    wrong = 0
    for mutant in mutants(table):
        results = {text: left_by(rules_of(mutant, "left", None), text) for text in inputs}
        halted = {text: result for text, result in results.items() if result is not None}
        if any(
            not set(result) <= {"0", "1"} or int(result or "0", 2) != int(text, 2) + 1
            for text, result in halted.items()
        ):
            wrong += 1
            assert not is_valid(mutant, part), (mutant["rules"], halted)
    assert wrong > 20


@pytest.mark.parametrize(
    ("agent", "rule", "does"),
    [
        ("mult2", ("drop(1)", "_"), ["0", "L", "lift(0)"]),
        ("mult2", ("add(1)", "1"), ["1", "U", "keep(1)"]),
        ("mult2", ("times(1,0)", "1"), ["0", "L", "times(1,0)"]),
        ("mult2", ("strip", "0"), ["1", "R", "done"]),
        ("binary_addition", ("add(1)", "1"), ["B", "R", "carry"]),
        ("binary_addition", ("carry", "1"), ["1", "R", "carry"]),
        ("binary_addition", ("add(0)", "_"), ["B", "L", "home"]),
        ("binary_addition", ("restore", "A"), ["1", "R", "restore"]),
    ],
)
def test_an_agent_that_errs_is_refused(agent: str, rule: tuple[str, str], does: list[str]) -> None:
    table, part = stored(agent)
    index = next(i for i, (state, read, *_) in enumerate(table["rules"]) if (state, read) == rule)
    assert table["rules"][index][2:] != does
    assert not is_valid(put(table, ("rules", index), [*rule, *does]), part)


JUNK = st.sampled_from(
    [
        None,
        True,
        "",
        "x",
        [],
        {},
        0,
        1,
        -1,
        3,
        1 << 61,
        1 << 70,
        0.5,
        [0],
        [[0]],
        ["T", 0, 0],
        ["N", 0, 0, 0, 0, 0],
    ]
)


@given(data=st.data())
def test_a_part_that_is_none_is_wrong_and_never_an_error(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["increment", "times"]))
    table, part = stored(name)
    path = data.draw(st.sampled_from(list(places(part))))
    is_valid(table, put(part, path, data.draw(JUNK)))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("rows",), [-LIMITS.strip_rows - 1, 0]),
        (("near",), LIMITS.distance + 1),
        (("far",), 1 << 61),
        (("classes",), [0, 1, 1 << 61]),
        (("classes",), [0, 0, 1]),
        (("proofs", 0, "systems", 0, "base"), [1 << 61, 1]),
        (("proofs", 0, "monomials", 0), [0] * (LIMITS.degree + 1)),
    ],
)
def test_what_would_take_too_long_is_refused(path: tuple[Any, ...], value: Any) -> None:
    table, part = stored("increment")
    assert not is_valid(table, put(part, path, value))


def test_a_blank_in_an_input_is_refused() -> None:
    table, part = stored("increment")
    assert not is_valid(put(table, ("input",), [["+", "01_"]]), part)
