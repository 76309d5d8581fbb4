"""The smallest agents by plain enumeration of all tables: slow, and what the search in C is held against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

BLANK = 0


class Rule(NamedTuple):
    """Write, move by -1 or 1, and the next state; None halts."""

    write: int
    move: int
    next: int | None


Tables = tuple[Rule, ...]  # by state and symbol


def all_tables(states: int, symbols: int) -> Iterator[Tables]:
    halts = [Rule(write, 0, None) for write in range(symbols)]
    moves = [Rule(*rule) for rule in product(range(symbols), (-1, 1), range(states))]
    return product([*halts, *moves], repeat=states * symbols)


def run(table: Tables, symbols: int, text: Sequence[int], limit: int) -> tuple[tuple[int, ...], int] | None:
    """What is left, without blanks at the ends, and the steps; None if it does not halt in time."""
    cells, at, state, steps = dict(enumerate(text)), 0, 0, 0
    while True:
        read = cells.get(at, BLANK)
        rule = table[state * symbols + read]
        cells[at] = rule.write
        if rule.next is None:
            steps += 1 if rule.write == read else 2
            break
        at, state, steps = at + rule.move, rule.next, steps + 1
        if steps >= limit:
            return None
    left = [cells.get(x, BLANK) for x in range(min(cells), max(cells) + 1)]
    while left and left[0] == BLANK:
        del left[0]
    while left and left[-1] == BLANK:
        del left[-1]
    return tuple(left), steps


def fewest_steps(
    states: int, symbols: int, wanted: Sequence[tuple[tuple[int, ...], tuple[int, ...], int]]
) -> int | None:
    """The fewest steps of a right agent on all inputs together; inputs come with results and step limits."""
    best: int | None = None
    for table in all_tables(states, symbols):
        total = 0
        for text, result, limit in wanted:
            done = run(table, symbols, text, limit)
            if done is None or done[0] != result:
                break
            total += done[1]
        else:
            best = total if best is None else min(best, total)
    return best
