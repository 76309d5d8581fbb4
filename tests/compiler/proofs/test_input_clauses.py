"""What a clause means: the language, the prover and the checker agree, and all end where it blows up."""

from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gridlang.clauses.input_clauses import parse_language
from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.proofs.abstractions.input_automaton import RowAutomaton, row_automaton
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.compiler.verifier.places import Places
from gridlang.compiler.verifier.tables import Rules, Wrong
from gridlang.diagnostics import GridError
from gridlang.syntax.unparse import input_clause
from gridlang.table import Table
from tests.support.clause_tokens import CLASSES, SYMBOLS, TOKENS
from tests.support.clocks import processor_seconds
from tests.support.output_clauses import clauses_of
from tests.support.searches import searched
from tests.syntax_strategies import counted_clauses

WORDS = ["".join(word) for length in range(4) for word in product(SYMBOLS, repeat=length)]


def rules(clause: str) -> Rules:
    row = (None,) * len(SYMBOLS)
    return clauses_of(Table("t", SYMBOLS, ("a",), (row,), tuple(CLASSES.items()), clause))


def parsed(clause: str) -> InputLanguage | None:
    """The language of a clause, which the checker must be able to read exactly if there is one."""
    try:
        language = parse_language(clause, CLASSES, SYMBOLS)
    except GridError:
        with pytest.raises(Wrong):
            InputClause(rules(clause)).declares("")
        return None
    InputClause(rules(clause)).declares("")
    return language


def agree(clause: str) -> None:
    language = parsed(clause)
    if language is None:
        return
    automaton = row_automaton(language, SYMBOLS)
    assert automaton is not None
    inputs = {word for word in WORDS if language.mismatch(word) is None}
    long = [word for length in (5, 8) for word, _ in zip(language.strings(length), range(3), strict=False)]
    assert {word for n in range(4) for word in language.strings(n)} & set(WORDS) == inputs
    for word in [*WORDS, *(w for w in long if set(w) <= set(SYMBOLS))]:
        right = word in inputs or word in long
        assert InputClause(rules(clause)).declares(word) == right, word
        ends = [word[:end] for end in range(len(word) + 1) if not word[end:].strip("_")]
        assert _may_end(automaton, word) == any(language.mismatch(end) is None for end in ends), word


def _may_end(automaton: RowAutomaton, word: str) -> bool:
    state: int | None = 0
    for symbol in word:
        if state is not None:
            state = automaton.steps[state][SYMBOLS.index(symbol)]
    return state is not None and automaton.ends[state]


@given(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=8), st.sampled_from(["", " "]))
@searched(50)
def test_any_words_and_marks_are_read_alike_or_refused_by_both(tokens: list[str], gap: str) -> None:
    agree(gap.join(tokens))


@given(counted_clauses(["bit", "n", "é"], "01a'\\_", 9).map(input_clause))
@searched(30)
def test_language_prover_and_checker_agree_on_the_inputs_of_a_clause(clause: str) -> None:
    agree(clause)


@pytest.mark.parametrize(
    ("clause", "inputs"),
    [("01", ["1"]), ("00..01", ["0", "1"]), ("0, 01", ["01"]), ("any except 00, 1", ["11", "a1", "_1"])],
)
def test_a_number_in_a_clause_is_one_symbol(clause: str, inputs: list[str]) -> None:
    agree(clause)
    assert all(InputClause(rules(clause)).declares(text) for text in inputs)
    assert not InputClause(rules("01")).declares("01")


@pytest.mark.parametrize(
    "clause", ["bit except 1", '"01"', "any..any", "1..0", "12", "0..12", "any except any"]
)
def test_what_is_no_clause_of_the_language_is_refused_by_the_checker(clause: str) -> None:
    assert parsed(clause) is None


@given(counted_clauses(["bit", "n", "é"], "01a'\\_", 5).map(input_clause), st.integers(0, 2))
@searched(8)
def test_the_rows_of_inputs_and_no_others_are_paths_of_places(clause: str, ahead: int) -> None:
    language = parsed(clause)
    assume(language)
    assert language is not None
    left = rules(clause)
    try:
        places = Places(left, InputClause(left), ahead=ahead)
    except Wrong:
        return
    for word in (word for word in WORDS if not word.endswith("_")):
        row = [SYMBOLS.index(symbol) for symbol in word] + [0] * 6
        here = {place for place, _ in places.starts}
        for each in row:
            here = {to for place in here for symbol, to in places.onward[place] if symbol == each}
        padded = (word + "_" * more for more in range(7))
        assert bool(here) == any(language.mismatch(text) is None for text in padded), word


BLOWN_UP = {
    "a symbol long before the end": "any*, 1, " + ", ".join(["any"] * 24),
    "hundreds of repetitions": ", ".join(["bit*"] * 800),
    "repetitions and the past": ", ".join(["bit*"] * 400 + ["any*, 1", *["any"] * 24]),
    "many choices": ", ".join(["(0 | 1 | any, any?)*"] * 200),
    "deep": "(" * 50 + "bit" + ")*" * 50,
    "too deep": "(" * 5_000 + "bit" + ")*" * 5_000,
    "optional parts": ", ".join(["bit?"] * 950),
    "too many optional parts": ", ".join(["bit?"] * 20_000),
}


@pytest.mark.long
@pytest.mark.parametrize("clause", BLOWN_UP.values(), ids=BLOWN_UP.keys())
def test_a_clause_that_blows_up_is_answered_or_refused_in_seconds(clause: str) -> None:
    begun = processor_seconds()
    try:
        assert Places(rules(clause), InputClause(rules(clause))).starts
        InputClause(rules(clause)).declares("01a" * 99 + "'")
    except Wrong as wrong:
        assert "input clause" in wrong.problem.message
    try:
        language = parse_language(clause, CLASSES, SYMBOLS)
        language.mismatch("01" * 50 + "\\'")
        assert next(language.strings(25)) and language.longest() and language.split("1" * 25) == {}
        row_automaton(language, SYMBOLS)
    except GridError as error:
        assert error.diagnostics[0].code in ("G008", "G033")
    assert processor_seconds() - begun < 20  # generous: seconds, where it was minutes or for ever
