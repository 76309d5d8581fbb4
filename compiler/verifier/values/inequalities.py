"""The part of `verify` that excludes what no run comes to, by what would be below 0 there.

(V16) Theorem, inequalities. Let (a) and (b) of (V12) hold, in systems whose bases are above 0 and whose
      values are not below it, (b) without what is excluded. Split the condition of the inputs, if LEFT has
      one, into *cases*, one of which every input that meets it is in; a case has comparisons, each of which
      says of a sum that it is not below 0, or that it is 0. An element that reads a symbol is *excluded* if
      for each case the certificate has a sum of
       (a) a product of weights, a number above 0 times;
       (b) other products of ghosts and variables, numbers above 0 times;
       (c) the sums of the case, each a number of times that is not below 0, or any if the sum is 0;
      that is 0 by the polynomials of the node and the facts, as in (b) of (V12).
      Then no run on a declared input comes to an element that is excluded. If all elements are in which LEFT
      is stuck, it is stuck on no declared input.
      For no ghost or variable is below 0 in such systems, and weights are above it. At the first element of a
      run that is excluded the polynomials are still 0. The input is in a case; so (b) and (c) are not below
      0, and (a) is above, but the sum is 0.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from gridlang.compiler.verifier.clauses.outputs import COMPARISONS, Node, OutputClause, conjuncts
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import Rules, Wrong, are_lists, are_numbers, check
from gridlang.compiler.verifier.values.algebra import ONE, Polynomial
from gridlang.compiler.verifier.values.expressions import Sum, combined, value_of
from gridlang.compiler.verifier.values.facts import Surroundings
from gridlang.compiler.verifier.values.proofs import Proof, sum_of_terms, whole_form
from gridlang.compiler.verifier.values.steps import ProofCheck
from gridlang.compiler.verifier.values.strips import WHERE, Element
from gridlang.compiler.verifier.values.strips import Node as StripNode

CONTRARY = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
Case = frozenset[Node]  # comparisons


class End(NamedTuple):
    """What is 0 at a node, if these comparisons hold."""

    form: Polynomial
    comparisons: Case


class Exclusions:
    """The ends of a proof, whose polynomials stay 0."""

    def __init__(self, surroundings: Surroundings, checked: ProofCheck, ends: Any) -> None:
        self.surroundings, self.strip, self.checked = surroundings, surroundings.strip, checked
        proof = checked.proof
        signs = all(system.base > 0 and min(system.values) >= 0 for system in proof.systems)
        check(signs, WHERE, "a system has a base or a value below 0")
        conditions = Conditions(proof, self.strip.left)
        self._ends, self._cases = _read_ends(proof, conditions, ends), conditions.cases()
        self._known: dict[tuple[StripNode, int], bool] = {}

    def excludes(self, element: Element, symbol: int) -> bool:
        """Whether no run comes to an element and reads a symbol there."""
        node = self.checked.proof.node(self.strip.node(element))
        at = node, self.surroundings.at(element, symbol)
        if at not in self._known:
            zeros = [end for end in self._ends.get(node, ()) if self.checked.is_zero(*at, end.form, [])]
            self._known[at] = all(any(case >= end.comparisons for end in zeros) for case in self._cases)
        return self._known[at]

    def check_never_stuck(self) -> None:
        for element in self.strip.elements:
            for symbol in self.strip.reads(element):
                stuck = (element[0], symbol) not in self.strip.left.does
                check(not stuck or self.excludes(element, symbol), WHERE, "LEFT may be stuck")


class Conditions:
    """The condition of LEFT's inputs, and sums that its comparisons tell."""

    def __init__(self, proof: Proof, left: Rules) -> None:
        output = {**(left.output or {"digits": ""}), "value": 0}
        self.clause = OutputClause(left._replace(output=output), proof.strip.places.clause)
        self.proof, self.where = proof, left.where

    def read(self, tree: Any) -> Node:
        self.clause.size = 0  # Each may be as long as a clause.
        return self.clause.read(tree)

    def cases(self) -> list[Case]:
        """Every input that meets the condition is in one. What is not known of it is left out."""
        cases = [Case()]
        for tree in conjuncts(self.where):
            with suppress(Wrong):
                node = self.read(tree)
                cases = _both(cases, self._cases(node, True)) if self._is_known(node) else cases
        return cases

    def equalities(self) -> list[Polynomial]:
        """What the condition says is 0."""
        zeros = []
        for tree in conjuncts(self.where):
            with suppress(Wrong):
                node = self.read(tree)
                told = self.sum_of(node) if node[0] == "==" else None
                zeros += [whole_form(told)] if told else []
        return zeros

    def _is_known(self, node: Node) -> bool:
        if node[0] in ("not", "and", "or"):
            return all(map(self._is_known, node[1:]))
        return node[0] in COMPARISONS and self.sum_of(("<", *node[1:])) is not None

    def _cases(self, node: Node, holds: bool) -> list[Case]:
        kind = node[0]
        if kind == "not":
            return self._cases(node[1], not holds)
        if kind in ("and", "or"):
            some, others = (self._cases(side, holds) for side in node[1:])
            return _both(some, others) if (kind == "and") == holds else some + others
        kind = kind if holds else CONTRARY[kind]
        return [Case([(other, *node[1:])]) for other in (("<", ">") if kind == "!=" else (kind,))]

    def sum_of(self, node: Node) -> Sum | None:
        """What a comparison says is not below 0; None if the proof has no system for it."""
        kind, *sides = node
        check(kind in COMPARISONS and kind != "!=", "left", "its condition compares nothing")
        values = [value_of(self.proof, self.clause, side) for side in sides]
        one, other = values if kind in ("<", "<=") else values[::-1]
        if one is None or other is None:
            return None
        difference = combined(self.proof, "-", other, one)
        difference[ONE] = difference.get(ONE, Fraction(0)) - (kind in ("<", ">"))
        return difference


