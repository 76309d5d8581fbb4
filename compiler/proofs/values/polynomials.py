"""Polynomials modulo a prime, with few factors: monomials are numbers, and a polynomial is a dict of them.

Factors are ghosts, which stay the same in a run, and variables. A monomial has at most one variable, so every
polynomial is linear in them, and a step, which changes variables linearly, makes another one of it. Some of
words have two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import lcm

PRIME = 2**31 - 1
Factor = tuple[str | int, ...]
Polynomial = dict[int, int]  # monomial: coefficient
Form = Mapping[tuple[Factor, ...], Fraction]  # a polynomial by names, in rationals
GHOSTS = ("B", "v")
ONE = 0  # the monomial without factors


def times(one: Form, other: Form) -> Form:
    result: dict[tuple[Factor, ...], Fraction] = {}
    for p, a in one.items():
        for q, b in other.items():
            product = tuple(sorted((*p, *q)))
            result[product] = result.get(product, Fraction(0)) + a * b
    return {product: a for product, a in result.items() if a}


class Monomials:
    """Products of factors, by number."""

    def __init__(self) -> None:
        self.factors: list[tuple[Factor, ...]] = []
        self.variable: list[tuple[Factor, int] | None] = []  # of each: its variable, and the monomial without
        self._number: dict[tuple[Factor, ...], int] = {}
        self._products: dict[tuple[int, int], int] = {}
        self.number(())

    def number(self, factors: Iterable[Factor]) -> int:
        key = tuple(sorted(factors))
        known = self._number.get(key)
        if known is None:
            known = self._number[key] = len(self.factors)
            self.factors.append(key)
            self.variable.append(None)
            for factor in key:
                if factor[0] not in GHOSTS:
                    rest = list(key)
                    rest.remove(factor)
                    self.variable[known] = factor, self.number(rest)
        return known

    def times(self, one: int, other: int) -> int:
        if one == ONE or other == ONE:
            return one + other
        product = self._products.get((one, other))
        if product is None:
            product = self.number((*self.factors[one], *self.factors[other]))
            self._products[one, other] = product
        return product

    def polynomial(self, form: Form) -> Polynomial:
        terms = ((self.number(factors), modular(a)) for factors, a in form.items())
        return {monomial: a for monomial, a in terms if a}

    def replaced(self, polynomial: Polynomial, by: Mapping[Factor, Polynomial]) -> Polynomial:
        result: Polynomial = {}
        for monomial, a in polynomial.items():
            split = self.variable[monomial]
            if split is None:
                add(result, monomial, a)
                continue
            variable, rest = split
            image = by.get(variable)
            if self.variable[rest] is not None:
                image = {self.number([variable]): 1} if image is None else image
                for other, b in self.replaced({rest: 1}, by).items():
                    add_times(result, self.multiplied(image, other), a * b)
            elif image is None:
                add(result, monomial, a)
            else:
                add_times(result, self.multiplied(image, rest), a)
        return result

    def multiplied(self, polynomial: Polynomial, monomial: int) -> Polynomial:
        if monomial == ONE:
            return polynomial
        return {self.times(monomial, other): a for other, a in polynomial.items()}


def add(polynomial: Polynomial, monomial: int, coefficient: int) -> None:
    """Adds a term in place."""
    total = (polynomial.get(monomial, 0) + coefficient) % PRIME
    if total:
        polynomial[monomial] = total
    else:
        polynomial.pop(monomial, None)


def add_times(polynomial: Polynomial, other: Polynomial, by: int) -> None:
    """Adds a multiple of another in place: `add` for each term, without a call for each."""
    for monomial, a in other.items():
        total = (polynomial.get(monomial, 0) + by * a) % PRIME
        if total:
            polynomial[monomial] = total
        else:
            polynomial.pop(monomial, None)


def modular(number: Fraction | int) -> int:
    above, below = number.numerator, number.denominator
    return above % PRIME if below == 1 else above * pow(below, -1, PRIME) % PRIME


def _first(polynomial: Polynomial) -> int:
    return next(iter(polynomial))


class Span:
    """What is a combination of some polynomials: rows by leading monomials, in reduced echelon form.

    Each row knows what it is made of: a combination of what polynomials were added with.
    """

    __slots__ = ("lead", "rows", "used")

    def __init__(self, lead: Callable[[Polynomial], int] = _first) -> None:
        self.lead, self.used = lead, 0
        self.rows: dict[int, tuple[Polynomial, Polynomial]] = {}

    def basis(self) -> list[Polynomial]:
        return [row for row, _ in self.rows.values()]

    def rest(self, polynomial: Polynomial, combination: Polynomial | None = None) -> Polynomial:
        """What is left of a polynomial; empty if it is in the span. The combination is taken off in place."""
        rest = dict(polynomial)
        for lead in [monomial for monomial in polynomial if monomial in self.rows]:
            a, (row, made) = rest[lead], self.rows[lead]
            add_times(rest, row, -a)
            if combination is not None:
                add_times(combination, made, -a)
        return rest

    def add(self, polynomial: Polynomial, made: Polynomial) -> bool:
        """Whether it was outside; if not, `made` is then what makes 0."""
        row = self.rest(polynomial, made)
        if not row:
            return False
        lead = self.lead(row)
        inverse = pow(row[lead], -1, PRIME)
        row = {monomial: a * inverse % PRIME for monomial, a in row.items()}
        made = {other: a * inverse % PRIME for other, a in made.items()}
        for old, old_made in self.rows.values():
            a = old.get(lead)
            if a:
                add_times(old, row, -a)
                add_times(old_made, made, -a)
        self.rows[lead] = row, made
        return True


def whole_numbers(polynomial: Polynomial) -> dict[int, int]:
    """A multiple of a polynomial with the smallest whole coefficients: a guess at what it is modulo."""
    best: list[Fraction] = []
    for lead in polynomial.values():
        inverse = pow(lead, -1, PRIME)
        tried = [ratio(a * inverse) for a in polynomial.values()]
        if not best or _size(tried) < _size(best):
            best = tried
    whole = lcm(*(a.denominator for a in best))
    return {monomial: int(a * whole) for monomial, a in zip(polynomial, best, strict=True)}


def ratio(residue: int) -> Fraction:
    """The simplest fraction that is this modulo the prime."""
    old, new, last, this = PRIME, residue % PRIME, 0, 1
    while 2 * new * new > PRIME:
        quotient = old // new
        old, new, last, this = new, old - quotient * new, this, last - quotient * this
    return Fraction(new, this)


def _size(ratios: list[Fraction]) -> int:
    return max(max(abs(a.numerator), a.denominator) for a in ratios)
