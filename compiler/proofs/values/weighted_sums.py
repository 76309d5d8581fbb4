"""Sums of values of symbols, each times the weight of its column: what invariants of values speak of.

Weights are powers of a base. Factors of polynomials are the ghosts B and v and the variables E, F, N and U; T
is an unknown symbol of the column that the head comes to. What they stand for: docs/reference/evidence.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from gridlang.clauses.inputs import InputLanguage, InputPart
from gridlang.clauses.position_automaton import cells_in
from gridlang.compiler.proofs.abstractions.columns import LEFT_SIDE, RIGHT_SIDE
from gridlang.compiler.proofs.abstractions.strip_labels import StripLabel
from gridlang.compiler.proofs.abstractions.strips import StripAnalysis
from gridlang.compiler.proofs.values.part_columns import PartColumns
from gridlang.compiler.proofs.values.polynomials import ONE, Factor, Form, Monomials, Polynomial
from gridlang.syntax import tree as s
from gridlang.table import Table


class System(NamedTuple):
    """A base, and the value of each symbol; the blank has none."""

    base: Fraction
    values: tuple[int, ...]


class WeightedSums:
    """The ghosts and variables of a strip of depth 1, in some systems."""

    def __init__(
        self,
        table: Table,
        language: InputLanguage,
        strip: StripAnalysis,
        columns: PartColumns,
        systems: Sequence[System],
        monomials: Monomials,
        by_part: bool = False,
        apart: bool = False,
        words: bool = False,
    ) -> None:
        self.table, self.language, self.strip, self.columns = table, language, strip, columns
        self.systems, self.monomials, self.by_part = systems, monomials, by_part
        self.apart, self.words = apart, words
        self.rows = range(strip.rows[0], strip.rows[1] + 1)
        bases = [system.base for system in systems]
        self.scale = [bases.index(base) for base in bases]
        members = strip.labels.members
        self.counted = [
            {c for c, some in enumerate(members) if any(system.values[x] for x in some)} for system in systems
        ]

    def rough(self, label: int) -> StripLabel:
        return self.strip.labels.rough[self.strip.labels.coarse[label]]

    # Ghosts

    @cached_property
    def boundaries(self) -> list[list[Form]]:
        """For each system the weight of the first column of each part, and of the first after the input."""
        boundaries: list[list[Form]] = []
        for i, (base, _) in enumerate(self.systems):
            inverse = [each for each, system in enumerate(self.systems[:i]) if system.base == 1 / base]
            longest = boundaries[inverse[0]][0 if base < 1 else -1] if inverse and self.words else None
            boundaries.append(boundary_weights(base, self.scale[i], self.language.parts, longest))
        return boundaries

    @cached_property
    def totals(self) -> dict[tuple[int, int], Form]:
        """What the columns of a part sum up to, by system and part: its number times a weight."""
        totals: dict[tuple[int, int], Form] = {}
        for i, (base, values) in enumerate(self.systems):
            for j, part in enumerate(self.language.parts):
                weight = self.boundaries[i][j + (base >= 1)]
                worth = {values[self.table.symbols.index(x)] for x in self.symbols_of(j)}
                if worth == {0}:
                    continue
                if self.words and len(worth) == 1 and base != 1:
                    totals[i, j] = self._length(i, j, worth.pop())
                    continue
                one = isinstance(part.piece, s.One) and len(worth) == 1
                ghost: tuple[Factor, ...] = () if one else (("v", i, j),)
                times = max(base, Fraction(1)) * (worth.pop() if one else 1)
                totals[i, j] = {tuple(sorted((*f, *ghost))): a * times for f, a in weight.items()}
        return totals

    def _length(self, system: int, part: int, value: int) -> Form:
        base, form = self.systems[system].base, dict[tuple[Factor, ...], Fraction]()
        for sign, weight in zip((1, -1), self.boundaries[system][part : part + 2], strict=True):
            for factors, a in weight.items():
                form[factors] = form.get(factors, Fraction(0)) + sign * a * value * base / (base - 1)
        return form

    def is_uniform(self, system: int, part: int) -> bool:
        values = self.systems[system].values
        return len({values[self.table.symbols.index(x)] for x in self.symbols_of(part)}) == 1

    def symbols_of(self, part: int) -> str:
        before = sum(cells_in(other.piece) for other in self.language.parts[:part])
        return "".join(self.language.cells[before : before + cells_in(self.language.parts[part].piece)])

    @cached_property
    def ghosts(self) -> list[Factor]:
        forms = [form for forms in self.boundaries for form in forms] + list(self.totals.values())
        return sorted({factor for form in forms for factors in form for factor in factors})

    # Variables

    @cached_property
    def variables(self) -> list[Factor]:
        scales = sorted({r for r in self.scale if self.systems[r].base != 1})
        heads = [("U", i, row) for i in range(len(self.systems)) for row in self.rows]
        groups = {group for rough in self.strip.labels.rough for group, _ in self.groups(rough)}
        sums = [(f[0], f[1], side, *f[2:]) for f in sorted(groups) for side in (LEFT_SIDE, RIGHT_SIDE)]
        return [*(("E", r) for r in scales), *sums, *heads]

    def groups(self, rough: StripLabel) -> Iterator[tuple[Factor, int]]:
        """Which sums a column belongs to, without their side, and by which of its rows."""
        cells, place, mark = rough
        part = self.columns.part(place)
        for i, counted in enumerate(self.counted):
            if mark < 0:
                if cells[-self.rows[0]] in counted and 0 <= part < self.columns.parts:
                    yield ("F", i, part), 0
            else:
                for row, c in zip(self.rows, cells, strict=True):
                    if c in counted:
                        yield ("N", i, row, c, self.region(part)), row

    def region(self, part: int) -> int:
        """Columns that were acted on are told apart by the part that they are of, or not."""
        return part if self.by_part else 0

    def weight(self, system: int) -> Polynomial:
        scale = self.scale[system]
        return {ONE: 1} if self.systems[scale].base == 1 else {self.monomials.number([("E", scale)]): 1}


def boundary_weights(
    base: Fraction, scale: int, parts: Sequence[InputPart], longest: Form | None = None
) -> list[Form]:
    """The weight of the first column of each part, and of the first after the input.

    `longest` is the one that stands for the length of the input, if that is known.
    """
    count, one = len(parts), dict[tuple[Factor, ...], Fraction]({(): Fraction(1)})
    if base == 1:
        return [one] * (count + 1)
    forms: list[Form] = [one] * (count + 1)
    radix, known = base if base > 1 else 1 / base, _from_afar(base, parts, longest)
    for k in range(count - 1, -1, -1) if base > 1 else range(1, count + 1):
        part, before = (k, k + 1) if base > 1 else (k - 1, k - 1)
        if k in known:
            forms[k] = known[k]
        elif isinstance(parts[part].piece, s.One):
            forms[k] = {factors: a * radix for factors, a in forms[before].items()}
        else:
            forms[k] = {(("B", scale, k),): Fraction(1)}
    return forms


def _from_afar(base: Fraction, parts: Sequence[InputPart], longest: Form | None) -> dict[int, Form]:
    """Weights that follow from the longest."""
    known: dict[int, Form] = {}
    for k in range(len(parts), 0, -1) if base < 1 else range(len(parts)):
        if longest is None:
            break
        known[k] = longest
        if not isinstance(parts[k - 1 if base < 1 else k].piece, s.One):
            break
        longest = {factors: a / (base if base > 1 else 1 / base) for factors, a in longest.items()}
    return known
