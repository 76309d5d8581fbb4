"""Words as numbers: what an output clause makes of the texts of parts, where each symbol is a digit.

The digits are 1 to n in base n + 1. None is 0, so that words with equal numbers are equal, their lengths too.
Where every k-th symbol is taken, the base is the k-th power of a whole number, in which these are weighed.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import count
from typing import NamedTuple

from compiler.proofs.abstractions.strip_labels import symbol_classes
from compiler.proofs.results.readings import Node, Unsaid, operator_of
from compiler.proofs.values.part_columns import NO_TURNS, Turns
from compiler.proofs.values.polynomials import Factor, Form
from compiler.proofs.values.weighted_sums import System, boundary_weights
from gridlang.clauses.inputs import InputLanguage
from gridlang.table import BLANK, Table

WORDS = ("part", "reverse", "join", "every")
MOST_TURNS = 2  # the weight of a column is at most the square of another: few variables in a monomial


class Piece(NamedTuple):
    """A part of the input or a text, perhaps read from its end; or a part's symbols of a turn."""

    of: int | str
    backwards: bool
    turn: int | None = None
    modulus: int = 1


def pieces(node: Node, backwards: bool = False) -> list[Piece]:
    """A word as pieces, the first first; Unsaid if it is made in other ways."""
    kind = operator_of(node)
    if isinstance(node, str):
        return [Piece(node, backwards)] if node else []
    if kind == "part":
        return [Piece(node[1], backwards)]
    if kind == "reverse":
        return pieces(node[1], not backwards)
    if kind == "join":
        inner = [pieces(each, backwards) for each in node[1:]]
        return [piece for some in (reversed(inner) if backwards else inner) for piece in some]
    if kind == "every":
        return [_every(node, backwards)]
    made = f"`{kind}`" if kind else "a number"
    raise Unsaid(
        f"it has {made}; words are proven that are made by joining and reversing parts of the input, or by"
        " taking every second symbol of one"
    )


def _every(node: Node, backwards: bool) -> Piece:
    _, of, first, step = node
    if operator_of(of) != "part" or backwards or not (isinstance(first, int) and isinstance(step, int)):
        raise Unsaid("it takes symbols at some places of what is not a part of the input, or backwards")
    if not 1 <= first <= step <= MOST_TURNS:
        raise Unsaid(
            "of symbols at some places, only every second symbol is proven, from the first or second"
        )
    return Piece(of[1], False, first - 1, step)


def turns_of(word: list[Piece]) -> Turns:
    """The part of which some symbols are taken."""
    if any(piece.backwards for piece in word) and any(piece.turn is not None for piece in word):
        raise Unsaid("it takes symbols at some places of a part, and turns a part around")
    found = {
        Turns(piece.of, piece.modulus)
        for piece in word
        if isinstance(piece.of, int) and piece.turn is not None
    }
    if len(found) > 1:
        raise Unsaid("it takes symbols at some places of several parts")
    return found.pop() if found else NO_TURNS


class Digits:
    """A digit for each symbol that words may have; marked twins of symbols have those of the symbols."""

    def __init__(self, table: Table, language: InputLanguage, word: list[Piece]) -> None:
        self.table, self.language = table, language
        symbols = {x for piece in word for x in self._symbols(piece)}
        if BLANK in symbols:
            raise Unsaid("it has a blank in a text")
        self.digit = {x: n for n, x in enumerate((x for x in table.symbols if x in symbols), 1)}
        self.turns = turns_of(word)
        self.taken = sorted({piece.turn for piece in word if piece.turn is not None})
        power = self.turns.modulus
        self.root = next(Fraction(n) for n in count(2) if n**power > len(self.digit))
        self.base = self.root**power

    def _symbols(self, piece: Piece) -> str:
        return piece.of if isinstance(piece.of, str) else "".join(self.language.parts[piece.of].members)

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
        if self.taken:
            root = self.root if base > 1 else 1 / self.root
            systems += [*(System(root, values, turn) for turn in self.taken), System(root, ones)]
        return systems


def word_number(word: list[Piece], digits: Digits, systems: list[System]) -> tuple[Form, Form]:
    """What a word is worth in the first system, over a product of weights; its lowest column counts 1."""
    base = systems[0].base
    other = next((i for i, system in enumerate(systems) if system.base == 1 / base), 0)
    outwards = list(reversed(word)) if base > 1 else word
    terms: list[tuple[Form, Form, Form]] = []
    for of, backwards, turn, _ in outwards:
        if isinstance(of, int) and turn is not None:
            taken = next(i for i, system in enumerate(systems) if system.every == turn)
            root = systems[taken].base
            first = boundary_weights(root, [s.base for s in systems].index(root), digits.language.parts)[of]
            number: Form = {(("v", taken, of),): root**turn}
            terms.append((number, {(("Q", taken),): Fraction(1)}, first))
        elif isinstance(of, int):
            weights = boundary_weights(base, 0, digits.language.parts)
            lengths = (weights[of], weights[of + 1]) if base > 1 else (weights[of + 1], weights[of])
            terms.append(({(("v", other if backwards else 0, of),): Fraction(1)}, *lengths))
        else:
            terms.append(_constant(of[::-1] if backwards else of, digits, base))
    return _over_all(terms)


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
        term = _product([number, below, *(under for _, _, under in terms[i:-1])])
        for product, a in term.items():
            total[product] = total.get(product, Fraction(0)) + a
        below = _product([below, longer])
    return {product: a for product, a in total.items() if a}, _product([under for _, _, under in terms[:-1]])


def _product(forms: list[Form]) -> Form:
    result: dict[tuple[Factor, ...], Fraction] = {(): Fraction(1)}
    for form in forms:
        result = dict(_terms(result, form))
    return result


def _terms(one: Form, other: Form) -> Iterator[tuple[tuple[Factor, ...], Fraction]]:
    """Of forms that are one term each; so are their products."""
    for p, a in one.items():
        for q, b in other.items():
            yield tuple(sorted((*p, *q))), a * b
