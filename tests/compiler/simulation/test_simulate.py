"""The reference simulator keeps the promises of the semantics."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.simulation.simulate import Run, run
from gridlang.loading import load_source
from gridlang.outcomes import Outcome
from gridlang.source import Source
from gridlang.table import MOVES, Table
from gridlang.world import World, string_world
from tests.programs import PROGRAMS, Example
from tests.strategies import tables, worlds

HEAD = "agent t\nalphabet\n  bit = 0..1\nstart a\nstate a\n"


def go(rules: str, text: str = "", steps: int = 1000, **options: bool) -> Run:
    table = load_source(Source("t", HEAD + rules)).table
    return run(table, string_world(text), steps, **options)  # type: ignore[arg-type]


def test_the_idle_step_is_the_halt_and_counts() -> None:
    done = go("  bit : R\n  _ : halt\n", "01", trace=True)
    assert (done.outcome, done.steps, done.cell, done.state) == (Outcome.HALTED, 3, (2, 0), "a")
    assert done.trace == (("0", "0", "R"), ("1", "1", "R"), ("_", "_", "S"))


def test_an_undefined_pair_is_stuck_and_named() -> None:
    done = go("  0 : D\n", "01")
    assert (done.outcome, done.steps, done.state, done.cell, done.symbol) == (
        Outcome.STUCK,
        1,
        "a",
        (0, 1),
        "_",
    )


def test_a_budget_ends_a_run_after_exactly_so_many_steps() -> None:
    done = go("  _ : write 1, R\n  bit : L\n", steps=7)
    assert (done.outcome, done.steps) == (Outcome.BUDGET, 7)
    assert go("  any : halt\n", steps=0).outcome == Outcome.BUDGET


def test_a_repeated_configuration_is_looping_only_when_asked() -> None:
    rules = "  _ : R -> b\nstate b\n  _ : L -> a\n"
    assert go(rules, steps=50).outcome == Outcome.BUDGET
    done = go(rules, steps=50, detect_loops=True)
    assert done.outcome == Outcome.LOOPING and done.steps <= 4


def test_growing_for_ever_is_not_looping() -> None:
    assert go("  _ : write 1, R\n", steps=500, detect_loops=True).outcome == Outcome.BUDGET


def test_x_grows_right_and_y_grows_down() -> None:
    done = go(
        "  _ : write 1, D -> b\nstate b\n  _ : write 0, R -> c\nstate c\n  _ : write 1, U -> d\nstate d\n  _ : halt\n"
    )
    assert done.result == "1_\n01" and done.origin == (0, 0)
    assert done.cell == (1, 0)


def test_the_result_is_the_bounding_box_with_its_origin() -> None:
    left = go(
        "  _ : write 1, L -> b\nstate b\n  _ : L -> c\nstate c\n  _ : write 0, U -> d\nstate d\n  _ : halt\n"
    )
    assert (left.result, left.origin) == ("0_1", (-2, 0))
    empty = go("  any : write _, R\n", "01", steps=2)
    assert (empty.result, empty.origin) == ("", None)


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
