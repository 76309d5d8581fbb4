"""Random worlds, on which an agent shows what it does beyond its declared inputs; and their pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

import numpy as np

from compiler.proofs.differences.joint_runs import rules_array
from compiler.simulation.native.c_library import CLibrary
from compiler.simulation.native.codegen import source_on_worlds
from gridlang.source import Source, Span
from gridlang.table import BLANK, Table
from gridlang.world import World, picture_rows, picture_world, string_world
from learners.traces.grown_worlds import FreshCell, grown_world
from learners.traces.limits import LIMITS

# A fused sum would be another number than Python's.
SOURCE = Path(__file__).parent / "grown_worlds.c"
LIBRARY = CLibrary(partial(source_on_worlds, SOURCE), "-O2", "-ffp-contract=off")

Grow = Callable[[list[float], Random], World]  # the next world, from the weights of its symbols


def random_worlds(table: Table, random: Random, steps: int) -> Iterator[World]:
    """Worlds without end: of each four, one is a scrambled grid and three grow while the agent runs.

    On a scrambled grid most agents are stuck or lost at once. A growing world gets its cells when
    they are first read, with a symbol for which the agent has a rule; rules used less so far are
    more likely, and one in three is made of few symbols wherever there is a rule for one of them.
    """
    growing = _growing(table, steps)
    while True:
        yield scrambled_world(table.symbols, random)
        for few_symbols in (False, True, False):
            symbol_weights = [1.0] * len(table.symbols)
            if few_symbols:
                preferred = dict(zip(*_palette(list(table.symbols), random), strict=True))
                symbol_weights = [preferred.get(symbol, 0.0) for symbol in table.symbols]
            yield growing(symbol_weights, random)


def _growing(table: Table, steps: int) -> Grow:
    """Growth in C where there is a compiler: it halves the time to trace mult10 by worlds."""
    if steps <= LIMITS.most_steps_in_c and LIBRARY.builds():
        return _in_c(table, steps)
    uses = [[0] * len(table.symbols) for _ in table.states]
    return lambda symbol_weights, random: grown_by_use(table, random, steps, uses, symbol_weights)


def _in_c(table: Table, steps: int) -> Grow:
    """The worlds of `grown_by_use`, from the same random numbers."""
    rules = np.asarray(rules_array(table.rows))
    uses = np.zeros((len(table.states), len(table.symbols)), np.int64)
    sums, xs, ys = np.zeros(len(table.symbols)), np.zeros(steps, np.int64), np.zeros(steps, np.int64)
    chosen = np.zeros(steps, np.int32)

    def grow(symbol_weights: list[float], random: Random) -> World:
        before = random.getstate()
        drawn = np.array([random.random() for _ in range(steps)])
        weights = np.array(symbol_weights)
        walk = LIBRARY.structs["walk"](rules, len(table.symbols), uses, weights, drawn, sums, xs, ys, chosen)
        if not LIBRARY.grow(walk, steps):
            raise MemoryError("there is no memory for a world")
        cells: int = walk.cells
        random.setstate(before)  # Only one number a chosen cell counts as drawn.
        for _ in range(cells):
            random.random()
        places = zip(xs[:cells].tolist(), ys[:cells].tolist(), strict=True)
        symbols = [table.symbols[symbol] for symbol in chosen[:cells].tolist()]
        return World(dict(zip(places, symbols, strict=True)), (0, 0))

    return grow


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


def grown_by_use(
    table: Table, random: Random, steps: int, uses: list[list[int]], symbol_weights: list[float]
) -> World:
    """A world grown of symbols for which there is a rule; `uses` counts the rules of all worlds so far."""

    def choose(fresh: FreshCell) -> int | None:
        if not fresh.known:
            return None
        counts = uses[fresh.state]
        weights = [symbol_weights[symbol] / (1 + counts[symbol]) for symbol in fresh.known]
        return random.choices(fresh.known, weights if any(weights) else None)[0]

    return grown_world(table, choose, steps, uses=uses)


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
