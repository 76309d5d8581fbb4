"""Values: certificates of what agents leave are valid, and no change to them shows what is not so."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.proofs.certificates import certified_table
from compiler.verifier.limits import LIMITS
from compiler.verifier.tables import MOVES, Rules, Wrong, rules_of
from compiler.verifier.values.values import check_values
from gridlang.loading import load
from tests.programs import EXAMPLES, ROOT

STORED = sorted(path.stem for path in (ROOT / "tests" / "golden" / "values").glob("*.json"))
Part = dict[str, Any]


@cache
def _text(name: str) -> str:
    return (ROOT / "tests" / "golden" / "values" / f"{name}.json").read_text()


def _stored(name: str) -> tuple[Part, Part]:
    """A table, and why it leaves what its clause says; both may be changed."""
    data = json.loads(_text(name))
    return data["table"], data["output"]


def _is_valid(table: Part, part: Any) -> bool:
    try:
        return check_values(rules_of(table, "left", None), part) > 0
    except Wrong:
        return False


@pytest.mark.parametrize("name", STORED)
def test_why_an_agent_leaves_what_its_clause_says_is_valid(name: str) -> None:
    assert _is_valid(*_stored(name))


@pytest.mark.parametrize("name", ["increment", "mult2"])
def test_the_stored_tables_are_those_of_the_examples(name: str) -> None:
    table, _ = _stored(name)
    assert table == certified_table(load(EXAMPLES / f"{name}.grid").table)


def _places(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in inner:
        yield (*path, key)
        yield from _places(value, (*path, key))


def _put(part: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(part)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


def test_no_node_can_be_left_out() -> None:
    table, part = _stored("increment")
    for index in range(len(part["proofs"][0]["invariants"])):
        less = copy.deepcopy(part)
        del less["proofs"][0]["invariants"][index]
        assert not _is_valid(table, less)


def test_an_invariant_of_one_part_does_not_hold_in_another() -> None:
    table, part = _stored("binary_addition")
    invariants = part["proofs"][0]["invariants"]
    for index, (state, row, classes, where, *polynomials) in enumerate(invariants):
        for other in (-2, -1, 0, 1, 2, 3, 4, None):
            taken = any(entry[:4] == [state, row, classes, other] for entry in invariants)
            if other != where and not taken:
                forged = [state, row, classes, *([] if other is None else [other]), *polynomials]
                assert not _is_valid(table, _put(part, ("proofs", 0, "invariants", index), forged))


@pytest.mark.parametrize(
    ("rule", "does"),
    [
        (("add(1)", "1"), ["B", "R", "carry"]),
        (("carry", "1"), ["1", "R", "carry"]),
        (("add(0)", "_"), ["B", "L", "home"]),
        (("restore", "A"), ["1", "R", "restore"]),
    ],
)
def test_an_addition_that_errs_is_refused(rule: tuple[str, str], does: list[str]) -> None:
    table, part = _stored("binary_addition")
    index = next(i for i, (state, read, *_) in enumerate(table["rules"]) if (state, read) == rule)
    assert table["rules"][index][2:] != does
    assert not _is_valid(_put(table, ("rules", index), [*rule, *does]), part)


@pytest.mark.parametrize("name", ["increment", "times", "sortbase3"])
def test_a_changed_coefficient_is_refused(name: str) -> None:
    table, part = _stored(name)
    _, _, _, first, *_ = part["proofs"][0]["invariants"][0]
    for place in range(1, len(first), 2):
        path = ("proofs", 0, "invariants", 0, 3, place)
        assert not _is_valid(table, _put(part, path, first[place] + 1))


@pytest.mark.parametrize("name", STORED)
def test_another_base_or_value_or_row_is_refused(name: str) -> None:
    table, part = _stored(name)
    system = ("proofs", 0, "systems", 0)
    value = part["proofs"][0]["systems"][0]["values"][1]
    changes: list[tuple[tuple[Any, ...], Any]] = [
        ((*system, "base"), [7, 1]),
        ((*system, "values", 0), 1),
        ((*system, "values", 1), value + 1),
        (("row",), part["row"] - 1),
    ]
    for path, value in changes:
        assert not _is_valid(table, _put(part, path, value)), (path, value)


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
    table, part = _stored(name)
    for value in CLAUSES[name]:
        assert not _is_valid(_put(table, ("output", "value"), value), part), value


def test_a_count_of_two_symbols_is_refused() -> None:
    """A system in which no symbol counts could pass for one that counts a longer text."""
    table, part = _stored("increment")
    part["proofs"][0]["systems"].append({"base": [1, 1], "values": [0, 0, 0]})
    assert _is_valid(table, part)
    more = ["+", table["output"]["value"], ["count", ["part", 0], "11"]]
    assert not _is_valid(_put(table, ("output", "value"), more), part)


def _left_by(rules: Rules, text: str) -> str | None:
    """The result of a run, rows joined; None if it does not halt soon."""
    cells = {(x, 0): rules.symbols.index(symbol) for x, symbol in enumerate(text)}
    x = y = state = 0
    for _ in range(500):
        symbol = cells.get((x, y), 0)
        if (state, symbol) not in rules.does:
            return None
        write, move, later = rules.does[state, symbol]
        if (write, move) == (symbol, "S"):
            places = sorted((place[1], place[0]) for place, held in cells.items() if held)
            if not places:
                return ""
            columns = [column for _, column in places]
            row = range(min(columns), max(columns) + 1)
            rows = range(places[0][0], places[-1][0] + 1)
            return "/".join("".join(rules.symbols[cells.get((u, v), 0)] for u in row) for v in rows)
        cells[x, y], state = write, later
        x, y = x + MOVES[move][0], y + MOVES[move][1]
    return None


def _mutants(table: Part) -> Iterator[Part]:
    """Tables with one rule that does something else."""
    for index, (state, read, write, move, later) in enumerate(table["rules"]):
        others = [(other, move, later) for other in table["symbols"]]
        others += [(write, other, later) for other in MOVES]
        others += [(write, move, other) for other in table["states"]]
        for rule in dict.fromkeys(others):
            idle = rule[:2] == (read, "S") and rule[2] != state
            if rule != (write, move, later) and not idle:
                yield _put(table, ("rules", index), [state, read, *rule])


def test_a_mutant_that_leaves_another_number_is_refused() -> None:
    table, part = _stored("increment")
    inputs = ["".join(bits) for length in (1, 2, 3) for bits in product("01", repeat=length)]
    wrong = 0
    for mutant in _mutants(table):
        results = {text: _left_by(rules_of(mutant, "left", None), text) for text in inputs}
        halted = {text: result for text, result in results.items() if result is not None}
        if any(
            not set(result) <= {"0", "1"} or int(result or "0", 2) != int(text, 2) + 1
            for text, result in halted.items()
        ):
            wrong += 1
            assert not _is_valid(mutant, part), (mutant["rules"], halted)
    assert wrong > 20


@pytest.mark.parametrize(
    ("rule", "does"),
    [
        (("drop(1)", "_"), ["0", "L", "lift(0)"]),
        (("add(1)", "1"), ["1", "U", "keep(1)"]),
        (("times(1,0)", "1"), ["0", "L", "times(1,0)"]),
        (("strip", "0"), ["1", "R", "done"]),
    ],
)
def test_a_multiplication_that_errs_is_refused(rule: tuple[str, str], does: list[str]) -> None:
    table, part = _stored("mult2")
    index = next(i for i, (state, read, *_) in enumerate(table["rules"]) if (state, read) == rule)
    assert table["rules"][index][2:] != does
    assert not _is_valid(_put(table, ("rules", index), [*rule, *does]), part)


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
    table, part = _stored(name)
    path = data.draw(st.sampled_from(list(_places(part))))
    _is_valid(table, _put(part, path, data.draw(JUNK)))


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
    table, part = _stored("increment")
    assert not _is_valid(table, _put(part, path, value))


def test_a_blank_in_an_input_is_refused() -> None:
    table, part = _stored("increment")
    assert not _is_valid(_put(table, ("input",), [["+", "01_"]]), part)
