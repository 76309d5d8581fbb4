"""The part of `verify` that calculates with polynomials, exactly: (V12).

A monomial is a product of ghosts, and a variable or none; it has a number. Of words it may have more
variables: the last one is its variable, the others, -x for x, stand among the ghosts. A polynomial is
{monomial: coefficient}, its coefficients whole and none of them 0. It matters only up to a factor: all that
is asked is whether it is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import gcd, lcm

from compiler.verifier.limits import LIMITS
from compiler.verifier.tables import check

Polynomial = dict[int, int]
Form = Mapping[int, Fraction | int]  # a sum of monomials
ONE = 0  # the product of no ghosts; the monomial without ghosts and variable


class Ring:
    """The monomials over some variables, numbered from 1; ghosts are numbered from 0. Counts the work."""

    def __init__(self, variables: int) -> None:
        self.width = variables + 1
        self.products: list[tuple[int, ...]] = [()]
        self._number: dict[tuple[int, ...], int] = {(): ONE}
        self._times: dict[tuple[int, int], int] = {}
        self._spent = 0

    def product(self, ghosts: Iterable[int]) -> int:
        key = tuple(sorted(ghosts))
        if key not in self._number:
            self._number[key] = len(self.products)
            self.products.append(key)
        return self._number[key]

    def times(self, product: int, other: int) -> int:
        if product == ONE or other == ONE:
            return product + other
        key = (product, other)
        if key not in self._times:
            self._times[key] = self.product(self.products[product] + self.products[other])
        return self._times[key]

    def scaled(self, product: int, monomial: int) -> int:
        """A monomial times a product of ghosts."""
        ghosts, variable = divmod(monomial, self.width)
        return self.times(product, ghosts) * self.width + variable

    def multiplied(self, one: int, other: int) -> int:
        """The product of two monomials."""
        (product, variable), (others, last) = divmod(one, self.width), divmod(other, self.width)
        low, high = sorted((variable, last))
        both = self.times(product, others)
        if low:
            both = self.times(both, self.product([-low]))
        return both * self.width + high

    def variables(self, monomial: int) -> list[int]:
        """The variables in it, each as often as it is a factor."""
        product, last = divmod(monomial, self.width)
        return [-x for x in self.products[product] if x < 0] + ([last] if last else [])

    def spend(self, work: int) -> None:
        self._spent += work
        check(self._spent <= LIMITS.value_terms, "total, output", "its polynomials take too long to check")


class Substitution:
    """Puts forms for variables, and a ghost times a number for ghosts."""

    def __init__(self, ring: Ring, images: Mapping[int, Form]) -> None:
        self.ring, self.images = ring, images
        self._ghosts = {m // ring.width: image for m, image in images.items() if m >= ring.width}
        self._known: dict[int, tuple[int, list[tuple[int, int]]]] = {}

    def apply(self, polynomial: Polynomial) -> Polynomial:
        known, parts, whole, size = self._known, [], 1, 0
        for monomial, coefficient in polynomial.items():
            if monomial not in known:
                known[monomial] = self._image(monomial)
            below, image = known[monomial]
            parts.append((coefficient, below, image))
            size += len(image) + 1
            if below != 1:
                whole = lcm(whole, below)
        self.ring.spend(size)
        result: Polynomial = {}
        for coefficient, below, image in parts:
            factor = coefficient * (whole // below)
            for monomial, number in image:
                result[monomial] = result.get(monomial, 0) + factor * number
        return {monomial: number for monomial, number in result.items() if number}

    def _image(self, monomial: int) -> tuple[int, list[tuple[int, int]]]:
        """Its form, over one denominator."""
        product, variable = divmod(monomial, self.ring.width)
        form = self.images.get(variable, {variable: 1})
        if not form:
            return 1, []
        if product != ONE and self.ring.products[product][0] < 0:
            form, product = self._with_variables(form, product)
        factor, product = self._with_ghosts(product)
        below = lcm(*((number * factor).denominator for number in form.values()))
        scaled = self.ring.scaled
        return below, [
            (scaled(product, m), int(number * factor * below)) for m, number in form.items() if number
        ]

    def _with_variables(self, form: Form, product: int) -> tuple[Form, int]:
        """A form times the variables that stand among ghosts, each replaced; and these ghosts alone."""
        ghosts = [ghost for ghost in self.ring.products[product] if ghost >= 0]
        for variable in self.ring.variables(product * self.ring.width):
            larger: dict[int, Fraction | int] = {}
            for m, number in self.images.get(variable, {variable: 1}).items():
                for n, other in form.items():
                    both = self.ring.multiplied(m, n)
                    larger[both] = larger.get(both, 0) + number * other
            self.ring.spend(len(larger))
            form = larger
        return {m: number for m, number in form.items() if number}, self.ring.product(ghosts)

    def _with_ghosts(self, product: int) -> tuple[Fraction | int, int]:
        """A product of ghosts, each replaced."""
        if not self._ghosts:
            return 1, product
        factor, rest = Fraction(1), []
        for ghost in self.ring.products[product]:
            image = self._ghosts.get(self.ring.product([ghost]))
            if image is None:
                rest.append(ghost)
                continue
            ((other, number),) = image.items()
            factor *= number
            rest += self.ring.products[other // self.ring.width]
        return factor, self.ring.product(rest)


def solved(ring: Ring, zeros: Iterable[int], equations: Iterable[Polynomial]) -> Substitution | None:
    """The substitution that says the same as these variables and forms being 0; None if they cannot all be.

    The forms are sums of variables, of single weights, and of a number. No weight is 0.
    """
    images: dict[int, dict[int, Fraction]] = {variable: {} for variable in zeros}
    filled: list[dict[int, Fraction]] = []  # those that are not 0
    for equation in equations:
        form: dict[int, Fraction] = {}
        for monomial, number in equation.items():
            for m, part in images.get(monomial, {monomial: Fraction(1)}).items():
                form[m] = form.get(m, Fraction(0)) + number * part
        form = {m: number for m, number in form.items() if number}
        if not form:
            continue
        pivot = max((m for m in form if m < ring.width), default=ONE) or max(form)
        leading = form.pop(pivot)
        if pivot == ONE or (pivot >= ring.width and not form):
            return None
        if pivot >= ring.width and len(form) > 1:
            continue
        image = {m: -share / leading for m, share in form.items()}
        for other in filled:
            if pivot in other:
                part = other.pop(pivot)
                for m, share in image.items():
                    other[m] = other.get(m, Fraction(0)) + part * share
        images[pivot] = image
        filled.append(image)
    return Substitution(ring, images)


class Span:
    """All linear combinations of some polynomials; no row has the leading monomial of another."""

    def __init__(self, ring: Ring, polynomials: Iterable[Polynomial]) -> None:
        self.ring = ring
        self.rows: dict[int, Polynomial] = {}  # by a leading monomial
        for polynomial in polynomials:
            self._add(polynomial)

    def reduced(self, polynomial: Polynomial) -> Polynomial:
        """What remains of it; empty if it is a combination of the rows."""
        for monomial in [m for m in polynomial if m in self.rows]:
            polynomial = self._without(monomial, polynomial, self.rows[monomial])
        return polynomial

    def _add(self, polynomial: Polynomial) -> None:
        new = self.reduced(polynomial)
        if not new:
            return
        common = gcd(*new.values())
        new = {monomial: number // common for monomial, number in new.items()}
        pivot = max(new)
        for leading, row in self.rows.items():
            if pivot in row:
                self.rows[leading] = self._without(pivot, row, new)
        self.rows[pivot] = new

    def _without(self, monomial: int, polynomial: Polynomial, row: Polynomial) -> Polynomial:
        """A multiple of a polynomial, less one of a row, such that a monomial vanishes."""
        self.ring.spend(len(polynomial) + len(row))
        mine, theirs = polynomial[monomial], row[monomial]
        common = gcd(mine, theirs)
        mine, theirs = mine // common, theirs // common
        result = {m: number * theirs for m, number in polynomial.items()}
        for m, number in row.items():
            value = result.get(m, 0) - mine * number
            if value:
                result[m] = value
            else:
                del result[m]
        return result
