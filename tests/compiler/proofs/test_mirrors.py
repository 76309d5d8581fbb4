"""Words that are their own mirror image: agents that tell are proven, and no change to the evidence passes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import pytest

import gridlang as gl
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.verifier.tables import MOVES, Rules, rules_of
from gridlang.table import Table
from tests.programs import EXAMPLES
from tests.support.agents import BRACKETED, FROM_THE_RIGHT, IN_NUMBERS, PALINDROMES
from tests.support.searches import spread
from tests.support.stored_values import Part, evidence_of, is_valid, left_by, mutants, put

PART = ["part", 0]
IS_MIRRORED = ["==", PART, ["reverse", PART]]
LONG = pytest.mark.long
WORDS = ["".join(word) for length in range(5) for word in product("abc", repeat=length)]


@cache
def _text(source: str) -> tuple[str, str]:
    table = gl.loads(source).table if source else gl.load(EXAMPLES / "palindrome.grid").table
    return json.dumps(certified_table(table)), json.dumps(evidence_of(table))


def _parts(source: str = "") -> tuple[Part, Part, str]:
    table, evidence = map(json.loads, _text(source))
    return table, evidence, evidence.pop("kind")


def _wrong(source: str, rule: str, other: str) -> Table:
    assert rule in source
    return gl.loads(source.replace(rule, other)).table


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("", "reduced"),
        (PALINDROMES, "reduced acceptance"),
        (FROM_THE_RIGHT, "reduced"),
        (BRACKETED, "reduced"),
        (IN_NUMBERS, "reduced"),
    ],
    ids=["palindrome", "acceptor", "from the right", "bracketed", "in numbers"],
)
def test_an_agent_that_compares_from_both_ends_is_proven(source: str, kind: str) -> None:
    table, part, said = _parts(source)
    assert said == kind
    assert is_valid(table, part, kind)
    others = {"values", "words", "reduced", "reduced acceptance"} - {kind}
    assert not any(is_valid(table, part, other) for other in others)


@pytest.mark.parametrize(
    ("source", "rule", "other"),
    [
        (PALINDROMES, "x   : write '#', L -> back", "letter : write '#', L -> back"),
        (PALINDROMES, "accept if reverse(w) == w else stuck", "stuck if reverse(w) == w else accept"),
        (FROM_THE_RIGHT, "seek(0)", "seek(ok)"),
        (BRACKETED, "letter if x != y : R -> wrong", "letter if x != y : L -> back"),
        pytest.param(PALINDROMES, "'#' | _     : halt", "_ : halt", marks=LONG),
        pytest.param(
            FROM_THE_RIGHT, "0 if a != reverse(a) else 1", "1 if a != reverse(a) else 0", marks=LONG
        ),
        pytest.param(
            FROM_THE_RIGHT, "e == d : write _, R -> seek", "e == d : write d, R -> seek", marks=LONG
        ),
        pytest.param(BRACKETED, "if x == y      : R -> first", "if x == y      : R -> wrong", marks=LONG),
    ],
)
def test_an_agent_that_errs_is_not_proven(source: str, rule: str, other: str) -> None:
    with pytest.raises(Unsaid):
        evidence_of(_wrong(source, rule, other))


CLAUSES: list[Any] = [
    ["if", IS_MIRRORED, 0, 1],
    ["if", ["not", IS_MIRRORED], 1, 0],
    ["if", ["!=", PART, ["reverse", PART]], 1, 0],
    ["if", ["==", PART, PART], 1, 0],
    ["if", ["==", ["reverse", PART], ["reverse", PART]], 1, 0],
    ["if", ["<", PART, ["reverse", PART]], 1, 0],
    ["if", ["and", IS_MIRRORED, IS_MIRRORED], 1, 0],
    ["if", IS_MIRRORED, 1, 1],
    ["if", IS_MIRRORED, 1, "00"],
    ["if", IS_MIRRORED, 1, ""],
    ["if", IS_MIRRORED, 1, PART],
    ["if", IS_MIRRORED, 1, ["stuck"]],
    ["if", IS_MIRRORED, ["accept"], ["stuck"]],
    ["if", IS_MIRRORED, 1],
    PART,
    1,
    None,
]


@pytest.mark.parametrize("clause", CLAUSES)
def test_another_clause_is_refused(clause: Any) -> None:
    table, part, kind = _parts()
    assert not is_valid(put(table, ("output", "value"), clause), part, kind)


@pytest.mark.parametrize(
    "clause", [["if", ["not", ["not", IS_MIRRORED]], 1, 0], ["if", IS_MIRRORED, "1", "_0"]]
)
def test_the_same_clause_in_other_words_is_valid(clause: Any) -> None:
    table, part, kind = _parts()
    assert is_valid(put(table, ("output", "value"), clause), part, kind)


def _forgeries(part: Part) -> Iterator[tuple[tuple[Any, ...], Any]]:
    letter = max(part["images"])
    for i, (*_, says) in enumerate(part["invariants"]):
        yield ("invariants", i, -1), not says if isinstance(says, bool) else [*says, letter]
    yield ("invariants",), []
    yield ("row",), 1
    yield ("row",), "0"
    yield ("classes",), [0] * len(part["classes"])


@pytest.mark.parametrize("source", ["", FROM_THE_RIGHT, BRACKETED], ids=["palindrome", "digits", "words"])
def test_forged_evidence_is_refused(source: str) -> None:
    table, part, kind = _parts(source)
    forgeries = list(_forgeries(part))
    assert len(forgeries) > 40
    for path, value in spread(forgeries, 60):
        assert not is_valid(table, put(part, path, value), kind), (path, value)


def test_two_letters_with_one_image_are_refused() -> None:
    """A word could be called its mirror image that is not."""
    table, part, kind = _parts()
    letters = table["symbols"].index("a"), table["symbols"].index("b")
    assert not is_valid(table, put(part, ("images", letters[0]), part["images"][letters[1]]), kind)


def test_where_symbols_of_a_verdict_are_letters_cells_are_told_apart() -> None:
    """Else the state in which both are written would have one word for both."""
    table, part, kind = _parts(FROM_THE_RIGHT)
    assert not part["dim"]
    assert not is_valid(table, put(part, ("dim",), True), kind)


def _ends(rules: Rules, text: str) -> str | None:
    """How a run ends; None if it does not soon."""
    cells, x, y, state = {(x, 0): rules.symbols.index(symbol) for x, symbol in enumerate(text)}, 0, 0, 0
    for _ in range(500):
        symbol = cells.get((x, y), 0)
        if (state, symbol) not in rules.does:
            return "stuck"
        write, move, later = rules.does[state, symbol]
        if (write, move) == (symbol, "S"):
            return "accept"
        cells[x, y], state = write, later
        x, y = x + MOVES[move][0], y + MOVES[move][1]
    return None


def test_a_mutant_that_says_otherwise_is_refused() -> None:
    table, part, kind = _parts()
    wrong = 0
    for mutant in mutants(table, 53):
        rules = rules_of(mutant, "left", None)
        results = ((word, left_by(rules, word)) for word in WORDS)
        if any(result not in (None, "01"[word == word[::-1]]) for word, result in results):
            wrong += 1
            assert not is_valid(mutant, part, kind), mutant["rules"]
    assert wrong > 5


def test_a_mutant_that_accepts_otherwise_is_refused() -> None:
    table, part, kind = _parts(PALINDROMES)
    wrong = 0
    for mutant in mutants(table, 7):
        rules = rules_of(mutant, "left", None)
        ends = ((word, _ends(rules, word)) for word in WORDS if "c" not in word)
        if any(end not in (None, ("stuck", "accept")[word == word[::-1]]) for word, end in ends):
            wrong += 1
            assert not is_valid(mutant, part, kind), mutant["rules"]
    assert wrong > 10


def test_where_letters_do_not_tell_the_answer_says_so() -> None:
    halts_early = PALINDROMES.replace("x   : write '#', L -> back", "x   : halt")
    with pytest.raises(Unsaid, match="what is left of its word cannot be told where it comes to"):
        evidence_of(gl.loads(halts_early).table)


def test_every_run_of_an_acceptor_is_proven_to_end_as_its_clause_says() -> None:
    claims = gl.prove(gl.loads(PALINDROMES)).claims
    assert [claim.answer for claim in claims] == ["proven", "proven"]
