"""Invariants that a goal needs: polynomials that are 0 at each node of an affine program.

From the goals backwards: what must be 0 after a step must follow from what is 0 before it. Of each node the
polynomials that are 0 in sampled runs are candidates, and a combination of them is chosen. Where none gives
what is needed, the abstract program does more than runs have shown: the values after that step are added to
its end (Karr's analysis, where it is needed), and the search begins again with fewer candidates.

All is modulo a prime, so this finds invariants and proves nothing; the checker of certificates does.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.values.affine_program import AffineProgram, Facts, Replacement, Step
from gridlang.compiler.proofs.values.polynomials import ONE, PRIME, Polynomial, Span, add_times
from gridlang.compiler.proofs.values.residues import Matrix, Row, annihilators, echelon, product, where_zero
from gridlang.compiler.verifier.strips import Element
from gridlang.compiler.verifier.values.strips import Node


class Goal(NamedTuple):
    """A polynomial that must be 0 where an abstract state halts on a symbol."""

    state: Element
    symbol: int
    polynomial: Polynomial


class Edge:
    """A step between nodes, one of those that have the same effect; what it does is made when asked for."""

    __slots__ = ("after", "effect", "end", "facts", "key", "start", "step")

    def __init__(self, start: Node, end: Node, step: Step, key: object) -> None:
        self.start, self.end, self.step, self.key = start, end, step, key
        self.effect: Replacement = {}
        self.after: Replacement | None = None  # variables after it, as far as facts tell those before it
        self.facts = Facts({}, [])


class Invariants:
    """The search on one program, by monomials of these and times these multipliers."""

    def __init__(
        self,
        program: AffineProgram,
        monomials: list[int],
        multipliers: Sequence[int],
        spaces: dict[Node, Span],
        plain: bool = False,
        cut: Callable[[Element, int], bool] = lambda *_: False,
    ) -> None:
        """Without steps that are `cut`: from an abstract state, on a symbol.

        Polynomials that are 0 in sampled runs are pulled back as they are if `plain`.
        """
        self.plain = plain
        self.fed = 0  # products of numbers, to add to spaces what steps lead to
        self.program, self.monomials, self.multipliers = program, monomials, multipliers
        self.column = {monomial: i for i, monomial in enumerate(monomials)}
        self.into: dict[Node, list[Edge]] = defaultdict(list)
        self.out: dict[Node, list[Edge]] = defaultdict(list)
        self.halts: list[tuple[Element, int]] = []
        self._prepared: dict[object, tuple[Facts, Replacement, Replacement]] = {}
        self._functionals: dict[object, dict[int, Row]] = {}
        self._matrices: dict[object, list[Matrix]] = {}
        self._absent: dict[Node, frozenset[object]] = {}
        self._start: Span | None = None  # the space whose images were asked for last
        self._allowed: dict[object, list[Row]] = {}  # its part that facts allow
        self._led: dict[object, list[Row]] = {}  # its images
        self._add_edges(cut)
        self.spaces = spaces
        nodes = dict.fromkeys(map(program.node, program.strip.elements))
        unseen = [node for node in nodes if node not in spaces]
        self.spaces |= {node: echelon(()) for node in unseen}
        self.candidates = {node: self._candidates(node) for node in nodes}
        edges = [edge for node in unseen for edge in self.into[node]]
        while sum(map(self._feed, edges)):
            pass

    def _add_edges(self, cut: Callable[[Element, int], bool]) -> None:
        program, seen = self.program, set[object]()
        absent: dict[Node, frozenset[object]] = {}
        for state in program.strip.elements:
            node, facts = program.node(state), program.facts_of(state)
            zero = (f for f, told in program.facts[facts].told.items() if not told)
            # At the start a part may be empty, and what it spells is known only as what is ahead.
            none = frozenset(f for f in zero if state[0] or f[0] != "F")
            absent[node] = absent.get(node, none) & none
            self.halts += ((state, symbol) for symbol in program.halts(state))
            for step in program.steps(state):
                if cut(state, step.symbol):
                    continue
                end, later = program.node(step.end), program.facts_of(step.end)
                effect = (
                    facts,
                    state[2],
                    program.read(step.symbol),
                    program.step_key(program.shape(step)),
                    later,
                )
                if (node, end, effect) not in seen:
                    seen.add((node, end, effect))
                    edge = Edge(node, end, step, effect)
                    self.into[end].append(edge)
                    self.out[node].append(edge)
        self._absent = absent

    def found(self, goals: Sequence[Goal]) -> dict[Node, list[Polynomial]] | None:
        """Polynomials at each node that give the goals and that every step keeps; None if none are found."""
        for _ in range(LIMITS.most_invariant_rounds):
            search = Backwards(self)
            if search.goals(goals):
                return None
            failed = search.everything()
            if not failed:
                return search.needed
            grown = {edge.end for edge in failed if self._feed(edge)}
            if not grown or self.fed > LIMITS.most_numbers_fed:
                return None
            self._feed_onward(grown)
        return None

    # What a step does

    def prepare(self, edge: Edge) -> Replacement:
        """Variables after a step, by the facts before it, the symbol read, and the facts after it."""
        if edge.after is None:
            if edge.key not in self._prepared:
                self._prepared[edge.key] = self._prepare(edge.step)
            edge.facts, edge.after, edge.effect = self._prepared[edge.key]
        return edge.after

    def _prepare(self, step: Step) -> tuple[Facts, Replacement, Replacement]:
        program, effect = self.program, self.program.effect(self.program.shape(step))
        before, later = program.facts_read(step.start, step.symbol), program.facts[program.facts_of(step.end)]
        replaced = program.monomials.replaced
        known = [dict(polynomial) for polynomial in later.zero]
        for factor, told in later.told.items():
            zero = dict(
                effect.get(factor)
                or ({program.monomials.number([factor]): 1} if factor not in effect else {})
            )
            add_times(zero, replaced(told, effect), -1)
            known.append(zero)
        facts = self._solved(before, known)
        after = {factor: replaced(form, facts.told) for factor, form in effect.items()}
        return facts, {**facts.told, **after}, effect

    def _solved(self, facts: Facts, known: list[Polynomial]) -> Facts:
        """Facts, and polynomials that are 0 besides, each solved for a variable; unknown symbols first."""
        monomials = self.program.monomials
        told, zero = dict(facts.told), list(facts.zero)

        def unknown(monomial: int) -> bool:
            split = monomials.variable[monomial]
            return split is not None and split[0][0] == "T"

        known.sort(key=lambda polynomial: not any(map(unknown, polynomial)))
        for polynomial in known:
            rest = monomials.replaced(polynomial, told)
            linear = [m for m in rest if (split := monomials.variable[m]) and split[1] == ONE]
            lead = next(filter(unknown, linear), linear[0] if linear else None)
            if lead is None:
                zero += [rest] if rest else []
                continue
            inverse = -pow(rest.pop(lead), -1, PRIME)
            form = {monomial: a * inverse % PRIME for monomial, a in rest.items()}
            split = monomials.variable[lead]
            assert split is not None
            told = {factor: monomials.replaced(old, {split[0]: form}) for factor, old in told.items()}
            told[split[0]] = form
        return Facts(told, zero)

    # Spaces of values

    def _candidates(self, node: Node) -> list[Polynomial]:
        """The polynomials that are 0 on a node's space; without variables that are 0 there by all facts."""
        absent, factors = self._absent.get(node, frozenset()), self.program.monomials.factors
        kept = [i for i, m in enumerate(self.monomials) if absent.isdisjoint(factors[m])]
        there = frozenset(kept)
        rows = ({i: a for i, a in row.items() if i in there} for row in self.spaces[node].basis())
        return [{self.monomials[i]: a for i, a in row.items()} for row in annihilators(rows, kept)]

    def _feed(self, edge: Edge) -> bool:
        """Adds what a step leads to, to the space of its end; whether that has grown."""
        images, old = self._images(edge), self.spaces[edge.end]
        self.fed += len(images) * len(self.monomials) * (1 + len(old.rows))
        if not any(map(old.rest, images)):
            return False
        program, number = self.program, self.program.facts_of(edge.step.end)
        allowed = where_zero(images, self._columns(number, program.facts[number]))
        new = [*filter(None, map(old.rest, allowed))]
        if not new:
            return False
        self.spaces[edge.end] = echelon([*old.basis(), *new])
        self.candidates[edge.end] = self._candidates(edge.end)
        return True

    def _images(self, edge: Edge) -> list[Row]:
        """What a step makes of its start's space; the edges of one start come one after the other."""
        before = self.spaces[edge.start]
        if self._start is not before:
            self._start, self._allowed, self._led = before, {}, {}
        images = self._led.get(edge.key)
        if images is None:
            key = edge.key[:3]  # type: ignore[index]
            if key not in self._allowed:
                facts = self.program.facts_read(edge.step.start, edge.step.symbol)
                self._allowed[key] = where_zero(before.basis(), self._columns(key, facts))
            self.prepare(edge)
            matrices = self._step_matrices(edge)
            images = [product(row, matrix) for matrix in matrices for row in self._allowed[key]]
            self._led[edge.key] = images
        return images

    def _feed_onward(self, grown: Iterable[Node]) -> None:
        """Values go on from nodes whose spaces have grown; a part of the way is enough for the next try."""
        work, left = deque(grown), LIMITS.most_steps_fed
        while work and left > 0:
            for edge in self.out[work.popleft()]:
                left -= 1
                if self.fed > LIMITS.most_numbers_fed:
                    return
                if edge.end != edge.start and self._feed(edge) and edge.end not in work:
                    work.append(edge.end)

    def _columns(self, key: object, facts: Facts) -> Matrix:
        """Facts times multipliers as columns: what is 0 on allowed vectors."""
        if key not in self._functionals:
            monomials = self.program.monomials
            zero = [*facts.zero]
            for factor, told in facts.told.items():
                polynomial = {monomials.number([factor]): 1}
                add_times(polynomial, told, -1)
                zero.append(polynomial)
            products = [monomials.multiplied(p, by) for p in zero for by in self.multipliers]
            columns = self._functionals[key] = defaultdict(dict)
            for n, polynomial in enumerate(p for p in products if p.keys() <= self.column.keys()):
                for monomial, a in polynomial.items():
                    columns[self.column[monomial]][n] = a
        return self._functionals[key]

    def vanishes(self, node: Node, polynomial: Polynomial) -> bool:
        if not polynomial.keys() <= self.column.keys():
            return False
        column = {self.column[monomial]: {0: a} for monomial, a in polynomial.items()}
        return not any(product(row, column) for row in self.spaces[node].basis())

    def _step_matrices(self, edge: Edge) -> list[Matrix]:
        """Vectors before a step to vectors after it: without unknown symbols, and one for each of these."""
        if edge.key not in self._matrices:
            monomials = self.program.monomials
            matrices: dict[object, dict[int, Row]] = defaultdict(lambda: defaultdict(dict))
            for to, monomial in enumerate(self.monomials):
                for other, a in monomials.replaced({monomial: 1}, edge.effect).items():
                    factors = monomials.factors[other]
                    taken = tuple(factor for factor in factors if factor[0] == "T")
                    rest = monomials.number(f for f in factors if f[0] != "T") if taken else other
                    at = self.column.get(rest)
                    if at is not None:  # else no invariant has it
                        matrices[taken][at][to] = a
            self._matrices[edge.key] = [*matrices.values()]
        return self._matrices[edge.key]


