"""Tables of arrays, by state and symbol."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gridlang.learners.traces.dataset import Traces
from gridlang.table import MOVES, STAY, Entry, Table

Integers = npt.NDArray[np.int32]


def breadth_first(act: Integers, after: Integers) -> tuple[Integers, Integers]:
    """The same rows, states in the order in which they are reached; all of them are."""
    order, reached, following = [0], {0, -1}, after.tolist()
    for state in order:
        for other in following[state]:
            if other not in reached:
                reached.add(other)
                order.append(other)
    place = np.argsort(order).astype(np.int32)
    return act[order], np.where(after < 0, after, place[after])[order]


def rows_to_table(
    like: Traces | Table, act: npt.NDArray[np.integer], after: npt.NDArray[np.integer]
) -> Table:
    """A table with the names of `like`, of acts write * 5 + move and next states, each (states, symbols).

    A negative act is a missing rule. A halt keeps its state, and so does a rule with a negative next state.
    """
    write, move = np.divmod(act, len(MOVES))
    states, symbols = np.indices(act.shape)
    keeps = (after < 0) | ((write == symbols) & (move == STAY))
    parts = (part.tolist() for part in (write, move, np.where(keeps, states, after)))
    rows = tuple(
        tuple(Entry(*rule) if rule[0] >= 0 else None for rule in zip(*row, strict=True))
        for row in zip(*parts, strict=True)
    )
    names = tuple(f"q{state}" for state in range(len(rows)))
    return Table(like.name, like.symbols, names, rows, like.classes, like.input)
