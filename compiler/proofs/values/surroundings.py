"""What the labels of a strip tell of the variables at each of its abstract states."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from gridlang.compiler.proofs.abstractions.columns import LEFT_SIDE, RIGHT_SIDE
from gridlang.compiler.proofs.abstractions.strip_labels import StripLabel
from gridlang.compiler.proofs.abstractions.strips import Node
from gridlang.compiler.proofs.values.polynomials import PRIME, Factor, Polynomial, add, add_times, modular
from gridlang.compiler.proofs.values.weighted_sums import WeightedSums

Replacement = dict[Factor, Polynomial]


class Facts(NamedTuple):
    """Variables that the labels tell, and polynomials that are 0 besides."""

    told: Replacement
    zero: list[Polynomial]


class Stretch(NamedTuple):
    """The columns of a part on a side of the head all have the same value in a row: these sums, together."""

    system: int
    side: int
    part: int
    value: int
    sums: tuple[Factor, ...]


class Surroundings(WeightedSums):
    """Facts, by number."""

    def __init__(self, *of: Any, **more: Any) -> None:
        super().__init__(*of, **more)
        self._chains: dict[tuple[int, int, int], tuple[frozenset[Factor], tuple[Stretch, ...]]] = {}
        self._facts: dict[object, int] = {}
        self._at: dict[tuple[int, int, int, int], int] = {}
        self.facts: list[Facts] = []

    def facts_of(self, state: Node) -> int:
        p, _, _, (left,), label, (right,) = state
        at = self.strip.detail.kinds[p], left, label, right
        if at not in self._at:
            self._at[at] = self._facts_at(p, left, label, right)
        return self._at[at]

    def _facts_at(self, p: int, left: int, label: int, right: int) -> int:
        cells, place, _ = self.strip.labels.labels[label]
        rough = self.strip.labels.rough
        weights = self._weights(rough[left][1], rough[right][1], place)
        sides = self._chain(p, LEFT_SIDE, left), self._chain(p, RIGHT_SIDE, right)
        stretches = (*sides[0][1], *sides[1][1])
        here = self.columns.part(place)
        worth = tuple(self._worth(cells))
        key = (*sides, worth, weights, here if stretches else 0)
        if key not in self._facts:
            self._facts[key] = len(self.facts)
            facts = self._told(sides[0][0] | sides[1][0], worth, weights)
            for stretch in stretches:
                self._tell(facts.told, stretch, here)
            self.facts.append(facts)
        return self._facts[key]

    def _worth(self, cells: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
        """Systems and rows in which the value of a cell of the head's column is known, and the value."""
        for i, system in enumerate(self.systems):
            for row, cell in zip(self.rows, cells, strict=True):
                symbols = [cell] if cell >= 0 else self.strip.labels.members[-1 - cell]
                known = {system.values[symbol] for symbol in symbols}
                if len(known) == 1 and (cell >= 0 or self.words or known == {0}):
                    yield i, row, known.pop()

    def _weights(self, left: int, right: int, place: int) -> tuple[tuple[int, int], ...]:
        """(k, n): the head's column weighs base ^ n times the first column of part k."""
        columns = self.columns
        here = columns.part(place)
        weights = [(k, 0) for k in range(columns.part(left) + 1, here + 1)]
        weights += [(k, 1) for k in range(here + 1, columns.part(right) + 1)]
        ends = (0, columns.from_start(place)), (columns.parts, columns.from_end(place))
        return tuple(dict.fromkeys([*weights, *((k, -n) for k, n in ends if n is not None)]))

    def _chain(self, p: int, side: int, near: int) -> tuple[frozenset[Factor], tuple[Stretch, ...]]:
        """The sums that columns on a side may belong to, and the stretches there."""
        kind = self.strip.detail.kinds[p]
        key = side, kind, near
        if key not in self._chains:
            seen = [self.strip.labels.rough[coarse] for coarse in self.strip.chain(side, kind, near)]
            groups = (group for rough in seen for group, _ in self.groups(rough))
            factors = frozenset((f[0], f[1], side, *f[2:]) for f in groups)
            self._chains[key] = factors, tuple(self._stretches(side, seen)) if self.words else ()
        return self._chains[key]

    def _stretches(self, side: int, seen: list[StripLabel]) -> Iterator[Stretch]:
        by_part: dict[int, list[StripLabel]] = {}
        for rough in seen:
            by_part.setdefault(self.columns.part(rough[1]), []).append(rough)
        members = self.strip.labels.members
        for part, some in by_part.items():
            others = [rough for other, more in by_part.items() if other != part for rough in more]
            told = [(i, system) for i, system in enumerate(self.systems) if system.base != 1]
            for (i, system), y in product(told, self.rows):
                values = {system.values[x] for cells, _, _ in some for x in members[cells[y - self.rows[0]]]}
                sums = self._sums(side, i, y, some)
                if len(values) == 1 and sums and not sums & self._sums(side, i, y, others):
                    yield Stretch(i, side, part, values.pop(), tuple(sorted(sums)))

    def _sums(self, side: int, system: int, y: int, some: list[StripLabel]) -> set[Factor]:
        """What the cells of a row of some columns are summed up in."""
        groups = (group for rough in some for group, row in self.groups(rough) if row == y)
        return {(f[0], f[1], side, *f[2:]) for f in groups if f[1] == system}

    def _tell(self, told: Replacement, stretch: Stretch, here: int) -> None:
        """The sum over a stretch, from its length."""
        system, side, part, value, sums = stretch
        weights = [self.monomials.polynomial(form) for form in self.boundaries[system]]
        head, base = told.get(("E", self.scale[system]), self.weight(system)), self.systems[system].base
        if side == RIGHT_SIDE:
            there = here <= part < self.columns.parts
            first = scaled(head, modular(1 / base)) if part == here else weights[part]
            after = weights[part + 1] if there else {}
        else:
            there = 0 <= part <= here
            first = weights[part]
            after = head if part == here else weights[part + 1] if there else {}
        if there:
            form = scaled(_difference(first, after), modular(value * base / (base - 1)))
            for factor in sums[1:]:
                add(form, self.monomials.number([factor]), -1)
            told[sums[0]] = form

    def _told(
        self,
        present: frozenset[Factor],
        worth: tuple[tuple[int, int, int], ...],
        weights: tuple[tuple[int, int], ...],
    ) -> Facts:
        sums = (factor for factor in self.variables if factor[0] in ("F", "N"))
        told: Replacement = {factor: {} for factor in sums if factor not in present}
        zero: list[Polynomial] = []
        for i, (base, _) in enumerate(self.systems):
            weight = self.weight(i)
            if self.scale[i] == i and base != 1:
                forms = [{f: a * base**n for f, a in self.boundaries[i][k].items()} for k, n in weights]
                first, *others = [self.monomials.polynomial(form) for form in forms] or [weight]
                if forms:
                    told["E", i] = weight = first
                zero += filter(None, (_difference(first, other) for other in others))
        for i, row, value in worth:
            weight = told.get(("E", self.scale[i]), self.weight(i))
            told["U", i, row] = scaled(weight, value)
        return Facts(told, zero)

    def guarded(self, facts: Facts, row: int, symbol: int) -> Facts:
        told = dict(facts.told)
        for i, system in enumerate(self.systems):
            weight = told.get(("E", self.scale[i]), self.weight(i))
            told["U", i, row] = scaled(weight, system.values[symbol])
        return Facts(told, facts.zero)


def scaled(polynomial: Polynomial, factor: int) -> Polynomial:
    factor %= PRIME
    return {monomial: a * factor % PRIME for monomial, a in polynomial.items()} if factor else {}


def _difference(one: Polynomial, other: Polynomial) -> Polynomial:
    result = dict(one)
    add_times(result, other, -1)
    return result
