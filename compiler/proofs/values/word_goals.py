"""Words as numbers: what an output clause makes of the texts of parts, where each symbol is a digit.

The digits are 1 to n in base n + 1, or where every second symbol is taken, in the square of a whole number S:
(G5) in `compiler/verifier/values/words`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from itertools import count
from typing import NamedTuple

from gridlang.clauses.clause_tree import Constant, Node, Operation, Part
from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.proofs.abstractions.strip_labels import symbol_classes
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.proofs.values.polynomials import Factor, Form, times
from gridlang.compiler.proofs.values.weighted_sums import System, boundary_weights
from gridlang.table import BLANK, Table


class Piece(NamedTuple):
    """A part of the input or a text, perhaps read from its end; or every second symbol of a part."""

    of: int | str
    backwards: bool
    second: int | None = None  # 0 from the first symbol on, 1 from the second


def pieces(node: Node, backwards: bool = False) -> list[Piece]:
    """A word as pieces, the first first; Unsaid if it is made in other ways."""
    match node:
        case Constant(str(text)):
            return [Piece(text, backwards)] if text else []
        case Part(index):
            return [Piece(index, backwards)]
        case Operation("reverse", (word,)):
            return pieces(word, not backwards)
        case Operation("join", words):
            inner = [pieces(each, backwards) for each in words]
            return [piece for some in (reversed(inner) if backwards else inner) for piece in some]
        case Operation("every", (of, first, step)):
            return [_every(of, first, step, backwards)]
    made = f"`{node.operator}`" if isinstance(node, Operation) else "a number"
    raise Unsaid(
        f"the clause has {made}; words are proven that join and reverse parts of the input, or take every"
        " second symbol of one"
    )


def _every(of: Node, first: Node, step: Node, backwards: bool) -> Piece:
    match of, first, step:
        case Part(index), Constant(int(start)), Constant(int(length)) if not backwards:
            if length != 2 or start not in (1, 2):
                raise Unsaid("`every` is proven only for each second symbol, from the first or second")
            return Piece(index, False, start - 1)
    raise Unsaid("`every` is proven only of a part of the input, and from left to right")


class Digits:
    """A digit for each symbol that words may have; marked twins of symbols have those of the symbols."""

    def __init__(self, table: Table, language: InputLanguage, word: list[Piece]) -> None:
        self.table, self.language = table, language
        symbols = {x for piece in word for x in self._symbols(piece)}
        if BLANK in symbols:
            raise Unsaid("the clause has a blank in a text")
        self.digit = {x: n for n, x in enumerate((x for x in table.symbols if x in symbols), 1)}
        self.halved = any(piece.second is not None for piece in word)
        if self.halved and any(piece.backwards for piece in word):
            raise Unsaid("the clause has both `every` and `reverse`")
        power = 2 if self.halved else 1
        self.root = next(Fraction(n) for n in count(2) if n**power > len(self.digit))
        self.base = self.root**power

    def _symbols(self, piece: Piece) -> Iterable[str]:
        return piece.of if isinstance(piece.of, str) else self.language.parts[piece.of].symbols

    def systems(self, base: Fraction) -> list[System]:
        """Digits and ones: the sum of the ones over a stretch tells where it begins or ends."""
        symbols, classes = self.table.symbols, symbol_classes(self.table)
        groups = [[x for x, c in zip(symbols, classes, strict=True) if c == n] for n in sorted({*classes})]
        words = [group for group in groups if set(group) <= set(self.digit)]
        digit = dict(self.digit)
        for group in groups:
            twins = next((word for word in words if len(word) == len(group)), None)
            if twins is not None and not digit.keys() & group and BLANK not in group:
                digit |= {x: self.digit[twin] for x, twin in zip(group, twins, strict=True)}
        ones = tuple(int(x != BLANK) for x in symbols)
        values = tuple(digit.get(x, 0) for x in symbols)
        systems = [System(base, values), System(base, ones)]
        if self.halved:
            root = 1 / self.root
            systems += [System(sign * root, of) for of in (values, ones) for sign in (1, -1)]
        return systems


def word_number(word: list[Piece], digits: Digits, systems: list[System]) -> tuple[Form, Form]:
    """What a word is worth in the first system, over a product of weights; its lowest column counts 1."""
    base = systems[0].base
    other = next((i for i, system in enumerate(systems) if system.base == 1 / base), 0)
    outwards = list(reversed(word)) if base > 1 else word
    terms: list[tuple[Form, Form, Form]] = []
    for of, backwards, second in outwards:
        if isinstance(of, int) and second is not None:
            terms.append(_halved(of, second, digits, systems))
        elif isinstance(of, int):
            weights = boundary_weights(base, 0, digits.language.parts)
            lengths = (weights[of], weights[of + 1]) if base > 1 else (weights[of + 1], weights[of])
            terms.append(({(("v", other if backwards else 0, of),): Fraction(1)}, *lengths))
        else:
            terms.append(_constant(of[::-1] if backwards else of, digits, base))
    return _over_all(terms)


def _halved(of: int, second: int, digits: Digits, systems: list[System]) -> tuple[Form, Form, Form]:
    """Every second symbol of a part of l symbols; S ^ l and (-S) ^ l are equal, or opposite."""
    root, bases = digits.root, [system.base for system in systems]
    plus, minus = bases.index(1 / root), bases.index(-1 / root)
    first, after = zip(
        *(boundary_weights(bases[i], i, digits.language.parts)[of : of + 2] for i in (plus, minus)),
        strict=True,
    )
    half = Fraction(1, 2) / root**second
    number: Form = {(("v", plus, of),): half, (("v", minus, of),): half * (-1) ** second}
    longer = root / 2 if second == 0 else 1 / (2 * root)  # of lengths that are odd
    even, odd = times(after[0], first[1]), times(after[1], first[0])
    length: dict[tuple[Factor, ...], Fraction] = {}
    for product, sign in ((even, 1), (odd, -1)):
        for factors, a in product.items():
            length[factors] = length.get(factors, Fraction(0)) + a * (Fraction(1, 2) + sign * longer)
    return number, length, times(*first)


def _constant(text: str, digits: Digits, base: Fraction) -> tuple[Form, Form, Form]:
    lowest_first = reversed(text) if base > 1 else text
    number = sum(digits.digit[x] * digits.base**i for i, x in enumerate(lowest_first))
    return {(): Fraction(number)}, {(): digits.base ** len(text)}, {(): Fraction(1)}


def _over_all(terms: list[tuple[Form, Form, Form]]) -> tuple[Form, Form]:
    """Each piece times the lengths of those below it; lengths are quotients of weights."""
    one: Form = {(): Fraction(1)}
    total: dict[tuple[Factor, ...], Fraction] = {}
    below = one
    for i, (number, longer, _) in enumerate(terms):
        term = reduce(times, [number, below, *(under for _, _, under in terms[i:-1])])
        for product, a in term.items():
            total[product] = total.get(product, Fraction(0)) + a
        below = times(below, longer)
    over = reduce(times, (under for _, _, under in terms[:-1]), one)
    return {product: a for product, a in total.items() if a}, over
