"""Drops: a table without a rule that may have come of misread symbols.

A symbol that is misread in a cell that is never seen again looks as if the agent had a rule for it, which
does what the true one does. So a rule that does the same as one of its state that is used more is suspect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gridlang.table import Table, canonical
from learners.noise.accounts import Doubles

Rule = tuple[int, int]  # It is a state and a symbol.


def dropped_tables(table: Table, visits: Doubles, most: int) -> Iterator[Table]:
    """The table without all that is suspect, then without one such rule, those first that are used least."""
    suspects = sorted(_suspects(table, visits), key=lambda rule: visits[rule])
    if len(suspects) > 1:
        yield _without(table, suspects)
    for rule in suspects[:most]:
        yield _without(table, [rule])


def _suspects(table: Table, visits: Doubles) -> Iterator[Rule]:
    for state, row in enumerate(table.rows):
        for symbol, entry in enumerate(row):
            alike = [other for other, theirs in enumerate(row) if entry is not None and theirs == entry]
            if any(visits[state, other] > visits[state, symbol] for other in alike):
                yield state, symbol


def _without(table: Table, rules: Iterable[Rule]) -> Table:
    gone = set(rules)
    rows = tuple(
        tuple(None if (state, symbol) in gone else entry for symbol, entry in enumerate(row))
        for state, row in enumerate(table.rows)
    )
    return canonical(replace(table, rows=rows, families=()))
