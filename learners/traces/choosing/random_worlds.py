"""Worlds on which an agent is stuck, squares, and the pictures of worlds."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from compiler.simulation.random_worlds import FreshCell, Growth
from gridlang.source import Source, Span
from gridlang.table import BLANK, Table
from gridlang.world import World, picture_rows, picture_world, string_world
from learners.traces.limits import LIMITS


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
