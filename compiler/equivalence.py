"""Comparing tables: the same writes and moves on the same reads, for every sequence of reads.

LEFT is the specification: where it halts or is stuck, nothing more is asked of RIGHT. This is stronger than
behaving alike on every world, since some sequences of reads cannot happen on any.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from compiler.explore import Stop, explore
from gridlang.diagnostics import fail
from gridlang.table import MOVES, STAY, Table

Pair = tuple[int, int]


class Observation(NamedTuple):
    """One step of a counterexample: what was read, and what each side does; None is stuck."""

    read: str
    left: tuple[str, str] | None
    right: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether RIGHT does what LEFT does; None means unknown."""

    equivalent: bool | None
    scope: str
    product_states: int
    stuck_branches: int
    counterexample: tuple[Observation, ...] | None = None
    subject: str = "table"
    radius: int | None = None


def compare_tables(left: Table, right: Table) -> Verdict:
    """A proof that RIGHT follows LEFT on all sequences of reads, or a shortest one on which it does not."""
    if set(left.symbols) != set(right.symbols):
        only = sorted(set(left.symbols) ^ set(right.symbols))
        raise fail("G085", f"the alphabets differ: only one side knows {' '.join(only)}")
    there = [right.symbols.index(symbol) for symbol in left.symbols]  # from LEFT's symbols to RIGHT's
    stuck = 0

    def successors(pair: Pair) -> Iterator[tuple[int, Pair]]:
        nonlocal stuck
        for symbol, entry in enumerate(left.rows[pair[0]]):
            if entry is None:
                stuck += 1
                continue
            other = right.rows[pair[1]][there[symbol]]
            if other is None or other.write != there[entry.write] or other.move != entry.move:
                raise Stop(symbol)
            if entry.write != symbol or entry.move != STAY:
                yield symbol, (entry.next, other.next)

    found = explore((0, 0), successors)
    if found.stopped is None:
        return Verdict(True, "table", len(found.nodes), stuck)
    pair, symbol = found.stopped
    assert isinstance(symbol, int)
    steps = _observations(left, right, [*found.path(pair), symbol])
    return Verdict(False, "table", len(found.nodes), stuck, steps)


def _observations(left: Table, right: Table, reads: list[int]) -> tuple[Observation, ...]:
    """Replays a sequence of reads on both sides."""
    steps = []
    p = q = 0
    for symbol in reads:
        name = left.symbols[symbol]
        mine, other = left.rows[p][symbol], right.rows[q][right.symbols.index(name)]
        steps.append(
            Observation(
                name,
                (left.symbols[mine.write], MOVES[mine.move]) if mine else None,
                (right.symbols[other.write], MOVES[other.move]) if other else None,
            )
        )
        if mine and other:
            p, q = mine.next, other.next
    return tuple(steps)
