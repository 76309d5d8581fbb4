"""Worlds on which an agent gets stuck: how a learner is shown that there is no rule."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from gridlang.table import Table
from gridlang.world import World
from learners.traces.grown_worlds import FreshCell, grown_world

ODDS = 6  # At one of so many cells that are read for the first time, a symbol without a rule is put.
TRIES = 20  # A walk that ends otherwise is begun again, so often at most for one world.


def stuck_worlds(table: Table, random: Random, steps: int) -> Iterator[World]:
    """Worlds without end that grow while the agent runs, until it has no rule; there may be none.

    Of the symbols with a rule and of those without, the ones used less so far in a state are likelier.
    """
    uses = [[0] * len(table.symbols) for _ in table.states]
    unruled = [[x for x, entry in enumerate(row) if entry is None] for row in table.rows]

    stuck = False

    def choose(fresh: FreshCell) -> int | None:
        nonlocal stuck
        counts, missing = uses[fresh.state], unruled[fresh.state]
        ends = missing and (not fresh.known or random.randrange(ODDS) == 0)
        among = missing if ends else fresh.known
        chosen = random.choices(among, [1 / (1 + counts[symbol]) for symbol in among])[0]
        if ends:
            counts[chosen] += 1
            stuck = True
        return chosen

    while True:
        stuck = False
        for _ in range(TRIES):
            world = grown_world(table, choose, steps, uses=uses)
            if stuck:
                break
        if not stuck:
            return
        yield world
