"""An agent on a strip as an affine program: sums of values of symbols, each times the weight of its column.

Weights are powers of a base, so a step changes such sums linearly. The program has, for each abstract state
of a strip, *facts*: what its labels tell of the variables; and for each step what becomes of them. Factors
of its polynomials are the ghosts B and v and the variables E, F, N and U; T is an unknown symbol of the
column that the head comes to. What they stand for: docs/reference/evidence.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from compiler.proofs.abstractions.columns import LEFT_SIDE, RIGHT_SIDE
from compiler.proofs.abstractions.strips import Node, StripAnalysis
from compiler.proofs.values.part_columns import PartColumns
from compiler.proofs.values.polynomials import (
    ONE,
    PRIME,
    Factor,
    Form,
    Monomials,
    Polynomial,
    add,
    modular,
)
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.repetitions import cells_in
from gridlang.syntax import tree as s
from gridlang.table import DELTAS, Entry, Table

Replacement = dict[Factor, Polynomial]
Rough = tuple[tuple[int, ...], int, int]  # a label by classes: cells, place, mark
ProgramNode = tuple[int, int, tuple[int, ...], int]  # state, row, classes of the head's column, its part
ANY = -2  # for a part that is not told


class System(NamedTuple):
    """A base, and the value of each symbol; the blank has none."""

    base: Fraction
    values: tuple[int, ...]


class Facts(NamedTuple):
    """Variables that the labels tell, and polynomials that are 0 besides."""

    told: Replacement
    zero: list[Polynomial]


class Step(NamedTuple):
    """A step from an abstract state on a symbol: its end, what it leaves behind, and what it writes."""

    start: Node
    symbol: int
    end: Node
    behind: int  # the label of the column after the step
    entry: Entry


class AffineProgram:
    """The program of a strip of depth 1, without descents."""

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
    ) -> None:
        self.table, self.language, self.strip, self.columns = table, language, strip, columns
        self.systems, self.monomials, self.by_part, self.apart = systems, monomials, by_part, apart
        self.rows = range(strip.rows[0], strip.rows[1] + 1)
        bases = [system.base for system in systems]
        self.scale = [bases.index(base) for base in bases]
        members = strip.labels.members
        self.counted = [
            {c for c, some in enumerate(members) if any(system.values[x] for x in some)} for system in systems
        ]
        labels = strip.labels
        self.rough: dict[int, Rough] = {}
        for number, (_, place, mark) in enumerate(labels.labels):
            self.rough.setdefault(labels.coarse[number], (self.cells(number), place, mark))
        self._chains: dict[tuple[int, int, int], frozenset[Factor]] = {}
        self._facts: dict[object, int] = {}
        self.facts: list[Facts] = []

    def cells(self, label: int) -> tuple[int, ...]:
        """The classes of a column."""
        classes = self.strip.labels.classes
        return tuple(classes[c] if c >= 0 else -1 - c for c in self.strip.labels.labels[label][0])

    def node(self, state: Node) -> ProgramNode:
        part = self.columns.part(self.strip.labels.labels[state[4]][1])
        return state[0], state[2], self.cells(state[4]), part if self.apart else ANY

    # Ghosts

    @cached_property
    def boundaries(self) -> list[list[Form]]:
        """For each system the weight of the first column of each part, and of the first after the input."""
        return [self._boundaries(i) for i in range(len(self.systems))]

    def _boundaries(self, system: int) -> list[Form]:
        base, parts = self.systems[system].base, self.language.parts
        count, one = len(parts), dict[tuple[Factor, ...], Fraction]({(): Fraction(1)})
        if base == 1:
            return [one] * (count + 1)
        forms: list[Form] = [one] * (count + 1)
        order = range(count - 1, -1, -1) if base > 1 else range(1, count + 1)
        for k in order:
            part, known = (k, k + 1) if base > 1 else (k - 1, k - 1)
            factor = base if base > 1 else 1 / base
            if isinstance(parts[part].piece, s.One):
                forms[k] = {factors: a * factor for factors, a in forms[known].items()}
            else:
                forms[k] = {(("B", self.scale[system], k),): Fraction(1)}
        return forms

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
                one = isinstance(part.piece, s.One) and len(worth) == 1
                ghost: tuple[Factor, ...] = () if one else (("v", i, j),)
                times = max(base, Fraction(1)) * (worth.pop() if one else 1)
                totals[i, j] = {tuple(sorted((*f, *ghost))): a * times for f, a in weight.items()}
        return totals

    def is_uniform(self, system: int, part: int) -> bool:
        """Whether all symbols of a part are worth the same."""
        values = self.systems[system].values
        return len({values[self.table.symbols.index(x)] for x in self.symbols_of(part)}) == 1

    def symbols_of(self, part: int) -> str:
        """The symbols that may stand in a part."""
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
        groups = {group for rough in self.rough.values() for group, _ in self.groups(rough)}
        sums = [(f[0], f[1], side, *f[2:]) for f in sorted(groups) for side in (LEFT_SIDE, RIGHT_SIDE)]
        return [*(("E", r) for r in scales), *sums, *heads]

    def groups(self, rough: Rough) -> Iterator[tuple[Factor, int]]:
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
        """The weight of the head's column."""
        scale = self.scale[system]
        return {ONE: 1} if self.systems[scale].base == 1 else {self.monomials.number([("E", scale)]): 1}

    # Facts

    def facts_of(self, state: Node) -> int:
        """The number of the facts at an abstract state."""
        p, _, _, (left,), label, (right,) = state
        cells, place, _ = self.strip.labels.labels[label]
        parts = tuple(self.columns.part(self.rough[near][1]) for near in (left, right))
        sides = self._chain(p, LEFT_SIDE, left), self._chain(p, RIGHT_SIDE, right)
        key = (*sides, cells, self.columns.part(place), *parts)
        if key not in self._facts:
            self._facts[key] = len(self.facts)
            self.facts.append(self._told(sides[0] | sides[1], cells, self.columns.part(place), *parts))
        return self._facts[key]

    def _chain(self, p: int, side: int, near: int) -> frozenset[Factor]:
        """The sums that columns on a side may belong to."""
        kind = self.strip.detail.kinds[p]
        key = side, kind, near
        if key not in self._chains:
            seen, work = {near}, [near]
            while work:
                for _, beyond in self.strip.grams[side][kind].get((work.pop(),), ()):
                    if beyond not in seen:
                        seen.add(beyond)
                        work.append(beyond)
            groups = (group for coarse in seen for group, _ in self.groups(self.rough[coarse]))
            self._chains[key] = frozenset((f[0], f[1], side, *f[2:]) for f in groups)
        return self._chains[key]

    def _told(
        self, present: frozenset[Factor], cells: tuple[int, ...], here: int, before: int, after: int
    ) -> Facts:
        sums = (factor for factor in self.variables if factor[0] in ("F", "N"))
        told: Replacement = {factor: {} for factor in sums if factor not in present}
        zero: list[Polynomial] = []
        for i, (base, values) in enumerate(self.systems):
            weight = self.weight(i)
            if self.scale[i] == i and base != 1:
                forms = [self.boundaries[i][k] for k in range(before + 1, here + 1)]
                forms += [
                    {f: a * base for f, a in self.boundaries[i][k].items()}
                    for k in range(here + 1, after + 1)
                ]
                known = [self.monomials.polynomial(form) for form in forms]
                if known:
                    told["E", i] = weight = known[0]
                    zero += filter(None, (_difference(known[0], other) for other in known[1:]))
            weight = told.get(("E", self.scale[i]), weight)
            for row, cell in zip(self.rows, cells, strict=True):
                if cell >= 0:
                    told["U", i, row] = scaled(weight, values[cell])
                elif -1 - cell not in self.counted[i]:
                    told["U", i, row] = {}
        return Facts(told, zero)

    def guarded(self, facts: Facts, row: int, symbol: int) -> Facts:
        """Facts, and the symbol that is read."""
        told = dict(facts.told)
        for i, system in enumerate(self.systems):
            weight = told.get(("E", self.scale[i]), self.weight(i))
            told["U", i, row] = scaled(weight, system.values[symbol])
        return Facts(told, facts.zero)

    # Steps

    def steps(self, state: Node) -> Iterator[Step | int]:
        """All steps of an abstract state, and the symbols on which it halts."""
        strip, labels = self.strip, self.strip.labels
        p, _, row, left, label, right = state
        for symbol in labels.symbols(labels.labels[label][0][row - strip.rows[0]]):
            entry = self.table.rows[p][symbol]
            if entry is None:
                continue
            if entry.is_idle(symbol):
                yield symbol
                continue
            dx, dy = DELTAS[entry.move]
            to = entry.next
            behind = labels.written(label, row, entry.write, strip.detail.marks[p], strip.detail.dimmed)
            if dx == 0:
                yield Step(state, symbol, (to, to, row + dy, left, behind, right), behind, entry)
                continue
            side, near = (RIGHT_SIDE, right) if dx > 0 else (LEFT_SIDE, left)
            rough = (labels.coarse[behind],)
            for x, beyond in strip.grams[side][strip.detail.kinds[p]].get(near, ()):
                far = (beyond,)
                end = (to, to, row, rough, x, far) if dx > 0 else (to, to, row, far, x, rough)
                yield Step(state, symbol, end, behind, entry)

    def step_key(self, step: Step) -> object:
        """What decides a step's effect."""
        row, dx = step.start[2], DELTAS[step.entry.move][0]
        written = tuple(system.values[step.entry.write] for system in self.systems)
        if dx == 0:
            return row, written
        region = self.region(self.columns.part(self.strip.labels.labels[step.behind][1]))
        return row, written, dx, region, self.cells(step.behind), tuple(self.groups(self._entered(step)))

    def _entered(self, step: Step) -> Rough:
        _, place, mark = self.strip.labels.labels[step.end[4]]
        return self.cells(step.end[4]), place, mark

    def effect(self, step: Step) -> Replacement:
        """Each variable after a step, in those before it."""
        row, dx = step.start[2], DELTAS[step.entry.move][0]
        number = self.monomials.number
        after: Replacement = {}
        for i, (base, values) in enumerate(self.systems):
            written = scaled(self.weight(i), values[step.entry.write])
            if dx == 0:
                after["U", i, row] = written
                continue
            if self.scale[i] == i and base != 1:
                after["E", i] = scaled(self.weight(i), modular(1 / base if dx > 0 else base))
            back = LEFT_SIDE if dx > 0 else RIGHT_SIDE
            region = self.region(self.columns.part(self.strip.labels.labels[step.behind][1]))
            for y, c in zip(self.rows, self.cells(step.behind), strict=True):
                after["U", i, y] = {}
                if c in self.counted[i]:
                    group = "N", i, back, y, c, region
                    grown = after[group] = {number([group]): 1}
                    for monomial, a in (written if y == row else {number([("U", i, y)]): 1}).items():
                        add(grown, monomial, a)
        if dx:
            ahead = RIGHT_SIDE if dx > 0 else LEFT_SIDE
            for (kind, system, *rest), y in self.groups(self._entered(step)):
                taken, old = number([("T", system, y)]), (kind, system, ahead, *rest)
                after["U", system, y] = {taken: 1}
                after[old] = {number([old]): 1, taken: PRIME - 1}
        return after


def scaled(polynomial: Polynomial, factor: int) -> Polynomial:
    factor %= PRIME
    return {monomial: a * factor % PRIME for monomial, a in polynomial.items()} if factor else {}


def _difference(one: Polynomial, other: Polynomial) -> Polynomial:
    result = dict(one)
    for monomial, a in other.items():
        add(result, monomial, -a)
    return result
