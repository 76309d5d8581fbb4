"""The part of `verify` that calculates with polynomials, exactly: (V12).

A monomial is a product of ghosts, and a variable or none; it has a number. Of words it may have more
variables: the last one is its variable, the others, -x for x, stand among the ghosts. A polynomial is
{monomial: coefficient}, its coefficients whole and none of them 0. It matters only up to a factor: all that
is asked is whether it is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import gcd, lcm

from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import Wrong

Polynomial = dict[int, int]
Form = Mapping[int, Fraction | int]  # a sum of monomials
Image = tuple[int, Polynomial]  # (n, p): what stands for p / n
ONE = 0  # the product of no ghosts; the monomial without ghosts and variable


def image_of(form: Form) -> Image:
    """The form over one denominator."""
    below = lcm(*(number.denominator for number in form.values()))
    return below, {m: n.numerator * (below // n.denominator) for m, n in form.items() if n}


class Ring:
    """The monomials over some variables, numbered from 1; ghosts are numbered from 0. Counts the work."""

    def __init__(self, variables: int) -> None:
        self.width = variables + 1
        self.products: list[tuple[int, ...]] = [()]
        self._number: dict[tuple[int, ...], int] = {(): ONE}
        self._times: dict[tuple[int, int], int] = {}
        self._factors: dict[int, list[int]] = {}
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
        ghosts, variable = divmod(monomial, self.width)
        return self.times(product, ghosts) * self.width + variable

    def multiplied(self, one: int, other: int) -> int:
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

    def factors(self, monomial: int) -> list[int]:
        """Its ghosts and variables, as monomials."""
        if monomial not in self._factors:
            ghosts = [ghost for ghost in self.products[monomial // self.width] if ghost >= 0]
            weights = [self.product([ghost]) * self.width for ghost in ghosts]
            self._factors[monomial] = self.variables(monomial) + weights
        return self._factors[monomial]

    def spend(self, work: int) -> None:
        self._spent += work
        if self._spent > LIMITS.value_terms:
            raise Wrong("total, output", "its polynomials take too long to check")

    def put(self, images: Mapping[int, Image], polynomial: Polynomial) -> Image:
        """A polynomial with images in the place of monomials."""
        found = [m for m in polynomial if m in images]
        work = len(polynomial)
        if not found:
            self.spend(work)
            return 1, polynomial
        whole = lcm(*[images[m][0] for m in found])
        result = {m: number * whole for m, number in polynomial.items() if m not in images}
        for replaced in found:
            below, form = images[replaced]
            work += len(form)
            factor = polynomial[replaced] * (whole // below)
            for m, share in form.items():
                result[m] = result.get(m, 0) + factor * share
        self.spend(work)
        return whole, {m: number for m, number in result.items() if number}


class Substitution:
    """Puts images for variables and ghosts."""

    def __init__(self, ring: Ring, images: Mapping[int, Image]) -> None:
        self.ring, self.images = ring, images
        self._known: dict[int, Image] = {}
        self._same: set[int] = set()  # monomials without an image

    def apply(self, polynomial: Polynomial) -> Polynomial:
        for monomial in polynomial:
            if monomial not in self._same and monomial not in self._known:
                factors = self.ring.factors(monomial)
                if self.images.keys().isdisjoint(factors):
                    self._same.add(monomial)
                else:
                    self._known[monomial] = self._image(factors)
        return self.ring.put(self._known, polynomial)[1]

    def _image(self, factors: list[int]) -> Image:
        below, form = 1, {ONE: 1}
        for factor in factors:
            under, image = self.images.get(factor, (1, {factor: 1}))
            below, larger = below * under, dict[int, int]()
            for m, number in form.items():
                for n, other in image.items():
                    both = self.ring.multiplied(m, n)
                    larger[both] = larger.get(both, 0) + number * other
            self.ring.spend(len(larger))
            form = larger
        return below, form


class Solved:
    """Polynomials that are 0, as images of some of their monomials, in which none of these is left."""

    def __init__(self, ring: Ring, zeros: Iterable[int] = ()) -> None:
        self.ring = ring
        self.images: dict[int, Image] = {monomial: (1, {}) for monomial in zeros}
        self._filled: list[int] = []  # those that are not 0

    def reduced(self, polynomial: Polynomial) -> Polynomial:
        """What remains of it; empty if it is a combination of these."""
        return self.ring.put(self.images, polynomial)[1]

    def add(self, pivot: int, polynomial: Polynomial) -> None:
        """One that is reduced, for a monomial of it."""
        common = gcd(*polynomial.values())
        leading = polynomial[pivot] // common
        image = leading, {m: -(number // common) for m, number in polynomial.items() if m != pivot}
        for monomial in self._filled:
            below, other = self.images[monomial]
            if pivot in other:
                whole, changed = self.ring.put({pivot: image}, other)
                self.images[monomial] = below * whole, changed
        self.images[pivot] = image
        self._filled.append(pivot)

    def polynomials(self) -> Iterator[Polynomial]:
        for pivot in self._filled:
            below, image = self.images[pivot]
            yield {pivot: -below, **image}


def solved(ring: Ring, zeros: Iterable[int], equations: Iterable[Polynomial]) -> Substitution | None:
    """The substitution that says the same as these variables and forms being 0; None if they cannot all be.

    The forms are sums of variables, of single weights, and of a number. No weight is 0.
    """
    known = Solved(ring, zeros)
    for equation in equations:
        form = known.reduced(equation)
        if not form:
            continue
        pivot = max((m for m in form if m < ring.width), default=ONE) or max(form)
        if pivot == ONE or (pivot >= ring.width and len(form) == 1):
            return None
        if pivot < ring.width or len(form) == 2:
            known.add(pivot, form)
    return Substitution(ring, known.images)


def span(ring: Ring, polynomials: Iterable[Polynomial]) -> Solved:
    """All linear combinations of some polynomials."""
    known = Solved(ring)
    for polynomial in polynomials:
        if new := known.reduced(polynomial):
            known.add(max(new), new)
    return known
