"""Every second symbol of a word: agents that leave it are proven, and no change to their evidence passes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest

import gridlang as gl
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.verifier.clauses.outputs import OutputClause
from gridlang.compiler.verifier.tables import rules_of
from gridlang.compiler.verifier.values.proofs import LISTS, Proof, Term
from gridlang.compiler.verifier.values.strips import ValueStrip
from gridlang.compiler.verifier.values.words import Words
from gridlang.loading import load
from tests.programs import EXAMPLES
from tests.support.agents import EVENS_FIRST, ODDS_ALONE
from tests.support.stored_values import evidence_of, is_valid, left_by, mutants, put, stored

PART = ["part", 0]
ODD, EVEN = ["every", PART, 1, 2], ["every", PART, 2, 2]
INPUTS = ["".join(word) for length in (1, 2, 3, 4, 5) for word in product("ab", repeat=length)]


def _evidence(source: str) -> dict[str, Any]:
    return evidence_of(gl.loads(source).table)


def test_why_letters_at_odd_places_come_first_is_valid_and_of_the_example() -> None:
    table, part = stored("odds", "words")
    assert table == certified_table(load(EXAMPLES / "suite" / "odds_first.grid").table)
    assert is_valid(table, part, "words")
    assert not is_valid(table, part, "values")


@pytest.mark.parametrize(
    "clause",
    [
        PART,
        ODD,
        ["join", EVEN, ODD],
        ["join", ODD, ODD],
        ["join", ODD, EVEN, "a"],
        ["join", "a", ODD, EVEN],
        ["join", ODD, PART],
        ["join", ODD, ["reverse", EVEN]],
        ["reverse", ["join", ODD, EVEN]],
        ["join", ODD, ["every", PART, 3, 2]],
        ["join", ODD, ["every", PART, 0, 2]],
        ["join", ODD, ["every", PART, 2, 3]],
        ["join", ["every", PART, 1, 4], ["every", PART, 2, 4]],
        ["join", ODD, ["every", PART, 2, 0]],
        ["join", ODD, ["every", PART, 2]],
        ["join", ODD, ["every", ["part", 1], 2, 2]],
        ["join", ODD, ["every", ["reverse", PART], 2, 2]],
        ["join", ODD, ["every", PART, ["length", PART], 2]],
        ["join", ["every", PART, ["count", PART, "a"], 2], EVEN],
        ["join", ["every", ["sorted", PART], 1, 2], EVEN],
    ],
)
def test_another_clause_is_refused(clause: list[Any]) -> None:
    table, part = stored("odds", "words")
    assert not is_valid(put(table, ("output", "value"), clause), part, "words")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("proofs", 0, "by_part"), False),
        (("proofs", 0, "systems", 2, "base"), [1, 4]),
        (("proofs", 0, "systems", 2, "base"), [-1, 2]),
        (("proofs", 0, "systems", 3, "base"), [1, 2]),
        (("proofs", 0, "systems", 3, "base"), [1, -2]),
        (("proofs", 0, "systems", 3, "base"), [-1, 3]),
        (("proofs", 0, "systems", 3, "base"), [-2, 1]),
        (("proofs", 0, "systems", 3, "base"), [0, 1]),
        (("proofs", 0, "systems", 3, "values"), [0, 2, 1, 2, 1]),
        (("proofs", 0, "systems", 0, "base"), [1, 3]),
    ],
)
def test_a_changed_field_is_refused(path: tuple[Any, ...], value: Any) -> None:
    table, part = stored("odds", "words")
    assert not is_valid(table, put(part, path, value), "words")


def test_a_node_left_out_or_a_polynomial_with_one_more_is_refused() -> None:
    table, part = stored("odds", "words")
    proof = part["proofs"][0]
    entries, one = proof["invariants"], proof["monomials"].index([])
    for index in range(0, len(entries), 4):
        less = copy.deepcopy(part)
        del less["proofs"][0]["invariants"][index]
        assert not is_valid(table, less, "words")
        path = ("proofs", 0, "invariants", index, 4)
        assert not is_valid(table, put(part, path, [*entries[index][4], one, 1]), "words")


def test_a_mutant_that_leaves_another_word_is_refused() -> None:
    table, part = stored("odds", "words")
    wrong = 0
    for mutant in mutants(table, every=40):
        rules = rules_of(mutant, "left", None)
        results = {text: left_by(rules, text) for text in INPUTS}
        if any(result not in (None, text[::2] + text[1::2]) for text, result in results.items()):
            wrong += 1
            assert not is_valid(mutant, part, "words"), mutant["rules"]
    assert wrong > 5


@pytest.mark.parametrize("source", [EVENS_FIRST, ODDS_ALONE])
def test_other_agents_that_take_every_second_symbol_are_proven(source: str) -> None:
    assert _evidence(source)["kind"] == "words"


@pytest.mark.parametrize(
    ("source", "text", "other"),
    [
        (ODDS_ALONE, "output every(w, 1, 2)", "output every(w, 2, 2)"),
        (ODDS_ALONE, "letter : write '.', R -> odd", "letter : R -> odd"),
    ],
)
def test_an_agent_that_leaves_other_symbols_is_not_proven(source: str, text: str, other: str) -> None:
    assert text in source
    with pytest.raises(Unsaid):
        _evidence(source.replace(text, other))


@pytest.mark.parametrize(
    ("clause", "reason"),
    [
        ("every(w, 1, 3)", "every second symbol"),
        ("every(w, 3, 2)", "every second symbol"),
        ("reverse(every(w, 1, 2))", "backwards"),
        ("join(every(w, 1, 2), reverse(w))", "turns"),
        ("every(join(w, w), 1, 2)", "not a part"),
    ],
)
def test_a_clause_that_takes_symbols_otherwise_says_so(clause: str, reason: str) -> None:
    with pytest.raises(Unsaid, match=reason):
        _evidence(ODDS_ALONE.replace("output every(w, 1, 2)", f"output {clause}"))


COUNTED = """
agent counted
alphabet
  letter = 'a' | 'b'
  bar    = '|'
