"""An agent on a strip as an affine program: each step changes weighted sums linearly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from gridlang.compiler.proofs.abstractions.columns import LEFT_SIDE, RIGHT_SIDE
from gridlang.compiler.proofs.abstractions.strips import Move, Node
from gridlang.compiler.proofs.joint_step import BOTH_HALT
from gridlang.compiler.proofs.values.polynomials import PRIME, Factor, Polynomial, add, modular, whole_numbers
from gridlang.compiler.proofs.values.surroundings import Facts, Replacement, Surroundings, scaled
from gridlang.table import DELTAS, Entry

ProgramNode = tuple[int, int, tuple[int, ...], int]  # state, row, classes of the head's column, its part
ANY = -2  # for a part that is not told


class Step(NamedTuple):
    """A step from an abstract state on a symbol: its end, what it leaves behind, and what it writes."""

    start: Node
    symbol: int
    end: Node
    behind: int  # the label of the column after the step
    entry: Entry


class AffineProgram(Surroundings):
    """The program of a strip of depth 1, without descents."""

    def __init__(self, *of: Any, **more: Any) -> None:
        super().__init__(*of, **more)
        self._keys: dict[object, object] = {}
        self._columns: dict[int, tuple[tuple[int, ...], int]] = {}  # classes and part, by label

    def node(self, state: Node) -> ProgramNode:
        told = self._columns.get(state[4])
        if told is None:
            cells, place, _ = self.rough(state[4])
            told = self._columns[state[4]] = cells, self.columns.part(place) if self.apart else ANY
        return state[0], state[2], *told

    def steps(self, state: Node) -> Iterator[Step | int]:
        """All steps of an abstract state, and the symbols on which it halts."""
        for symbol, step in self.strip.steps(state):
            if step is BOTH_HALT:
                yield symbol
            elif isinstance(step, Move):
                for end in self.strip.after(state, step):
                    yield Step(state, symbol, end, step.label, step.entry)

    def read(self, symbol: int) -> tuple[int, ...]:
        return tuple(system.values[symbol] for system in self.systems)

    def facts_read(self, state: Node, symbol: int) -> Facts:
        return self.guarded(self.facts[self.facts_of(state)], state[2], symbol)

    def step_key(self, step: Step) -> object:
        at = step.start[2], step.entry.write, step.entry.move, step.behind, step.end[4]
        if at not in self._keys:
            self._keys[at] = self._step_key(step)
        return self._keys[at]

    def _step_key(self, step: Step) -> object:
        row, dx = step.start[2], DELTAS[step.entry.move][0]
        written = self.read(step.entry.write)
        if dx == 0:
            return row, written
        cells, place, _ = self.rough(step.behind)
        entered = tuple(self.groups(self.rough(step.end[4])))
        return row, written, dx, self.region(self.columns.part(place)), cells, entered

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
            cells, place, _ = self.rough(step.behind)
            region = self.region(self.columns.part(place))
            for y, c in zip(self.rows, cells, strict=True):
                after["U", i, y] = {}
                if c in self.counted[i]:
                    group = "N", i, back, y, c, region
                    grown = after[group] = {number([group]): 1}
                    for monomial, a in (written if y == row else {number([("U", i, y)]): 1}).items():
                        add(grown, monomial, a)
        if dx:
            ahead = RIGHT_SIDE if dx > 0 else LEFT_SIDE
            for (kind, system, *rest), y in self.groups(self.rough(step.end[4])):
                taken, old = number([("T", system, y)]), (kind, system, ahead, *rest)
                after["U", system, y] = {taken: 1}
                after[old] = {number([old]): 1, taken: PRIME - 1}
        return after


def written(program: AffineProgram, found: dict[ProgramNode, list[Polynomial]]) -> dict[str, Any]:
    """Invariants as a certificate has them, in whole numbers."""
    factors: dict[Factor, int] = {}
    monomials: dict[int, int] = {}

    def indices(product: tuple[Factor, ...]) -> list[int]:
        return [factors.setdefault(factor, len(factors)) for factor in product]

    def terms(polynomial: Polynomial) -> list[int]:
        whole = whole_numbers(polynomial)
        return [n for m, a in whole.items() for n in (monomials.setdefault(m, len(monomials)), a)]

    invariants = [
        [p, row, list(cells), *([part] if program.apart else []), *map(terms, polynomials)]
        for (p, row, cells, part), polynomials in sorted(found.items())
        if polynomials
    ]
    return {
        "systems": [
            {"base": [base.numerator, base.denominator], "values": values} for base, values in program.systems
        ],
        "by_part": program.by_part,
        "monomials": [indices(program.monomials.factors[m]) for m in monomials],
        "factors": [list(factor) for factor in factors],
        "invariants": invariants,
    }
