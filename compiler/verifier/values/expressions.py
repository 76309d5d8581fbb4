"""The part of `verify` that writes the numbers of a clause as sums of products of ghosts of a proof."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from gridlang.compiler.verifier.clauses.outputs import Node, OutputClause
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import check
from gridlang.compiler.verifier.values.algebra import ONE
from gridlang.compiler.verifier.values.proofs import Proof

Sum = dict[int, Fraction]  # of products of ghosts


def value_of(proof: Proof, clause: OutputClause, node: Node) -> Sum | None:
    """An expression of a clause; None if the proof has no system for a part of it."""
    kind, *inner = node
    if kind in ("+", "-", "*"):
        a, b = (value_of(proof, clause, side) for side in inner)
        return None if a is None or b is None else combined(proof, kind, a, b)
    if kind == "constant":
        check(type(inner[0]) is int, "left", "its output clause calculates with a text")
        return {ONE: Fraction(inner[0])}
    check(
        kind in ("number", "backwards", "length", "count"),
        "left",
        f"its output clause has `{kind}` in a number, where sums, products, lengths and counts are proven",
    )
    system = system_of(proof, *_meaning(proof, clause, kind, *inner))
    if system is None:
        return None
    number, monomial = proof.number_of(system, inner[0])
    return {monomial: number}


def system_of(proof: Proof, base: Fraction, values: Mapping[int, int]) -> int | None:
    for index, system in enumerate(proof.systems):
        if system.base == base and all(system.values[symbol] == value for symbol, value in values.items()):
            return index
    return None


def combined(proof: Proof, kind: str, a: Sum, b: Sum) -> Sum:
    if kind != "*":
        sign = 1 if kind == "+" else -1
        return {m: a.get(m, Fraction(0)) + sign * b.get(m, Fraction(0)) for m in {**a, **b}}
    product: Sum = {}
    check(len(a) * len(b) <= LIMITS.nodes**2, "left", "its output clause is too long")
    for m, number in a.items():
        for n, other in b.items():
            both = proof.ring.scaled(m // proof.ring.width, n)
            product[both] = product.get(both, Fraction(0)) + number * other
    return product


def _meaning(
    proof: Proof, clause: OutputClause, kind: str, part: int, *what: str
) -> tuple[Fraction, dict[int, int]]:
    """The base and the values with which a system counts this of a part."""
    check(all(len(text) == 1 for text in what), "left", "its output clause counts what is not one symbol")
    names, symbols = proof.strip.left.symbols, proof.symbols_of[part]
    if kind in ("length", "count"):
        return Fraction(1), {symbol: int(kind == "length" or names[symbol] in what) for symbol in symbols}
    digits = clause.members[part]
    base = Fraction(len(digits)) if kind == "number" else Fraction(1, len(digits))
    return base, {symbol: digits.index(names[symbol]) for symbol in symbols}