def _both(some: list[Case], others: list[Case]) -> list[Case]:
    check(len(some) * len(others) <= LIMITS.cases, "left", "its condition has too many cases")
    return [one | other for one, other in product(some, others)]


def _read_ends(proof: Proof, conditions: Conditions, ends: Any) -> dict[StripNode, list[End]]:
    """Each has a node, terms, weights first, and comparisons with numbers."""
    check(are_lists(ends), WHERE, "its ends are none")
    check(len(ends) <= LIMITS.monomials, WHERE, "it has too many ends")
    found: dict[StripNode, list[End]] = {}
    for end in ends:
        check(len(end) == (6 if proof.apart else 5), WHERE, "an end has other parts")
        *at, terms, compared = end
        form = _terms(proof, terms)
        check(are_lists(compared), WHERE, "an end has no comparisons")
        comparisons = []
        for number, tree in compared:
            node = conditions.read(tree)
            told = conditions.sum_of(node)
            check(told is not None, WHERE, "an end compares what has no system")
            check(
                are_numbers([number], 1 - LIMITS.number, LIMITS.number), WHERE, "a comparison has no number"
            )
            check(number >= 0 or node[0] == "==", WHERE, "an end takes a comparison times a number below 0")
            form = combined(
                proof, "+", form, {monomial: number * share for monomial, share in (told or {}).items()}
            )
            comparisons.append(node)
        found.setdefault(proof.node_of(*at), []).append(End(whole_form(form), Case(comparisons)))
    return found


def _terms(proof: Proof, terms: Any) -> Sum:
    """Products of ghosts and variables, numbers above 0 times; the first is of weights alone."""
    check(are_lists(terms) and terms, WHERE, "an end has no terms")
    read = []
    for number, *factors in terms:
        check(
            are_numbers([number], 1, LIMITS.number) and are_lists(factors), WHERE, "a term of an end is none"
        )
        read.append(proof.term(number, factors))
    weights = all(factor[0] in ("B", "E") for factor in terms[0][1:])
    check(weights, WHERE, "the first term of an end is not of weights alone")
    return sum_of_terms(read)
