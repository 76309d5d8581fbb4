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
from compiler.proofs.certificates import certified_table
from compiler.proofs.results.readings import Unsaid
from compiler.proofs.values.value_proofs import value_evidence
from compiler.verifier.conditions import declared
from compiler.verifier.output_clauses import OutputClause
from compiler.verifier.tables import rules_of
from compiler.verifier.values.every import turns_of
from compiler.verifier.values.proofs import LISTS, Proof, Term
from compiler.verifier.values.steps import ProofCheck
from compiler.verifier.values.strips import ValueStrip
from compiler.verifier.values.words import Words
from gridlang.clauses.outputs import output_rule
from gridlang.loading import load
from tests.programs import EXAMPLES
from tests.support.stored_values import is_valid, left_by, mutants, put, stored
from tests.support.word_agents import EVENS_FIRST, ODDS_ALONE

PART = ["part", 0]
ODD, EVEN = ["every", PART, 1, 2], ["every", PART, 2, 2]
INPUTS = ["".join(word) for length in (1, 2, 3, 4, 5) for word in product("ab", repeat=length)]


def _evidence(source: str) -> dict[str, Any]:
    table = gl.loads(source).table
    rule = output_rule(table)
    assert rule is not None
    return value_evidence(table, rule)


def test_why_letters_at_odd_places_come_first_is_valid_and_of_the_example() -> None:
    table, part = stored("odds", "every")
    assert table == certified_table(load(EXAMPLES / "suite" / "odds_first.grid").table)
    assert is_valid(table, part, "every")
    assert not is_valid(table, part, "words")
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
    ],
)
def test_another_clause_is_refused(clause: list[Any]) -> None:
    table, part = stored("odds", "every")
    assert not is_valid(put(table, ("output", "value"), clause), part, "every")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("far",), 0),  # The length of the word is told by the column behind it.
        (("proofs", 0, "by_part"), False),
        (("proofs", 0, "systems", 2, "every"), 1),
        (("proofs", 0, "systems", 2, "every"), None),
        (("proofs", 0, "systems", 2, "every"), True),
        (("proofs", 0, "systems", 2, "every"), 2),
        (("proofs", 0, "systems", 2, "base"), [1, 4]),
        (("proofs", 0, "systems", 3, "base"), [1, 3]),
        (("proofs", 0, "systems", 3, "values"), [0, 2, 1, 2, 1]),
        (("proofs", 0, "systems", 0, "base"), [1, 3]),
        (("proofs", 0, "systems", 0, "every"), 0),
        (("proofs", 0, "systems", 1, "every"), 0),
    ],
)
def test_a_changed_field_is_refused(path: tuple[Any, ...], value: Any) -> None:
    table, part = stored("odds", "every")
    assert not is_valid(table, put(part, path, value), "every")


def test_a_length_of_a_system_that_takes_all_columns_is_refused() -> None:
    table, part = stored("odds", "every")
    factors = part["proofs"][0]["factors"]
    at = next(i for i, factor in enumerate(factors) if factor[0] == "Q")
    for other in (["Q", 0], ["Q", 3], ["Q", 9], ["Q"], ["Q", 2, 0], ["B", 2, 1]):
        assert not is_valid(table, put(part, ("proofs", 0, "factors", at), other), "every"), other


def test_a_node_left_out_or_a_changed_coefficient_is_refused() -> None:
    table, part = stored("odds", "every")
    entries = part["proofs"][0]["invariants"]
    for index in range(0, len(entries), 4):
        less = copy.deepcopy(part)
        del less["proofs"][0]["invariants"][index]
        assert not is_valid(table, less, "every")
        path = ("proofs", 0, "invariants", index, 4, 1)
        assert not is_valid(table, put(part, path, entries[index][4][1] + 1), "every")


def test_a_mutant_that_leaves_another_word_is_refused() -> None:
    table, part = stored("odds", "every")
    wrong = 0
    for mutant in list(mutants(table))[::15]:
        rules = rules_of(mutant, "left", None)
        results = {text: left_by(rules, text) for text in INPUTS}
        if any(result not in (None, text[::2] + text[1::2]) for text, result in results.items()):
            wrong += 1
            assert not is_valid(mutant, part, "every"), mutant["rules"]
    assert wrong > 10


@pytest.mark.parametrize("source", [EVENS_FIRST, ODDS_ALONE])
def test_other_agents_that_take_every_second_symbol_are_proven(source: str) -> None:
    assert _evidence(source)["kind"] == "every"


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


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("word", ["", "a", "ab", "bab", "abba", "babbb", "aababb"])
def test_the_number_of_a_clause_is_that_of_its_word(word: str, k: int) -> None:
    for n, m in product(range(1, k + 1), repeat=2):
        clause = f'join("ba", every(w, {n}, {k}), u, every(w, {m}, {k}))'
        table = certified_table(gl.loads(COUNTED.format(clause=clause)).table)
        number, wanted = _number(table, k, sorted({n - 1, m - 1}), "bb", word)
        assert number == wanted("ba" + word[n - 1 :: k] + "bb" + word[m - 1 :: k])


def _number(
    table: dict[str, Any], k: int, turns: list[int], before: str, word: str
) -> tuple[Fraction, Callable[[str], int]]:
    """What the checker makes of a clause on an input `before|word`, and the number of a word."""
    values = [{"a": 1, "b": 2, "|": 3}.get(symbol, 0) for symbol in table["symbols"]]
    root, radix = (2, 2**k) if k > 1 else (4, 4)
    systems: list[dict[str, Any]] = [{"base": [1, radix], "values": values}]
    systems += [{"base": [1, root], "values": values, "every": turn} for turn in turns]
    rules = rules_of(table, "left", None)
    states, symbols = len(table["states"]), len(table["symbols"])
    grain = {"rows": [0, 0], "near": 0, "far": 1, "dim": False, "classes": list(range(symbols))}
    turns = turns_of(OutputClause(rules, declared(rules)))
    strip = ValueStrip(rules, grain | {"marks": [0] * states, "kinds": [0] * states}, True, turns)
    proof = Proof(strip, {"by_part": True, "systems": systems, **{name: [] for name in LISTS - {"systems"}}})
    words = Words(OutputClause(rules, strip.places.clause), proof.symbols_of)
    number = words.number(proof, 0)
    assert number is not None
    told = [ProofCheck(proof, [])._length(i, len(word) % k) for i in range(1, len(systems))]
    first = len(before) + 1  # the column where the word begins

    def ghost(kind: str, i: int, part: int = 2) -> Fraction:
        base, every = 1 / proof.systems[i].base, proof.systems[i].every
        start = {0: 0, 1: len(before), 2: first, 3: first + len(word)}[part]
        if kind == "B":
            return base**start
        if kind == "Q":
            return base ** (first + k * len(word[every or 0 :: k]))
        text = {0: before, 2: word}[part]
        taken = enumerate(text) if every is None else list(enumerate(text))[every::k]
        return sum((values[table["symbols"].index(x)] * base**at for at, x in taken), Fraction(0))

    of = {index: ghost(*key) for key, index in proof._ghosts.items()}

    def worth(term: Term) -> Fraction:
        factors = (of[index] for index in proof.ring.products[term.monomial // proof.ring.width])
        return prod(factors, start=term.number)

    for zero in told:  # Q, as the column behind the word tells it
        assert sum(worth(Term(Fraction(a), monomial)) for monomial, a in zero.items()) == 0

    def spelled(text: str) -> int:
        return sum({"a": 1, "b": 2}[x] * radix**at for at, x in enumerate(text))

    return sum(map(worth, number.terms), Fraction(0)) / worth(number.over), spelled
