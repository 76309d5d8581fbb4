"""Words as numbers: agents that copy and turn words are proven, and no change to their evidence passes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import gridlang as gl
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.verifier.tables import rules_of
from gridlang.loading import load
from tests.programs import EXAMPLES
from tests.support.agents import BEHIND, COUNTED, GLUE, LEFT_COPY, LENGTHS, MIRROR, ROTATE
from tests.support.stored_values import evidence_of, is_valid, left_by, mutants, places, put, stored

WORDS: dict[str, tuple[str, Callable[[str], str]]] = {
    "duplicate": ("suite/duplicate_string", lambda w: w + w),
    "twice": ("twice", lambda w: f"{w}={w}"),
    "reverse": ("reverse", lambda w: w[::-1]),
    "pushed": ("suite/reverse_string", lambda w: w[::-1]),
}
PART = ["part", 0]
CLAUSES: dict[str, list[Any]] = {
    "duplicate": [
        PART,
        ["join", PART],
        ["join", PART, ["reverse", PART]],
        ["join", PART, PART, PART],
        ["join", PART, "a", PART],
        ["repeat", PART, 2],
        ["text", ["length", PART]],
        ["join", 1, PART],
        ["join"],
    ],
    "twice": [["join", PART, PART], ["join", PART, "a", PART], ["join", PART, "=", ["reverse", PART]], "="],
    "pushed": [PART, ["join", ["reverse", PART], "a"], ["join", PART, ["reverse", PART]]],
    "reverse": [PART, ["reverse", ["reverse", PART]], ["join", ["reverse", PART], "|"], ["sorted", PART]],
}


def _evidence(source: str) -> dict[str, Any]:
    return evidence_of(gl.loads(source).table)


@pytest.mark.parametrize("name", WORDS)
def test_why_an_agent_leaves_a_word_is_valid_and_of_the_example(name: str) -> None:
    table, part = stored(name, "words")
    assert table == certified_table(load(EXAMPLES / f"{WORDS[name][0]}.grid").table)
    assert is_valid(table, part, "words")
    assert not is_valid(table, part, "values")


@pytest.mark.parametrize("name", WORDS)
def test_another_clause_is_refused(name: str) -> None:
    table, part = stored(name, "words")
    for value in CLAUSES[name]:
        assert not is_valid(put(table, ("output", "value"), value), part, "words"), value


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("row",), 1),
        (("rows",), [0]),
        (("near",), -1),
        (("marks",), [0]),
        (("classes",), [0, 0, 1, 2, 2]),
        (("proofs",), []),
        (("proofs", 0, "by_part"), False),
        (("proofs", 0, "systems", 0, "values"), [0, 1, 2, 2, 1]),
        (("proofs", 0, "systems", 1, "values"), [0, 1, 1, 1, 2]),
        (("proofs", 0, "systems", 1, "base"), [1, 4]),
        (("proofs", 0, "factors", 0), ["v", 0, 1]),
        (("proofs", 0, "monomials", 0), []),
        (("proofs", 0, "invariants", 0, 0), 99),
        (("proofs", 0, "invariants", 0, 2), [9]),
        (("proofs", 0, "invariants", 0, 3), "0"),
        (("proofs", 0, "invariants", 0, 4), [0]),
    ],
)
def test_a_changed_field_is_refused(path: tuple[Any, ...], value: Any) -> None:
    table, part = stored("duplicate", "words")
    assert not is_valid(table, put(part, path, value), "words")


def _others(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    return [value + 1, value - 1, 0] if isinstance(value, int) else []


def test_no_change_to_a_number_makes_a_wrong_agent_right() -> None:
    table, part = stored("duplicate", "words")
    index = next(i for i, rule in enumerate(table["rules"]) if rule[:2] == ["copy(b)", "_"])
    wrong = put(table, ("rules", index, 2), "A")
    for path in list(places(part))[::41]:
        at = part
        for key in path:
            at = at[key]
        for value in _others(at):
            assert not is_valid(wrong, put(part, path, value), "words"), path


@pytest.mark.parametrize("name", WORDS)
def test_a_node_left_out_or_a_changed_coefficient_is_refused(name: str) -> None:
    table, part = stored(name, "words")
    entries = part["proofs"][0]["invariants"]
    for index in range(0, len(entries), 5):
        less = copy.deepcopy(part)
        del less["proofs"][0]["invariants"][index]
        assert not is_valid(table, less, "words")
        path = ("proofs", 0, "invariants", index, 4, 1)
        if name == "duplicate":
            assert not is_valid(table, put(part, path, entries[index][4][1] + 1), "words")


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
    table, part = stored("duplicate", "words")
    first = part["proofs"][0]["systems"][0]
    first["values"], first["base"] = values, base
    part["proofs"][0]["systems"][1]["base"] = base
    assert not is_valid(table, part, "words")


@pytest.mark.parametrize("name", WORDS)
def test_a_mutant_that_leaves_another_word_is_refused(name: str) -> None:
    table, part = stored(name, "words")
    inputs = ["".join(word) for length in (1, 2, 3) for word in product("ab", repeat=length)]
    wrong = 0
    for mutant in mutants(table, every=7 if name in ("duplicate", "pushed") else 61):
        rules = rules_of(mutant, "left", None)
        results = {text: left_by(rules, text) for text in inputs}
        if any(result not in (None, WORDS[name][1](text)) for text, result in results.items()):
            wrong += 1
            assert not is_valid(mutant, part, "words"), mutant["rules"]
    assert wrong > 3


@pytest.mark.parametrize("source", [LEFT_COPY, MIRROR, BEHIND, GLUE, ROTATE, COUNTED])
def test_words_are_proven_wherever_and_however_they_are_made(source: str) -> None:
    assert _evidence(source)["kind"] == "words"


@pytest.mark.parametrize(
    ("source", "rule", "other"),
    [
        (GLUE, "write '#', L -> put(x)", "write '#', L -> put('a')"),
        (MIRROR, "write done(x), L -> back", "write done('a'), L -> back"),
        (BEHIND, "output reverse(w)", "output w"),
    ],
)
def test_an_agent_that_leaves_other_words_is_not_proven(source: str, rule: str, other: str) -> None:
    assert rule in source
    with pytest.raises(Unsaid):
        _evidence(source.replace(rule, other))


def test_a_text_made_in_other_ways_says_so() -> None:
    with pytest.raises(Unsaid, match="joining and reversing"):
        _evidence(LENGTHS)
