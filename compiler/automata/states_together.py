"""Two tables that read the same: the pairs of states that they reach together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from compiler.automata.explore import Explored, Stop, explore
from compiler.automata.flat_tables import are_large, reached_together
from gridlang.table import Entry, Row

Pair = tuple[int, int]


def states_together(
    left: Sequence[Row],
    right: Sequence[Row],
    together: Callable[[Entry | None, Entry | None, int], Pair | None],
) -> Explored[Pair, int]:
    """All pairs of states that two tables reach on the same reads.

    `together` gives the pair after both entries on a symbol, None where nothing more is asked, and raises
    Stop where the tables differ.
    """

    def successors(pair: Pair) -> Iterator[tuple[int, Pair]]:
        for symbol, entries in enumerate(zip(left[pair[0]], right[pair[1]], strict=True)):
            after = together(*entries, symbol)
            if after is not None:
                yield symbol, after

    return explore([(0, 0)], successors)


def follows(left: Sequence[Row], right: Sequence[Row]) -> bool:
    """Whether RIGHT writes and moves as LEFT wherever LEFT is defined, on every sequence of reads."""
    if are_large(left, right):
        return reached_together(left, right).reads is None

    def together(entry: Entry | None, other: Entry | None, symbol: int) -> Pair | None:
        if entry is not None and (other is None or entry[:2] != other[:2]):
            raise Stop
        return None if entry is None or other is None or entry.is_idle(symbol) else (entry.next, other.next)

    return states_together(left, right, together).stopped is None
