"""Evidence of values, words, sorted rows and mirror images: what is found is valid, of the kind that it says, and
nothing that is changed in it, in the clause or in the agent shows what is not so.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import pytest

from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.loading import load
from tests.forgeries.genuine import copied
from tests.programs import EXAMPLES
from tests.support.proven_certificates import by_output
from tests.support.searches import spread
from tests.support.stored_values import Part, is_valid, places, put, stored

KINDS = ("values", "words", "sorted")
PART = ["part", 0]
NUMBER = ["number", PART]
ODD, EVEN = ["every", PART, 1, 2], ["every", PART, 2, 2]


class Case(NamedTuple):
    """An agent, and clauses that its evidence does not show."""

    kind: str
    others: list[Any]
    example: str = ""


STORED = {
    "binary_addition": Case(
        "values",
        [
            ["text", ["+", NUMBER, ["number", ["part", 2]]]],
            ["reverse", ["text", ["number", ["reverse", PART]]]],
        ],
    ),
    "increment": Case(
        "values",
        [["+", NUMBER, 2], ["-", NUMBER, 1], 1, ["length", PART]],
        "increment",
    ),
    "mult2": Case("values", [["+", NUMBER, ["number", ["part", 2]]], ["*", NUMBER, 3]], "mult2"),
    "times": Case("values", [["repeat", "*", ["length", PART]], ["repeat", "1", ["length", PART]], 1, "1"]),
    "sortbase3": Case("values", [PART, ["reverse", PART], NUMBER, ["sorted", "0"]]),
    "binary_multiplication": Case(
        "values",
        [
            ["text", ["*", NUMBER, ["number", ["part", 2]]]],
            ["reverse", ["text", ["number", ["reverse", PART]]]],
        ],
    ),
    "duplicate": Case(
        "words",
        [
            *(PART, ["join", PART], ["join", PART, ["reverse", PART]], ["join", PART, PART, PART]),
            *(["join", PART, "a", PART], ["repeat", PART, 2], ["text", ["length", PART]]),
            *(["join", 1, PART], ["join"]),
        ],
        "suite/duplicate_string",
    ),
    "twice": Case(
        "words",
        [["join", PART, PART], ["join", PART, "a", PART], ["join", PART, "=", ["reverse", PART]], "="],
        "twice",
    ),
    "reverse": Case(
        "words",
        [PART, ["reverse", ["reverse", PART]], ["join", ["reverse", PART], "|"], ["sorted", PART]],
        "reverse",
    ),
    "pushed": Case(
        "words",
        [PART, ["join", ["reverse", PART], "a"], ["join", PART, ["reverse", PART]]],
        "suite/reverse_string",
    ),
    "odds": Case(
        "words",
        [
            *(PART, ODD, ["join", EVEN, ODD], ["join", ODD, ODD], ["join", ODD, EVEN, "a"]),
            *(["join", "a", ODD, EVEN], ["join", ODD, PART], ["join", ODD, ["reverse", EVEN]]),
            *(["reverse", ["join", ODD, EVEN]], ["join", ["every", PART, 1, 4], ["every", PART, 2, 4]]),
            *(["join", ODD, ["every", PART, *two]] for two in ([3, 2], [0, 2], [2, 3], [2, 0], [2])),
            *(["join", ODD, ["every", of, 2, 2]] for of in (["part", 1], ["reverse", PART])),
            ["join", ODD, ["every", PART, ["length", PART], 2]],
            ["join", ["every", PART, ["count", PART, "a"], 2], EVEN],
            ["join", ["every", ["sorted", PART], 1, 2], EVEN],
        ],
        "suite/odds_first",
    ),
}
SORTED = Case("sorted", [PART, ["reverse", PART], ["sorted", "0"], ["length", PART]])  # of base 3
CASES = {**STORED, "sort": SORTED}


def parts(name: str) -> tuple[Part, Part, str]:
    """A table, its evidence, and the kind of that; both may be changed."""
    if name in STORED:
        return *stored(name, STORED[name].kind), STORED[name].kind
    data = copied(by_output(load(EXAMPLES / "sort.grid", base=3).table, thresholds=True))
    evidence = next(each["evidence"] for each in data["claims"] if each["ends"] == ["wrong"])
    return data["left"]["table"], evidence, evidence.pop("kind")


@pytest.mark.parametrize("name", CASES)
def test_evidence_is_valid_of_its_kind_alone_and_of_the_example(name: str) -> None:
    table, part, kind = parts(name)
    assert kind == CASES[name].kind
    assert [each for each in KINDS if is_valid(table, part, each)] == [kind]
    if CASES[name].example:
        assert table == certified_table(load(EXAMPLES / f"{CASES[name].example}.grid").table)


@pytest.mark.parametrize("name", CASES)
def test_another_clause_is_refused(name: str) -> None:
    table, part, kind = parts(name)
    for value in CASES[name].others:
        assert not is_valid(put(table, ("output", "value"), value), part, kind), value


SYSTEM = ("proofs", 0, "systems")
FIRST = ("proofs", 0, "invariants", 0)
THRESHOLD = ("thresholds", 1)
CHANGES: dict[str, list[tuple[tuple[Any, ...], Any]]] = {
    "increment": [
        *(((*SYSTEM, 0, "base"), [7, 1]), ((*SYSTEM, 0, "values", 0), 1), (("row",), -1)),
        *((("rows",), [-LIMITS.strip_rows - 1, 0]), (("near",), LIMITS.distance + 1), (("far",), 1 << 61)),
        *((("classes",), [0, 1, 1 << 61]), (("classes",), [0, 0, 1]), ((*SYSTEM, 0, "base"), [1 << 61, 1])),
        (("proofs", 0, "monomials", 0), [0] * (LIMITS.degree + 1)),
    ],
    "mult2": [((*SYSTEM, 0, "base"), [7, 1]), ((*SYSTEM, 0, "values", 0), 1)],
    "times": [((*SYSTEM, 0, "base"), [7, 1]), ((*SYSTEM, 0, "values", 0), 1)],
    "duplicate": [
        *((("row",), 1), (("rows",), [0]), (("near",), -1), (("marks",), [0]), (("proofs",), [])),
        *((("classes",), [0, 0, 1, 2, 2]), (("proofs", 0, "by_part"), False), ((*SYSTEM, 1, "base"), [1, 4])),
        *(((*SYSTEM, 0, "values"), [0, 1, 2, 2, 1]), ((*SYSTEM, 1, "values"), [0, 1, 1, 1, 2])),
        *((("proofs", 0, "factors", 0), ["v", 0, 1]), (("proofs", 0, "monomials", 0), [])),
        *(((*FIRST, 0), 99), ((*FIRST, 2), [9]), ((*FIRST, 3), "0"), ((*FIRST, 4), [0])),
    ],
    "odds": [
        *((("proofs", 0, "by_part"), False), ((*SYSTEM, 0, "base"), [1, 3])),
        *(((*SYSTEM, 2, "base"), base) for base in ([1, 4], [-1, 2])),
        *(((*SYSTEM, 3, "base"), base) for base in ([1, 2], [1, -2], [-1, 3], [-2, 1], [0, 1])),
        ((*SYSTEM, 3, "values"), [0, 2, 1, 2, 1]),
    ],
    "sort": [
        *(((*THRESHOLD, "classes"), classes) for classes in ([0, 1, 1, 1], [0, 1, 1, 2])),
        *(((*THRESHOLD, *SYSTEM, 0, "values"), values) for values in ([0, 0, 0, 1], [0, 1, 1, 1])),
        *(((*THRESHOLD, *SYSTEM, 0, "base"), [2, 1]), ((*THRESHOLD, "proofs", 0, "invariants"), [])),
        *(((*THRESHOLD, "proofs"), []), ((*THRESHOLD, "row"), 1), (THRESHOLD, None)),
        *((("thresholds",), {}), (("thresholds",), None), (("more",), [])),
    ],
}


@pytest.mark.parametrize(
    ("name", "path", "value"), [(n, *change) for n, some in CHANGES.items() for change in some]
)
def test_a_changed_field_is_refused(name: str, path: tuple[Any, ...], value: Any) -> None:
    table, part, kind = parts(name)
    assert not is_valid(table, put(part, path, value), kind)


@pytest.mark.parametrize("name", ["increment", "duplicate", "twice", "reverse", "pushed", "odds"])
def test_a_node_left_out_is_refused(name: str) -> None:
    table, part, kind = parts(name)
    for index in range(0, len(part["proofs"][0]["invariants"]), 5):
        less = copy.deepcopy(part)
        del less["proofs"][0]["invariants"][index]
        assert not is_valid(table, less, kind)


@pytest.mark.parametrize(
    ("name", "polynomial", "step"),
    [("increment", 3, 99), ("times", 3, 99), ("sortbase3", 3, 99), ("duplicate", 4, 5)],
)
def test_a_changed_coefficient_is_refused(name: str, polynomial: int, step: int) -> None:
    table, part, kind = parts(name)
    entries = part["proofs"][0]["invariants"]
    for index in range(0, len(entries), step):
        path = ("proofs", 0, "invariants", index, polynomial, 1)
        assert not is_valid(table, put(part, path, entries[index][polynomial][1] + 1), kind)


def test_an_invariant_of_one_part_does_not_hold_in_another() -> None:
    table, part, _ = parts("binary_addition")
    invariants = part["proofs"][0]["invariants"]
    for index in spread(range(len(invariants)), 12):
        state, row, classes, where, *polynomials = invariants[index]
        for other in (-2, -1, 0, 1, 2, 3, 4, None):
            taken = any(entry[:4] == [state, row, classes, other] for entry in invariants)
            if other != where and not taken:
                forged = [state, row, classes, *([] if other is None else [other]), *polynomials]
                assert not is_valid(table, put(part, ("proofs", 0, "invariants", index), forged))


def test_a_count_of_two_symbols_is_refused() -> None:
    """A system in which no symbol counts could pass for one that counts a longer text."""
    table, part, _ = parts("increment")
    part["proofs"][0]["systems"].append({"base": [1, 1], "values": [0, 0, 0]})
    assert is_valid(table, part)
    more = ["+", table["output"]["value"], ["count", PART, "11"]]
    assert not is_valid(put(table, ("output", "value"), more), part)


def test_a_blank_in_an_input_is_refused() -> None:
    table, part, _ = parts("increment")
    assert not is_valid(put(table, ("input",), [["+", "01_"]]), part)


@pytest.mark.parametrize(
    ("name", "rule", "does"),
    [
        ("mult2", ("drop(1)", "_"), ["0", "L", "lift(0)"]),
        ("mult2", ("times(1,0)", "1"), ["0", "L", "times(1,0)"]),
        ("binary_addition", ("add(1)", "1"), ["B", "R", "carry"]),
        ("binary_addition", ("carry", "1"), ["1", "R", "carry"]),
        ("binary_addition", ("restore", "A"), ["1", "R", "restore"]),
    ],
)
def test_an_agent_that_errs_is_refused(name: str, rule: tuple[str, str], does: list[str]) -> None:
    table, part, _ = parts(name)
    index = next(i for i, (state, read, *_) in enumerate(table["rules"]) if (state, read) == rule)
    assert table["rules"][index][2:] != does
    assert not is_valid(put(table, ("rules", index), [*rule, *does]), part)


def test_no_change_to_a_number_makes_a_wrong_agent_right() -> None:
    table, part, kind = parts("duplicate")
    index = next(i for i, rule in enumerate(table["rules"]) if rule[:2] == ["copy(b)", "_"])
    wrong = put(table, ("rules", index, 2), "A")
    for path in list(places(part))[::41]:
        at = part
        for key in path:
            at = at[key]
        numbers = [not at] if isinstance(at, bool) else [at + 1, at - 1, 0] if isinstance(at, int) else []
        for value in numbers:
            assert not is_valid(wrong, put(part, path, value), kind), path


@pytest.mark.parametrize(
    ("values", "base"),
    [
        ([0, 0, 1, 0, 1], [1, 3]),  # a digit is 0: a word and one with more of it have the same number
        ([0, 1, 1, 1, 1], [1, 3]),  # two letters are worth the same
        ([0, 1, 3, 1, 3], [1, 3]),  # a digit as large as the base: ab and ba may be worth the same
        ([0, 1, 2, 1, 2], [2, 3]),
        ([0, 1, 2, 1, 2], [1, 1]),
        ([0, 1, 2, 1, 2], [1, 2]),
    ],
)
def test_digits_that_do_not_tell_words_apart_are_refused(values: list[int], base: list[int]) -> None:
    table, part, kind = parts("duplicate")
    first = part["proofs"][0]["systems"][0]
    first["values"], first["base"] = values, base
    part["proofs"][0]["systems"][1]["base"] = base
    assert not is_valid(table, part, kind)


def test_every_threshold_is_needed_in_its_order() -> None:
    table, part, kind = parts("sort")
    first, second, third = part["thresholds"]
    assert not is_valid(table, second, kind) and not is_valid(table, second, "values")
    for some in ([], [second, third], [first, third], [first, second], [first, third, second], [first] * 3):
        assert not is_valid(table, {"thresholds": some}, kind)
