"""Pairs of tables that are almost the same, the small worlds that tell them apart, and how they are run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from hypothesis import strategies as st

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.proofs.joint_step import Stuck
from gridlang.compiler.simulation.simulate import run
from gridlang.table import STAY, Entry, Table
from gridlang.world import World, string_world
from tests.programs import PROGRAMS
from tests.strategies import tables

U, D, L, R = range(4)
MODES: tuple[Stuck, ...] = ("unasked", "same", "never")

CLAUSES = ("a = mark*", "a = mark+, _, b = any+", "a = (mark, any)*", "a = _*, mark", "a = any?, mark?")


def table_of(name: str) -> Table:
    return next(p for p in PROGRAMS if p.name == name).load().table


def changed(table: Table, state: str, symbol: str, **parts: Any) -> Table:
    """A table with one entry changed, or taken away."""
    rows = [list(row) for row in table.rows]
    p, x = table.states.index(state), table.symbols.index(symbol)
    entry = rows[p][x]
    assert entry is not None
    rows[p][x] = entry._replace(**parts) if parts else None
    return Table("changed", table.symbols, table.states, tuple(map(tuple, rows)), table.classes, table.input)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Table, Table]:
    """A small agent with an input clause, and a mutant of it."""
    left = draw(tables(max_states=4, max_symbols=3))
    rows = [list(row) for row in left.rows]
    for _ in range(draw(st.integers(1, 2))):
        p = draw(st.integers(0, len(rows) - 1))
        x = draw(st.integers(0, len(left.symbols) - 1))
        write = draw(st.integers(0, len(left.symbols) - 1))
        move = draw(st.integers(0, STAY))
        after = p if (write, move) == (x, STAY) else draw(st.integers(0, len(rows) - 1))
        rows[p][x] = draw(st.sampled_from([Entry(write, move, after), None]))
    classes = (("mark", "".join(left.symbols[1:])),)
    clause = draw(st.sampled_from(CLAUSES))
    same = (left.symbols, left.states)
    right = Table("mutant", *same, tuple(map(tuple, rows)), classes, clause)
    return Table("original", *same, left.rows, classes, clause), right


def small_worlds(table: Table) -> Iterator[World]:
    """All contents of small boxes, from each of their cells."""
    for width, height in ((2, 2), (3, 1), (1, 3)):
        cells = list(product(range(width), range(height)))
        for contents in product(table.symbols, repeat=len(cells)):
            for start in cells:
                yield World(dict(zip(cells, contents, strict=True)), start)


def small_inputs(table: Table) -> Iterator[World]:
    language = language_of(table)
    assert language is not None
    for length in range(5):
        yield from map(string_world, language.strings(length))


def first_difference(
    left: Table, right: Table, world: World, steps: int = 40, stuck: str = "unasked"
) -> int | None:
    """The step at which RIGHT does not do what LEFT does, or LEFT is stuck where the claim forbids it."""
    done = run(left, world, steps, trace=True)
    mine, theirs = done.trace or (), run(right, world, steps, trace=True).trace or ()
    for index, action in enumerate(mine):
        if theirs[index : index + 1] != (action,):
            return index + 1
    if done.outcome == "stuck" and (stuck == "never" or (stuck == "same" and len(theirs) > len(mine))):
        return len(mine) + 1
    return None


def there_and_back(distance: int, read: Entry | None) -> Table:
    """Writes x, goes some cells to the right and comes back; `read` is what it does if it finds no x."""
    there = [(Entry(1, R, 1), Entry(1, R, 1))]
    there += [(Entry(0, R, i + 1), Entry(1, R, i + 1)) for i in range(1, distance)]
    back = [(Entry(0, L, i + 1), Entry(1, L, i + 1)) for i in range(distance, 2 * distance)]
    rows = (*there, *back, (read, Entry(1, STAY, 2 * distance)))
    return Table("walk", ("_", "x"), tuple(f"s{i}" for i in range(len(rows))), rows)
