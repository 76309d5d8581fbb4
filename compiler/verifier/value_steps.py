"""The part of `verify` that checks one proof of (V12): its polynomials are 0 at the start, and steps keep them."""

from __future__ import annotations

from fractions import Fraction

from compiler.verifier.tables import check
from compiler.verifier.value_algebra import ONE, Form, Polynomial, Span, Substitution, solved
from compiler.verifier.value_facts import Facts
from compiler.verifier.value_proofs import Proof, whole_form
from compiler.verifier.value_strips import WHERE, Node

# The head's row, what it writes, its side, the classes of the column that it leaves; the part of the input that
# the column it comes to is of, if that is fresh, else -1; and the classes of that column.
Shape = tuple[int, int, int, tuple[int, ...], int, tuple[int, ...]]
Step = tuple[Node, int, Shape, Node, int]  # a node with its facts, a step, the next node with its facts


class ProofCheck:
    """One proof: that its polynomials stay 0."""

    def __init__(self, proof: Proof, facts: list[Facts]) -> None:
        self.proof, self.ring, self.facts = proof, proof.ring, facts
        self._equations: dict[int, list[Polynomial]] = {}
        self._substitutions: dict[int, Substitution | None] = {}
        self._shapes: dict[Shape, Substitution] = {}
        self._spans: dict[tuple[Node, int], Span] = {}
        self._pulled: dict[tuple[Shape, Node], list[Polynomial]] = {}

    def check_start(self, node: Node, facts: int, part: int) -> None:
        """(a), the head in a column of a part."""
        images: dict[int, Form] = {}
        for key, variable in self.proof.variables.items():
            kind, *of = key
            if kind == "F" and of[1] == 1:
                system, _, j = of
                number, monomial = self.proof.total_of(system, j)
                images[variable] = {monomial: number}
                if j == part:
                    images[variable] = {monomial: number, self.proof.variables["U", system, 0]: -1}
            elif kind in "FN":
                images[variable] = {}
        start = Substitution(self.ring, images)
        known = solved(self.ring, self._of_column(self.facts[facts]))
        for polynomial in self.proof.invariants.get(node, ()):
            zero = known is None or not known.apply(start.apply(polynomial))
            check(zero, WHERE, "a polynomial is not 0 at the start")

    def check_step(self, step: Step) -> None:
        """(b)"""
        node, facts, shape, later, after = step
        if later not in self.proof.invariants:
            return
        if (shape, later) not in self._pulled:
            substitution = self._shape(shape)
            self._pulled[shape, later] = [substitution.apply(g) for g in self.proof.invariants[later]]
        kept = self.vanish(node, facts, self._pulled[shape, later], (shape, after))
        check(kept, WHERE, "a step does not keep a polynomial")

    def vanish(
        self,
        node: Node,
        facts: int,
        polynomials: list[Polynomial],
        after: tuple[Shape, int] | None = None,
        more: list[Polynomial] | None = None,
    ) -> bool:
        """Whether polynomials are 0 at a node, by its own, its facts, those after a step, and more equations."""
        known = self._substitution(facts)
        if known is None:
            return True
        span = self._span(node, facts, known)
        rest = [left for g in polynomials if (left := span.reduced(known.apply(g)))]
        if not rest:
            return True
        equations = list(more or ())
        if after is not None:
            shape, later = after
            equations += [self._shape(shape).apply(equation) for equation in self._equation(later)]
        further = solved(self.ring, filter(None, map(known.apply, equations)))
        if further is None:
            return True
        wider = Span(self.ring, map(further.apply, span.rows.values()))
        return not any(wider.reduced(further.apply(left)) for left in rest)

    def _span(self, node: Node, facts: int, known: Substitution) -> Span:
        if (node, facts) not in self._spans:
            polynomials = self.proof.invariants.get(node, ())
            self._spans[node, facts] = Span(self.ring, map(known.apply, polynomials))
        return self._spans[node, facts]

    def _substitution(self, facts: int) -> Substitution | None:
        if facts not in self._substitutions:
            self._substitutions[facts] = solved(self.ring, self._equation(facts))
        return self._substitutions[facts]

    def _equation(self, facts: int) -> list[Polynomial]:
        if facts not in self._equations:
            known = self.facts[facts]
            self._equations[facts] = self._absent(known) + self._of_column(known)
        return self._equations[facts]

    def _absent(self, facts: Facts) -> list[Polynomial]:
        """Sums over groups that are not there are 0."""
        there = set()
        for side, groups in enumerate(facts.groups):
            for part, y, number in groups:
                for i in range(len(self.proof.systems)):
                    if self.proof.counts(i, number):
                        there.add(("N", i, side, y, number) if part is None else ("F", i, side, part))
        return [{v: 1} for key, v in self.proof.variables.items() if key[0] in "FN" and key not in there]

    def _of_column(self, facts: Facts) -> list[Polynomial]:
        """What is known of the head's column."""
        proof, equations = self.proof, []
        for i, system in enumerate(proof.systems):
            head = proof.head(i)
            for y, cell in zip(proof.strip.rows, facts.cells, strict=True):
                if cell >= 0:
                    equations.append(_less({proof.variables["U", i, y]: 1}, {head: system.values[cell]}))
                elif not proof.counts(i, -1 - cell):
                    equations.append({proof.variables["U", i, y]: 1})
            if head != ONE and system.scale == i:
                for k, exponent in facts.weights:
                    number, monomial = proof.weight(i, k, exponent)
                    equations.append(whole_form({head: Fraction(1), monomial: -number}))
        return equations

    def _shape(self, shape: Shape) -> Substitution:
        if shape not in self._shapes:
            self._shapes[shape] = Substitution(self.ring, self._images(*shape))
        return self._shapes[shape]

    def _images(
        self, y: int, write: int, side: int, behind: tuple[int, ...], part: int, ahead: tuple[int, ...]
    ) -> dict[int, Form]:
        """Each variable after a step, by those before it."""
        proof, variables, images = self.proof, self.proof.variables, {}
        for i, system in enumerate(proof.systems):
            head = proof.head(i)
            column: dict[int, Form] = {row: {variables["U", i, row]: 1} for row in proof.strip.rows}
            column[y] = {head: system.values[write]}
            if side == 0:
                images[variables["U", i, y]] = column[y]
                continue
            if head != ONE:
                images[head] = {head: system.base**-side}
            towards, away = (1, 0) if side > 0 else (0, 1)
            for row, left, come in zip(proof.strip.rows, behind, ahead, strict=True):
                if proof.counts(i, left):
                    grown = variables["N", i, away, row, left]
                    images[grown] = {grown: 1, **column[row]}
                images[variables["U", i, row]] = {}
                of = ("N", i, towards, row, come) if part < 0 else ("F", i, towards, part)
                if proof.counts(i, come) and of in variables:
                    new = variables["T", i, row]
                    images[variables[of]] = {variables[of]: 1, new: -1}
                    images[variables["U", i, row]] = {new: 1}
        return images


def _less(form: dict[int, int], other: dict[int, int]) -> Polynomial:
    """The difference of two forms without a monomial in common."""
    return {m: n for m, n in {**form, **{m: -n for m, n in other.items()}}.items() if n}
