"""Merges: two states of a table made one, and what follows from it, where few steps contradict it."""

from __future__ import annotations

from dataclasses import replace

from gridlang.table import Entry, Row, Table
from learners.noise.accounts import Doubles

# A rule that was used no more often may be given up in a merge, and where it leads says nothing: it may be
# the last of a loop that was unrolled step by step.
FEW = 8.0


def merged_tables(table: Table, visits: Doubles) -> list[Table]:
    """The tables that one merge leads to, those with the fewest rules first; `visits` of each rule."""
    pairs = ((one, other) for other in range(len(table.states)) for one in range(other))
    tables = [_Folding(table, visits).table_of(*pair) for pair in pairs]
    return sorted((each for each in tables if each is not None), key=lambda each: each.transitions)


class _Folding:
    """States that are made one, until all rules of each are of one kind."""

    def __init__(self, table: Table, visits: Doubles) -> None:
        self.table = table
        self.rows: list[list[Entry | None]] = [list(row) for row in table.rows]
        self.visits = visits.tolist()
        self.home = list(range(len(table.states)))
        self.agreed = 0  # rules that two states had alike

    def table_of(self, one: int, other: int) -> Table | None:
        """The table in which these are one; None where that is contradicted, or nothing speaks for it."""
        waiting = [(one, other)]
        while waiting:
            first, second = sorted(self._at(each) for each in waiting.pop())
            if first != second and not self._joined(first, second, waiting):
                return None
        rows = tuple(self._row(state) for state in range(len(self.home)))
        return replace(self.table, rows=rows, families=()) if self.agreed else None

    def _joined(self, kept: int, given_up: int, waiting: list[tuple[int, int]]) -> bool:
        self.home[given_up] = kept
        for symbol, theirs in enumerate(self.rows[given_up]):
            ours = self.rows[kept][symbol]
            if theirs is None:
                continue
            few, many = sorted((self.visits[kept][symbol], self.visits[given_up][symbol]))
            if ours is None:
                self.rows[kept][symbol] = theirs
            elif ours[:2] != theirs[:2] and few > FEW:
                return False
            else:
                self.agreed += ours[:2] == theirs[:2]
                if few > FEW and not ours.is_idle(symbol):
                    waiting.append((ours.next, theirs.next))
                elif self.visits[given_up][symbol] == many:
                    self.rows[kept][symbol] = theirs
            self.visits[kept][symbol] = few + many
        return True

    def _at(self, state: int) -> int:
        while self.home[state] != state:
            state = self.home[state]
        return state

    def _row(self, state: int) -> Row:
        row = self.rows[self._at(state)]
        return tuple(
            entry and entry._replace(next=state if entry.is_idle(symbol) else self._at(entry.next))
            for symbol, entry in enumerate(row)
        )
