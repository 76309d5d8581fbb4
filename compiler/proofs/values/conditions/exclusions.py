"""Ends that no run comes to: where one did, something would be below 0.

At such an end the polynomials that are 0 there give a sum of terms that are not below 0, of sums that the
condition of the inputs says are not, and of a weight, which is above. The numbers are found by the simplex
method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import lcm
from typing import Any, NamedTuple

from gridlang.compiler.proofs.halting.cones import ray
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.proofs.values.affine_program import AffineProgram, System, written
from gridlang.compiler.proofs.values.clause_goals import Wants
from gridlang.compiler.proofs.values.invariants import Backwards, Goal, Invariants
from gridlang.compiler.proofs.values.output_task import OutputTask
from gridlang.compiler.proofs.values.polynomials import ONE, PRIME, Polynomial, Span, add_times, ratio
from gridlang.compiler.proofs.values.sampled_spaces import sampled_spaces, seen_nodes
from gridlang.compiler.verifier.clauses.outputs import COMPARISONS, conjuncts
from gridlang.compiler.verifier.clauses.outputs import Node as Expression
from gridlang.compiler.verifier.strips import Element
from gridlang.compiler.verifier.tables import Wrong
from gridlang.compiler.verifier.values import inequalities as checker
from gridlang.compiler.verifier.values.strips import Node

Case = tuple[Expression, ...]  # comparisons
Name = tuple[int, int]  # a monomial, or a comparison of a case: how it counts, and its number
MONOMIAL, PLUS, MINUS = range(3)
Column = tuple[Name, Polynomial]  # and what is left of it
Read = tuple[Element, int]  # an element, and the symbol that is read there
Invariant = dict[Node, list[Polynomial]]
Key = tuple[Node, int, int, tuple[int, ...]]  # a node, its facts, its row, the values read
Goals = Callable[[Read], list[Goal] | None]  # what must be so where an agent halts; None if it is not told


class End(NamedTuple):
    """What excludes a node: monomials and comparisons, with their numbers."""

    node: Node
    terms: dict[int, int]
    comparisons: dict[Expression, int]


class Conditions:
    """The condition of a task; the systems that it needs are added."""

    def __init__(self, task: OutputTask, systems: list[System]) -> None:
        self.left, self.systems = task.left, systems
        wants = Wants(task, systems)
        for tree in conjuncts(self.left.where):
            known = len(systems)
            try:
                self._add(wants, wants.clause.read(tree))
            except (Unsaid, Wrong):
                del systems[known:]  # The checker leaves it out too.

    def _add(self, wants: Wants, node: Expression) -> None:
        if node[0] in COMPARISONS:
            for side in node[1:]:
                wants.add_systems(side)
        elif node[0] in ("not", "and", "or"):
            for inner in node[1:]:
                self._add(wants, inner)
        else:
            raise Unsaid("a condition is more than a comparison")


def tree_of(node: Expression) -> Any:
    """An expression as a certificate has it."""
    kind, *inner = node
    if kind == "constant":
        return inner[0]
    if kind == "backwards":
        return ["number", ["reverse", ["part", *inner]]]
    if kind in ("number", "length", "count"):
        return [kind, ["part", inner[0]], *inner[1:]]
    return [kind, *map(tree_of, inner)]


class Exclusions:
    """Ends of one program that a condition excludes."""

    def __init__(self, program: AffineProgram, conditions: Conditions) -> None:
        self.program = program
        of = checker.Conditions(program.proof, conditions.left)
        self.cases: list[Case] = [tuple(sorted(case, key=repr)) for case in of.cases()]
        compared = dict.fromkeys(comparison for case in self.cases for comparison in case)
        self.sums = {node: program.polynomial(of.sum_of(node) or {}) for node in compared}
        self._zeros = list(map(program.polynomial, of.equalities()))
        factors = [*program.ghosts, *program.variables]
        singles = [(), *((f,) for f in factors)]
        products = [*singles, *(p for form in program.totals.values() for p in form)]
        self.monomials = list(dict.fromkeys(map(program.monomials.number, products)))
        self.weights = [ONE, *(program.monomials.number([f]) for f in factors if f[0] in ("B", "E"))]
        self._sampled: list[int] = []  # monomials
        self._spaces: dict[Node, Span] = {}
        self._seen: set[Node] = set()

    def with_equalities(self, goal: Polynomial) -> Polynomial:
        """A polynomial without a ghost of each sum that the condition says is 0."""
        for zero in self._zeros:
            single = [m for m in zero if len(self.program.monomials.factors[m]) == 1]
            if single:
                goal = self._without(goal, single[0], zero)
        return goal

    def _without(self, goal: Polynomial, ghost: int, zero: Polynomial) -> Polynomial:
        monomials = self.program.monomials
        [factor], share = monomials.factors[ghost], pow(zero[ghost], -1, PRIME)
        while has := [m for m in goal if factor in monomials.factors[m]]:
            rest = list(monomials.factors[has[0]])
            rest.remove(factor)
            times, goal = -goal[has[0]] * share, dict(goal)
            add_times(goal, monomials.multiplied(zero, monomials.number(rest)), times)
        return goal

    def proof(
        self,
        task: OutputTask,
        of: tuple[list[int], Sequence[int]],
        ends: Callable[[Invariants], Iterable[Read]],
        goals: Goals,
    ) -> tuple[dict[str, Any], list[Any]] | None:
        """Invariants, by these monomials and multipliers, that exclude ends or else give their goals.

        With them the ends, both as a certificate has them; None if there are none.
        """
        if self._sampled != of[0]:  # the same for several goals
            self._sampled, self._spaces = of[0], sampled_spaces(self.program, of[0])
            self._seen = self._seen or seen_nodes(self.program, task.rule.language)
        spaces, seen, kept = self._spaces, self._seen, set[Key]()
        for _ in range(LIMITS.most_invariant_rounds):
            cut, reached = self._reached(Invariants(self.program, *of, dict(spaces)), seen, kept)
            keys = {self._key(*read) for read in cut}
            known = {node: space for node, space in spaces.items() if node in reached}
            search = Invariants(
                self.program, *of, known, cut=lambda *read, keys=keys: self._key(*read) in keys
            )
            found = self._found(search, [*cut, *ends(search)], goals)
            if found is not None:
                return written(self.program, found[0]), self._written(found[1])
            backwards = Backwards(search)
            fails = {self._key(*read) for read in cut if self._excluded(backwards, read) is None}
            if not fails:
                return None
            kept |= fails  # Runs had not shown enough.
        return None

    def _reached(self, search: Invariants, seen: set[Node], kept: set[Key]) -> tuple[list[Read], set[Node]]:
        """The first reads that are excluded, and the nodes before them."""
        program, backwards = self.program, Backwards(search)
        work = [*program.strip.starts]
        known, excluded, cut = set(work), dict.fromkeys(kept, False), list[Read]()

        def is_excluded(state: Element, symbol: int) -> bool:
            key = self._key(state, symbol)
            if program.node(state) in seen:
                excluded[key] = False
            elif key not in excluded:
                excluded[key] = self._excluded(backwards, (state, symbol)) is not None
                cut.extend([(state, symbol)] * excluded[key])
            return excluded[key]

        for state in work:
            for symbol in program.halts(state):
                is_excluded(state, symbol)
            for step in program.steps(state):
                if not is_excluded(state, step.symbol) and step.end not in known:
                    known.add(step.end)
                    work.append(step.end)
        return cut, {program.node(state) for state in known}

    def _found(
        self, search: Invariants, ends: Iterable[Read], goals: Goals
    ) -> tuple[Invariant, list[End]] | None:
        """Invariants, and what excludes ends; None if there are none."""
        kept, tried = [*ends], list[Goal]()
        for _ in range(LIMITS.most_invariant_rounds):
            backwards, wanted, excluding = Backwards(search), list[Goal](), list[End]()
            seen: dict[Key, list[End] | None] = {}
            for read in kept:
                key = self._key(*read)
                if key not in seen:
                    seen[key] = self._excluded(backwards, read)
                    wanted += [Goal(*read, self._polynomial(end)) for end in seen[key] or ()]
                    excluding += seen[key] or ()
                asked = goals(read) if seen[key] is None else []
                if asked is None:
                    return None
                wanted += asked
            if wanted == tried:
                return None
            found, tried = search.found(wanted), wanted
            if found is not None:
                return found, excluding
        return None

    def _written(self, ends: Iterable[End]) -> list[Any]:
        """As a certificate has them, each once."""
        factors, listed = self.program.monomials.factors, list[Any]()
        for (p, row, cells, part), terms, comparisons in ends:
            node = [p, row, list(cells), *([part] if self.program.proof.apart else [])]
            weights_first = sorted(terms, key=lambda m: m not in self.weights)
            written_terms = [[terms[m], *map(list, factors[m])] for m in weights_first]
            end = [
                *node,
                written_terms,
                [[n, tree_of(compared)] for compared, n in comparisons.items()],
            ]
            listed += [end] if end not in listed else []
        return listed

    def _key(self, state: Element, symbol: int) -> Key:
        program = self.program
        return program.node(state), program.facts_of(state), state[2], program.read(symbol)

    def _excluded(self, backwards: Backwards, read: Read) -> list[End] | None:
        """An end for each case, by all candidates; None if there is not."""

        def rest(form: Polynomial) -> Polynomial:
            return backwards.rest(*read, form)

        columns = [((MONOMIAL, m), rest({m: 1})) for m in self.monomials]
        ends: list[End] = []
        for case in self.cases:
            end = self._end(self.program.node(read[0]), columns, case, rest)
            if end is None:
                return None
            ends += [end] if end not in ends else []
        return ends

    def _end(
        self,
        node: Node,
        columns: list[Column],
        case: Case,
        rest: Callable[[Polynomial], Polynomial],
    ) -> End | None:
        compared: list[Column] = []
        for i, comparison in enumerate(case):
            left = rest(self.sums[comparison])
            compared.append(((PLUS, i), left))
            if comparison[0] == "==":
                compared.append(((MINUS, i), {m: -a % PRIME for m, a in left.items()}))
        found = _not_negative([*columns, *compared], {(MONOMIAL, weight) for weight in self.weights})
        if found is None:
            return None
        times = {each: found.get((PLUS, i), 0) - found.get((MINUS, i), 0) for i, each in enumerate(case)}
        terms = {m: n for (kind, m), n in found.items() if kind == MONOMIAL}
        return End(node, terms, {each: n for each, n in times.items() if n})

    def _polynomial(self, end: End) -> Polynomial:
        polynomial: Polynomial = {}
        add_times(polynomial, end.terms, 1)
        for comparison, n in end.comparisons.items():
            add_times(polynomial, self.sums[comparison], n)
        return polynomial


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