input u = letter*, '|', w = letter*
output {clause}
start stop
state stop
  any : halt
"""


@pytest.mark.parametrize("word", ["", "a", "ab", "bab", "abba", "babbb", "aababb"])
def test_the_number_of_a_clause_is_that_of_its_word(word: str) -> None:
    for n, m in product((1, 2), repeat=2):
        clause = f'join("ba", every(w, {n}, 2), u, every(w, {m}, 2))'
        table = certified_table(gl.loads(COUNTED.format(clause=clause)).table)
        number, wanted = _number(table, "bb", word)
        assert number == wanted("ba" + word[n - 1 :: 2] + "bb" + word[m - 1 :: 2])


def _number(table: dict[str, Any], before: str, word: str) -> tuple[Fraction, Callable[[str], int]]:
    """What the checker makes of a clause on an input `before|word`, and the number of a word."""
    values = [{"a": 1, "b": 2, "|": 3}.get(symbol, 0) for symbol in table["symbols"]]
    systems = [{"base": base, "values": values} for base in ([1, 4], [1, 2], [-1, 2])]
    rules = rules_of(table, "left", None)
    states, symbols = len(table["states"]), len(table["symbols"])
    grain = {"rows": [0, 0], "near": 0, "far": 1, "dim": False, "classes": list(range(symbols))}
    strip = ValueStrip(rules, grain | {"marks": [0] * states, "kinds": [0] * states}, True)
    proof = Proof(strip, {"by_part": True, "systems": systems, **{name: [] for name in LISTS - {"systems"}}})
    number = Words(OutputClause(rules, strip.places.clause), proof.symbols_of).number(proof, 0)
    assert number is not None
    first = len(before) + 1  # the column where the word begins

    def ghost(kind: str, i: int, part: int) -> Fraction:
        base = 1 / proof.systems[i].base
        if kind == "B":
            return base ** {0: 0, 1: len(before), 2: first, 3: first + len(word)}[part]
        text = {0: before, 2: word}[part]
        return sum((values[table["symbols"].index(x)] * base**at for at, x in enumerate(text)), Fraction(0))

    of = {index: ghost(*key) for key, index in proof._ghosts.items()}

    def worth(term: Term) -> Fraction:
        factors = (of[index] for index in proof.ring.products[term.monomial // proof.ring.width])
        return prod(factors, start=term.number)

    def spelled(text: str) -> int:
        return sum({"a": 1, "b": 2}[x] * 4**at for at, x in enumerate(text))

    return sum(map(worth, number.terms), Fraction(0)) / worth(number.over), spelled
