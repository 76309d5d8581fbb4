"""Every second symbol of a word: what checkers make of a clause is the number of its word."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest

import gridlang as gl
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.verifier.clauses.outputs import OutputClause
from gridlang.compiler.verifier.tables import rules_of
from gridlang.compiler.verifier.values.proofs import LISTS, Proof, Term
from gridlang.compiler.verifier.values.strips import ValueStrip
from gridlang.compiler.verifier.values.words import Words

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

    of = {index: ghost(*key) for key, index in proof.ghosts.items()}

    def worth(term: Term) -> Fraction:
        factors = (of[index] for index in proof.ring.products[term.monomial // proof.ring.width])
        return prod(factors, start=term.number)

    def spelled(text: str) -> int:
        return sum({"a": 1, "b": 2}[x] * 4**at for at, x in enumerate(text))

    return sum(map(worth, number.terms), Fraction(0)) / worth(number.over), spelled
