"""Spaces of values: what the monomials of an affine program are worth in runs, node by node.

The values of all monomials at one moment of a run are a vector. A polynomial is 0 in all runs if it is 0 on
the span of their vectors; few runs show most of that span.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random

import numpy as np

from compiler.proofs.abstractions.columns import LEFT_SIDE, RIGHT_SIDE
from compiler.proofs.limits import LIMITS
from compiler.proofs.results.readings import parts_of
from compiler.proofs.values.affine_program import ANY, AffineProgram, ProgramNode
from compiler.proofs.values.part_columns import NO_TURNS
from compiler.proofs.values.polynomials import PRIME, Factor, modular
from compiler.proofs.values.random_texts import FAR_MORE, MORE, random_texts
from compiler.proofs.values.residues import Residues, echelon
from gridlang.clauses.position_automaton import members
from gridlang.table import DELTAS


def sampled_spaces(program: AffineProgram, monomials: list[int]) -> dict[ProgramNode, Residues]:
    """The span of the values of these monomials at each node, as far as random inputs show it."""
    seen: dict[ProgramNode, list[list[int]]] = {}
    unread: dict[ProgramNode, list[list[int]]] = {}
    enough, steps, idle = 2 * len(monomials), 0, 0
    counted = program.columns.turns != NO_TURNS
    for text in random_texts(program.language, FAR_MORE if counted else MORE):
        run, idle = _Run(program, text), idle + 1
        node, _ = next(run.moments())
        free = unread.setdefault(node, [])
        free += run.with_unread_parts(len(free)) if len(free) < enough else []
        for node, values in run.moments():
            steps += 1
            known = seen.setdefault(node, [])
            if len(known) < enough:
                known.append(values())
                idle = 0
        if steps > LIMITS.value_steps_of_a_node * len(seen) or idle > LIMITS.idle_value_texts:
            break
    at = {factor: i for i, factor in enumerate((*program.ghosts, *program.variables))}
    factors = [[at[factor] for factor in program.monomials.factors[m]] for m in monomials]
    return {
        node: echelon(_values(np.array(rows + unread.get(node, []), np.int64), factors))[0]
        for node, rows in seen.items()
    }


def _values(rows: Residues, factors: list[list[int]]) -> Residues:
    values = np.ones((len(rows), len(factors)), np.int64)
    for column, some in enumerate(factors):
        for factor in some:
            values[:, column] = values[:, column] * rows[:, factor] % PRIME
    return values


class _Run:
    """A run with the values of all factors, modulo the prime."""

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
        self._weights: dict[tuple[int, int], int] = {}
        self.ghosts = [self._ghost(factor) for factor in program.ghosts]
        self.at = {factor: i for i, factor in enumerate(program.variables)}
        self.sums = [0] * len(self.at)
        for x in range(1, len(text)):
            self._count(x, RIGHT_SIDE, 1)

    def weight(self, system: int, x: int) -> int:
        key = self.program.scale[system], x
        if key not in self._weights:
            base = self.program.systems[system].base
            distance = self.length - x if base > 1 else -x
            self._weights[key] = pow(modular(base), distance, PRIME)
        return self._weights[key]

    def part(self, x: int) -> int:
        if 0 <= x < self.length:
            return self.parts[x]
        return -1 if x < 0 else self.program.columns.parts

    def turn(self, x: int) -> int | None:
        """Of a column of the part that is counted."""
        part, k = self.program.columns.turns
        return (x - self._first(part)) % k if self.part(x) == part else None

    def _first(self, part: int) -> int:
        return sum(other < part for other in self.parts)

    def _ghost(self, factor: Factor) -> int:
        kind, i, part = (*factor, self.program.columns.turns.part)[:3]
        assert isinstance(i, int) and isinstance(part, int)
        first = self._first(part)
        if kind == "B":
            return self.weight(i, first)
        system = self.program.systems[i]
        base = system.base
        columns = range(first, first + self.parts.count(part))
        if kind == "Q":
            taken = sum(self.turn(x) == system.every for x in columns)
            return self.weight(i, first + taken * self.program.columns.turns.modulus)
        ratio = modular(base if base >= 1 else 1 / Fraction(base))
        away = (columns[-1] - x if base >= 1 else x - first for x in columns)
        worth = (system.worth(self.cells[x, 0], self.turn(x)) for x in columns)
        return sum(n * pow(ratio, d, PRIME) for n, d in zip(worth, away, strict=True)) % PRIME

    def _count(self, x: int, side: int, sign: int) -> None:
        """Adds a column to the sums of a side, or takes it off."""
        classes, systems = self.program.strip.labels.classes, self.program.systems
        part, turn = self.part(x), self.turn(x)
        for i, system in enumerate(systems):
            for y in self.program.rows if x in self.acted else (0,):
                symbol = self.cells.get((x, y), 0)
                worth = system.worth(symbol, turn)
                if worth:
                    group: Factor = ("F", i, side, part)
                    if x in self.acted:
                        group = ("N", i, side, y, classes[symbol], self.program.region(part))
                    at = self.at[group]
                    self.sums[at] = (self.sums[at] + sign * worth * self.weight(i, x)) % PRIME

    def values(self) -> list[int]:
        """All ghosts, then all variables."""
        program, sums = self.program, list(self.sums)
        for factor, at in self.at.items():
            if factor[0] == "E":
                sums[at] = self.weight(int(factor[1]), self.x)
            elif factor[0] == "U":
                _, i, y = factor
                symbol = self.cells.get((self.x, int(y)), 0)
                worth = program.systems[int(i)].worth(symbol, self.turn(self.x))
                sums[at] = worth * self.weight(int(i), self.x) % PRIME
        return self.ghosts + sums

    def with_unread_parts(self, seed: int) -> list[list[int]]:
        """The values at the start, as its checker has them: it does not know what a part must spell.

        So numbers of parts with one kind of symbol, or with no column ahead, are drawn: so much is ahead.
        """
        program, values, drawn = self.program, self.values(), Random(seed)
        at = {factor: i for i, factor in enumerate((*program.ghosts, *program.variables))}
        ahead = self.parts[1:]
        known = [
            key
            for key in program.totals
            if ("v", *key) in at and (key[1] not in ahead or program.is_uniform(*key))
        ]
        for system, part in known:
            spelt = values[at["v", system, part]] = drawn.randrange(PRIME)
            base = program.systems[system].base
            first = sum(other < part + (base >= 1) for other in self.parts)
            here = values[at["U", system, 0]] if part == self.part(0) else 0
            left = spelt * self.weight(system, first - (base >= 1)) - here
            values[at["F", system, RIGHT_SIDE, part]] = left % PRIME
        return [values] if known else []

    def moments(self) -> Iterator[tuple[ProgramNode, Callable[[], list[int]]]]:
        """The node at each step, and how to have the values."""
        program, classes = self.program, self.program.strip.labels.classes
        p = y = 0
        for _ in range(LIMITS.steps_of_a_result):
            column = tuple(classes[self.cells.get((self.x, row), 0)] for row in program.rows)
            yield (p, y, column, self.part(self.x) if program.apart else ANY), self.values
            symbol = self.cells.get((self.x, y), 0)
            entry = program.table.rows[p][symbol]
            if entry is None or entry.is_idle(symbol):
                return
            self.cells[self.x, y], p = entry.write, entry.next
            self.acted.add(self.x)
            dx, dy = DELTAS[entry.move]
            y += dy
            if dx:
                self._count(self.x, LEFT_SIDE if dx > 0 else RIGHT_SIDE, 1)
                self.x += dx
                self._count(self.x, RIGHT_SIDE if dx > 0 else LEFT_SIDE, -1)
