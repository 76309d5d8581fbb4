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

Of `every(part, n, 2)`, n 1 or 2, where the lowest column is the first and R = S * S: let v and v' be the
numbers of the part in systems of bases 1 / S and -1 / S, in which its symbols have the same values, and let
it have l symbols. Those at odd places have the number (v + v') / 2, those at even places (v - v') / 2S. If l
is even, R to the length of either is S ^ l; else it is S ^ l * S, or S ^ l / S. So it is
(S ^ l + (-S) ^ l) / 2 + c (S ^ l - (-S) ^ l) / 2, with c = S or 1 / S.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from gridlang.compiler.verifier.clauses.outputs import Node as Expression
from gridlang.compiler.verifier.clauses.outputs import OutputClause
from gridlang.compiler.verifier.tables import check
from gridlang.compiler.verifier.values.algebra import ONE
from gridlang.compiler.verifier.values.proofs import Proof, System, Term

UNIT = Term(Fraction(1), ONE)


def scaled(term: Term, by: Fraction) -> Term:
    return Term(term.number * by, term.monomial)


class Piece(NamedTuple):
    """A part, or every second symbol of one, or the symbols of a text."""

    of: int | tuple[int, ...]
    backwards: bool
    second: int | None = None  # 0 from the first symbol on, 1 from the second


class Word(NamedTuple):
    """The terms of its number, over a product of weights."""

    terms: list[Term]
    over: Term


class Told(NamedTuple):
    """Of a piece: the terms of its number, and of R to its length, those over a weight."""

    number: list[Term]
    length: list[Term]
    divisor: Term


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
            (of, part, *_), first, step = inner
            second = of == "part" and first in (("constant", 1), ("constant", 2)) and step == ("constant", 2)
            check(second, "left", "its output clause takes other symbols than every second of a part")
            return [Piece(part, backwards, first[1] - 1)]
        if kind == "constant":
            check(isinstance(inner[0], str), "left", "its output clause joins what is no text")
            return [Piece(self.clause.word(inner[0]), backwards)] if inner[0] else []
        known = kind in ("join", "reverse")
        message = (
            f"its output clause has `{kind}` in a text: of these, parts and constants are proven, joined"
        )
        check(known, "left", f"{message} or reversed")
        if kind == "reverse":
            return self._pieces(inner[0], not backwards)
        parts = [self._pieces(each, backwards) for each in (reversed(inner) if backwards else inner)]
        return [piece for some in parts for piece in some]

    def system(self, proof: Proof) -> int | None:
        return next((i for i, system in enumerate(proof.systems) if self._reads(system)), None)

    def _reads(self, system: System) -> bool:
        radix = max(system.base, 1 / system.base)
        values = {system.values[symbol] for symbol in self.symbols}
        whole = radix > 1 and radix.denominator == 1
        return whole and len(values) == len(self.symbols) and 0 < min(values) <= max(values) < radix

    def number(self, proof: Proof, system: int) -> Word | None:
        """What it is worth; None if there is no system of another base, where one is needed."""
        base = proof.systems[system].base
        terms: list[Term] = []
        below, over = [UNIT], UNIT
        pieces = list(reversed(self.pieces)) if base > 1 else self.pieces
        for index, piece in enumerate(pieces, 1):
            told = (
                self._halved(proof, system, piece)
                if piece.second is not None
                else self._own(proof, system, piece)
            )
            if told is None:
                return None
            number, length, divisor = told
            terms += [proof.product([some, term]) for some in number for term in below]
            if index < len(pieces):
                terms = [proof.product([term, divisor]) for term in terms]
                over = proof.product([over, divisor])
                below = [proof.product([term, some]) for term in below for some in length]
        return Word(terms, over)

    def _halved(self, proof: Proof, system: int, piece: Piece) -> Told | None:
        """Of every second symbol of a part."""
        base, values, _ = proof.systems[system]
        if not isinstance(piece.of, int) or piece.second is None or piece.backwards or base > 1:
            return None
        same = [
            i
            for i, other in enumerate(proof.systems)
            if other.base**2 == base and all(other.values[s] == values[s] for s in proof.symbols_of[piece.of])
        ]
        plus = next((i for i in same if proof.systems[i].base > 0), None)
        minus = next((i for i in same if proof.systems[i].base < 0), None)
        if plus is None or minus is None:
            return None
        root, second = 1 / proof.systems[plus].base, piece.second
        shares = Fraction(1, 2) / root**second, Fraction((-1) ** second, 2) / root**second
        number = [scaled(proof.number_of(i, piece.of), a) for i, a in zip((plus, minus), shares, strict=True)]
        (first, after), (first_, after_) = (
            [proof.weight(i, k, 0) for k in (piece.of, piece.of + 1)] for i in (plus, minus)
        )
        odd = 1 / root if second else root
        length = [
            scaled(proof.product([after, first_]), (1 + odd) / 2),
            scaled(proof.product([after_, first]), (1 - odd) / 2),
        ]
        return Told(number, length, proof.product([first, first_]))

    def _own(self, proof: Proof, system: int, piece: Piece) -> Told | None:
        """Of a piece that is taken whole."""
        number = self._number(proof, system, piece)
        length, divisor = self._length(proof, system, piece)
        return None if number is None else Told([number], [length], divisor)

    def _number(self, proof: Proof, system: int, piece: Piece) -> Term | None:
        base, values, _ = proof.systems[system]
        if isinstance(piece.of, tuple):
            upwards = piece.of if (base < 1) != piece.backwards else piece.of[::-1]
            radix = max(base, 1 / base)
            return Term(Fraction(sum(values[s] * radix**i for i, s in enumerate(upwards))), ONE)
        if not piece.backwards:
            return proof.number_of(system, piece.of)
        symbols = proof.symbols_of[piece.of]
        for i, other in enumerate(proof.systems):
            if other.base == 1 / base and all(other.values[s] == values[s] for s in symbols):
                return proof.number_of(i, piece.of)
        return None

    def _length(self, proof: Proof, system: int, piece: Piece) -> tuple[Term, Term]:
        """R ^ n of a piece, as two weights, one over the other."""
        base = proof.systems[system].base
        if isinstance(piece.of, tuple):
            return Term(max(base, 1 / base) ** len(piece.of), ONE), UNIT
        first, after = (proof.weight(system, k, 0) for k in (piece.of, piece.of + 1))
        return (first, after) if base > 1 else (after, first)
