"""Random worlds, on which an agent shows what it does beyond its declared inputs; and their pictures.

A world may grow under the agent's walk: a cell gets its symbol when the agent first reads it.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator
from itertools import accumulate
from random import Random
from typing import NamedTuple

from gridlang.source import Source, Span
from gridlang.table import BLANK, DELTAS, Table
from gridlang.world import Cell, World, picture_rows, picture_world, string_world
from learners.traces.limits import LIMITS


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


def grown_world(table: Table, choose: ChooseSymbol, steps: int, start: Cell = (0, 0)) -> World:
    """One world that grows."""
    return Growth(table, steps).world(choose, start)


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


def stuck_worlds(table: Table, random: Random, steps: int) -> Iterator[World]:
    """Worlds on which the agent gets stuck, which shows a learner that there is no rule; there may be none.

    Of the symbols with a rule and of those without, the ones used less so far in a state are likelier.
    """
    growth = Growth(table, steps)
    unruled = [[x for x, entry in enumerate(row) if entry is None] for row in table.rows]
    tries = 0

    def choose(fresh: FreshCell) -> int | None:
        nonlocal tries
        counts, missing = growth.uses[fresh.state], unruled[fresh.state]
        ends = missing and (not fresh.known or random.randrange(LIMITS.stuck_odds) == 0)
        among = missing if ends else fresh.known
        chosen = random.choices(among, [1 / (1 + counts[symbol]) for symbol in among])[0]
        if ends:
            counts[chosen] += 1
            tries = 0
        return chosen

    while tries < LIMITS.stuck_tries:
        tries += 1
        world = growth.world(choose)
        if not tries:
            yield world


def scrambled_world(symbols: tuple[str, ...], random: Random) -> World:
    """A grid with a width, a height and a density of its own, filled from one to four symbols.

    The symbols have weights of their own. The head starts in the grid or beside it.
    """
    width, height = random.randint(1, LIMITS.side), random.randint(1, LIMITS.side)
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
    """One to four symbols and their weights."""
    some = random.sample(symbols, random.randint(1, min(4, len(symbols)))) if symbols else []
    return some, [random.random() ** 2 + 0.01 for _ in some]


def world_text(world: str | World) -> str:
    """An input as it is; a world as its picture, every row of it ended by a newline."""
    if isinstance(world, str):
        return world
    return "".join(f"{row}\n" for row in picture_rows(world))


def text_world(text: str, symbols: tuple[str, ...]) -> World:
    """The world of what `world_text` wrote, up to where it lies on the plane."""
    if not text.endswith("\n"):
        return string_world(text)
    return picture_world(Span(Source("<picture>", text), 0, len(text)), symbols)


def square_world(symbols: tuple[str, ...], side: int, random: Random) -> World:
    """A square with a density of its own, filled from one to four symbols; the head starts in it."""
    palette = random.sample(symbols[1:], min(random.randint(1, 4), len(symbols) - 1)) or [BLANK]
    density = random.random()
    places = [(x, y) for y in range(side) for x in range(side) if random.random() < density]
    cells = dict(zip(places, random.choices(palette, k=len(places)), strict=True))
    return World(cells, (random.randrange(side), random.randrange(side)))
