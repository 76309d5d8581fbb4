"""Reading a long input at the speed of look-ups: its automaton, made as far as inputs have gone."""

from __future__ import annotations

from collections.abc import Callable

from gridlang.clauses.limits import LIMITS


class Leaves(Exception):
    """A symbol that cannot come next."""


class Row(dict[str, "Row"]):
    """What is read after some symbols, by the next one; `state` is a set of positions, None at first."""

    __slots__ = ("_rows", "_step", "state")

    def __init__(
        self, step: Callable[[int | None, str], int], state: int | None, rows: dict[int, Row]
    ) -> None:
        super().__init__()
        self.state, self._step, self._rows = state, step, rows

    def __missing__(self, symbol: str) -> Row:
        after = self._step(self.state, symbol)
        if not after:
            raise Leaves
        row = self._rows.get(after)
        if row is None:
            row = Row(self._step, after, self._rows)
            if len(self._rows) >= LIMITS.most_rows:
                return row
            self._rows[after] = row
        self[symbol] = row
        return row


def read(first: Row, text: str) -> int | None:
    """The state after a text; Leaves if it is not of the form."""
    row = first
    for symbol in text:
        row = row[symbol]
    return row.state
