"""States that do the same for ever, on every symbol and also where nothing is known: Hopcroft's algorithm.

Such states may always be one, and the search for fewer states begins with one of each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from compiler.automata.explore import Explored, Stop, explore
from compiler.automata.flat_tables import LIBRARY, are_large, equivalent_in_c, reached_together
from compiler.automata.limits import LIMITS
from gridlang.table import Entry, Row

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Integers = npt.NDArray[np.int32]

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


def equivalent_states(write: Integers, move: Integers, following: Integers) -> list[int]:
    """The first state that is equivalent to each, of tables (states, symbols) with -1 where nothing is known.

    Idle steps lead to -1 too. Time grows as the edges times the logarithm of the states.
    """
    states, symbols = write.shape
    if write.size >= LIMITS.large_tables and LIBRARY.builds():
        return equivalent_in_c(write, move, following)
    actions: dict[tuple[tuple[int, ...], ...], int] = {}
    rows = zip(map(tuple, write.tolist()), map(tuple, move.tolist()), strict=True)
    blocks_of = [actions.setdefault(row, len(actions)) for row in rows]
    blocks: list[set[int]] = [set() for _ in actions]
    for state, block in enumerate(blocks_of):
        blocks[block].add(state)
    before: list[dict[int, list[int]]] = [defaultdict(list) for _ in range(symbols)]
    for symbol, going in enumerate(following.T.tolist()):
        for state, after in enumerate(going):
            before[symbol][after].append(state)
    waiting = {(block, symbol) for block in range(len(blocks)) for symbol in range(symbols)}
    while waiting:
        splitter, symbol = waiting.pop()
        into: dict[int, list[int]] = defaultdict(list)
        for after in blocks[splitter]:
            for state in before[symbol].get(after, ()):
                into[blocks_of[state]].append(state)
        for old, parted in into.items():
            if len(parted) < len(blocks[old]):
                _split(old, parted, blocks, blocks_of, waiting, symbols)
    first: dict[int, int] = {}
    return [first.setdefault(blocks_of[state], state) for state in range(states)]


def _split(
    old: int,
    parted: list[int],
    blocks: list[set[int]],
    blocks_of: list[int],
    waiting: set[tuple[int, int]],
    symbols: int,
) -> None:
    """Parts a block in two; the smaller half is enough to split others, where the whole was used already."""
    new = len(blocks)
    blocks.append(set(parted))
    blocks[old].difference_update(parted)
    for state in parted:
        blocks_of[state] = new
    smaller = new if len(blocks[new]) <= len(blocks[old]) else old
    for symbol in range(symbols):
        waiting.add((new if (old, symbol) in waiting else smaller, symbol))