class Backwards:
    """One try: what is needed at each node, and the steps that do not keep it."""

    def __init__(self, search: Invariants) -> None:
        self.search, self.program = search, search.program
        self.needed: dict[Node, list[Polynomial]] = defaultdict(list)
        self.work: deque[tuple[Node, Polynomial]] = deque()
        self._spans: dict[tuple[bool, Node, object], Span] = {}

    def goals(self, goals: Sequence[Goal]) -> bool:
        """Whether a goal does not follow from the candidates at its halt."""
        program = self.program
        failed = False
        for state, symbol, polynomial in goals:
            facts, key = program.facts_read(state, symbol), self._key(state, symbol)
            wanted = program.monomials.replaced(polynomial, facts.told)
            plain = polynomial if self.search.plain else {}
            failed |= not self._want(program.node(state), wanted, facts, key, plain)
        return failed

    def rest(self, state: Element, symbol: int, polynomial: Polynomial) -> Polynomial:
        """What the candidates leave of a polynomial where a symbol is read; empty if it is 0 by them."""
        program = self.program
        facts = program.facts_read(state, symbol)
        span = self._span(True, program.node(state), facts, self._key(state, symbol))
        return span.rest(program.monomials.replaced(polynomial, facts.told))

    def _key(self, state: Element, symbol: int) -> object:
        return self.program.facts_of(state), state[2], self.program.read(symbol)

    def everything(self) -> list[Edge]:
        """All that is needed, and what the goals' needs need; steps that fail, some of them."""
        failed: list[Edge] = []
        while self.work and len(failed) < LIMITS.most_failed_steps:
            node, polynomial = self.work.popleft()
            for edge in self.search.into[node]:
                replaced = self.program.monomials.replaced
                wanted = replaced(polynomial, self.search.prepare(edge))
                plain = replaced(polynomial, edge.effect) if self.search.plain else {}
                if not self._want(edge.start, wanted, edge.facts, edge.key, plain):
                    failed.append(edge)
        return failed

    def _want(self, node: Node, wanted: Polynomial, facts: Facts, key: object, plain: Polynomial) -> bool:
        """Makes a polynomial follow from what is needed at a node; whether candidates suffice.

        If it is 0 there without the facts that reduce it, it is needed as it is, `plain`.
        """
        if not wanted or not self._span(False, node, facts, key).rest(wanted):
            return True
        made: Polynomial = {}
        chosen = dict(plain) if plain and self.search.vanishes(node, plain) else {}
        if not chosen and self._span(True, node, facts, key).rest(wanted, made):
            return False
        for tag, a in made.items():
            if tag >= 0:
                add_times(chosen, self.search.candidates[node][tag], -a)
        self.needed[node].append(chosen)
        self.work.append((node, chosen))
        return True

    def _span(self, candidates: bool, node: Node, facts: Facts, key: object) -> Span:
        monomials = self.program.monomials
        span = self._spans.get((candidates, node, key))
        if span is None:
            span = self._spans[candidates, node, key] = Span()
            for polynomial in facts.zero:
                for by in self.search.multipliers:
                    span.add(monomials.multiplied(polynomial, by), {-1: 1})
        polynomials = self.search.candidates[node] if candidates else self.needed[node]
        while span.used < len(polynomials):
            span.add(monomials.replaced(polynomials[span.used], facts.told), {span.used: 1})
            span.used += 1
        return span
