"""Runs in the page, in a real browser: those of the reference, step for step, and as long as the reader wants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from gridlang.compiler.engines import execute
from gridlang.compiler.simulation.simulate import Machine, run
from gridlang.outcomes import Outcome
from gridlang.table import Table
from gridlang.world import World
from tests.strategies import tables, worlds
from tests.support.drawable import example
from tests.support.replay_page import modules, scene_of
from tests.support.searches import searched


@pytest.fixture(scope="module")
def simulator(browser: Any) -> Iterator[Any]:
    with modules(browser, "machine", "run") as page:
        yield page


@given(st.data())
@searched(12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_the_simulator_of_the_page_is_the_reference_on_random_agents(
    simulator: Any, data: st.DataObject
) -> None:
    table: Table = data.draw(tables())
    world: World = data.draw(worlds(table))
    limit = data.draw(st.sampled_from([0, 1, 7, 300, 3000]))
    steps = sorted(data.draw(st.lists(st.integers(0, limit), max_size=5)), key=lambda n: n * 7919 % 101)
    place = {symbol: x for x, symbol in enumerate(table.symbols)}
    rules = [number for q, x, entry in table.entries() for number in (q, x, *entry, 0)]
    cells = [[x, y, place[symbol]] for (x, y), symbol in world.cells.items()]
    given_data = {"name": "t", "states": table.states, "symbols": table.symbols, "rules": rules}
    found = simulator.evaluate(
        """([data, world, limit, steps, every]) => {
          const run = new Run(new Table(data), world, limit);
          run.every = every;
          while (run.compute(50));
          const at = (machine) => [machine.steps, machine.state, [machine.x, machine.y], machine.result()];
          return [run.outcome, at(run.ahead), steps.map((step) => { run.seek(step); return at(run.view); })];
        }""",
        [
            given_data,
            {"cells": cells, "start": world.start},
            limit,
            steps,
            data.draw(st.sampled_from([1, 16, 1 << 20])),
        ],
    )
    done = run(table, world, limit)
    assert found[:2] == [
        done.outcome,
        [done.steps, table.states.index(done.state), list(done.cell), done.result],
    ]
    for step, seen in zip(steps, found[2], strict=True):
        machine = Machine(table, world)
        while machine.steps < min(step, done.steps):
            machine.step()
        there = machine.ended(Outcome.BUDGET)
        assert seen == [machine.steps, machine.state, list(machine.head), there.result]


def test_a_million_steps_are_replayed_from_any_place(show: Any) -> None:
    program = example("ant")
    shown = show(scene_of(program))
    assert shown.text("total") == "of 1,000,000+" and shown.text("ending") == ""
    shown.press("End")
    assert shown.text("outcome") == "still running"
    for step in (1_000_000, 700_003, 700_002, 11_000, 0, 999_999):
        done = execute(program.table, World({}), step)
        shown.page.evaluate(f"replay.seek({step})")
        seen = shown.page.evaluate(
            "((view) => [table.states[view.state], [view.x, view.y], view.plane.count])(replay.run.view)"
        )
        assert seen == [done.state, list(done.cell), len(done.world.cells)]
    points = shown.page.evaluate("replay.run.points.length")
    assert points <= 100
    shown.page.click("#replay .more")
    shown.wait("replay.run.total > 2000000")
    assert shown.text("more").startswith("stop · ")
    shown.page.click("#replay .more")
    shown.wait()
    assert shown.text("outcome") == "still running" and shown.text("more") == "run until it halts"
    assert shown.step == shown.page.evaluate("replay.run.total")
    shown.check_quiet()


def test_an_endless_walk_ends_where_the_page_has_no_room(simulator: Any) -> None:
    found = simulator.evaluate(
        """() => {
          const table = new Table({ name: "t", states: ["q"], symbols: ["_"], rules: [0, 0, 0, 3, 0, 0] });
          const machine = new Machine(table, { cells: [], start: [2 ** 28 - 1000, 0] });
          machine.run(Infinity, Infinity);
          return [machine.outcome, machine.spent, machine.steps < 2000, machine.plane.squares.size];
        }"""
    )
    assert found == ["budget", True, True, 0]
