"""Random worlds, on which an agent shows what it does beyond its declared inputs.

A world may grow under the agent's walk: a cell gets its symbol when the agent first reads it.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator
from itertools import accumulate
from random import Random
from typing import NamedTuple

from gridlang.table import DELTAS, Table
from gridlang.world import Cell, World

SIDE = 8  # of a scrambled grid, at most


class FreshCell(NamedTuple):
    """A cell that the agent is about to read for the first time."""

    cell: Cell
    number: int  # cells read before it
    step: int  # steps done before it
    state: int
    known: list[int]  # symbols with a rule in this state


ChooseSymbol = Callable[[FreshCell], int | None]  # None ends the walk before the cell is read.


class Growth:
    """The worlds of an agent that grow for `steps` steps; `uses` counts the rules applied in all of them."""

    def __init__(self, table: Table, steps: int) -> None:
        self.table, self.steps = table, steps
        self.uses = [[0] * len(table.symbols) for _ in table.states]
        self.known = [[x for x, entry in enumerate(row) if entry is not None] for row in table.rows]

    def world(self, choose: ChooseSymbol, start: Cell = (0, 0)) -> World:
        """The world chosen cell by cell until the agent halts, is stuck, or has done its steps."""
        rows, uses, known, symbols = self.table.rows, self.uses, self.known, self.table.symbols
        first: dict[Cell, str] = {}
        now: dict[Cell, int] = {}
        cell, state = start, 0
        for step in range(self.steps):
            read = now.get(cell)
            if read is None:
                read = choose(FreshCell(cell, len(first), step, state, known[state]))
                if read is None:
                    break
                first[cell] = symbols[read]
            entry = rows[state][read]
            if entry is None:
                break
            uses[state][read] += 1
            if entry.is_idle(read):
                break
            now[cell], move, state = entry
            (x, y), (dx, dy) = cell, DELTAS[move]
            cell = (x + dx, y + dy)
        return World(first, start)


def random_worlds(table: Table, random: Random, steps: int) -> Iterator[World]:
    """Worlds without end: of each four, one is a scrambled grid and three grow while the agent runs.

    On a scrambled grid most agents are stuck or lost at once. A growing world gets its cells when
    they are first read, with a symbol for which the agent has a rule; rules used less so far are
    more likely, and one in three is made of few symbols wherever there is a rule for one of them.
    """
    growth, number = Growth(table, steps), random.random

    def choose(fresh: FreshCell) -> int | None:
        known, counts = fresh.known, growth.uses[fresh.state]
        if not known:
            return None
        sums = list(accumulate([weights[x] / (1 + counts[x]) for x in known]))
        if not sums[-1]:
            return known[int(number() * len(known))]
        return known[bisect(sums, number() * sums[-1], 0, len(sums) - 1)]  # `choices`, in half the time

    while True:
        yield scrambled_world(table.symbols, random)
        for few_symbols in (False, True, False):
            weights = [1.0] * len(table.symbols)
            if few_symbols:
                preferred = dict(zip(*_palette(list(table.symbols), random), strict=True))
                weights = [preferred.get(symbol, 0.0) for symbol in table.symbols]
            yield growth.world(choose)


def uniform_world(symbols: tuple[str, ...], random: Random) -> World:
    """A grid in which every symbol, the blank too, is as likely in every cell; the head starts in it."""
    width, height = random.randint(1, SIDE), random.randint(1, SIDE)
    cells = {(x, y): random.choice(symbols) for y in range(height) for x in range(width)}
    return World(cells, (random.randrange(width), random.randrange(height)))


def scrambled_world(symbols: tuple[str, ...], random: Random) -> World:
    """A grid with a width, a height and a density of its own, filled from one to four symbols.

    The symbols have weights of their own. The head starts in the grid or beside it.
    """
    width, height = random.randint(1, SIDE), random.randint(1, SIDE)
    palette, weights = _palette(list(symbols[1:]), random)
    density = random.random()
    cells = {
        (x, y): random.choices(palette, weights)[0]
        for y in range(height)
        for x in range(width)
        if palette and random.random() < density
    }
    return World(cells, (random.randint(-1, width), random.randint(-1, height)))


def _palette(symbols: list[str], random: Random) -> tuple[list[str], list[float]]:
    some = random.sample(symbols, random.randint(1, min(4, len(symbols)))) if symbols else []
    return some, [random.random() ** 2 + 0.01 for _ in some]
