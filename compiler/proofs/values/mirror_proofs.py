"""Proofs that an agent tells whether a word reads the same from both ends.

A column weighs a power of R from the left, and one from the right. Over the letters of a word, let D be the
sum of value times the difference of both: it is 0 if and only if the word is its own mirror image. Taking the
same letter from both ends leaves D as it is. Runs suggest where D is 0, and where a letter that one end has
and the other has not keeps it from being 0; the checker of certificates says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from compiler.automata.explore import TooLarge
from compiler.proofs.abstractions.columns import FRESH
from compiler.proofs.abstractions.strip_labels import StripDetail
from compiler.proofs.abstractions.strips import Node
from compiler.proofs.limits import LIMITS
from compiler.proofs.results.readings import Unsaid
from compiler.proofs.values.affine_program import AffineProgram, Step, written
from compiler.proofs.values.invariants import Backwards, Goal, Invariants
from compiler.proofs.values.mirrored_clauses import Mirrored
from compiler.proofs.values.output_task import NO_DISTANCES, Evidence, OutputTask, Strip, strip_evidence
from compiler.proofs.values.polynomials import ONE, PRIME, Factor, Form, Monomials, Polynomial
from compiler.proofs.values.sampled_spaces import sampled_spaces
from compiler.proofs.values.weighted_sums import System
from gridlang.clauses.outputs import OutputRule
from gridlang.table import Table

FORWARDS, ONES, BACKWARDS, ONES_BACK = range(4)  # systems
NOTHING, SAME, OTHER = range(3)  # what polynomials tell of the word
MOST_TRIES = 8  # of goals, each after candidates were found to be none


def mirror_evidence(task: OutputTask, clause: Mirrored) -> Evidence:
    """Evidence for a certificate, which its checker has accepted; Unsaid if none is found, and why."""
    table, apart = task.table, _with_texts_apart(task.table, clause)

    def attempt(detail: StripDetail) -> Evidence:
        shapes = task.strip(apart, NO_DISTANCES, detail)
        if len(shapes[0].nodes) > LIMITS.most_value_nodes:
            raise TooLarge(len(shapes[0].nodes))
        proof = _Search(table, task.rule, shapes, clause.part).proof()
        evidence = {**strip_evidence(shapes[0], task.row), "proofs": [proof]}
        return task.accepted(clause.kind, evidence, "as far as letters that are left can tell, {}")

    return task.first_evidence(attempt)


def _with_texts_apart(table: Table, clause: Mirrored) -> Table:
    """A table whose classes have no symbol of a text that the clause says."""
    said = "".join(str(text) for text in (clause.same, clause.other) if not isinstance(text, tuple))
    classes = ((name, "".join(x for x in chars if x not in said)) for name, chars in table.classes)
    return replace(table, classes=tuple(some for some in classes if some[1]))


class _Search:
    """The search on one strip."""

    def __init__(self, table: Table, rule: OutputRule, shapes: Strip, part: int) -> None:
        letters = rule.language.parts[part].members
        base = Fraction(len(letters) + 1)
        values = tuple(letters.find(x) + 1 for x in table.symbols)
        ones = tuple(int(value > 0) for value in values)
        systems = [System(b, some) for b in (base, 1 / base) for some in (values, ones)]
        self.program = AffineProgram(
            table, rule.language, *shapes, systems, Monomials(), by_part=True, apart=True, words=True
        )
        self.base, self.part = base, part
        boundaries = self.program.boundaries
        self.before: Form = boundaries[BACKWARDS][part]
        self.behind: Form = _times(boundaries[FORWARDS][part + 1], {(): base})
        self.whole = self._whole()
        self.columns = [self._at(away) for away in (0, 1, -1)]

    def proof(self) -> dict[str, Any]:
        program = self.program
        single: list[tuple[Factor, ...]] = [(), *((f,) for f in (*program.ghosts, *program.variables))]
        polynomials = [self.whole, *(polynomial for some in self.columns for polynomial in some)]
        monomials = [program.monomials.number(some) for some in single]
        monomials = list(dict.fromkeys([*monomials, *(m for some in polynomials for m in some)]))
        search = Invariants(program, monomials, [ONE], sampled_spaces(program, monomials))
        for _ in range(MOST_TRIES):
            goals = list(self._goals(Backwards(search)))
            found = search.found(goals) if goals else None
            if found is not None:
                return written(program, found)
        raise Unsaid("no invariant of the letters in its columns was found that implies it")

    # What is to be shown

    def _goals(self, candidates: Backwards) -> Iterator[Goal]:
        """On all ways from the start, what tells first whether the word is its mirror image."""
        program, known = self.program, dict[object, list[Polynomial]]()
        work = [(state, NOTHING) for state in program.strip.nodes if self._starts(state)]
        seen = set(work)
        for state, before in work:
            labels = program.strip.labels
            cell = labels.labels[state[4]][0][state[2] - program.strip.rows[0]]
            for symbol in labels.symbols(cell):
                worth = tuple(system.values[symbol] for system in program.systems)
                key = program.node(state), program.facts_of(state), worth
                if key not in known:
                    known[key] = self._telling(candidates, state, symbol)
                    yield from (Goal(state, symbol, polynomial) for polynomial in known[key])
                told = before | len(known[key])
                for step in self._steps(state, symbol) if told != SAME | OTHER else ():
                    if (step.end, told) not in seen:
                        seen.add((step.end, told))
                        work.append((step.end, told))

    def _starts(self, state: Node) -> bool:
        p, _, _, (left,), label, _ = state
        _, place, mark = self.program.rough[left]
        return p == 0 and self.program.strip.labels.labels[label][2] == mark == FRESH and place < 0

    def _steps(self, state: Node, symbol: int) -> Iterator[Step]:
        return (
            step for step in self.program.steps(state) if not isinstance(step, int) and step.symbol == symbol
        )

    def _telling(self, candidates: Backwards, state: Node, symbol: int) -> list[Polynomial]:
        """Polynomials that are 0 where a symbol is read, and tell that D is 0, or that it is not."""
        if not candidates.rest(state, symbol, self.whole):
            return [self.whole]
        for rest, letter, *ends in self.columns:
            for end in ends:
                if candidates.rest(state, symbol, end):
                    continue
                times = self._ratio(
                    candidates.rest(state, symbol, rest), candidates.rest(state, symbol, letter)
                )
                if times is not None:
                    return [end, _plus(rest, letter, -times)]
        return []

    def _ratio(self, one: Polynomial, other: Polynomial) -> int | None:
        """By what the second is the first, if that is the difference of two letters."""
        for times in range(1, int(self.base)):
            for signed in (times, -times):
                if other and not _plus(one, other, -signed):
                    return signed
        return None

    # Polynomials

    def _whole(self) -> Polynomial:
        """D, times a weight."""
        totals = self.program.totals
        form = _sum(
            (1, _times(self.before, totals[FORWARDS, self.part])),
            (-1, _times(self.behind, totals[BACKWARDS, self.part])),
        )
        return self.program.monomials.polynomial(form)

    def _at(self, away: int) -> list[Polynomial]:
        """Of the column so far away from the head's: D less the letters of all others; one letter in it; and
        what is 0 if all others stand between it, the last, and its mirror image; or if it is the first.
        """
        base = self.base
        fore = _times(self.before, self._head(FORWARDS), base**-away)
        back = _times(self.behind, self._head(BACKWARDS), base**away)
        sums = [self._row(system, away != 0) for system in range(4)]
        beside = _sum((1, _times(self.before, sums[FORWARDS])), (-1, _times(self.behind, sums[BACKWARDS])))
        last = _sum((base - 1, _times(self.behind, sums[ONES_BACK])), (-1, back), (base, fore))
        first = _sum((base - 1, _times(self.before, sums[ONES])), (-1, fore), (base, back))
        polynomial = self.program.monomials.polynomial
        rest = _plus(self.whole, polynomial(beside), -1)
        return [rest, polynomial(_sum((1, fore), (-1, back))), polynomial(last), polynomial(first)]

    def _head(self, system: int) -> Form:
        return {(("E", self.program.scale[system]),): Fraction(1)}

    def _row(self, system: int, whole: bool) -> Form:
        """The letters in the row of the input, or all but the head's."""
        return {
            (factor,): Fraction(1)
            for factor in self.program.variables
            if factor[1] == system
            and (
                factor[0] == "F"
                or (factor[0] == "N" and factor[3] == 0)
                or (whole and factor == ("U", system, 0))
            )
        }


def _times(one: Form, other: Form, number: Fraction = Fraction(1)) -> Form:
    return {tuple(sorted((*p, *q))): a * b * number for p, a in one.items() for q, b in other.items()}


def _sum(*terms: tuple[Fraction | int, Form]) -> Form:
    total: dict[tuple[Factor, ...], Fraction] = {}
    for number, form in terms:
        for product, a in form.items():
            total[product] = total.get(product, Fraction(0)) + number * a
    return total


def _plus(one: Polynomial, other: Polynomial, times: int) -> Polynomial:
    total = {m: (one.get(m, 0) + times * other.get(m, 0)) % PRIME for m in {**one, **other}}
    return {monomial: a for monomial, a in total.items() if a}
