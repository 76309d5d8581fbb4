"""One meaning: for every agent and world the definition, C, weights and lockstep agree, step for step, to the end."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from gridlang.compiler.lockstep.alone import run_in_c, run_model
from gridlang.compiler.lockstep.cpu import NativeModel, NativeRun
from gridlang.compiler.lockstep.lockstep import PlainRun, matched
from gridlang.compiler.simulation.native import agents
from gridlang.compiler.simulation.native.engine import NativeWorld, TextRuns, run_native
from gridlang.compiler.simulation.simulate import Machine, Run, run
from gridlang.compiler.tensors.closed_loop import run_by_equations
from gridlang.compiler.tensors.dfst import table_to_dfst
from gridlang.outcomes import End, Outcome, Reason
from gridlang.table import Entry, Table
from gridlang.tiles import tiles_of
from gridlang.world import FARTHEST, World, string_world
from tests.programs import PROGRAMS, Example
from tests.strategies import tables, worlds
from tests.support.random_agents import FAMILIES, drawn_budgets, drawn_world
from tests.support.searches import LONG, searched, searching
from tests.support.weights import strict, widened

LIMITS = (0, 1, 2, 7, 63, 64, 65, 200, 3000)


def same(reference: Run, other: Run) -> None:
    """Everything that an observer can see, and how it ends."""
    assert (other.outcome, other.steps, other.cell, other.symbol) == (
        reference.outcome,
        reference.steps,
        reference.cell,
        reference.symbol,
    )
    assert other.world == reference.world
    if other.trace is not None:
        assert other.trace == reference.trace


def agree_natively(table: Table, world: World, steps: int) -> None:
    reference = run(table, world, steps, trace=True, profile=True)
    unseen = run(table, world, steps, profile=True)  # not step by step
    same(reference, unseen)
    assert (unseen.state, unseen.profile) == (reference.state, reference.profile)
    plain = run_native(table, world, steps)
    counts = array("Q", bytes(8 * len(table.states) * len(table.symbols)))
    observed = run_native(table, world, steps, trace=True, counts=counts)
    same(reference, plain)
    same(reference, observed)
    assert plain.state == observed.state == reference.state
    used = {divmod(at, len(table.symbols)): n for at, n in enumerate(counts) if n}
    assert used == reference.profile


def agree_as_weights(table: Table, world: World, steps: int) -> None:
    """Exact weights take the steps of their table, alone and beside it, strict ones and wide ones too."""
    reference = run(table, world, steps, trace=True)
    for model in (table_to_dfst(table), widened(strict(table), len(table.states) + 1)):
        for done in (run_model(model, world, steps, trace=True), run_in_c(model, world, steps)):
            same(reference, done)
            assert done.reason is reference.reason
        for one in (PlainRun(match := matched(model, table), world), NativeRun(NativeModel(match), world)):
            with one as going:
                outcome = going.outcome(going.go(steps))
            assert (outcome.ending, outcome.steps) == (reference.outcome, reference.steps)
            assert outcome.passed and outcome.mistake is None


def agree_on_text(table: Table, text: str, steps: int) -> None:
    """Short runs on texts are one call each."""
    counts = array("Q", bytes(8 * len(table.states) * len(table.symbols)))
    done, reference = (
        TextRuns(table, counts, 4_000_000).run(text, steps),
        run(table, string_world(text), steps),
    )
    assert done is not None
    for name in ("outcome", "steps", "state", "cell", "symbol", "result", "reason"):
        assert getattr(done, name) == getattr(reference, name)


@searched(40, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_for_every_agent_and_world_all_engines_agree(data: st.DataObject) -> None:
    table: Table = data.draw(tables())
    for _ in range(6):
        world: World = data.draw(worlds(table, size=data.draw(st.sampled_from([2, 8, 70]))))
        steps = data.draw(st.sampled_from(LIMITS))
        agree_natively(table, world, steps)
        agree_as_weights(table, world, min(steps, 300))
    agree_on_text(table, data.draw(st.text(table.symbols, max_size=70)), data.draw(st.sampled_from(LIMITS)))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda e: e.name)
def test_long_runs_of_every_example_agree_on_all_engines(program: Example) -> None:
    table = program.load().table
    long = {
        "add": "9" * 90 + "+" + "1" * 70,
        "add2": "1" * 120 + "+" + "1",
        "add10": "4056" * 30 + "+" + "79" * 50,
        "mult": "907" * 9 + "*" + "88" * 12,
        "mult2": "1011" * 7 + "*" + "11" * 9,
        "mult10": "99" * 14 + "*" + "123456789" * 3,
        "increment": "1" * 700,
        "palindrome": "abcacba" * 31,
        "brackets": "([()][])" * 25,
        "sort": "9876543210" * 14,
        "reverse": "abcde" * 30,
        "twice": "abcba" * 20,
        "tag": "a" * 19,
        "compare": "123456789" * 9 + "?" + "123456789" * 9,
    }
    world = string_world(long.get(program.name, ""))
    steps = 60_000
    if program.name == "flood":
        world = World(
            {(x, y): "#" for x in range(-40, 41) for y in range(-9, 10) if abs(x) == 40 or abs(y) == 9},
            (3, 3),
        )
    agree_natively(table, world, steps)
    agree_as_weights(table, world, 1_000)


def diagonal(dx: int, dy: int) -> Table:
    """Walks by turns sideways and up or down, leaving nothing."""
    across, along = (3 if dx > 0 else 2), (1 if dy > 0 else 0)
    return Table(
        "diagonal", ("_", "x"), ("a", "b"), ((Entry(0, across, 1), None), (Entry(0, along, 0), None))
    )


@pytest.mark.parametrize("way", [(1, 1), (-1, -1), (1, -1), (-1, 1)])
def test_a_diagonal_walk_of_a_million_steps_needs_little_memory(way: tuple[int, int]) -> None:
    done = run_native(diagonal(*way), World({}), 1_000_000, memory=200_000_000)
    assert (done.outcome, done.steps, done.cell) == (
        "budget",
        1_000_000,
        (500_000 * way[0], 500_000 * way[1]),
    )


@pytest.mark.parametrize("move", range(4))
def test_a_walk_over_blanks_for_ever_costs_no_memory_and_no_time(move: int) -> None:
    table = Table("walk", ("_", "x"), ("a",), ((Entry(0, move, 0), None),))
    done = run_native(table, World({(5, 5): "x"}), 10**15, memory=50_000)
    dx, dy = ((0, -1), (0, 1), (-1, 0), (1, 0))[move]
    assert (done.outcome, done.steps, done.cell) == ("budget", 10**15, (dx * 10**15, dy * 10**15))


@pytest.mark.parametrize("move", range(4))
@pytest.mark.parametrize("far", [1, 63, 64, 65, 1000, 123_457, 2**35, 4 * 10**18])
def test_a_walk_over_blanks_stops_exactly_at_what_stands_in_its_way(move: int, far: int) -> None:
    table = Table("walk", ("_", "x"), ("a",), ((Entry(0, move, 0), None),))
    dx, dy = ((0, -1), (0, 1), (-1, 0), (1, 0))[move]
    world = World({(dx * far + 3, dy * far - 7): "x"}, (3, -7))
    done = run_native(table, world, 2**62)
    assert (done.outcome, done.steps, done.cell) == ("stuck", far, (dx * far + 3, dy * far - 7))
    cut = run_native(table, world, far - 1)
    assert (cut.outcome, cut.steps) == ("budget", far - 1)


# Eager ones try macro steps all the time, and never find them slow; small ones have many borders.
BUILDS = {"usual": (), "eager": ("-DEAGER",), "small": ("-DEAGER", "-DSMALL")}


@pytest.fixture
def build(request: pytest.FixtureRequest) -> Iterator[None]:
    """An engine built with the flags of that name."""
    usual, agents.RUNNER = agents.RUNNER, (*agents.RUNNER, *BUILDS[request.param])
    agents._runner.cache_clear()
    agents.agent_of.cache_clear()
    yield
    agents.RUNNER = usual
    agents._runner.cache_clear()
    agents.agent_of.cache_clear()


AGENTS = 700 if LONG else 3  # of each family, for each build: 100,000 runs in a long search
STEPS = 20_000


@searching
@pytest.mark.parametrize("build", BUILDS, indirect=True)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_engine_stands_where_the_reference_does_at_every_budget(build: None, family: str) -> None:
    for number in range(AGENTS):
        random = Random(f"{family} {number}")
        table = FAMILIES[family](random).table()
        for _ in range(3):
            world, budgets = drawn_world(random, table.symbols), drawn_budgets(random, STEPS)
            memory = 100_000 if random.random() < 0.2 else 256_000_000
            follow(table, world, budgets, memory, (family, number))


def follow(table: Table, world: World, budgets: list[int], memory: int, drawn: tuple[str, int]) -> None:
    """A run in pieces, natively and on the reference, which stops where the memory of the other is spent."""
    reference = Machine(table, world)
    with NativeWorld(table, world, memory) as native:
        if not native.fits:
            return
        expected: End = Outcome.BUDGET
        outcome: End = Outcome.BUDGET
        for budget in budgets:
            before = native.where()[0]
            outcome = native.go(budget - before)
            at = native.where()
            expected = reference.run_on(at[0] if outcome is Reason.MEMORY else budget, None)
            if outcome is Reason.MEMORY:
                expected = outcome
            stands = outcome, at
            assert stands == (expected, (reference.steps, reference.state, *reference.head)), (drawn, budget)
            if outcome != Outcome.BUDGET:
                break
        left = native.ended(outcome)
    assert left == reference.ended(expected), drawn
    observed = min(budgets[0], 200)
    same(run(table, world, observed, trace=True), run_native(table, world, observed, trace=True))


@pytest.mark.parametrize("build", ["eager", "small"], indirect=True)
def test_macro_steps_go_on_where_their_memory_is_full(build: None) -> None:
    """A counter meets more patterns than are kept, an ant more patches."""
    counter = Table(
        "count",
        ("_", "0", "1"),
        ("up", "back"),
        ((Entry(2, 3, 1), Entry(2, 3, 1), Entry(1, 2, 0)), (Entry(0, 2, 0), Entry(1, 3, 1), None)),
    )
    ant = next(example for example in PROGRAMS if example.name == "ant").load().table
    for table, steps in ((counter, 30_000), (ant, 2_000_000)):
        with NativeWorld(table, World({})) as macro, NativeWorld(table, World({}), observed=True) as plain:
            for budget in (steps, 1, 77, 4096):
                macro.go(budget)
            counts = array("Q", bytes(8 * len(table.states) * len(table.symbols)))
            plain.observe(None, None, None, counts)
            plain.go(steps + 1 + 77 + 4096)
            assert macro.ended(Outcome.BUDGET) == plain.ended(Outcome.BUDGET)


@pytest.mark.parametrize("build", ["eager", "small"], indirect=True)
def test_macro_steps_count_all_steps_of_an_agent_that_dwells(build: None) -> None:
    dwells = [(Entry(1, 4, i + 1), Entry(2, 4, i + 1), Entry(0, 4, i + 1)) for i in range(300)]
    turns = (Entry(1, 3, 0), Entry(2, 3, 0), Entry(0, 2, 0))
    table = Table("dwell", ("_", "x", "y"), tuple(f"q{i}" for i in range(301)), (*dwells, turns))
    for world in (string_world("xyx_yyxx"), World({})):
        for steps in (299, 300, 5_000, 20_000):
            same(run(table, world, steps), run_native(table, world, steps))


def test_worlds_are_run_as_far_out_as_they_may_lie_and_refused_beyond() -> None:
    ant = next(example for example in PROGRAMS if example.name == "ant").load().table
    for edge in (-FARTHEST, FARTHEST):
        same(run(ant, (world := World({}, (edge, 0))), 3_000), run_native(ant, world, 3_000))
        for cells in ({(edge + 5 * edge // FARTHEST, 0): "x"}, {(0, edge * 2**8): "x"}):
            for make in (dict, tiles_of):
                with pytest.raises(ValueError, match="coordinates of a world"):
                    World(make(cells))
    with pytest.raises(ValueError, match="coordinates of a world"):
        World({}, (0, FARTHEST + 1))


@pytest.mark.parametrize("move", range(4))
@pytest.mark.parametrize("steps", [5, 6, 5_000])
def test_a_walk_over_the_bound_of_coordinates_stops_there_on_every_engine(move: int, steps: int) -> None:
    dx, dy = ((0, -1), (0, 1), (-1, 0), (1, 0))[move]
    table = Table("walk", ("_", "x"), ("a",), ((Entry(1, move, 0), None),))
    world = World({}, (dx * (FARTHEST - 5) or FARTHEST, dy * (FARTHEST - 5) or -FARTHEST))
    done, model = run(table, world, steps), table_to_dfst(table)
    assert (done.outcome, done.steps) == ("budget", 5)
    assert done.reason is (Reason.FAR if steps > 5 else None)
    for other in (
        run(table, world, steps, trace=True),
        run_native(table, world, steps),
        run_native(table, world, steps, trace=True),
        run_by_equations(model, world, steps),
        run_in_c(model, world, steps),
    ):
        same(run(table, world, steps, trace=True), other)
        assert other.reason is done.reason
