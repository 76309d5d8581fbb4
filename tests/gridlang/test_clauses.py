"""Input clauses as languages, output clauses as functions."""

from __future__ import annotations

import re
from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.clauses.clause_values import NoValue, expression_value, from_base
from gridlang.clauses.input_clauses import language_of, parse_language
from gridlang.clauses.inputs import InputLanguage, RareInputs
from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.clauses.position_automaton import unrolled
from gridlang.compiler.testing.input_search import strings
from gridlang.diagnostics import GridError
from gridlang.loading import load_source
from gridlang.source import Source
from gridlang.syntax import tree as s
from gridlang.syntax import unparse
from gridlang.table import Table
from tests.syntax_strategies import counted_clauses

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
    "digit{3}": r"[012]{3}",
    "digit{1,3}, letter{2,}": r"[012]{1,3}[ab]{2,}",
    "(digit, sign?){0,4}": r"([012]\+?){0,4}",
    "(digit?){2,5}, letter{0,}": r"([012]?){2,5}[ab]*",
    "((digit | letter){0,2}, sign){1,2}": r"([012ab]{0,2}\+){1,2}",
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


@pytest.mark.parametrize(
    "clause",
    [
        "a = digit+, sign, b = digit+",
        "a = digit*, sign, b = digit*",
        "a = digit+, b = letter*, c = sign",
        "a = digit?, b = letter?, c = sign?",
        "a = letter*, b = sign?, c = letter+",
        "a = (digit, letter)*, sign, b = (letter, digit?)+",
    ],
)
def test_parts_that_symbols_tell_apart_are_split_as_others_are(
    clause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = language(clause)
    texts = [text for length in range(6) for text in known.strings(length)]
    quick = [known.pieces(text) for text in texts]
    monkeypatch.setattr("gridlang.clauses.inputs._pattern", lambda _: None)
    assert quick == [known.pieces(text) for text in texts]


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
        ("'a' if a == 1 else 'b'", "001+a", "a"),
        ("'a' if text(a) == \"001\" else 'b'", "001+a", "b"),
        ("'a' if b == reverse(b) and not a < 2 else 'b'", "2+aba", "a"),
        ('cancel(b, "ab")', "0+aababb", ""),
        ("number(b) + a", "1+ba", "10"),
        ('replace(b, "ab", "b")', "0+aabab", "abb"),
        ('replace(b, "", "b")', "0+a", "a"),
        ("join(every(b, 1, 2), every(b, 2, 2))", "0+abbab", "abbba"),
        ("every(b, 9, 1)", "0+ab", ""),
        ("sqrt(a)", "222+a", "12"),
        ("sqrt(0 - a)", "1+a", None),
        ("every(b, 0, 1)", "0+ab", None),
        ("every(b, 1, a - 1)", "1+ab", None),
        ("value(join(a, '+', a)) * 2", "12+a", "202"),
        ("value(b)", "1+a", None),
        ("-(-a)", "12+a", "12"),
    ],
)
def test_output_functions(output: str, text: str, expected: str | None) -> None:
    assert rule("a = digit+, sign, b = letter+", output).expected(text) == expected


@given(
    st.recursive(
        st.integers(0, 99).map(str),
        lambda inner: (
            st.builds("{}{}{}".format, inner, st.sampled_from("+-*"), inner)
            | st.builds("-{}".format, inner)
            | st.builds("({})".format, inner)
        ),
    )
)
def test_an_expression_has_the_value_that_python_gives_it(text: str) -> None:
    assert expression_value(text, "0123456789") == eval(text)


@pytest.mark.parametrize(
    "text", ["", "-", "(", "()", "1+", "*1", "(1", "1)", "1(2)", ")1(", "1+x", "(1)2", "9*" * 9_999 + "9"]
)
def test_what_is_no_expression_has_no_value(text: str) -> None:
    with pytest.raises(NoValue):
        expression_value(text, "0123456789")


