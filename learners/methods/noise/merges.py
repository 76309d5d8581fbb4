"""Merges: two states of a table made one, and what follows from it, where few steps contradict it."""

from __future__ import annotations

from dataclasses import replace

from gridlang.table import Entry, Row, Table, canonical
from learners.methods.noise.accounts import Doubles
from learners.methods.noise.limits import LIMITS
from learners.methods.noise.splits import rule_nats


def tables_after_a_merge(table: Table, visits: Doubles) -> list[Table]:
    """The tables that one merge leads to, those that promise most first; `visits` are of each rule."""
    ranked: list[tuple[float, Table]] = []
    for other in range(len(table.states)):
        for one in range(other):
            for few in LIMITS.few:
                folding = _Folding(table, visits, few)
                folded = folding.table_of(one, other)
                if folded is not None:
                    ranked.append(
                        (LIMITS.lost_price * folding.lost + rule_nats(table) * folded.transitions, folded)
                    )
                    break
    return [folded for _, folded in sorted(ranked, key=lambda each: each[0])]


class _Folding:
    """States that are made one, until all rules of each are of one kind."""

    def __init__(self, table: Table, visits: Doubles, few: float) -> None:
        self.table, self.few = table, few
        self.rows: list[list[Entry | None]] = [list(row) for row in table.rows]
        self.visits = visits.tolist()
        self.home = list(range(len(table.states)))
        self.agreed = 0  # rules that two states had alike
        self.lost = 0.0  # steps that are called noise

    def table_of(self, one: int, other: int) -> Table | None:
        """The table in which these are one; None where that is contradicted, or nothing speaks for it."""
        waiting = [(one, other)]
        while waiting:
            first, second = sorted(self._at(each) for each in waiting.pop())
            if first != second and not self._joined(first, second, waiting):
                return None
        if not self.agreed:
            return None
        rows = tuple(self._row(state) for state in range(len(self.home)))
        return canonical(replace(self.table, rows=rows, families=()))

    def _joined(self, kept: int, given_up: int, waiting: list[tuple[int, int]]) -> bool:
        self.home[given_up] = kept
        for symbol, theirs in enumerate(self.rows[given_up]):
            ours = self.rows[kept][symbol]
            if theirs is None:
                continue
            few, many = sorted((self.visits[kept][symbol], self.visits[given_up][symbol]))
            if ours is None:
                self.rows[kept][symbol] = theirs
            elif ours[:2] == theirs[:2] and few > self.few and not ours.is_idle(symbol):
                self.agreed += 1
                waiting.append((ours.next, theirs.next))
            else:
                self.agreed += ours[:2] == theirs[:2]
                self.lost += few * (ours != theirs)
                if self.visits[given_up][symbol] == many:
                    self.rows[kept][symbol] = theirs
            self.visits[kept][symbol] = few + many
        return self.lost <= LIMITS.merge_lost

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
