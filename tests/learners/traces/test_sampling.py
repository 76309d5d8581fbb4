"""What is sampled, and what it shows of an agent."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, islice, product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.clauses.input_clauses import language_of, parse_language
from gridlang.compiler.simulation.random_inputs import (
    Lengths,
    all_inputs,
    count_inputs,
    lengths_of,
    lengths_up_to,
    periodic_input,
    random_input,
    repeated_input,
    repeating_inputs,
    text_world,
    world_text,
)
from gridlang.compiler.simulation.random_worlds import random_worlds
from gridlang.compiler.simulation.simulate import run
from gridlang.diagnostics import GridError
from gridlang.learners.traces.choosing.coverage import coverage, told_apart
from gridlang.learners.traces.choosing.greedy_selection import DEPTH, Selection
from gridlang.learners.traces.choosing.sampling import (
    default_traces,
    make_traces,
    sample,
    sampling_plan,
)
from gridlang.learners.traces.dataset import traces_to_bytes
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from gridlang.learners.traces.recording import record
from gridlang.loading import load
from gridlang.program import Program
from gridlang.table import Entry, Table
from gridlang.world import World
from tests.programs import EXAMPLES, PROGRAMS, Example
from tests.strategies import tables, worlds
from tests.support.searches import LONG, searched, searching

CLASSES = {"digit": "01", "sign": "+"}
CLAUSES = [
    "a = digit+, sign, b = digit+",
    "(digit | sign)*",
    "(digit, sign?)+, sign*",
    "digit?",
    "((digit+, sign) | '+')+",
    "any*, digit",
    "sign",
    "a = digit{1,3}, sign{2}, b = (digit, sign?){2,}",
]
CONDITIONS = [
    "a = digit+, sign, b = digit+ where a >= b",
    "a = digit+, sign, b = digit+ where a == b",
    "a = digit+ where a == 2^length(a) - 1",
    "a = digit{1,40} where count(a, 1) == 1",
]


@pytest.mark.parametrize("clause", [*CLAUSES, *CONDITIONS])
def test_whatever_is_drawn_is_a_declared_input(clause: str) -> None:
    language = parse_language(clause, CLASSES, ("_", "0", "1", "+"))
    random = Random(0)
    drawn = [random_input(language, lengths_up_to(20), random) for _ in range(30)]
    drawn += [random_input(language, lengths_of(4), random) for _ in range(10)]
    drawn += [repeated_input(language, 5, random) for _ in range(10)]
    drawn += [periodic_input(language, 2, 5, random) for _ in range(10)]
    drawn += [*islice(all_inputs(language, 3), 300), *islice(repeating_inputs(language, 3), 300)]
    assert all(map(language.declares, drawn))
    assert clause in CLAUSES or len(set(drawn[:30])) > 5


def test_equal_numbers_are_drawn_at_any_length() -> None:
    language = parse_language(CONDITIONS[1], CLASSES, ("_", "0", "1", "+"))
    assert len(random_input(language, lengths_of(100), Random(0))) == 201


@pytest.mark.parametrize("lengths", [lengths_up_to(9), lengths_of(9)])
def test_drawing_ends_with_an_error_where_no_input_meets_the_condition(lengths: Lengths) -> None:
    language = parse_language("a = digit+ where a < 0", CLASSES, ("_", "0", "1", "+"))
    with pytest.raises(GridError, match=r"G075.*a < 0"):
        random_input(language, lengths, Random(0))


@pytest.mark.parametrize("clause", CLAUSES)
def test_all_inputs_are_all_that_can_be_drawn(clause: str) -> None:
    language = parse_language(clause, CLASSES, ("_", "0", "1", "+"))
    listed = list(all_inputs(language, 2))
    assert len(listed) == count_inputs(language, lengths_up_to(2))
    random = Random(1)
    drawn = {random_input(language, lengths_up_to(2), random) for _ in range(5_000)}
    assert drawn == set(listed)


def test_lengths_and_symbols_are_uniform() -> None:
    language = parse_language("a = digit+, sign, b = digit+", CLASSES, ("_", "0", "1", "+"))
    random = Random(2)
    pairs = [random_input(language, lengths_up_to(4), random).split("+") for _ in range(4_000)]
    for length in range(1, 5):
        assert 900 < sum(len(a) == length for a, _ in pairs) < 1_100
    text = "".join(a + b for a, b in pairs)
    assert 0.48 < text.count("1") / len(text) < 0.52


@pytest.mark.parametrize(
    ("name", "p", "q", "n"),
    [("add2", 1, 3, 20), ("add10", 1, 3, 225), ("mult2", 1, 5, 750), ("mult10", 1, 5, 10_000)],
)
def test_the_papers_rule_takes_what_the_paper_says(name: str, p: int, q: int, n: int) -> None:
    table = load(EXAMPLES / f"{name}.grid").table
    digits, sign = dict(table.classes)["digit"], table.symbols[-1]
    plan = sampling_plan(table, "paper")
    assert (plan.short, plan.long, plan.count) == (p, q, n)
    inputs = sample(table, plan, seed=5).inputs
    assert len(inputs) == len(set(inputs)) == n
    always = [f"{a}{sign}{b}" for a, b in product(digits, digits)]
    always += [f"{a * q}{sign}{b * q}" for a, b in product(digits, digits)]
    assert inputs[: len(always)] == always
    lengths = [len(part) for text in inputs for part in str(text).split(sign)]
    assert max(lengths) == q and min(lengths) == 1


def test_a_parameter_makes_the_same_task() -> None:
    two = load(EXAMPLES / "add.grid", {"base": "2"}).table
    seven = load(EXAMPLES / "add.grid", {"base": "7"}).table
    assert sampling_plan(two, "paper").count == 20
    assert sampling_plan(seven, "paper").count == max(2 * 98, seven.transitions)


def test_where_there_are_fewer_inputs_all_are_taken_and_it_is_said() -> None:
    table = load(EXAMPLES / "increment.grid").table
    for rule in ("paper", "inputs"):
        for greedy in (False, True):
            found = sample(table, sampling_plan(table, rule, count=50, long=3, greedy=greedy))
            assert sorted(map(str, found.inputs)) == sorted(
                "".join(bits) for n in (1, 2, 3) for bits in product("01", repeat=n)
            )
            assert "all 14 inputs" in found.note


def test_where_the_rule_always_takes_more_than_asked_for_some_are_left_to_chance() -> None:
    table = load(EXAMPLES / "add10.grid").table
    found = sample(table, sampling_plan(table, "paper", count=30))
    assert len(set(found.inputs)) == 30 and "30 of the 200" in found.note
    many = sample(table, sampling_plan(table, "paper", count=300, short=4))
    assert len(set(many.inputs)) == 300 and "more than 100,000" in many.note


def test_random_worlds_differ_in_what_they_show_and_exercise_nearly_all_rules() -> None:
    for name, least in (("add2", 38), ("add10", 204), ("mult2", 77)):
        program = load(EXAMPLES / f"{name}.grid")
        traces = make_traces(program, [sampling_plan(program.table, "peek-worlds", count=600)], seed=1)
        assert len(traces) == 600 and traces.length.max() <= 60
        assert len({row.tobytes() for row in traces.x}) == 600
        assert coverage(program.table, traces).covered >= least


@pytest.mark.parametrize("rule", ["paper", "inputs", "worlds", "peek-worlds"])
def test_the_same_seed_gives_the_same_bytes_on_any_number_of_cores(
    rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = load(EXAMPLES / "add2.grid")
    monkeypatch.setattr(
        "gridlang.learners.traces.choosing.sampling.LIMITS", replace(TRACE_LIMITS, pool=1_000)
    )
    plans = [sampling_plan(program.table, rule, count=30, greedy=True)]
    first = traces_to_bytes(make_traces(program, plans, 7))
    monkeypatch.setattr("gridlang.learners.traces.batch.cores", lambda: 7)
    assert traces_to_bytes(make_traces(program, plans, 7)) == first
    assert traces_to_bytes(make_traces(program, plans, 8)) != first


def test_an_agent_that_is_stuck_at_once_gives_nothing_to_record() -> None:
    table = Table("t", ("_", "a"), ("s",), ((None, None),))
    with pytest.raises(GridError) as caught:
        default_traces(Program(table, "t"))
    assert caught.value.diagnostics[0].code == "G103"


def test_traces_that_would_fill_the_memory_are_refused() -> None:
    program = load(EXAMPLES / "ant.grid")
    with pytest.raises(GridError) as caught:
        record(program, [World({})] * 4_000, 100_000)
    assert caught.value.diagnostics[0].code == "G104"


# With inputs, without, and one that never sees the end of its world.
SMALL = [pytest.param(p, id=p.name) for p in PROGRAMS if p.name in ("add2", "beaver", "flood")]


@pytest.mark.parametrize("example", SMALL)
@searching
def test_every_agent_has_a_training_set_of_bounded_size(
    example: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not LONG:
        monkeypatch.setattr(
            "gridlang.learners.traces.choosing.sampling.LIMITS", replace(TRACE_LIMITS, pool=1_000)
        )
    program = example.load()
    traces = default_traces(program, seed=1)
    shown = coverage(program.table, traces)
    assert 100 <= len(traces) <= 5_000 and traces.length.max() <= 500
    assert shown.states == len(program.table.states)
    assert shown.covered >= 0.7 * shown.reachable
    language = language_of(program.table)
    strings = [text for text in traces.inputs if not text.endswith("\n")]
    assert bool(strings) == bool(language)
    assert all(language.mismatch(text) is None for text in strings if language)


@given(st.data())
@searched(20)
def test_a_picture_is_read_as_the_world_it_shows(data: st.DataObject) -> None:
    table = data.draw(tables())
    world = data.draw(worlds(table))
    again = text_world(world_text(world), table.symbols)
    dx, dy = again.start[0] - world.start[0], again.start[1] - world.start[1]
    assert dict(again.cells) == {(x + dx, y + dy): symbol for (x, y), symbol in world.cells.items()}


@given(tables(), st.integers(0, 9))
@searched(5)  # each agent costs a compilation
def test_coverage_counts_the_rules_that_the_reference_uses(table: Table, seed: int) -> None:
    chosen = list(islice(random_worlds(table, Random(seed), 30), 12))
    runs = [run(table, world, 30, profile=True) for world in chosen]
    used = {rule for done in runs for rule in (done.profile or ())}
    if not used:
        return
    shown = coverage(table, record(Program(table, "t"), chosen, 30))
    names = {(table.states[q], table.symbols[x]) for q, x in used}
    assert names.isdisjoint(shown.missing) and shown.covered == len(names)
    assert shown.steps == sum(done.steps for done in runs)
    assert shown.states == len({q for q, _ in names})
    assert (shown.told_apart or 0) <= (shown.possible or 0) <= (shown.pairs or 0)


def apart_by_words(table: Table, used: np.ndarray, p: int, q: int, depth: int) -> bool:
    """By definition: some word of reads along used rules on which p and q act differently."""
    for x in range(len(table.symbols)):
        left, right = table.rows[p][x], table.rows[q][x]
        if not (used[p, x] and used[q, x]) or left is None or right is None:
            continue
        if left[:2] != right[:2]:
            return True
        if (
            depth
            and left.next != right.next
            and apart_by_words(table, used, left.next, right.next, depth - 1)
        ):
            return True
    return False


@given(tables(max_states=4, max_symbols=3), st.data())
@searched(20)
def test_states_are_told_apart_if_a_word_along_used_rules_does_it(table: Table, data: st.DataObject) -> None:
    used = np.array([[e is not None and data.draw(st.booleans()) for e in row] for row in table.rows])
    found = told_apart(table, used)
    pairs = len(table.states) * (len(table.states) - 1) // 2
    for p, q in combinations(range(len(table.states)), 2):
        assert found[p, q] == found[q, p] == apart_by_words(table, used, p, q, pairs)
    assert not found.diagonal().any()


def test_traces_of_another_table_are_refused() -> None:
    program = load(EXAMPLES / "add2.grid")
    traces = record(program, ["10+11"], 100)
    rows = list(program.table.rows)
    rows[0] = (Entry(0, 0, 0), *rows[0][1:])
    other = Table("other", program.table.symbols, program.table.states, tuple(rows))
    with pytest.raises(GridError, match="does not do what these traces show: trace 0 at step 5"):
        coverage(other, traces)


IDS = st.one_of(st.integers(0, 20), st.integers(1, 20).map(lambda n: -1 - n * DEPTH - 1))  # rules, and pairs


@given(st.lists(st.lists(IDS, max_size=6, unique=True), max_size=12), st.integers(0, 15))
def test_a_spread_takes_rules_before_pairs_and_no_row_twice(rows: list[list[int]], count: int) -> None:
    chosen = Selection(1).spread([np.array(sorted(row), np.int64) for row in rows], count)
    assert len(chosen) == len(set(chosen)) == min(count, len(rows))
    for place, row in enumerate(chosen):
        before = {n for earlier in chosen[:place] for n in rows[earlier]}
        gains = [
            (len({n for n in ids if n >= 0} - before), len({n for n in ids if n < 0} - before))
            for i, ids in enumerate(rows)
            if i not in chosen[:place]
        ]
        if max(gains) == (0, 0):
            break
        mine = set(rows[row]) - before
        assert (sum(n >= 0 for n in mine), sum(n < 0 for n in mine)) == max(gains)


def test_a_spread_starts_from_what_is_seen() -> None:
    rows = [np.array(ids) for ids in ([0, 1, 2], [3], [0, 1])]
    assert Selection(1).spread(rows, 1) == [0]
    assert Selection(1).spread(rows, 1, seen=[np.array([0, 1, 2])]) == [1]
