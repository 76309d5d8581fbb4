"""Worlds that grow under an agent's walk: a cell gets its symbol when the agent first reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

from gridlang.table import DELTAS, Table
from gridlang.world import Cell, World
from learners.traces.limits import LIMITS


class FreshCell(NamedTuple):
    """A cell that the agent is about to read for the first time."""

    cell: Cell
    number: int  # cells read before it
    step: int  # steps done before it
    state: int
    known: list[int]  # symbols with a rule in this state


ChooseSymbol = Callable[[FreshCell], int | None]  # None ends the walk before the cell is read.


def grown_world(
    table: Table,
    choose: ChooseSymbol,
    steps: int,
    start: Cell = (0, 0),
    uses: list[list[int]] | None = None,
) -> World:
    """The world chosen cell by cell until the agent halts, is stuck, or has done this many steps.

    Each rule that is applied, the halt too, is counted in `uses` (states, symbols) before the next choice.
    """
    first: dict[Cell, int] = {}
    now: dict[Cell, int] = {}
    known: dict[int, list[int]] = {}  # by state: a walk comes back to a few states again and again
    cell, state = start, 0
    for step in range(steps):
        row = table.rows[state]
        read = now.get(cell)
        if read is None:
            if state not in known:
                known[state] = [symbol for symbol, entry in enumerate(row) if entry is not None]
            read = choose(FreshCell(cell, len(first), step, state, known[state]))
            if read is None:
                break
            first[cell] = read
        entry = row[read]
        if entry is None:
            break
        if uses is not None:
            uses[state][read] += 1
        if entry.is_idle(read):
            break
        now[cell] = entry.write
        (x, y), (dx, dy) = cell, DELTAS[entry.move]
        cell, state = (x + dx, y + dy), entry.next
    return World({cell: table.symbols[symbol] for cell, symbol in first.items()}, start)


def stuck_worlds(table: Table, random: Random, steps: int) -> Iterator[World]:
    """Worlds on which the agent gets stuck, which shows a learner that there is no rule; there may be none.

    Of the symbols with a rule and of those without, the ones used less so far in a state are likelier.
    """
    uses = [[0] * len(table.symbols) for _ in table.states]
    unruled = [[x for x, entry in enumerate(row) if entry is None] for row in table.rows]
    stuck = False

    def choose(fresh: FreshCell) -> int | None:
        nonlocal stuck
        counts, missing = uses[fresh.state], unruled[fresh.state]
        ends = missing and (not fresh.known or random.randrange(LIMITS.stuck_odds) == 0)
        among = missing if ends else fresh.known
        chosen = random.choices(among, [1 / (1 + counts[symbol]) for symbol in among])[0]
        if ends:
            counts[chosen] += 1
            stuck = True
        return chosen

    while True:
        stuck = False
        for _ in range(LIMITS.stuck_tries):
            world = grown_world(table, choose, steps, uses=uses)
            if stuck:
                break
        if not stuck:
            return
        yield world
