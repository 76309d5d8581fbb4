"""The part of `verify` that checks one proof of (V12): its polynomials are 0 at the start, and stay so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from gridlang.compiler.verifier.clauses.inputs import members_of
from gridlang.compiler.verifier.tables import check
from gridlang.compiler.verifier.values.algebra import (
    ONE,
    Form,
    Image,
    Polynomial,
    Solved,
    Substitution,
    image_of,
    solved,
    span,
)
from gridlang.compiler.verifier.values.facts import Facts, Group, Weight
from gridlang.compiler.verifier.values.proofs import Proof, sum_of_terms, whole_form
from gridlang.compiler.verifier.values.stretches import Stretch, stretches
from gridlang.compiler.verifier.values.strips import WHERE, Node

# a column: whether it is fresh, its part, the classes of its cells
Ground = tuple[bool, int, tuple[int, ...]]
# The head's row, what it writes, to which side it goes; if to one, the columns that it leaves and comes to.
Shape = tuple[int, int, int, Ground | None, Ground | None]
Cells = tuple[int, ...]  # of the head's column, as facts tell them
Step = tuple[Node, Cells, Shape, Node]  # a node, what the head's column holds, a step, the next node
Values = tuple[tuple[int, int, int], ...]  # U, which is a value times a weight, E or 1
CellStep = tuple[Node, Values, Shape, Node]


class Known(NamedTuple):
    """Facts in the variables of a proof."""

    zeros: int  # sums that are 0, a bit for each
    cells: Values
    weights: tuple[Weight, ...] = ()  # of the head's column
    stretches: tuple[Stretch, ...] = ()

    def within(self, variables: int) -> Known:
        """Without what is said of other variables alone."""
        return self._replace(zeros=self.zeros & variables, cells=_within(self.cells, variables))

    @property
    def in_stretches(self) -> int:
        """The sums that stretches tell together."""
        return sum(1 << sum_ for sum_ in {sum_ for stretch in self.stretches for sum_ in stretch.sums})


class ProofCheck:
    """One proof: that its polynomials stay 0."""

    def __init__(self, proof: Proof, facts: list[Facts]) -> None:
        self.proof, self.ring, self.facts = proof, proof.ring, facts
        self._facts: dict[int, Known] = {}
        self._shapes: dict[Shape, Substitution] = {}
        self._changes: dict[Shape, int] = {}  # the variables that a step changes
        self._spans: dict[tuple[Node, Values], tuple[Substitution | None, Solved]] = {}
        self._pulled: dict[tuple[Shape, Node], tuple[list[Polynomial], int]] = {}
        self._mentioned = {node: self._variables(some) for node, some in proof.invariants.items()}
        self._left: dict[tuple[CellStep, Known | None, Known | None], list[Polynomial]] = {}

    def check_start(self, node: Node, facts: int, part: int) -> None:
        """(a), the head in a column of a part."""
        images: dict[int, Image] = {}
        self.ring.spend(len(self.proof.variables))
        for key, variable in self.proof.variables.items():
            kind, *of = key
            if kind == "F" and of[1] == 1:
                system, _, j = of
                form = sum_of_terms(self.proof.total_of(system, j))
                taken = {self.proof.variables["U", system, 0]: Fraction(-1)} if j == part else {}
                images[variable] = image_of(form | taken)
            elif kind in "FN":
                images[variable] = 1, {}
        start = Substitution(self.ring, images)
        known = solved(self.ring, (), self._forms(self.known(facts)))
        for polynomial in self.proof.invariants.get(self.proof.node(node), ()):
            zero = known is None or not known.apply(start.apply(polynomial))
            check(zero, WHERE, "a polynomial is not 0 at the start")

    def check_step(self, step: Step, around: Iterable[tuple[int, int]]) -> None:
        """(b), for each of these facts before and after."""
        node, cells, shape, later = step
        shape, node, later = self.seen(shape), self.proof.node(node), self.proof.node(later)
        if later not in self.proof.invariants:
            return
        pulled, mentioned = self._before(shape, later)
        self.ring.spend(len(self.proof.systems) * len(self.proof.strip.rows))
        mentioned |= self._mentioned.get(node, 0)
        # Fewer facts first: what needs no more is shown for many steps at once.
        seen = node, _within(self._cells(cells), mentioned), shape, later
        rest = self._not_kept(seen, None, None, pulled)
        for facts in around if rest else ():
            known, then = map(self.known, facts)
            more = mentioned | known.in_stretches | then.in_stretches
            known, then = known.within(more)._replace(cells=()), then.within(more | self._changes[shape])
            harder = self._not_kept(seen, Known(known.zeros, ()), Known(then.zeros, then.cells), rest)
            kept = not harder or not self._not_kept(seen, known, then, harder)
            check(kept, WHERE, "a step does not keep a polynomial")

    def _not_kept(
        self, step: CellStep, known: Known | None, then: Known | None, polynomials: list[Polynomial]
    ) -> list[Polynomial]:
        """What is left of those of the next node, or of those that fewer facts do not show."""
        if (step, known, then) not in self._left:
            node, cells, shape, _ = step
            more = self._around(shape, known, then) if known and then else ([], [])
            self._left[step, known, then] = self._reduced(node, cells, polynomials, *more)
        return self._left[step, known, then]

    def _around(self, shape: Shape, known: Known, then: Known) -> tuple[Iterable[int], list[Polynomial]]:
        """What facts before and after a step say of what there was before it: sums and forms that are 0."""
        after, changed = self._shape(shape), self._changes[shape]
        forms = [{variable: 1} for variable in members_of(then.zeros & changed)] + self._forms(then)
        return members_of(known.zeros | then.zeros & ~changed), [
            *self._forms(known),
            *map(after.apply, forms),
        ]

    def is_zero(self, node: Node, facts: int, polynomial: Polynomial, equations: list[Polynomial]) -> bool:
        """Whether a polynomial is 0 at a node, if forms are."""
        known = self.known(facts)
        forms = self._forms(known._replace(cells=())) + equations
        node = self.proof.node(node)
        return not self._reduced(node, known.cells, [polynomial], members_of(known.zeros), forms)

    def _reduced(
        self,
        node: Node,
        cells: Values,
        polynomials: list[Polynomial],
        zeros: Iterable[int],
        forms: list[Polynomial],
    ) -> list[Polynomial]:
        """What is left of polynomials at a node, by its own, by sums and by forms that are 0 too.

        Nothing is left of those that are 0.
        """
        if (node, cells) not in self._spans:
            held = solved(self.ring, (), self._forms(Known(0, cells)))
            own = map(held.apply, self.proof.invariants.get(node, ())) if held else ()
            self._spans[node, cells] = held, span(self.ring, own)
        held, here = self._spans[node, cells]
        if held is None:
            return []
        rest = [left for g in polynomials if (left := here.reduced(held.apply(g)))]
        further = solved(self.ring, zeros, map(held.apply, forms)) if rest else None
        if further is None:
            return []
        rest = list(filter(None, map(further.apply, rest)))
        wider = span(self.ring, map(further.apply, here.polynomials() if rest else ()))
        return list(filter(None, map(wider.reduced, rest)))

    def seen(self, shape: Shape) -> Shape:
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

    def known(self, facts: int) -> Known:
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

    def _cells(self, cells: Cells) -> Values:
        proof, known = self.proof, []
        for i, system in enumerate(proof.systems):
            for y, cell in zip(proof.strip.rows, cells, strict=True):
                held = [cell] if cell >= 0 else proof.strip.members[-1 - cell]
                values = {system.values[symbol] for symbol in held}
                if len(values) == 1:
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
            images = self.images(*shape)
            whole = {variable: image_of(form) for variable, form in images.items()}
            self._shapes[shape] = Substitution(self.ring, whole)
            self._changes[shape] = sum(1 << variable for variable in images)
        return self._shapes[shape]

    def images(
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


def _within(cells: Values, variables: int) -> Values:
    return tuple(cell for cell in cells if variables >> cell[0] & 1)