def test_brackets_may_be_nested_to_any_depth() -> None:
    assert expression_value("-(" * 50_001 + "7" + ")" * 50_001, "0123456789") == -7


def test_values_are_compared_so_leading_zeros_are_right_and_an_empty_result_is_wrong() -> None:
    asked = rule("a = digit+", "a + 1")
    assert asked.agrees("12", "0012") and asked.agrees("12", "12")
    assert not asked.agrees("12", "") and not asked.agrees("0", "")
    assert not asked.agrees("12", "1_2") and not asked.agrees("12", "12\n00")
    words = rule("a = letter+", "a")
    assert words.agrees("ab", "ab") and not words.agrees("b", "ab")


def test_a_power_binds_tighter_than_a_product_from_right_to_left_and_has_a_limit() -> None:
    asked = rule("a = digit+", "2 * 2^a^2 - 1")
    assert [asked.expected(text) for text in ("0", "1", "2")] == ["1", "10", "1011"]
    assert asked.expected("2222222") is None and rule("a = digit+", "2^(a - 1)").expected("0") is None
    assert rule("a = digit+", "1^(a^a)").expected("222") == "1"


CONDITIONS = {
    "a = digit+, sign, b = digit+ where a >= b": ("12+2", "2+12"),
    "a = digit+, sign, b = digit+ where a mod b == 0": ("11+2", "1+2"),
    "a = digit+, sign, b = digit+ where b > 0 and a mod b == 0 or length(a) == 2": ("20+0", "0+0"),
    "a = letter*, b = letter where a == b": ("aa", "ab"),
    "a = letter+ where a == reverse(a) and count(a, 'a') > 1": ("aba", "abb"),
    "a = digit{2,3} where a == 2^3": ("022", "021"),
}


@pytest.mark.parametrize("clause", CONDITIONS)
def test_inputs_meet_the_condition_of_their_clause(clause: str) -> None:
    spoken, (good, bad) = language(clause), CONDITIONS[clause]
    assert spoken.declares(good) and not spoken.declares(bad) and spoken.mismatch(bad) is None
    listed = [text for length in range(6) for text in spoken.strings(length)]
    assert listed and all(map(spoken.declares, listed)) and bad not in listed
    short = takewhile(lambda text: len(text) < 6, spoken.shortest_texts())
    assert list(filter(spoken.allows, short)) == listed


def test_a_condition_without_a_value_is_not_met() -> None:
    spoken = language("a = digit+, sign, b = digit+ where a mod b == a mod b")
    assert spoken.declares("1+1") and not spoken.declares("1+0")


def test_listing_inputs_that_are_hardly_ever_met_ends() -> None:
    spoken = language("a = digit+ where a < 0")
    with pytest.raises(RareInputs, match="G075"):
        list(spoken.strings(12))
    assert list(spoken.shortest(64)) == []


@given(st.text("012", max_size=60), st.integers(0, 4))
def test_long_numbers_are_read_as_short_ones_are(digits: str, zeros: int) -> None:
    text = "0" * zeros + digits * 200
    assert from_base(text, "012") == (int(text[-4_000:] or "0", 3) if len(text) <= 4_000 else slow(text))


def slow(text: str) -> int:
    value = 0
    for digit in text:
        value = 3 * value + int(digit)
    return value


@given(counted_clauses(["digit", "letter"], "01a_", 2), st.text("012ab_", max_size=6))
def test_counts_mean_what_they_are_short_for(clause: s.InputClause, text: str) -> None:
    classes, symbols = {"digit": "012", "letter": "ab"}, tuple("_012ab")
    try:
        spoken = parse_language(unparse.input_clause(clause), classes, symbols)
    except GridError:
        return
    plain = s.rebuilt(clause, lambda node: unrolled(node) if isinstance(node, s.Times) else node)
    flat = parse_language(unparse.input_clause(plain), classes, symbols)
    assert (
        spoken.mismatch(text) == flat.mismatch(text)
        and spoken.cells[: len(spoken.cells) // 2] == flat.cells[: len(flat.cells) // 2]
    )
