"""Agents with one rule that does something else, and whether short inputs show that an agent errs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache
from itertools import islice, product

from gridlang.clauses.outputs import output_rule
from gridlang.compiler.simulation.simulate import run
from gridlang.outcomes import Outcome
from gridlang.table import MOVES, Entry, Table
from gridlang.world import string_world

Change = tuple[int, int, Entry | None]  # state, symbol, and the entry that is put there


def changed(table: Table, change: Change) -> Table:
    state, symbol, entry = change
    rows = [list(row) for row in table.rows]
    rows[state][symbol] = entry
    return replace(table, rows=tuple(map(tuple, rows)))


@cache
def changes(table: Table) -> list[Change]:
    """All that can stand in place of one entry, or of none."""
    states, symbols = range(len(table.states)), range(len(table.symbols))
    entries = [None, *(Entry(*parts) for parts in product(symbols, range(len(MOVES)), states))]
    return [
        (state, symbol, entry)
        for state, symbol, entry in product(states, symbols, entries)
        if entry != table.rows[state][symbol]
        and not (entry and entry.is_idle(symbol) and entry.next != state)
    ]


def errs(
    table: Table,
    longest: int,
    ends: Collection[Outcome] = (Outcome.HALTED, Outcome.STUCK),
    most: int = 400,
    steps: int = 2_000,
) -> bool:
    """Whether a short input is seen to end otherwise than the clause says, in one of these ways."""
    rule = output_rule(table)
    assert rule is not None
    for text in islice(rule.language.shortest(longest), most):
        done, expected = run(table, string_world(text), steps), rule.expected(text)
        if done.outcome in ends and expected is not None and not rule.is_met(expected, done):
            return True
    return False
