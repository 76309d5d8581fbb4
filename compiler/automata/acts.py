"""Tables as lists of acts and next states, numbers all: what learners find."""

from __future__ import annotations

from typing import Any

from gridlang.table import MOVES, Entry, Table

NOWHERE = -1  # child of an edge that halts or is stuck
STUCK = -1  # act of an agent without a rule
UNSEEN = -2  # act where nothing was seen


def lists_to_table(like: Any, act: list[list[int]], after: list[list[int]]) -> Table:
    """A table with the names of `like`, a table or traces, and states in the order they are reached.

    A negative act is a missing rule, and a negative next state is the same again.
    """
    place, order = {0: 0}, [0]
    for state in order:
        for other in after[state]:
            if other not in place and other != NOWHERE:
                place[other] = len(order)
                order.append(other)

    def entry(state: int, symbol: int) -> Entry | None:
        if act[state][symbol] < 0:
            return None
        following = after[state][symbol]
        return Entry(*divmod(act[state][symbol], len(MOVES)), place[state if following < 0 else following])

    rows = tuple(tuple(entry(state, symbol) for symbol in range(len(like.symbols))) for state in order)
    names = tuple(f"q{number}" for number in range(len(order)))
    return Table(like.name, like.symbols, names, rows, like.classes, like.input)
