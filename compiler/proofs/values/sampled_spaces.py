"""Spaces of values: what the monomials of an affine program are worth in runs, node by node.

The values of all monomials at one moment of a run are a vector. A polynomial is 0 in all runs if it is 0 on
the span of their vectors; few runs show most of that span.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from math import prod
from random import Random

from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.position_automaton import members
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import parts_of
from gridlang.compiler.proofs.values.affine_program import AffineProgram
from gridlang.compiler.proofs.values.polynomials import PRIME, Factor, Span, modular
from gridlang.compiler.proofs.values.random_texts import FAR_MORE, MORE, random_texts
from gridlang.compiler.proofs.values.residues import Row, echelon
from gridlang.compiler.verifier.values.proofs import ANY
from gridlang.compiler.verifier.values.strips import Node
from gridlang.table import DELTAS

LEFT_SIDE, RIGHT_SIDE = 0, 1


def sampled_spaces(program: AffineProgram, monomials: list[int], halved: bool = False) -> dict[Node, Span]:
    """The span of the values of these monomials at each node, as far as random inputs show it.

    Where every second symbol is taken, inputs are longer.
    """
    seen: dict[Node, list[list[int]]] = {}
    unread: dict[Node, list[list[int]]] = {}
    enough, steps, idle = 2 * len(monomials), 0, 0
    for text in random_texts(program.language, FAR_MORE if halved else MORE):
        run, idle = _ValuedRun(program, text), idle + 1
        node = next(run.nodes())
        free = unread.setdefault(node, [])
        free += run.with_unread_parts(len(free), halved) if len(free) < enough else []
        for node in run.nodes():
            steps += 1
            known = seen.setdefault(node, [])
            if len(known) < enough:
                known.append(run.values())
                idle = 0
        if steps > LIMITS.value_steps_of_a_node * len(seen) or idle > LIMITS.idle_value_texts:
            break
    at = {factor: i for i, factor in enumerate((*program.ghosts, *program.variables))}
    factors = [[at[factor] for factor in program.monomials.factors[m]] for m in monomials]
    return {
        node: echelon(_values(row, factors) for row in rows + unread.get(node, []))
        for node, rows in seen.items()
    }


def seen_nodes(program: AffineProgram, language: InputLanguage) -> set[Node]:
    texts = islice(random_texts(language), LIMITS.samples)
    nodes = (node for text in texts for node in _Run(program, text).nodes())
    return set(islice(nodes, LIMITS.last_sample_steps))


def _values(row: list[int], factors: list[list[int]]) -> Row:
    values = (prod([row[factor] for factor in some]) % PRIME for some in factors)
    return {column: value for column, value in enumerate(values) if value}


class _Run:
    """A run of an affine program on a text."""

    def __init__(self, program: AffineProgram, text: str) -> None:
        self.program = program
        table, language = program.table, program.language
        part_of, state = parts_of(language), None
        self.parts: list[int] = []
        for symbol in text:
            state = language.step(state, symbol)
            self.parts.append(part_of[next(members(state))])
        self.cells = {(x, 0): table.symbols.index(symbol) for x, symbol in enumerate(text)}
        self.length, self.acted, self.x = len(text), set[int](), 0

    def part(self, x: int) -> int:
        if 0 <= x < self.length:
            return self.parts[x]
        return -1 if x < 0 else self.program.strip.places.parts

    def _count(self, x: int, side: int, sign: int) -> None:
        """Told of each column that is left behind on a side, or entered from it."""

    def nodes(self) -> Iterator[Node]:
        program, cells = self.program, self.cells
        classes, rows, apart = program.strip.grain.classes, program.strip.rows, program.proof.apart
        p = y = 0
        for _ in range(LIMITS.steps_of_a_result):
            x = self.x
            column = tuple([classes[cells.get((x, row), 0)] for row in rows])
            yield p, y, column, self.part(x) if apart else ANY
            symbol = cells.get((x, y), 0)
            entry = program.table.rows[p][symbol]
            if entry is None or entry.is_idle(symbol):
                return
            cells[x, y], p = entry.write, entry.next
            self.acted.add(x)
            dx, dy = DELTAS[entry.move]
            y += dy
            if dx:
                self._count(x, LEFT_SIDE if dx > 0 else RIGHT_SIDE, 1)
                self.x = x + dx
                self._count(x + dx, RIGHT_SIDE if dx > 0 else LEFT_SIDE, -1)


class _ValuedRun(_Run):
    """A run with the values of all factors, modulo the prime."""

    def __init__(self, program: AffineProgram, text: str) -> None:
        super().__init__(program, text)
        self._weights: dict[tuple[int, int], int] = {}
        self.ghosts = [self._ghost(factor) for factor in program.ghosts]
        self.at = {factor: i for i, factor in enumerate(program.variables)}
        self.sums = [0] * len(self.at)
        for x in range(1, len(text)):
            self._count(x, RIGHT_SIDE, 1)

    def weight(self, system: int, x: int) -> int:
        key = self.program.scale(system), x
        if key not in self._weights:
            base = self.program.systems[system].base
            distance = self.length - x if base > 1 else -x
            self._weights[key] = pow(modular(base), distance, PRIME)
        return self._weights[key]

    def _ghost(self, factor: Factor) -> int:
        kind, i, part = factor
        assert isinstance(i, int) and isinstance(part, int)
        first = sum(other < part for other in self.parts)
        if kind == "B":
            return self.weight(i, first)
        base, values = self.program.systems[i]
        columns = range(first, first + self.parts.count(part))
        ratio = modular(base if base >= 1 else 1 / Fraction(base))
        away = (columns[-1] - x if base >= 1 else x - first for x in columns)
        return (
            sum(values[self.cells[x, 0]] * pow(ratio, d, PRIME) for x, d in zip(columns, away, strict=True))
            % PRIME
        )

    def _count(self, x: int, side: int, sign: int) -> None:
        """Adds a column to the sums of a side, or takes it off."""
        program, part, acted = self.program, self.part(x), x in self.acted
        for y in program.strip.rows if acted else (0,):
            symbol = self.cells.get((x, y), 0)
            for i, (_, values) in enumerate(program.systems):
                if value := values[symbol]:
                    group: Factor = ("F", i, side, part)
                    if acted:
                        group = ("N", i, side, y, program.strip.grain.classes[symbol], program.region(part))
                    at = self.at[group]
                    self.sums[at] = (self.sums[at] + sign * value * self.weight(i, x)) % PRIME

    def values(self) -> list[int]:
        """All ghosts, then all variables."""
        program, sums = self.program, list(self.sums)
        for factor, at in self.at.items():
            if factor[0] == "E":
                sums[at] = self.weight(int(factor[1]), self.x)
            elif factor[0] == "U":
                _, i, y = factor
                worth = program.systems[int(i)].values[self.cells.get((self.x, int(y)), 0)]
                sums[at] = worth * self.weight(int(i), self.x) % PRIME
        return self.ghosts + sums

    def with_unread_parts(self, seed: int, halved: bool) -> list[list[int]]:
        """The values at the start, as its checker has them: it does not know what a part must spell.

        So numbers of parts with one kind of symbol, or with no column ahead, are drawn: so much is ahead.
        Where columns are weighed in several bases, so are the weights of parts.
        """
        program, values, drawn = self.program, self.values(), Random(seed)
        at = {factor: i for i, factor in enumerate((*program.ghosts, *program.variables))}
        ahead, here = self.parts[1:], self.part(0)
        unread: list[Factor] = [
            ("v", *key)
            for key in program.totals
            if ("v", *key) in at and (key[1] not in ahead or program.is_uniform(*key))
        ]
        if halved and here in ahead:
            unread += [factor for factor in program.ghosts if factor[0] == "B"]
        for factor in unread:
            values[at[factor]] = drawn.randrange(PRIME)
        for (system, part), form in program.totals.items():
            group = "F", system, RIGHT_SIDE, part  # none where the condition leaves the part empty
            if group in at and any(factor in unread for product in form for factor in product):
                spelt = sum(modular(a) * prod(values[at[f]] for f in product) for product, a in form.items())
                known = values[at["U", system, 0]] if part == here else 0
                values[at[group]] = (spelt - known) % PRIME
        return [values] if unread else []
