"""Proofs that an agent is never stuck, by what would be below 0 where it is.

Where the head could be stuck, the polynomials that are 0 there are looked for a sum of terms that are not
below 0, of sums that the condition of the inputs says are not, and of a weight, which is above.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any, NamedTuple

from compiler.automata.explore import TooLarge
from compiler.proofs.certificates import certified_table
from compiler.proofs.halting.cones import ray
from compiler.proofs.limits import LIMITS
from compiler.proofs.results.readings import Node, Unsaid, conjuncts, frozen, operator_of
from compiler.proofs.values.affine_program import AffineProgram, ProgramNode, written
from compiler.proofs.values.clause_goals import Sum, sum_of
from compiler.proofs.values.invariants import Backwards, Goal, Invariants
from compiler.proofs.values.output_task import NO_DISTANCES, Evidence, OutputTask, Strip, strip_evidence
from compiler.proofs.values.polynomials import ONE, PRIME, Factor, Monomials, Polynomial, add, ratio
from compiler.proofs.values.sampled_spaces import sampled_spaces
from compiler.proofs.values.weighted_sums import System
from compiler.verifier.tables import Wrong, rules_of
from compiler.verifier.values.values import check_inequalities

CONTRARY = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
TELLS = [(False, False), (True, False), (True, True)]  # of parts: in sums of columns, in nodes
Case = tuple[Node, ...]  # comparisons
Name = tuple[int, int]  # a monomial, or a comparison of a case: how it counts, and its number
Key = tuple[ProgramNode, int, int, tuple[int, ...]]  # a node, its facts, its row, the values read
MONOMIAL, PLUS, MINUS = range(3)
Column = tuple[Name, Polynomial]  # and what is left of it


class End(NamedTuple):
    """Why a node is not one where the agent is stuck: monomials and comparisons, with their numbers."""

    terms: dict[int, int]
    comparisons: dict[Node, int]


def never_stuck_evidence(task: OutputTask, where: Any) -> Evidence:
    """That the agent is never stuck on inputs that meet a condition, a tree; Unsaid if it is not found."""
    conditions = _Conditions(task, where)
    evidence = task.first_evidence(
        lambda detail: _on_strip(task, task.strip(task.table, NO_DISTANCES, detail), conditions)
    )
    left = rules_of(certified_table(task.table), "left", None)
    try:
        check_inequalities(left._replace(where=_listed(where)), _listed(evidence))
    except Wrong as wrong:
        raise Unsaid(f"what was found was refused: {wrong}") from None
    return evidence


def _listed(part: Any) -> Any:
    """As a certificate has it."""
    return json.loads(json.dumps(part))


class _Conditions:
    """The cases of a condition, and the sums that comparisons tell, in systems that are added for them."""

    def __init__(self, task: OutputTask, where: Any) -> None:
        self.task = task
        self.systems = [System(Fraction(1), tuple(int(i > 0) for i in range(len(task.table.symbols))))]
        self.sums: dict[Node, Sum] = {}
        self.cases: list[Case] = [()]
        for node in conjuncts(frozen(_listed(where))) if where else ():
            try:
                cases = [*_cases(node, True)]
                for comparison in {comparison for case in cases for comparison in case}:
                    self.sums[comparison] = self._sum(comparison)
            except Unsaid:
                continue
            self.cases = _both(self.cases, cases)

    def _sum(self, node: Node) -> Sum:
        kind, *sides = node
        less, more = sides if kind in ("<", "<=") else sides[::-1]
        whole = "-", ("-", more, less), int(kind in ("<", ">"))
        return sum_of(whole, self.task.rule, self.task.table, self.systems)


def _both(some: list[Case], others: list[Case]) -> list[Case]:
    if len(some) * len(others) > LIMITS.most_cases:
        raise Unsaid("its condition has too many cases")
    return [one + other for one, other in product(some, others)]


def _cases(node: Node, holds: bool) -> list[Case]:
    """The cases in which a condition holds, or does not; Unsaid if it has more than comparisons."""
    kind = operator_of(node)
    if kind == "not":
        return _cases(node[1], not holds)
    if kind in ("and", "or"):
        some, others = (_cases(side, holds) for side in node[1:])
        return _both(some, others) if (kind == "and") == holds else some + others
    if kind not in CONTRARY:
        raise Unsaid("it has a condition that compares nothing")
    kind = kind if holds else CONTRARY[kind]
    return [((other, *node[1:]),) for other in (("<", ">") if kind == "!=" else (kind,))]


def _on_strip(task: OutputTask, strip: Strip, conditions: _Conditions) -> Evidence:
    if len(strip[0].nodes) > LIMITS.most_value_nodes:
        raise TooLarge(len(strip[0].nodes))
    # Runs on other inputs of the form show what is so by itself.
    language = task.rule.language if task.machine else replace(task.rule.language, condition=None)
    for by_part, apart in TELLS:
        program = AffineProgram(task.table, language, *strip, conditions.systems, Monomials(), by_part, apart)
        asked = {factor for total in conditions.sums.values() for factors in total for factor in factors}
        if not asked <= {*program.ghosts}:
            raise Unsaid("its condition is of parts that have one symbol")
        found = _Search(program, conditions).evidence()
        if found is not None:
            proof, ends = found
            return {"kind": "inequalities", **strip_evidence(strip[0], 0), "proofs": [proof], "ends": ends}
    raise Unsaid("no invariant of the numbers in its columns was found that rules it out")


class _Search:
    """Ends of one program, and invariants that give them."""

    def __init__(self, program: AffineProgram, conditions: _Conditions) -> None:
        self.program, self.cases = program, conditions.cases
        form = program.monomials.polynomial
        self.sums = {node: form(total) for node, total in conditions.sums.items()}
        self.stuck = {self._key(*end): end for end in _stuck_ends(program)}
        factors: list[Factor] = [*program.ghosts, *program.variables]
        products = [(), *((f,) for f in factors), *(p for form in program.totals.values() for p in form)]
        self.monomials = list(dict.fromkeys(map(program.monomials.number, products)))
        self.weights = [ONE, *(program.monomials.number([f]) for f in factors if f[0] in ("B", "E"))]

    def _key(self, state: Any, symbol: int) -> Key:
        program = self.program
        read = tuple(system.values[symbol] for system in program.systems)
        return program.node(state), program.facts_of(state), state[2], read

    def evidence(self) -> tuple[dict[str, Any], list[Any]] | None:
        """A proof, and its ends."""
        program = self.program
        spaces = sampled_spaces(program, self.monomials)
        search = Invariants(program, self.monomials, [ONE], spaces)
        tried: list[Goal] = []
        for _ in range(LIMITS.most_invariant_rounds):
            ends = self._ends(search)
            if ends is None:
                return None
            goals = [Goal(*self.stuck[key], self._polynomial(end)) for key, end in ends]
            if goals == tried:
                return None
            found, tried = search.found(goals), goals
            if found is not None:
                return written(program, found), [*self._written(ends)]
        return None

    def _ends(self, search: Invariants) -> list[tuple[Key, End]] | None:
        """Of all candidates; None where they do not rule out that the agent is stuck."""
        backwards, ends = Backwards(search), []
        for key, (state, symbol) in self.stuck.items():

            def rest(form: Polynomial, at: tuple[Any, int] = (state, symbol)) -> Polynomial:
                return backwards.rest(*at, form)

            columns = [((MONOMIAL, m), rest({m: 1})) for m in self.monomials]
            for case in self.cases:
                end = self._end(columns, case, rest)
                if end is None:
                    return None
                ends.append((key, end))
        return ends

    def _end(self, columns: list[Column], case: Case, rest: Callable[[Polynomial], Polynomial]) -> End | None:
        compared: list[Column] = []
        for i, node in enumerate(case):
            left = rest(self.sums[node])
            compared.append(((PLUS, i), left))
            if node[0] == "==":
                compared.append(((MINUS, i), {m: -a % PRIME for m, a in left.items()}))
        found = _not_negative([*columns, *compared], {(MONOMIAL, weight) for weight in self.weights})
        if found is None:
            return None
        times = {node: found.get((PLUS, i), 0) - found.get((MINUS, i), 0) for i, node in enumerate(case)}
        terms = {m: n for (kind, m), n in found.items() if kind == MONOMIAL}
        return End(terms, {node: n for node, n in times.items() if n})

    def _polynomial(self, end: End) -> Polynomial:
        """The sum that is 0."""
        polynomial: Polynomial = {}
        for monomial, n in end.terms.items():
            add(polynomial, monomial, n)
        for node, n in end.comparisons.items():
            for monomial, a in self.sums[node].items():
                add(polynomial, monomial, n * a)
        return polynomial

    def _written(self, ends: list[tuple[Key, End]]) -> Iterator[list[Any]]:
        """As a certificate has them, each once."""
        factors, seen = self.program.monomials.factors, list[Any]()
        for ((p, row, cells, part), *_), (terms, comparisons) in ends:
            node = [p, row, list(cells), *([part] if self.program.apart else [])]
            weights_first = sorted(terms, key=lambda m: m not in self.weights)
            written_terms = [[terms[m], *map(list, factors[m])] for m in weights_first]
            end = [*node, written_terms, [[n, node] for node, n in comparisons.items()]]
            if end not in seen:
                seen.append(end)
                yield end


def _stuck_ends(program: AffineProgram) -> Iterator[tuple[Any, int]]:
    """Where the strip has the agent stuck: abstract states and symbols."""
    strip, labels = program.strip, program.strip.labels
    for state in strip.nodes:
        p, _, row, _, label, _ = state
        for symbol in labels.symbols(labels.labels[label][0][row - strip.rows[0]]):
            if program.table.rows[p][symbol] is None:
                yield state, symbol


def _not_negative(columns: Sequence[Column], weights: set[Name]) -> dict[Name, int] | None:
    """Whole numbers not below 0, of some weight above it, by which columns add up to nothing."""
    for name, rest in columns:
        if name in weights and not rest:
            return {name: 1}
    rows: dict[int, dict[Name, int]] = {}
    scale: dict[Name, int] = {}
    for name, rest in columns:
        ratios = {coordinate: ratio(a) for coordinate, a in rest.items()}
        scale[name] = lcm(*(a.denominator for a in ratios.values()))
        for coordinate, a in ratios.items():
            rows.setdefault(coordinate, {})[name] = int(a * scale[name])
    both = [{name: sign * a for name, a in row.items()} for row in rows.values() for sign in (1, -1)]
    found = ray([*both, dict.fromkeys(weights, -1)])
    return found and {name: n * scale[name] for name, n in found.items() if n}
