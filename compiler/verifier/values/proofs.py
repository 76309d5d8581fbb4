"""The part of `verify` that reads a proof of (V12): its systems, and the polynomials of its nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import gcd
from typing import Any, NamedTuple

from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import are_lists, are_numbers, check
from gridlang.compiler.verifier.values.algebra import ONE, Polynomial, Ring, image_of
from gridlang.compiler.verifier.values.strips import WHERE, Node, ValueStrip

LISTS = {"systems", "factors", "monomials", "invariants"}
ANY = -2  # a part that is not told


class System(NamedTuple):
    """The values of symbols, and how much more a column weighs than the one to the right of it."""

    base: Fraction
    values: list[int]
    scale: int  # the first system with this base


class Term(NamedTuple):
    """A number times a monomial."""

    number: Fraction
    monomial: int


class Proof:
    """A proof's systems, with its variables as numbers, and its invariants."""

    def __init__(self, strip: ValueStrip, data: Any) -> None:
        self.strip = strip
        whole = isinstance(data, dict) and set(data) == {"by_part", *LISTS}
        check(whole and type(data["by_part"]) is bool, WHERE, "a proof has other parts")
        check(all(isinstance(data[name], list) for name in LISTS), WHERE, "a proof has no lists")
        self.by_part: bool = data["by_part"]
        self.systems = self._systems(data["systems"])
        self._counts = [
            [any(s.values[x] for x in members) for members in strip.members] for s in self.systems
        ]
        self.symbols_of = strip.places.symbols_of
        self.variables = self._variables()
        self.sums = {key: variable for key, variable in self.variables.items() if key[0] in "FN"}
        self.ring = Ring(len(self.variables))
        self.ghosts: dict[tuple[Any, ...], int] = {}
        self.first_weights: list[list[Term]] = []
        for scale in range(len(self.systems)):
            self.first_weights.append(self._weights(scale))
        first = next(iter(data["invariants"]), None)
        self.apart = isinstance(first, list) and len(first) > 3 and type(first[3]) is int
        self.invariants = self._invariants(data)

    def _systems(self, listed: list[Any]) -> list[System]:
        check(0 < len(listed) <= LIMITS.systems, WHERE, "a proof has no systems, or too many")
        systems: list[System] = []
        for data in listed:
            whole = isinstance(data, dict) and set(data) == {"base", "values"}
            known = whole and are_numbers(data["base"], -LIMITS.constant, LIMITS.constant + 1)
            check(known and len(data["base"]) == 2, WHERE, "a system has no base")
            base, values = data["base"], data["values"]
            check(0 != base[0] > -base[1] and base[1] > 0, WHERE, "the base of a system is 0, or -1 or below")
            check(gcd(*base) == 1, WHERE, "the base of a system is not reduced")
            known = are_numbers(values, 1 - LIMITS.number, LIMITS.number)
            check(known and len(values) == len(self.strip.left.symbols), WHERE, "a system has no values")
            check(values[0] == 0, WHERE, "the blank has a value")
            same = [other.scale for other in systems if other.base == Fraction(*base)]
            systems.append(System(Fraction(*base), values, same[0] if same else len(systems)))
        return systems

    def counts(self, system: int, group: int) -> bool:
        return self._counts[system][group]

    def _variables(self) -> dict[tuple[Any, ...], int]:
        """In the order in which facts take them out, the last first; T is what the head will find."""
        keys: list[tuple[Any, ...]] = []
        keys += [("E", s.scale) for i, s in enumerate(self.systems) if s.scale == i and s.base != 1]
        systems, rows = range(len(self.systems)), self.strip.rows
        regions = range(-1, len(self.symbols_of) + 1) if self.by_part else (0,)
        many = len(self.systems) * len(rows) * len(regions) * len(self.strip.members)
        check(many <= LIMITS.factors, WHERE, "a proof has too many variables")
        keys += [("U", i, y) for i in systems for y in rows]
        for i in systems:
            values = self.systems[i].values
            parts = [j for j, some in enumerate(self.symbols_of) if any(values[s] for s in some)]
            groups = [c for c in range(len(self.strip.members)) if self.counts(i, c)]
            keys += [("F", i, side, j) for side in (0, 1) for j in parts]
            keys += [
                ("N", i, side, y, c, j) for side in (0, 1) for y in rows for c in groups for j in regions
            ]
        keys += [("T", i, y) for i in systems for y in rows]
        return {key: number for number, key in enumerate(keys, 1)}

    def sum_of(self, system: int, side: int, fresh: bool, part: int, y: int, group: int) -> tuple[Any, ...]:
        """The name of the sum on a side that a cell of a class is in, if that has values."""
        if fresh:
            return ("F", system, side, part)
        return ("N", system, side, y, group, part if self.by_part else 0)

    def _weights(self, scale: int) -> list[Term]:
        """The weight of the first column of each part, and of the one after the input."""
        base, parts = self.systems[scale].base, self.strip.left.input
        if base == 1 or self.systems[scale].scale != scale:
            return [Term(Fraction(1), ONE)] * (len(parts) + 1)
        order = range(len(parts), -1, -1) if base > 1 else range(len(parts) + 1)
        weights = self._from_afar(scale)
        last: Term | None = None
        for k in order:
            between = parts[k if base > 1 else k - 1] if last else None
            if last is None:
                last = Term(Fraction(1), ONE)
            elif k in weights:
                last = weights[k]
            elif _is_cell(between):
                last = Term(last.number * (base if base > 1 else 1 / base), last.monomial)
            else:
                last = Term(Fraction(1), self.ring.width * self._ghost("B", scale, k))
            weights[k] = last
        return [weights[k] for k in range(len(parts) + 1)]

    def _from_afar(self, scale: int) -> dict[int, Term]:
        """Of words: weights that tell the length of the input, as those of an inverse base did before."""
        base, parts = self.systems[scale].base, self.strip.left.input
        inverse = [i for i in range(scale) if self.systems[i].base == 1 / base]
        if not inverse or not self.strip.words:
            return {}
        number, monomial = self.first_weights[inverse[0]][0 if base < 1 else len(parts)]
        weights: dict[int, Term] = {}
        for k in range(len(parts), 0, -1) if base < 1 else range(len(parts)):
            weights[k] = Term(number, monomial)
            if not _is_cell(parts[k - 1 if base < 1 else k]):
                break
            number /= base if base > 1 else 1 / base
        return weights

    def _ghost(self, *key: Any) -> int:
        ghost = self.ghosts.setdefault(key, len(self.ghosts))
        return self.ring.product([ghost])

    def no_zeros(self) -> list[int]:
        """Products that are not 0: 1, and each weight that is a ghost."""
        return [ONE, *(self.ring.product([ghost]) for key, ghost in self.ghosts.items() if key[0] == "B")]

    def weight(self, system: int, k: int, exponent: int) -> Term:
        """base ^ exponent times the weight of the first column of part k."""
        base, _, scale = self.systems[system]
        number, monomial = self.first_weights[scale][k]
        return Term(number * base**exponent, monomial)

    def head(self, system: int) -> int:
        return self.variables.get(("E", self.systems[system].scale), ONE)

    def number_of(self, system: int, part: int) -> Term:
        """What a part of the input spells: its last column counts 1, or its first if the base is below 1."""
        values = {self.systems[system].values[symbol] for symbol in self.symbols_of[part]}
        known = len(values) == 1 and (values == {0} or _is_cell(self.strip.left.input[part]))
        if known:
            return Term(Fraction(values.pop()), ONE)
        return Term(Fraction(1), self.ring.width * self._ghost("v", system, part))

    def total_of(self, system: int, part: int) -> list[Term]:
        """The sum of value times weight over a part of the input."""
        base, values, _ = self.systems[system]
        worth = {values[symbol] for symbol in self.symbols_of[part]}
        if self.strip.words and base != 1 and len(worth) == 1:
            return self.stretch(system, worth.pop(), *(self.weight(system, k, 0) for k in (part, part + 1)))
        weight = self.weight(system, part, 0) if base < 1 else self.weight(system, part + 1, 1)
        return [self.product([self.number_of(system, part), weight])]

    def stretch(self, system: int, value: int, first: Term, after: Term) -> list[Term]:
        """The sum over columns of one value: by the weights of their first, and of the one behind them."""
        base = self.systems[system].base
        share = value * base / (base - 1)
        return [Term(share * first.number, first.monomial), Term(-share * after.number, after.monomial)]

    def product(self, terms: list[Term]) -> Term:
        """Of these, at most the last has a variable."""
        number, product = Fraction(1), ONE
        for term in terms[:-1]:
            number *= term.number
            product = self.ring.times(product, term.monomial // self.ring.width)
        return Term(number * terms[-1].number, self.ring.scaled(product, terms[-1].monomial))

    def _invariants(self, data: dict[str, Any]) -> dict[Node, list[Polynomial]]:
        factors, monomials = data["factors"], data["monomials"]
        check(
            len(factors) <= LIMITS.factors and are_lists(factors), WHERE, "its factors are none, or too many"
        )
        check(len(monomials) <= LIMITS.monomials, WHERE, "it has too many monomials")
        known = [self._factor(factor) for factor in factors]
        terms = [self._monomial(known, monomial) for monomial in monomials]
        invariants: dict[Node, list[Polynomial]] = {}
        for entry in data["invariants"]:
            check(isinstance(entry, list) and len(entry) > 3, WHERE, "an entry of its invariants is none")
            at = entry[: 4 if self.apart else 3]
            node, polynomials = self.node_of(*at), entry[len(at) :]
            check(node not in invariants, WHERE, "a node stands twice")
            check(len(polynomials) <= LIMITS.polynomials, WHERE, "a node has too many polynomials")
            read = [self._polynomial(terms, polynomial) for polynomial in polynomials]
            invariants[node] = [polynomial for polynomial in read if polynomial]
        return invariants

    def node(self, node: Node) -> Node:
        """A node, without the part of the head's column unless this proof tells nodes apart by it."""
        return node if self.apart else (*node[:3], ANY)

    def node_of(self, p: Any, y: Any, classes: Any, part: Any = ANY) -> Node:
        """A node as it stands in a certificate."""
        exists = are_numbers([p], 0, self.strip.left.states) and type(y) is int and y in self.strip.rows
        height = are_numbers(classes, 0, len(self.strip.members)) and len(classes) == len(self.strip.rows)
        there = part == ANY or are_numbers([part], -1, self.strip.places.parts + 1)
        check(exists and height and there, WHERE, "there is no such node")
        return p, y, tuple(classes), part

    def _factor(self, factor: list[Any]) -> Term:
        check(factor and are_numbers(factor[1:], -LIMITS.number), WHERE, "a factor is none")
        kind, *of = factor
        systems, parts = len(self.systems), self.strip.places.parts
        if kind == "B":
            exists = len(of) == 2 and 0 <= of[0] < systems and 0 <= of[1] <= parts
            check(exists and ("E", of[0]) in self.variables, WHERE, "there is no such weight")
            return self.weight(of[0], of[1], 0)
        if kind == "v":
            exists = len(of) == 2 and 0 <= of[0] < systems and 0 <= of[1] < parts
            check(exists, WHERE, "there is no such number")
            return self.number_of(of[0], of[1])
        check(isinstance(kind, str) and kind != "T", WHERE, "a factor is none")
        check((kind, *of) in self.variables, WHERE, "there is no such variable")
        return Term(Fraction(1), self.variables[kind, *of])

    def _monomial(self, factors: list[Term], monomial: Any) -> Term:
        check(are_numbers(monomial, 0, len(factors)), WHERE, "a monomial is none")
        return self._multiplied([factors[index] for index in monomial])

    def term(self, times: int, factors: list[list[Any]]) -> Term:
        """Some times a product of factors as they stand in a certificate."""
        number, product = self._multiplied([self._factor(factor) for factor in factors])
        return Term(times * number, product)

    def _multiplied(self, factors: list[Term]) -> Term:
        check(len(factors) <= LIMITS.degree, WHERE, "a monomial is too long")
        number, product = Fraction(1), ONE
        for factor in factors:
            number *= factor.number
            product = self.ring.multiplied(product, factor.monomial)
        few = len(self.ring.variables(product)) <= (2 if self.strip.words else 1)
        check(few, WHERE, "a monomial has too many variables")
        return Term(number, product)

    def _polynomial(self, terms: list[Term], flat: Any) -> Polynomial:
        whole = are_numbers(flat, 1 - LIMITS.number, LIMITS.number) and flat and len(flat) % 2 == 0
        check(whole and are_numbers(flat[::2], 0, len(terms)), WHERE, "a polynomial is none")
        form: dict[int, Fraction] = {}
        for index, coefficient in zip(flat[::2], flat[1::2], strict=True):
            number, monomial = terms[index]
            form[monomial] = form.get(monomial, Fraction(0)) + coefficient * number
        return whole_form(form)


def sum_of_terms(terms: Iterable[Term]) -> dict[int, Fraction]:
    form: dict[int, Fraction] = {}
    for number, monomial in terms:
        form[monomial] = form.get(monomial, Fraction(0)) + number
    return form


def whole_form(form: Mapping[int, Fraction]) -> Polynomial:
    """The form as a polynomial."""
    return image_of(form)[1]


def _is_cell(piece: Any) -> bool:
    """Whether all texts of a piece have one symbol."""
    if isinstance(piece, list) and (piece[0] == "|" or (piece[0] == "," and len(piece) == 2)):
        return all(map(_is_cell, piece[1:]))
    return isinstance(piece, str)
