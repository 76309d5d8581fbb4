"""The reference simulator keeps the promises of the semantics."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.simulation.simulate import run
from gridlang.outcomes import Outcome
from gridlang.table import MOVES, Table
from gridlang.world import World, string_world
from tests.programs import PROGRAMS, Example
from tests.strategies import tables, worlds


@given(st.data())
def test_a_trace_replayed_on_the_world_gives_the_same_end(data: st.DataObject) -> None:
    table: Table = data.draw(tables())
    world: World = data.draw(worlds(table))
    done = run(table, world, 60, trace=True)
    assert done.trace is not None and len(done.trace) == done.steps
    cells, (x, y) = dict(world.cells), world.start
    for read, write, move in done.trace:
        assert cells.get((x, y), "_") == read
        cells[x, y] = write
        x, y = x + (move == "R") - (move == "L"), y + (move == "D") - (move == "U")
    assert (x, y) == done.cell
    assert World(cells).cells == done.world.cells
    idle = [i for i, (read, write, move) in enumerate(done.trace) if read == write and move == "S"]
    assert idle == ([done.steps - 1] if done.outcome == Outcome.HALTED else [])
    assert set(MOVES) >= {move for _, _, move in done.trace}


@pytest.mark.parametrize("example", PROGRAMS, ids=lambda e: e.name)
def test_examples_leave_what_they_should(example: Example) -> None:
    program = example.load()
    for text, result in example.cases:
        done = run(program.table, string_world(text))
        assert (done.outcome, done.result) == (Outcome.HALTED, result), text
