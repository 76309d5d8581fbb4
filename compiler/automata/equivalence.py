"""Pairs of states that two tables reach together; states that do the same for ever: Hopcroft's algorithm.

Such states may always be one, and the search for fewer states begins with one of each. Large tables are in C.
"""

from __future__ import annotations

import ctypes
import sys
import weakref
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiler.automata.explore import MOST_NODES, Explored, Stop, TooLarge, explore
from compiler.automata.limits import LIMITS
from compiler.simulation.native.c_library import CLibrary
from gridlang.table import Entry, Row, Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Integers = npt.NDArray[np.int32]


LIBRARY = CLibrary(Path(__file__).with_name("automata.c"), "-O2")
UNDEFINED = (-1, -1, -1)
_FLAT: dict[int, array[int]] = {}  # of tables, by identity
CLAIMS = ("unasked", "same", "never")  # of LEFT where it is stuck, by number


@dataclass(frozen=True, slots=True)
class Together:
    """Pairs of states in the order of discovery; `reads` lead to the first difference, if there is one."""

    pairs: list[tuple[int, int]]
    left_stuck: int
    unobserved: int
    reads: list[int] | None
    differs: tuple[int, int] | None


def are_large(*tables: Sequence[Row]) -> bool:
    """Whether it is worth loading C, which also has to be there."""
    cells = sum(len(rows) * len(rows[0]) for rows in tables if rows)
    return cells >= LIMITS.large_tables and LIBRARY.builds()


def flat(rows: Sequence[Row]) -> array[int]:
    """Write, move and next state of all pairs, one after the other."""
    tuples = isinstance(rows, tuple) and set(map(type, rows)) == {tuple}
    if tuples and sys.implementation.name == "cpython" and are_large(rows):
        made = array("i", bytes(12 * len(rows) * len(rows[0])))
        _flatten()(rows, len(rows), len(rows[0]), made.buffer_info()[0])
        return made
    entries = (UNDEFINED if entry is None else entry for entry in chain.from_iterable(rows))
    return array("i", chain.from_iterable(entries))


def flat_table(table: Table) -> array[int]:
    """`flat`, remembered as long as the table lives: an expert is compared with many. Not to be changed."""
    if id(table) not in _FLAT:
        _FLAT[id(table)] = flat(table.rows)
        weakref.finalize(table, _FLAT.pop, id(table))
    return _FLAT[id(table)]


@cache
def _flatten() -> Callable[..., Any]:
    kinds = (ctypes.py_object, *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 2, ctypes.c_int32, ctypes.c_void_p)
    value = ctypes.cast(ctypes.pythonapi.PyLong_AsLong, ctypes.c_void_p)
    flatten = LIBRARY.reading_objects("flatten", *kinds)
    return lambda rows, *more: flatten(rows, id(None), value, tuple.__basicsize__, *more)


def reached_together(
    left: array[int], right: array[int], symbols: int, stuck: str = "unasked", *, observed: bool = False
) -> Together:
    """All pairs of states that two flat tables reach on the same reads, up to the first that differs."""
    states, claim = len(right) // 3 // symbols, CLAIMS.index(stuck)
    made = LIBRARY.together_new(left, right, states, symbols, claim, int(observed), MOST_NODES)
    if not made:
        raise MemoryError("there is no memory for the pairs of states")
    try:
        counts = array("q", bytes(40))
        LIBRARY.together_counts(made, counts)
        count, differs, symbol, left_stuck, unobserved = counts
        if count > MOST_NODES:
            raise TooLarge(count)
        pairs, path = array("q", bytes(8 * count)), array("i", bytes(4 * count))
        LIBRARY.together_pairs(made, pairs)
        length = LIBRARY.together_path(made, differs, path) if differs >= 0 else 0
    finally:
        LIBRARY.together_free(made)
    nodes = list(map(divmod, pairs, [states] * count))
    if differs < 0:
        return Together(nodes, left_stuck, unobserved, None, None)
    return Together(nodes, left_stuck, unobserved, [*path[:length][::-1], symbol], nodes[differs])


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
        return reached_together(flat(left), flat(right), len(left[0])).reads is None

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
        firsts = array("i", bytes(4 * states))
        if not LIBRARY.equivalent(write, move, following, states, symbols, firsts):
            raise MemoryError("there is no memory to compare the states")
        return firsts.tolist()
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
