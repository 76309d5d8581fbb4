"""An agent on a strip as an affine program: each step changes weighted sums linearly.

Ghosts, variables, facts and what steps do to them are the checker's (V12), as polynomials modulo a prime.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.proofs.values.polynomials import (
    PRIME,
    Factor,
    Form,
    Monomials,
    Polynomial,
    add_times,
    whole_numbers,
)
from gridlang.compiler.verifier.clauses.inputs import members_of
from gridlang.compiler.verifier.strips import FRESH, Element, Move
from gridlang.compiler.verifier.values.facts import Surroundings
from gridlang.compiler.verifier.values.proofs import Proof, sum_of_terms
from gridlang.compiler.verifier.values.steps import Ground, Known, ProofCheck, Shape
from gridlang.compiler.verifier.values.strips import Node, ValueStrip
from gridlang.table import Table

Replacement = dict[Factor, Polynomial]


class System(NamedTuple):
    """A base, and the value of each symbol; the blank has none."""

    base: Fraction
    values: tuple[int, ...]

    def written(self) -> dict[str, Any]:
        return {"base": [self.base.numerator, self.base.denominator], "values": list(self.values)}


class Facts(NamedTuple):
    """Variables that are told, and polynomials that are 0 besides."""

    told: Replacement
    zero: list[Polynomial]


class Step(NamedTuple):
    """A step from an element on a symbol, to its end."""

    start: Element
    symbol: int
    end: Element
    move: Move


class AffineProgram:
    """The program of a strip, in some systems; nodes may tell the part of the head's column apart."""

    def __init__(
        self,
        table: Table,
        language: InputLanguage,
        strip: ValueStrip,
        systems: Sequence[System],
        by_part: bool = False,
        apart: bool = False,
    ) -> None:
        self.table, self.language, self.strip, self.systems = table, language, strip, systems
        self.by_part, self.monomials = by_part, Monomials()
        none: dict[str, list[Any]] = {"factors": [], "monomials": [], "invariants": []}
        listed = [system.written() for system in systems]
        self.proof = Proof(strip, {"by_part": by_part, "systems": listed, **none})
        self.proof.apart = apart
        self.surroundings = Surroundings(strip)
        self.checked = ProofCheck(self.proof, self.surroundings.facts)
        self.facts: list[Facts] = []
        self._names = {number: key for key, number in self.proof.variables.items()}
        self._grounds = [(m == FRESH, strip.places.told[at].part, cells) for cells, at, m in strip.rough]
        self._numbers: dict[Known, int] = {}
        self._at: dict[int, int] = {}
        self._effects: dict[Shape, Replacement] = {}
        self._shapes: dict[tuple[int, ...], Shape] = {}

    # Names

    def factors(self, monomial: int) -> tuple[Factor, ...]:
        """The ghosts and variables of a monomial of the checker's."""
        ring, ghosts = self.proof.ring, list(self.proof.ghosts)
        of = [ghosts[ghost] for ghost in ring.products[monomial // ring.width] if ghost >= 0]
        return tuple(sorted([*of, *(self._names[variable] for variable in ring.variables(monomial))]))

    def form(self, polynomial: Mapping[int, Fraction | int]) -> Form:
        return {self.factors(m): Fraction(a) for m, a in polynomial.items() if a}

    def polynomial(self, polynomial: Mapping[int, Fraction | int]) -> Polynomial:
        """Without sums that no column belongs to: they are 0."""
        form = self.form(polynomial)
        there = {f: a for f, a in form.items() if all(x[0] not in ("F", "N") or x in self._there for x in f)}
        return self.monomials.polynomial(there)

    @cached_property
    def totals(self) -> dict[tuple[int, int], Form]:
        """What the columns of a part sum up to, by system and part: its number times a weight."""
        of = [(i, j) for i in range(len(self.systems)) for j in range(self.strip.places.parts)]
        forms = {key: self.form(sum_of_terms(self.proof.total_of(*key))) for key in of}
        return {key: form for key, form in forms.items() if form}

    @cached_property
    def ghosts(self) -> list[Factor]:
        weights = [dict([term[::-1]]) for terms in self.proof.first_weights for term in terms]
        forms = [*map(self.form, weights), *self.totals.values()]
        return sorted({factor for form in forms for product in form for factor in product})

    @cached_property
    def _there(self) -> frozenset[Factor]:
        return frozenset(self.variables)

    @cached_property
    def variables(self) -> list[Factor]:
        """Weights and cells of the head, and the sums that some column may belong to."""
        proof, there = self.proof, set[Factor]()
        for fresh, part, cells in self._grounds:
            for y, cell in zip(self.strip.rows, cells, strict=True):
                for i in range(len(self.systems)):
                    if proof.counts(i, cell):
                        there |= {proof.sum_of(i, side, fresh, part, y, cell) for side in (0, 1)}
        sums = sorted(there & proof.sums.keys())
        heads = [("U", i, y) for i in range(len(self.systems)) for y in self.strip.rows]
        return [*(key for key in proof.variables if key[0] == "E"), *sums, *heads]

    def scale(self, system: int) -> int:
        """The first system with the same base."""
        return self.proof.systems[system].scale

    def region(self, part: int) -> int:
        """Columns that were acted on are told apart by the part that they are of, or not."""
        return part if self.by_part else 0

    def is_uniform(self, system: int, part: int) -> bool:
        return len({self.systems[system].values[x] for x in self.proof.symbols_of[part]}) == 1

    def weight(self, system: int) -> Polynomial:
        return self.polynomial({self.proof.head(system): 1})

    # Steps

    def node(self, element: Element) -> Node:
        return self.proof.node(self.strip.node(element))

    def steps(self, element: Element) -> Iterator[Step]:
        for move in self.strip.moves(element):
            for end in self.strip.follows(element, move):
                yield Step(element, move.symbol, end, move)

    def halts(self, element: Element) -> list[int]:
        """The symbols on which it halts there."""
        return [symbol for symbol in self.strip.reads(element) if self.strip.halts(element[0], symbol)]

    def read(self, symbol: int) -> tuple[int, ...]:
        return tuple(system.values[symbol] for system in self.systems)

    def shape(self, step: Step) -> Shape:
        """What it does, as far as this program tells it."""
        (p, _, y, *_), side, behind = step.start, step.move.side, step.move.coarse
        write, there = self.strip.left.does[p, step.symbol][0], self.strip.coarse[step.end[4]]
        key = (y, write, side, behind, there) if side else (y, write)
        if key not in self._shapes:
            left: Ground | None = self._grounds[behind] if side else None
            shape = y, write, side, left, self._grounds[there] if side else None
            self._shapes[key] = self.checked.seen(shape)
        return self._shapes[key]

    def step_key(self, shape: Shape) -> object:
        """Steps of one key do the same."""
        y, write, *more = shape
        return y, self.read(write), *more

    def effect(self, shape: Shape) -> Replacement:
        """Each variable after a step, in those before it."""
        if shape not in self._effects:
            images = self.checked.images(*shape)
            self._effects[shape] = {self._names[v]: self.polynomial(form) for v, form in images.items()}
        return self._effects[shape]

    # Facts

    def facts_of(self, element: Element) -> int:
        """The number of what is known at an element."""
        at = self.surroundings.at(element)
        if at not in self._at:
            known = self.checked.known(at)
            if known not in self._numbers:
                self._numbers[known] = len(self.facts)
                self.facts.append(self._told(known))
            self._at[at] = self._numbers[known]
        return self._at[at]

    def facts_read(self, element: Element, symbol: int) -> Facts:
        """What is known where a symbol is read."""
        facts = self.facts[self.facts_of(element)]
        told = dict(facts.told)
        for i, system in enumerate(self.systems):
            told["U", i, element[2]] = scaled(self._weight(told, i), system.values[symbol])
        return Facts(told, facts.zero)

    def _weight(self, told: Replacement, system: int) -> Polynomial:
        return told.get(("E", self.scale(system)), self.weight(system))

    def _told(self, known: Known) -> Facts:
        absent = (self._names[variable] for variable in members_of(known.zeros))
        told: Replacement = {name: {} for name in absent if name in self._there}
        zero: list[Polynomial] = []
        for i, system in enumerate(self.systems):
            if self.scale(i) == i and system.base != 1:
                terms = [self.proof.weight(i, *weight) for weight in known.weights]
                weights = [self.polynomial(sum_of_terms([term])) for term in terms]
                if weights:
                    told["E", i] = weights[0]
                    zero += filter(None, (_difference(weights[0], other) for other in weights[1:]))
        for variable, _, value in known.cells:
            name = self._names[variable]
            told[name] = scaled(self._weight(told, int(name[1])), value)
        for stretch in known.stretches:
            form = self.monomials.replaced(self.polynomial(stretch.form(self.proof)), told)
            lead = self.monomials.number([self._names[stretch.sums[0]]])
            if lead in form:
                inverse = -pow(form.pop(lead), -1, PRIME)
                told[self._names[stretch.sums[0]]] = scaled(form, inverse)
        return Facts(told, zero)


def scaled(polynomial: Polynomial, factor: int) -> Polynomial:
    factor %= PRIME
    return {monomial: a * factor % PRIME for monomial, a in polynomial.items()} if factor else {}


def _difference(one: Polynomial, other: Polynomial) -> Polynomial:
    result = dict(one)
    add_times(result, other, -1)
    return result


def written(program: AffineProgram, found: dict[Node, list[Polynomial]]) -> dict[str, Any]:
    """Invariants as a certificate has them, in whole numbers."""
    factors: dict[Factor, int] = {}
    monomials: dict[int, int] = {}

    def indices(product: tuple[Factor, ...]) -> list[int]:
        return [factors.setdefault(factor, len(factors)) for factor in product]

    def terms(polynomial: Polynomial) -> list[int]:
        whole = whole_numbers(polynomial)
        return [n for m, a in whole.items() for n in (monomials.setdefault(m, len(monomials)), a)]

    invariants = [
        [p, row, list(cells), *([part] if program.proof.apart else []), *map(terms, polynomials)]
        for (p, row, cells, part), polynomials in sorted(found.items())
        if polynomials
    ]
    return {
        "systems": [system.written() for system in program.systems],
        "by_part": program.by_part,
        "monomials": [indices(program.monomials.factors[m]) for m in monomials],
        "factors": [list(factor) for factor in factors],
        "invariants": invariants,
    }
