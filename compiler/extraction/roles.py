"""A state that plays two roles, as several: one for each way into it, with what inputs show of that way.

Merging, and refitting that merges, makes one state of roles that never disagree; families are torn by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, islice
from random import Random

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.simulation.random_inputs import lengths_up_to, random_input
from gridlang.compiler.weights.families.readable import Pairs, Readable, readable
from gridlang.table import DELTAS, Entry, Table, canonical
from gridlang.world import string_world

MOST_ROLES = 250  # More take seconds to be read.
SHORTEST, DRAWN, LENGTH = 400, 300, 6  # inputs
STEPS = 1_500  # of a run
SHORTER = 0.9  # A program that is not that much shorter is no reason to split.

Way = tuple[int, int] | None  # the rule by which a state was entered from another one


def by_roles(raw: Table, stuck: Pairs, found: Readable) -> Readable:
    """A shorter program by roles, proven to do the same on all inputs; else the one that was found."""
    language = language_of(raw)
    if language is None:
        return found
    random = Random("roles")
    drawn = (random_input(language, lengths_up_to(LENGTH), random) for _ in range(DRAWN))
    split = in_roles(raw, chain(islice(language.shortest(LENGTH), SHORTEST), drawn))
    if split is None:
        return found
    fine, state = split
    finer = readable(
        fine,
        frozenset(
            (q, x) for q in range(len(state)) for x in range(len(raw.symbols)) if (state[q], x) in stuck
        ),
    )
    if finer.text.count("\n") > SHORTER * found.text.count("\n"):
        return found
    first = {q: finer.home[role] for role, q in reversed([*enumerate(state)])}
    if len(first) < len(raw.rows) or not prove(raw, finer.table, "inputs").equivalent:
        return found
    return replace(finer, home=tuple(first[q] for q in range(len(raw.rows))))


def in_roles(table: Table, inputs: Iterable[str]) -> tuple[Table, list[int]] | None:
    """The roles as a table, and the state that each is of; None if there are too many."""
    roles: dict[tuple[int, Way], int] = {(0, None): 0}
    rows: list[list[Entry | None]] = [[None] * len(table.symbols)]
    for text in inputs:
        world = string_world(text)
        cells = {cell: table.symbols.index(symbol) for cell, symbol in world.cells.items()}
        (column, row), q, role = world.start, 0, 0
        for _ in range(STEPS):
            x = cells.get((column, row), 0)
            entry = table.rows[q][x]
            if entry is None:
                break
            after = role
            if entry.next != q:
                after = roles.setdefault((entry.next, (q, x)), len(rows))
                if after == len(rows):
                    rows.append([None] * len(table.symbols))
            rows[role][x] = entry._replace(next=after)
            if entry.is_idle(x):
                break
            cells[column, row] = entry.write
            column, row = column + DELTAS[entry.move][0], row + DELTAS[entry.move][1]
            q, role = entry.next, after
        if len(rows) > MOST_ROLES:
            return None
    names = tuple(map(str, range(len(rows))))
    fine = canonical(replace(table, states=names, rows=tuple(map(tuple, rows)), families=()))
    state = [q for q, _ in roles]
    return fine, [state[int(name)] for name in fine.states]
