"""Pairs of states that two tables reach together, in C for large tables; states that do the same for ever.

The latter may always be one, and the search for fewer states begins with one of each.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

from gridlang.compiler.automata.explore import MOST_NODES, Explored, Stop, TooLarge, explore
from gridlang.compiler.native.c_library import CLibrary
from gridlang.table import Entry, Row, Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Integers = npt.NDArray[np.int32]


LIBRARY = CLibrary(Path(__file__).with_name("automata.c"), "-O2")
LARGE_TABLES = 300  # pairs of state and symbol: Python takes as long for fewer as loading C
CLAIMS = ("unasked", "same", "never")  # of LEFT where it is stuck, by number


@dataclass(frozen=True, slots=True)
class PackedPairs:
    """Pairs of states as C packs them: few are looked at. What the head holds follows, at the cell (0, 0)."""

    numbers: array[int]
    left_states: int
    right_states: int

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        for held, pair in map(divmod, self.numbers, repeat(self.left_states * self.right_states)):
            states = divmod(pair, self.right_states)
            yield (*states, 0, 0, held - 1) if held else states

    def states(self, number: int) -> tuple[int, int]:
        return divmod(self.numbers[number] % (self.left_states * self.right_states), self.right_states)


@dataclass(frozen=True, slots=True)
class Together:
    """Pairs of states in the order of discovery; `reads` lead to the first difference, if there is one."""

    pairs: list[tuple[int, int]] | PackedPairs
    left_stuck: int
    unobserved: int
    reads: list[int] | None
    differs: tuple[int, int] | None


def are_large(*tables: Table) -> bool:
    """Whether it is worth loading C, which also has to be there."""
    return sum(len(table.flat) for table in tables) >= 3 * LARGE_TABLES and LIBRARY.builds()


def reached_together(
    left: array[int],
    right: array[int],
    symbols: int,
    stuck: str = "unasked",
    *,
    observed: bool = False,
    worlds: bool = False,
    most: int = MOST_NODES,
) -> Together:
    """All pairs of states that two flat tables reach on the same reads, up to the first that differs.

    On `worlds`, a head that stays reads what was written.
    """
    sizes = len(left) // 3 // symbols, len(right) // 3 // symbols
    claim = CLAIMS.index(stuck)
    made = LIBRARY.together_new(left, right, *sizes, symbols, claim, int(observed), int(worlds), most)
    if not made:
        raise MemoryError("there is no memory for the pairs of states")
    try:
        counts = array("q", bytes(40))
        LIBRARY.together_counts(made, counts)
        count, differs, symbol, left_stuck, unobserved = counts
        if count > most:
            raise TooLarge(count)
        pairs, path = array("q", bytes(8 * count)), array("i", bytes(4 * count))
        LIBRARY.together_pairs(made, pairs)
        length = LIBRARY.together_path(made, differs, path) if differs >= 0 else 0
    finally:
        LIBRARY.together_free(made)
    packed = PackedPairs(pairs, *sizes)
    if differs < 0:
        return Together(packed, left_stuck, unobserved, None, None)
    return Together(packed, left_stuck, unobserved, [*path[:length][::-1], symbol], packed.states(differs))


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


def follows(left: Table, right: Table) -> bool:
    """Whether RIGHT writes and moves as LEFT wherever LEFT is defined, on every sequence of reads."""
    if are_large(left, right):
        return reached_together(left.flat, right.flat, len(left.symbols)).reads is None

    def together(entry: Entry | None, other: Entry | None, symbol: int) -> Pair | None:
        if entry is not None and (other is None or entry[:2] != other[:2]):
            raise Stop
        return None if entry is None or other is None or entry.is_idle(symbol) else (entry.next, other.next)

    return states_together(left.rows, right.rows, together).stopped is None


def equivalent_states(write: Integers, move: Integers, following: Integers) -> list[int]:
    """The first state that is equivalent to each, of tables (states, symbols) with -1 where nothing is known.

    Idle steps lead to -1 too. By Hopcroft's algorithm, so that time grows as the edges times the logarithm of
    the states: a second for 60,000 states in a ring.
    """
    states, symbols = write.shape
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
