"""The part of `verify` that knows the number of a word: (G5).

A system of whole base R, or of 1 / R, reads words if the symbols that the clause may have in one, those of
its parts and texts, have different values from 1 to R - 1. No digit is 0: of words in these symbols, those
that have the same number are the same, of the same length. The lowest column is the last one of a word, or
the first one where the base is 1 / R.

A clause of parts and texts, joined and reversed, is a row of pieces; a piece may be reversed. From the lowest
column upwards, the number of the whole is the sum over all pieces of the piece's own number times R ^ n, n
the symbols of all pieces below it. The number of a part is its ghost; of a reversed part, that of a system of
the inverse base, in which the symbols of parts have the same values. R ^ n of a part is the weight of one of
its ends over that of the other. All sides are multiplied by what they are over.

Of `every(part, n, k)`, where the lowest column is the first, the number is that of a system with the base's
k-th root as its base, which takes columns of turn n - 1 of that part alone, over S ^ (n - 1), 1 / S that
root; and R ^ n is Q of this system over the weight of the part's first column.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from compiler.verifier.output_clauses import Node as Expression
from compiler.verifier.output_clauses import OutputClause
from compiler.verifier.tables import check
from compiler.verifier.values.algebra import ONE
from compiler.verifier.values.proofs import Proof, System, Term

UNIT = Term(Fraction(1), ONE)


class Piece(NamedTuple):
    """A part, or the symbols of a text; of a part perhaps every k-th symbol, from a turn on."""

    of: int | tuple[int, ...]
    backwards: bool
    turn: int | None = None


class Word(NamedTuple):
    """The terms of its number, over a product of weights."""

    terms: list[Term]
    over: Term


class Words:
    """The word of an output clause; Wrong if it is none."""

    def __init__(self, clause: OutputClause, symbols_of: list[set[int]]) -> None:
        self.clause = clause
        self.pieces = self._pieces(clause.node, False)
        check(self.pieces, "left", "its output clause has nothing in it")
        of = [symbols_of[piece.of] if isinstance(piece.of, int) else {*piece.of} for piece in self.pieces]
        self.symbols = set().union(*of)
        check(0 not in self.symbols, "left", "its output clause has a blank in a text")

    def _pieces(self, node: Expression, backwards: bool) -> list[Piece]:
        kind, *inner = node
        if kind == "part":
            return [Piece(inner[0], backwards)]
        if kind == "every":
            return [Piece(inner[0], backwards, inner[1] - 1)]
        if kind == "constant":
            check(isinstance(inner[0], str), "left", "its output clause joins what is no text")
            return [Piece(self.clause.word(inner[0]), backwards)] if inner[0] else []
        check(kind in ("join", "reverse"), "left", "its output clause is of none of the known forms")
        if kind == "reverse":
            return self._pieces(inner[0], not backwards)
        parts = [self._pieces(each, backwards) for each in (reversed(inner) if backwards else inner)]
        return [piece for some in parts for piece in some]

    def system(self, proof: Proof) -> int | None:
        """The first system of a proof that reads words."""
        return next((i for i, system in enumerate(proof.systems) if self._reads(system)), None)

    def _reads(self, system: System) -> bool:
        radix = max(system.base, 1 / system.base)
        values = {system.values[symbol] for symbol in self.symbols}
        whole = radix > 1 and radix.denominator == 1 and system.every is None
        return whole and len(values) == len(self.symbols) and 0 < min(values) <= max(values) < radix

    def number(self, proof: Proof, system: int) -> Word | None:
        """What it is worth; None if there is no system of another base, where one is needed."""
        base = proof.systems[system].base
        terms: list[Term] = []
        below = over = UNIT
        pieces = list(reversed(self.pieces)) if base > 1 else self.pieces
        for index, piece in enumerate(pieces, 1):
            turned = self._takes(proof, system, piece) if piece.turn is not None else None
            number = self._own(proof, system, piece, turned)
            if number is None:
                return None
            terms.append(proof.product([number, below]))
            if index < len(pieces):
                length, divisor = self._length(proof, system, piece, turned)
                terms = [proof.product([term, divisor]) for term in terms]
                over, below = proof.product([over, divisor]), proof.product([below, length])
        return Word(terms, over)

    def _takes(self, proof: Proof, system: int, piece: Piece) -> int | None:
        """The system that takes the columns of a piece; None if there is none."""
        base, values, _, _ = proof.systems[system]
        part, k = proof.strip.places.turns
        for i, other in enumerate(proof.systems):
            same = all(other.values[s] == values[s] for s in proof.symbols_of[part])
            if same and base < 1 and other.base**k == base and other.every == piece.turn:
                return i
        return None

    def _own(self, proof: Proof, system: int, piece: Piece, turned: int | None) -> Term | None:
        """The number of a piece."""
        base, values, _, _ = proof.systems[system]
        if isinstance(piece.of, tuple):
            upwards = piece.of if (base < 1) != piece.backwards else piece.of[::-1]
            radix = max(base, 1 / base)
            return Term(Fraction(sum(values[s] * radix**i for i, s in enumerate(upwards))), ONE)
        if piece.turn is not None:
            if turned is None or piece.backwards:
                return None
            number, monomial = proof.number_of(turned, piece.of)
            return Term(number * proof.systems[turned].base ** piece.turn, monomial)
        if not piece.backwards:
            return proof.number_of(system, piece.of)
        symbols = proof.symbols_of[piece.of]
        for i, other in enumerate(proof.systems):
            if (
                other.base == 1 / base
                and other.every is None
                and all(other.values[s] == values[s] for s in symbols)
            ):
                return proof.number_of(i, piece.of)
        return None

    def _length(self, proof: Proof, system: int, piece: Piece, turned: int | None) -> tuple[Term, Term]:
        """R ^ n of a piece, as two weights, one over the other."""
        base = proof.systems[system].base
        if isinstance(piece.of, tuple):
            return Term(max(base, 1 / base) ** len(piece.of), ONE), UNIT
        if turned is not None:
            return proof.length_taken(turned), proof.weight(turned, piece.of, 0)
        first, after = (proof.weight(system, k, 0) for k in (piece.of, piece.of + 1))
        return (first, after) if base > 1 else (after, first)
