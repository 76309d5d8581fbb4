"""Input clauses as languages, output clauses as functions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.testing.input_search import strings
from gridlang.clauses.inputs import InputLanguage, language_of
from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.loading import load_source
from gridlang.source import Source
from gridlang.table import Table
from tests.programs import PROGRAMS

CLASSES = "alphabet\n  digit = 0..2\n  letter = 'a' | 'b'\n  sign = '+'\n"


def agent(clause: str, output: str = "") -> Table:
    given_output = f"output {output}\n" if output else ""
    text = f"agent t\n{CLASSES}input {clause}\n{given_output}start s\nstate s\n  any : halt\n"
    return load_source(Source("t", text)).table


def language(clause: str) -> InputLanguage:
    found = language_of(agent(clause))
    assert found is not None
    return found


def rule(clause: str, output: str) -> OutputRule:
    found = output_rule(agent(clause, output))
    assert found is not None
    return found


CLAUSES = {
    "a = digit+, sign, b = digit+": r"[012]+\+[012]+",
    "(digit, sign?)*, letter": r"([012]\+?)*[ab]",
    "digit | letter+, sign*": r"([012]|[ab]+)\+*",
    "(digit | (letter, letter))+": r"([012]|[ab][ab])+",
    "((digit*)*)*": r"(([012]*)*)*",
    "any except digit, 0..1": r"[_ab+][01]",
}


@pytest.mark.parametrize("clause", CLAUSES)
@given(text=st.text("012ab+_", max_size=8))
def test_a_clause_accepts_what_the_same_regular_expression_does(clause: str, text: str) -> None:
    assert (language(clause).mismatch(text) is None) == bool(re.fullmatch(CLAUSES[clause], text))


@pytest.mark.parametrize("clause", CLAUSES)
def test_all_inputs_of_a_length_are_listed_once(clause: str) -> None:
    for length in range(4):
        found = list(language(clause).strings(length))
        everything = [""]
        for _ in range(length):
            everything = [text + c for text in everything for c in "_012ab+"]
        assert sorted(found) == sorted(t for t in everything if re.fullmatch(CLAUSES[clause], t))


@pytest.mark.parametrize("clause", CLAUSES)
@given(data=st.data())
def test_drawn_inputs_are_inputs(clause: str, data: st.DataObject) -> None:
    spoken = language(clause)
    assert spoken.mismatch(data.draw(strings(spoken, 4))) is None


def test_a_mismatch_names_the_first_wrong_place_and_what_could_stand_there() -> None:
    wrong = language("a = digit+, sign, b = digit+").mismatch("12++1")
    assert wrong is not None and (wrong.position, wrong.expected, wrong.may_end) == (3, "012", False)
    early = language("a = digit+, sign, b = digit+").mismatch("12")
    assert early is not None and (early.position, early.expected) == (2, "012+")


def test_parts_are_split_greedily_from_the_left() -> None:
    assert language("a = digit*, b = digit+, c = letter*").split("0120ab") == {
        "a": "012",
        "b": "0",
        "c": "ab",
    }


@given(st.integers(0, 3**40), st.integers(0, 3**40))
def test_numbers_are_read_in_the_base_of_their_class(a: int, b: int) -> None:
    def ternary(n: int) -> str:
        return (ternary(n // 3) if n >= 3 else "") + str(n % 3)

    asked = rule("a = digit+, sign, b = digit+", "a * b + 1")
    assert asked.expected(f"{ternary(a)}+{ternary(b)}") == ternary(a * b + 1)


@pytest.mark.parametrize(
    ("output", "text", "expected"),
    [
        ("reverse(a)", "012+a", "210"),
        ("sorted(a)", "2010+a", "0012"),
        ("join(b, '+', a)", "01+ab", "ab+01"),
        ("repeat(b, length(a))", "000+ab", "ababab"),
        ("count(b, 'a') + a", "1+aab", "10"),
        ("text(a + 1)", "002+a", "10"),
        ("abs(a - 20)", "1+a", "201"),
        ("max(a - 20, 0)", "1+a", "0"),
        ("min(a, 2) mod 2", "22+a", "0"),
        ("'a' if a == 1 else 'b'", "001+a", "a"),
        ("'a' if text(a) == \"001\" else 'b'", "001+a", "b"),
        ("'a' if b == reverse(b) and not a < 2 else 'b'", "2+aba", "a"),
        ('cancel(b, "ab")', "0+aababb", ""),
        ("number(b) + a", "1+ba", "10"),
        ("-(-a)", "12+a", "12"),
    ],
)
def test_output_functions(output: str, text: str, expected: str) -> None:
    assert rule("a = digit+, sign, b = letter+", output).expected(text) == expected


def test_values_are_compared_so_leading_zeros_are_right_and_an_empty_result_is_wrong() -> None:
    asked = rule("a = digit+", "a + 1")
    assert asked.agrees("12", "0012") and asked.agrees("12", "12")
    assert not asked.agrees("12", "") and not asked.agrees("0", "")
    assert not asked.agrees("12", "1_2") and not asked.agrees("12", "12\n00")
    words = rule("a = letter+", "a")
    assert words.agrees("ab", "ab") and not words.agrees("b", "ab")


@pytest.mark.parametrize("example", [p for p in PROGRAMS if p.cases], ids=lambda e: e.name)
def test_the_examples_clauses_agree_with_their_known_cases(example) -> None:  # type: ignore[no-untyped-def]
    asked = output_rule(example.load().table)
    for text, result in example.cases if asked else ():
        assert asked is not None
        assert asked.agrees(asked.expected(text), result)
