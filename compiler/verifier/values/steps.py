"""The part of `verify` that checks one proof of (V12): its polynomials are 0 at the start, and stay so."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from compiler.verifier.tables import check
from compiler.verifier.values.algebra import ONE, Form, Polynomial, Span, Substitution, solved
from compiler.verifier.values.facts import Facts, Group, Weight
from compiler.verifier.values.proofs import Proof, sum_of_terms, whole_form
from compiler.verifier.values.stretches import Stretch, stretches
from compiler.verifier.values.strips import WHERE, Node

Ground = tuple[
    bool, int, tuple[int, ...]
]  # a column: whether it is fresh, its part, the classes of its cells
# The head's row, what it writes, to which side it goes; if to one, the columns that it leaves and comes to.
Shape = tuple[int, int, int, Ground | None, Ground | None]
Step = tuple[Node, int, Shape, Node, int]  # a node with its facts, a step, the next node with its facts


class Known(NamedTuple):
    """Facts in the variables of a proof."""

    zeros: int  # sums that are 0, a bit for each
    cells: tuple[tuple[int, int, int], ...]  # U, which is a value times a weight, E or 1
    weights: tuple[Weight, ...]  # of the head's column
    stretches: tuple[Stretch, ...] = ()

    def within(self, variables: int) -> Known:
        """Without what is said of other variables alone."""
        cells = tuple(cell for cell in self.cells if variables >> cell[0] & 1)
        return Known(self.zeros & variables, cells, self.weights, self.stretches)

    @property
    def in_stretches(self) -> int:
        """The sums that stretches tell together."""
        return sum(1 << sum_ for sum_ in {sum_ for stretch in self.stretches for sum_ in stretch.sums})


KnownStep = tuple[Node, Known, Shape, Node, Known | None]


class ProofCheck:
    """One proof: that its polynomials stay 0."""

    def __init__(self, proof: Proof, facts: list[Facts]) -> None:
        self.proof, self.ring, self.facts = proof, proof.ring, facts
        self._facts: dict[int, Known] = {}
        self._substitutions: dict[Known, Substitution | None] = {}
        self._shapes: dict[Shape, Substitution] = {}
        self._changes: dict[Shape, int] = {}  # the variables that a step changes
        self._spans: dict[tuple[Node, Known], Span] = {}
        self._pulled: dict[tuple[Shape, Node], tuple[list[Polynomial], int]] = {}
        self._mentioned = {node: self._variables(some) for node, some in proof.invariants.items()}
        self._kept: dict[KnownStep, bool] = {}

    def check_start(self, node: Node, facts: int, part: int) -> None:
        """(a), the head in a column of a part."""
        images: dict[int, Form] = {}
        self.ring.spend(len(self.proof.variables))
        for key, variable in self.proof.variables.items():
            kind, *of = key
            if kind == "F" and of[1] == 1:
                system, _, j = of
                form = sum_of_terms(self.proof.total_of(system, j))
                taken = {self.proof.variables["U", system, 0]: Fraction(-1)} if j == part else {}
                images[variable] = form | taken
            elif kind in "FN":
                images[variable] = {}
        start = Substitution(self.ring, images)
        known = solved(self.ring, (), self._forms(self._known(facts)))
        for polynomial in self.proof.invariants.get(self.proof.node(node), ()):
            zero = known is None or not known.apply(start.apply(polynomial))
            check(zero, WHERE, "a polynomial is not 0 at the start")

    def check_step(self, step: Step) -> None:
        """(b)"""
        node, facts, shape, later, after = step
        shape, node, later = self._seen(shape), self.proof.node(node), self.proof.node(later)
        if later not in self.proof.invariants:
            return
        pulled, mentioned = self._before(shape, later)
        self.ring.spend(len(self.proof.systems) * len(self.proof.strip.rows))
        mentioned |= self._mentioned.get(node, 0)
        mentioned |= self._known(facts).in_stretches | self._known(after).in_stretches
        known = self._known(facts).within(mentioned)
        # Fewer facts first: what needs no more is shown for many steps at once.
        if self._keeps((node, Known(0, known.cells, ()), shape, later, None), pulled):
            return
        then = self._known(after).within(mentioned | self._changes[shape])
        fewer = Known(known.zeros, known.cells, ()), Known(then.zeros, then.cells, ())
        kept = self._keeps((node, fewer[0], shape, later, fewer[1]), pulled)
        kept = kept or self._keeps((node, known, shape, later, then), pulled)
        check(kept, WHERE, "a step does not keep a polynomial")

    def _keeps(self, step: KnownStep, pulled: list[Polynomial]) -> bool:
        if step not in self._kept:
            node, known, shape, _, then = step
            self._kept[step] = self._vanish(node, known, pulled, then and (shape, then))
        return self._kept[step]

    def is_zero(self, node: Node, facts: int, polynomial: Polynomial, equations: list[Polynomial]) -> bool:
        """Whether a polynomial is 0 at a node, if forms are."""
        return self._vanish(self.proof.node(node), self._known(facts), [polynomial], None, equations)

    def _vanish(
        self,
        node: Node,
        known: Known,
        polynomials: list[Polynomial],
        after: tuple[Shape, Known] | None,
        equations: Sequence[Polynomial] = (),
    ) -> bool:
        """Whether polynomials are 0 at a node, by its own, its facts, those after a step, and other forms."""
        if known not in self._substitutions:
            self._substitutions[known] = solved(self.ring, _members(known.zeros), self._forms(known))
        facts = self._substitutions[known]
        if facts is None:
            return True
        if (node, known) not in self._spans:
            own = self.proof.invariants.get(node, ())
            self._spans[node, known] = Span(self.ring, map(facts.apply, own))
        span = self._spans[node, known]
        rest = [left for g in polynomials if (left := span.reduced(facts.apply(g)))]
        if not rest:
            return True
        zeros, equations = self._more(known, *after) if after else ([], equations)
        further = solved(self.ring, zeros, filter(None, map(facts.apply, equations)))
        if further is None:
            return True
        wider = Span(self.ring, map(further.apply, span.rows.values()))
        return not any(wider.reduced(further.apply(left)) for left in rest)

    def _more(self, known: Known, shape: Shape, then: Known) -> tuple[list[int], list[Polynomial]]:
        """What the facts after a step say of what there was before it, and those before it do not."""
        step, changed = self._shape(shape), self._changes[shape]
        equations = [{variable: 1} for variable in _members(then.zeros & changed)] + self._forms(then)
        return _members(then.zeros & ~known.zeros & ~changed), [step.apply(form) for form in equations]

    def _seen(self, shape: Shape) -> Shape:
        """As far as this proof tells parts apart."""
        y, write, side, left, entered = shape
        if self.proof.by_part or left is None or entered is None:
            return shape
        part = entered[1] if entered[0] else 0
        return y, write, side, (False, 0, left[2]), (entered[0], part, entered[2])

    def _variables(self, polynomials: list[Polynomial]) -> int:
        variables = 0
        for polynomial in polynomials:
            for variable in (v for monomial in polynomial for v in self.ring.variables(monomial)):
                variables |= 1 << variable
        return variables

    def _before(self, shape: Shape, later: Node) -> tuple[list[Polynomial], int]:
        """The polynomials of a node, written in what there was before a step, and the variables in them."""
        if (shape, later) not in self._pulled:
            step = self._shape(shape)
            pulled = [step.apply(polynomial) for polynomial in self.proof.invariants[later]]
            self._pulled[shape, later] = pulled, self._variables(pulled)
        return self._pulled[shape, later]

    def _known(self, facts: int) -> Known:
        if facts not in self._facts:
            groups, cells, weights, part = self.facts[facts]
            known = self._absent(groups), self._cells(cells), weights
            self._facts[facts] = Known(*known, tuple(stretches(self.proof, groups, part)))
        return self._facts[facts]

    def _absent(self, groups: Sequence[frozenset[Group]]) -> int:
        """Sums over groups that are not there."""
        there = set()
        self.ring.spend(len(self.proof.sums))
        for side, some in enumerate(groups):
            for fresh, part, y, number in some:
                for i in range(len(self.proof.systems)):
                    if self.proof.counts(i, number):
                        there.add(self.proof.sum_of(i, side, fresh, part, y, number))
        return sum(1 << variable for key, variable in self.proof.sums.items() if key not in there)

    def _cells(self, cells: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
        proof, known = self.proof, []
        for i, system in enumerate(proof.systems):
            for y, cell in zip(proof.strip.rows, cells, strict=True):
                if cell >= 0:
                    known.append((proof.variables["U", i, y], proof.head(i), system.values[cell]))
                    continue
                values = {system.values[symbol] for symbol in proof.strip.members[-1 - cell]}
                if values == {0} or (len(values) == 1 and proof.strip.grain.words):
                    known.append((proof.variables["U", i, y], proof.head(i), values.pop()))
        return tuple(known)

    def _forms(self, known: Known) -> list[Polynomial]:
        """What is said of the head's column, as forms that are 0."""
        forms = [{u: 1, head: -value} if value else {u: 1} for u, head, value in known.cells]
        for i, system in enumerate(self.proof.systems):
            head = self.proof.head(i)
            if head != ONE and system.scale == i:
                for k, exponent in known.weights:
                    number, monomial = self.proof.weight(i, k, exponent)
                    forms.append(whole_form({head: Fraction(1), monomial: -number}))
        return forms + [stretch.form(self.proof) for stretch in known.stretches]

    def _shape(self, shape: Shape) -> Substitution:
        if shape not in self._shapes:
            images = self._images(*shape)
            self._shapes[shape] = Substitution(self.ring, images)
            self._changes[shape] = sum(1 << variable for variable in images)
        return self._shapes[shape]

    def _images(
        self, y: int, write: int, side: int, left: Ground | None, entered: Ground | None
    ) -> dict[int, Form]:
        """Each variable after a step, by those before it."""
        proof, variables = self.proof, self.proof.variables
        images: dict[int, Form] = {}
        for i, system in enumerate(proof.systems):
            head = proof.head(i)
            column: dict[int, Form] = {row: {variables["U", i, row]: 1} for row in proof.strip.rows}
            column[y] = {head: system.values[write]}
            if left is None or entered is None:
                images[variables["U", i, y]] = column[y]
                continue
            if head != ONE:
                images[head] = {head: system.base**-side}
            towards, away = (1, 0) if side > 0 else (0, 1)
            for row, cell in zip(proof.strip.rows, left[2], strict=True):
                if grown := variables.get(proof.sum_of(i, away, *left[:2], row, cell)):
                    images[grown] = {grown: 1, **column[row]}
            for row, cell in zip(proof.strip.rows, entered[2], strict=True):
                images[variables["U", i, row]] = {}
                shrunk = variables.get(proof.sum_of(i, towards, *entered[:2], row, cell))
                if shrunk and proof.counts(i, cell):
                    new = variables["T", i, row]
                    images[shrunk] = {shrunk: 1, new: -1}
                    images[variables["U", i, row]] = {new: 1}
        return images


def _members(bits: int) -> list[int]:
    return [place for place in range(bits.bit_length()) if bits >> place & 1]
