"""Inputs are searched at all lengths, each once, and what is said of the search is what was run."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.clauses.input_clauses import parse_language
from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.proofs.differences.shrink import shrink_text
from gridlang.compiler.testing.input_search import Searched, Tried, search_inputs
from gridlang.diagnostics import GridError
from gridlang.syntax.unparse import input_clause
from tests.support.clause_tokens import CLASSES, SYMBOLS
from tests.support.searches import searched
from tests.syntax_strategies import input_clauses


def language(clause: str) -> InputLanguage:
    return parse_language(clause, {"digit": "0123456789", "bit": "01"}, ("_", *"0123456789+x,"))


CLAUSES = input_clauses(["bit", "n", "é"], "01a'\\_", 9).map(input_clause)


def parsed(clause: str) -> InputLanguage | None:
    """None for a clause that is refused, as many that chance makes are."""
    try:
        return parse_language(clause, CLASSES, SYMBOLS)
    except GridError:
        return None


def search(
    spoken: InputLanguage, cases: int = 1_000, longest: int | None = None, seed: int = 0
) -> tuple[Searched[str], list[str]]:
    """What is said of a search in which nothing is wrong, and the inputs that it tried."""
    texts: list[str] = []

    def judge(text: str) -> Tried[str]:
        texts.append(text)
        return Tried(1, None)

    return search_inputs(spoken, judge, cases, seed, lambda _: None, longest), texts


@given(CLAUSES, st.integers(0, 300), st.integers(0, 60) | st.none(), st.integers(0, 9))
@searched(20)
def test_what_is_told_of_a_search_is_what_was_run(
    clause: str, cases: int, longest: int | None, seed: int
) -> None:
    spoken = parsed(clause)
    if spoken is None:
        return
    told, texts = search(spoken, cases, longest, seed)
    assert len(set(texts)) == len(texts) == told.cases == told.checked
    assert all(spoken.mismatch(text) is None for text in texts)
    assert told.cases == told.short + told.next_ones + told.random and told.shrinking == 0
    lengths = Counter(map(len, texts))
    assert told.longest == max(lengths, default=0) <= (told.longest if longest is None else longest)
    assert told.short == sum(number for length, number in lengths.items() if length <= told.exhaustive)
    for length in range(min(told.exhaustive, 4) + 1):
        assert set(spoken.strings(length)) <= set(texts)
    assert told.complete == (told.exhaustive == spoken.longest())
    assert texts == search(spoken, cases, longest, seed)[1]


@pytest.mark.parametrize("clause", ["digit+", "a = digit+, '+', b = digit+", "bit*, 'x', bit*"])
def test_every_length_of_every_part_is_tried(clause: str) -> None:
    told, texts = search(language(clause))
    assert told.longest > 400
    for place, sign in enumerate(clause.split("'")[1::2] or [""]):
        for part in {0, place + 1 if sign else 0}:
            tried = {len(text.split(sign)[part] if sign else text) for text in texts}
            assert set(range(1, 301)) <= tried


@pytest.mark.parametrize(
    "clause", ["(digit | ('+'{2}, '+'?))*, '+'?", "a = bit+, '+', b = bit{2}", "x = '+'?, '+'{2,3}"]
)
def test_words_drawn_again_stand_as_often_as_the_clause_says(clause: str) -> None:
    spoken = language(clause)
    assert all(spoken.mismatch(text) is None for text in search(spoken, longest=60)[1])


def test_what_uniform_digits_hardly_ever_show_is_drawn() -> None:
    _, texts = search(language("a = digit+, '+', b = digit+"))
    numbers = [text.split("+") for text in texts if len(text) > 40]
    assert any(set(a) == {"9"} and b.strip("0") for a, b in numbers), "a carry through all digits"
    assert any(a == b for a, b in numbers) and any(a[1:] == b[1:] and a != b for a, b in numbers)
    assert any(len(a) > 100 and set(a[1:]) == {"0"} for a, _ in numbers), "a power"
    assert any(a == a[::-1] and len(set(a)) > 3 for a, _ in numbers if len(a) > 20), "a palindrome"
    assert any(len(a) < 4 and len(b) > 100 for a, b in numbers)
    assert any(len(a) > 100 and len(b) > 100 for a, b in numbers)


@pytest.mark.usefixtures("full_list")
def test_a_finite_language_is_tried_whole_and_never_twice() -> None:
    told, texts = search(language("digit, digit, digit?, (bit, bit)?"), cases=100_000)
    assert told.complete and len(texts) == told.cases == 100 + 1_000 + 400 + 4_000
    more, _ = search(language("digit, digit, digit, digit"), cases=100_000)
    assert more.complete and more.cases == 10_000 and more.described() == "all 10,000 inputs that there are"
    some, _ = search(language("digit, digit, digit, digit"), cases=500)
    assert not some.complete and some.cases == 6_500


def test_unary_inputs_are_listed_up_to_the_longest() -> None:
    told, texts = search(language("'x'*"), longest=700)
    assert told.described() == "all 701 inputs of up to 700 symbols" and texts[-1] == "x" * 700
    _, texts = search(language(", ".join(["digit"] * 900)), cases=20)
    assert 20 < len(texts) < 1_000 and set(map(len, texts)) == {900}
    none, texts = search(language("digit, digit"), longest=1)
    assert none.described() == "" and texts == [] and none.checked == 0


def test_groups_in_groups_are_long_inside_and_outside() -> None:
    _, texts = search(language("a = (bit+, ',')+"))
    assert max(len(part) for text in texts for part in text.split(",")) > 300
    assert max(text.count(",") for text in texts) > 200
    assert any(len(text.split(",")[0]) < 9 and len(text.split(",")[1]) > 200 for text in texts)


def test_a_long_input_is_shrunk_in_few_runs() -> None:
    spoken, random, runs = language("a = digit+, '+', b = digit+"), Random(0), 0

    def fails(text: str) -> bool:
        nonlocal runs
        if spoken.mismatch(text) is not None:
            return False
        runs += 1
        return text.count("7") >= 3 and text.index("+") >= 5

    text = "".join(random.choices("0123456789", k=250)) + "+" + "".join(random.choices("0123456789", k=250))
    shrunk = shrink_text(text, spoken, fails)
    assert len(shrunk) <= 9 and shrunk.count("7") == 3 and set(shrunk) == set("07+")
    assert runs < 2_000
