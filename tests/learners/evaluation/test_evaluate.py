"""Evaluation: lockstep finds the first mistake, and suites say how far a model generalises."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice, zip_longest
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gridlang.compiler.lockstep.cpu
from gridlang.compiler.lockstep.alone import run_model
from gridlang.compiler.lockstep.cpu import NativeModel, NativeRun, cpu_backend
from gridlang.compiler.lockstep.lockstep import (
    Action,
    Case,
    LockstepOutcome,
    Match,
    PlainRun,
    Until,
    matched,
    nobody,
)
from gridlang.compiler.native.build import CannotBuild
from gridlang.compiler.simulation.random_inputs import longest_input
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.tensors.dfst import Dfst, table_to_dfst
from gridlang.diagnostics import GridError
from gridlang.learners.evaluation.evaluate import (
    Evaluator,
    search_length,
    suite_of,
)
from gridlang.learners.evaluation.limits import LIMITS
from gridlang.learners.traces.choosing.sampling import input_language
from gridlang.loading import load_source
from gridlang.outcomes import Outcome, Reason
from gridlang.source import Source
from gridlang.table import MOVES, Entry, Table
from gridlang.world import World, string_world
from tests.strategies import tables, worlds
from tests.support.lockstep import evaluate, largest_passed
from tests.support.searches import searched
from tests.support.weights import (
    TABLES,
    changed_rule,
    one_rule,
    planted,
    strict,
    turned,
    widened,
    with_action_of,
)


def both_ways(dfst: Dfst, table: Table, case: Case, steps: int) -> tuple[LockstepOutcome, LockstepOutcome]:
    """The outcome in Python, and the native one."""
    match = matched(dfst, table)

    def outcome(one: PlainRun | NativeRun) -> LockstepOutcome:
        with one as going:
            return going.outcome(going.go(steps))

    return outcome(PlainRun(match, case)), outcome(NativeRun(NativeModel(match), case))


def rounded_otherwise(dfst: Dfst) -> Dfst:
    """The model whose weights differ in their last bit, as what is computed from them does between engines."""
    arrays = (np.nextafter(each, np.float32(np.inf), dtype=np.float32) for each in (dfst.A, dfst.B, dfst.C))
    return Dfst(*arrays, dfst.h0, dfst.symbols, dfst.moves, dfst.metadata)


def first_difference(left: Iterable[object], right: Iterable[object]) -> int | None:
    """The first step, counted from 1, at which two traces differ."""
    pairs = enumerate(zip_longest(left, right), 1)
    return next((number for number, (a, b) in pairs if a != b), None)


@given(st.data())
@searched(27)
def test_a_planted_error_is_found_at_the_step_where_the_simulated_tables_part(data: st.DataObject) -> None:
    table: Table = data.draw(tables())
    world: World = data.draw(worlds(table))
    entries = list(table.entries())
    assume(entries)
    state, symbol, entry = data.draw(st.sampled_from(entries))
    write = data.draw(st.integers(0, len(table.symbols) - 1))
    move = data.draw(st.integers(0, len(MOVES) - 1))
    assume((write, move) != (entry.write, entry.move))
    other = changed_rule(table, state, symbol, write, move)
    dfst = with_action_of(widened(table_to_dfst(table)), other)
    expert, changed = (run(one, world, 200, trace=True) for one in (table, other))
    step = first_difference(expert.trace or (), changed.trace or ())
    for outcome in both_ways(dfst, table, world, 200):
        if step is None:
            assert outcome.mistake is None and outcome.steps == expert.steps
            continue
        wrong = outcome.mistake
        assert wrong is not None and outcome.ending == Reason.DIFFERS and not outcome.passed
        assert (wrong.step, outcome.steps) == (step, step - 1)
        assert (wrong.state, wrong.read) == (table.states[state], table.symbols[symbol])
        assert wrong.expected == (table.symbols[entry.write], MOVES[entry.move])
        assert wrong.got == (table.symbols[write], MOVES[move])
        before = run(table, world, step - 1)
        assert wrong.cell == before.cell
        assert f"[{before.symbol}]" in wrong.around


@given(st.data(), st.integers(0, 10**6), st.sampled_from([0.0, 0.0, 0.03]))
@searched(20)
def test_native_and_python_agree_with_a_model_run_on_its_own(
    data: st.DataObject, seed: int, noise: float
) -> None:
    table: Table = data.draw(tables())
    world: World = data.draw(worlds(table))
    dfst = turned(widened(table_to_dfst(table)), seed, noise)
    plain, native = both_ways(dfst, table, world, 150)
    assume(plain.margin is None or plain.margin.value > 1e-3)  # rounding may decide closer ones
    assert replace(native, write_margin=None, move_margin=None) == replace(
        plain, write_margin=None, move_margin=None
    )
    rounded = both_ways(rounded_otherwise(dfst), table, world, 150)[0]
    for name in ("write_margin", "move_margin"):
        mine, other, third = (getattr(each, name) for each in (native, plain, rounded))
        assert (mine is None) == (other is None)
        if mine and other and third:
            # Where a model drifts, the last bit of its weights moves its margins: so far may engines differ.
            least = abs(third.value - other.value)
            assert mine.value == pytest.approx(other.value, abs=1e-3 + 10 * least)
    alone = run_model(dfst, world, 150, trace=True).trace or ()
    expert = run(table, world, 150, trace=True).trace or ()
    step = first_difference(alone[: len(expert)], expert)
    assert (plain.mistake.step if plain.mistake else None) == step


@pytest.mark.parametrize("dim", [12, 40, 131])
def test_models_of_any_size_are_summed_rightly(dim: int) -> None:
    table = TABLES["add2"]
    dfst = turned(widened(table_to_dfst(table), dim), dim)
    plain, native = both_ways(dfst, table, "1101+1011", 10_000)
    assert native.ending == plain.ending == Outcome.HALTED
    assert (
        native.margin and plain.margin and native.margin.value == pytest.approx(plain.margin.value, abs=1e-4)
    )


def test_one_symbol_and_many_fit() -> None:
    still = Table("still", ("_",), ("a",), ((Entry(0, 3, 0),),))
    symbols = ("_", *map(chr, range(0x4E00, 0x4E00 + 299)))
    row = tuple(Entry((x + 1) % 300, 3, 0) for x in range(300))
    wide = Table("wide", symbols, ("a",), (row,))
    for table, case, margin in ((still, "", None), (wide, "".join(symbols[1:]), 1.0)):
        plain, native = both_ways(table_to_dfst(table), table, case, 299)
        assert plain == native and native.steps == 299
        assert (native.write_margin and native.write_margin.value) == margin


def shuffled(dfst: Dfst, seed: int) -> Dfst:
    """The same model with its symbols and moves in another order, and another blank."""
    random = Random(seed)
    order = random.sample(range(len(dfst.symbols)), len(dfst.symbols))
    moves = random.sample(range(5), 5)
    names = tuple("~" if dfst.symbols[x] == "_" else dfst.symbols[x] for x in order)
    A, B, C = dfst.A[order], dfst.B[order][:, order], dfst.C[order][:, moves]
    metadata = {**dfst.metadata, "blank": "~"}
    return Dfst(A, B, C, dfst.h0, names, tuple(dfst.moves[m] for m in moves), metadata)


@given(st.data(), st.integers(0, 100))
@searched(14)
def test_the_order_of_symbols_and_moves_is_read_from_the_model(data: st.DataObject, seed: int) -> None:
    table: Table = data.draw(tables())
    world: World = data.draw(worlds(table))
    dfst = widened(table_to_dfst(table))
    for ours, other in zip(
        both_ways(dfst, table, world, 200), both_ways(shuffled(dfst, seed), table, world, 200), strict=True
    ):
        assert ours == other


def test_ties_go_to_the_lowest_index_of_the_model() -> None:
    B = np.ones((2, 2, 1), np.float32)
    for symbols, got in ((("_", "a"), Action("_", "R")), (("a", "_"), None)):
        dfst, table = one_rule(B=B, symbols=symbols)
        order = [symbols.index(s) for s in ("_", "a")]
        dfst = replace(dfst, A=dfst.A[order], C=dfst.C[order])
        for outcome in both_ways(dfst, table, "", 50):
            assert (outcome.mistake.got if outcome.mistake else None) == got
            assert outcome.write_margin and outcome.write_margin.value == 0.0


def test_a_tie_is_judged_even_after_a_tie() -> None:
    table = Table("two", ("_", "a"), ("p", "q"), ((Entry(0, 3, 1), None), (Entry(1, 3, 0), None)))
    dfst = replace(table_to_dfst(table), B=np.ones((2, 2, 2), np.float32))
    for outcome in both_ways(dfst, table, "", 50):
        assert outcome.mistake and outcome.mistake.step == 2


ZERO = {"B": np.zeros((2, 2, 1), np.float32), "C": np.zeros((2, 5, 1), np.float32)}
TOO_LARGE = [np.float32([[upper, lower], [[0], [0]]]) for upper, lower in (([3e38], [0]), ([0], [3e38]))]


@pytest.mark.parametrize(
    ("changes", "step", "reason"),
    [
        (ZERO, 1, Reason.ALL_ZERO),
        *(({"B": each, "h0": np.full(1, 2, np.float32)}, 1, Reason.NOT_FINITE) for each in TOO_LARGE),
        *(({"B": -each, "h0": np.full(1, 2, np.float32)}, 1, Reason.NOT_FINITE) for each in TOO_LARGE),
    ],
)
def test_a_model_without_an_output_is_stuck_when_it_has_none(
    changes: dict[str, object], step: int, reason: Reason
) -> None:
    dfst, table = one_rule(**changes)
    for outcome in both_ways(dfst, table, "", 500):
        wrong = outcome.mistake
        assert wrong and (wrong.step, wrong.got, wrong.reason) == (step, None, reason)


@given(st.data(), st.sampled_from([2.0**-100, 0.3, 3.0, 2.0**60]), st.booleans())
@searched(14)
def test_vectors_that_shrink_or_grow_for_ever_decide_to_the_end_as_at_first(
    data: st.DataObject, factor: float, stuck: bool
) -> None:
    table: Table = data.draw(tables())
    world: World = data.draw(worlds(table))
    exact = widened((strict if stuck else table_to_dfst)(table))
    model = replace(exact, A=(exact.A * factor).astype(np.float32))
    done = run(table, world, 3_000)
    for outcome in both_ways(model, table, world, 3_000):
        assert (outcome.ending, outcome.steps, outcome.mistake) == (done.outcome, done.steps, None)
        assert outcome.margin is None or outcome.margin.value > 2.0**-33


def test_a_move_that_the_model_does_not_have_is_a_mistake() -> None:
    dfst, table = one_rule(moves=("U", "D", "L", "S"))
    dfst = replace(dfst, C=np.delete(dfst.C, 3, axis=1) + np.eye(4, 1, dtype=np.float32)[None])
    for outcome in both_ways(dfst, table, "", 50):
        wrong = outcome.mistake
        assert wrong and (wrong.got, wrong.expected) == (("a", "U"), ("a", "R"))


def test_nothing_is_asked_of_the_model_where_the_expert_is_stuck() -> None:
    dfst, table = one_rule()
    for outcome in both_ways(dfst, table, World({(2, 0): "a"}), 50):
        assert (outcome.ending, outcome.steps, outcome.passed) == (Outcome.STUCK, 2, True)


def test_a_long_run_in_slices_is_one_run() -> None:
    table = TABLES["add2"]
    match = matched(turned(table_to_dfst(table), 3), table)
    with NativeRun(NativeModel(match), "1" * 60 + "+" + "10" * 30) as whole:
        at_once = whole.outcome(whole.go(10**9))
    with NativeRun(NativeModel(match), "1" * 60 + "+" + "10" * 30) as pieces:
        while (ending := pieces.go(7)) == Outcome.BUDGET:
            pass
        assert pieces.outcome(ending) == at_once


def test_a_world_that_outgrows_its_memory_is_no_pass_and_no_mistake() -> None:
    dfst, table = one_rule()
    with NativeRun(NativeModel(matched(dfst, table)), "", memory=100_000) as going:
        outcome = going.outcome(going.go(10**6))
    assert outcome.ending == Reason.MEMORY and not outcome.passed and outcome.mistake is None


def test_the_first_failing_case_is_the_same_for_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dfst, table = planted("add10", 3, 2), TABLES["add10"]
    found = []
    for threads in (1, 2, 7):
        monkeypatch.setattr("gridlang.compiler.lockstep.cpu.cores", lambda count=threads: count)
        found.append(evaluate(dfst, table, 30))
    assert len({(one.cases, one.steps, one.first_error, one.margin) for one in found}) == 1
    assert found[0].rlg is False


def test_without_a_compiler_it_is_done_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    table = TABLES["add2"]
    native = evaluate(table_to_dfst(table), table, 3)

    def no_compiler(_: Match) -> NativeModel:
        raise CannotBuild("there is no C compiler")

    monkeypatch.setattr(gridlang.compiler.lockstep.cpu, "NativeModel", no_compiler)
    plain = evaluate(table_to_dfst(table), table, 3)
    assert replace(plain, seconds=0) == replace(native, seconds=0) and plain.rlg


def test_a_deadline_and_an_interrupt_end_a_run_that_has_no_end() -> None:
    table = TABLES["ant"]
    late = evaluate(table_to_dfst(table), table, 5, seconds=0.2, steps=10**15)
    assert late.passed is None and late.worlds is None

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(table_to_dfst(table), table, 5, steps=10**15, watch=interrupt)


def test_rlg_of_addition_is_ten_random_pairs_and_all_pairs_of_repeated_digits() -> None:
    suite = suite_of(TABLES["add10"], 7, "rlg", 0)
    cases = [case for case in suite.cases() if isinstance(case, str)]
    pairs = [tuple(case.split("+")) for case in cases]
    assert len(cases) == suite.count == 110 and suite.plg == 10
    assert all(len(a) == len(b) == 7 for a, b in pairs[:5])
    assert all(1 <= len(a) <= 7 and 1 <= len(b) <= 7 for a, b in pairs[5:10])
    assert set(pairs[10:]) == {(a * 7, b * 7) for a in "0123456789" for b in "0123456789"}
    assert list(suite_of(TABLES["add10"], 7, "plg", 0).cases()) == cases[:10]
    assert list(suite_of(TABLES["add10"], 7, "rlg", 1).cases())[:10] != cases[:10]


@pytest.mark.parametrize("name", [name for name, table in TABLES.items() if table.input])
def test_every_case_is_a_declared_input(name: str) -> None:
    language = input_language(TABLES[name])
    suite = suite_of(TABLES[name], 4, "rlg", 0)
    cases = list(suite.cases())
    assert len(cases) == suite.count
    for case in cases:
        assert isinstance(case, str) and language.mismatch(case) is None
        assert len(case) <= longest_input(language, 4)


def clause_agent(alphabet: str, clause: str) -> Table:
    """An agent that halts at once, with an input clause."""
    lines = ["agent small", "alphabet", f"  letter = {alphabet}", f"input a = {clause}", "start q", "state q"]
    return load_source(Source("small", "\n".join([*lines, "  any : halt", ""]))).table


def test_too_many_repeated_inputs_are_drawn_and_said_to_be() -> None:
    table = clause_agent(
        " | ".join(f"'{chr(c)}'" for c in range(97, 123)), "letter+, b = letter+, c = letter+"
    )
    suite = suite_of(table, 3, "rlg", 0)
    cases = list(suite.cases())
    assert suite.sampled and len(cases) == suite.count == 10 + LIMITS.most_repeated
    assert all(isinstance(case, str) and len(case) == 9 and case[0] * 3 == case[:3] for case in cases[10:])
    assert evaluate(table_to_dfst(table), table, 3).sampled


def test_inputs_that_would_not_fit_are_refused_and_end_a_search() -> None:
    table = clause_agent("'a' | 'b'", "(letter+, 'a')+")
    with pytest.raises(GridError, match="would have 10,000,100,000 symbols") as refused:
        suite_of(table, 100_000, "rlg", 0)
    assert refused.value.diagnostics[0].code == "G111"
    finite = clause_agent("'a' | 'b'", "letter, b = letter")
    found = search_length(Evaluator(table_to_dfst(finite), finite), 10)
    assert (len(found.tried), found.ended) == (1, "longest")


def test_agents_without_an_input_clause_run_on_random_worlds() -> None:
    table = TABLES["ant"]
    found = evaluate(table_to_dfst(table), table, 6, steps=500)
    assert (found.suite, found.cases, found.cut, found.steps) == ("worlds", 20, 20, 20 * 500)
    for case in islice(suite_of(table, 6, "rlg", 0).cases(), 20):
        assert isinstance(case, World) and all(
            0 <= x < 6 and 0 <= y < 6 for x, y in (*case.cells, case.start)
        )


def test_plg_and_rlg_are_told_apart() -> None:
    table = TABLES["add10"]
    passing = evaluate(table_to_dfst(table), table, 6)
    assert (passing.plg, passing.rlg, passing.cases) == (True, True, 110)
    plg = evaluate(table_to_dfst(table), table, 6, "plg")
    assert (plg.plg, plg.rlg, plg.cases) == (True, None, 10)
    used = [
        run(table, string_world(str(c)), 10**6, profile=True) for c in suite_of(table, 6, "rlg", 0).cases()
    ]
    seen: set[tuple[int, int]] = set().union(*(done.profile or () for done in used[:10]))
    late = next((pair for done in used[10:] for pair in sorted(done.profile or ()) if pair not in seen), None)
    assert late is not None
    wrong = evaluate(planted("add10", *late), table, 6)
    assert (wrong.plg, wrong.rlg) == (True, False)
    assert wrong.first_error and wrong.first_error.number > 10


def fading(limit: int) -> tuple[Dfst, Table]:
    """A model that errs after `limit` steps: at each its right output loses weight against a constant."""
    table = clause_agent("'a'", "letter+")
    row = tuple(Entry(x, 3, 0) if symbol == "a" else None for x, symbol in enumerate(table.symbols))
    walk = replace(table, rows=(row,), states=("q",))
    A = np.stack([np.array([[1, 0], [1, 1]], np.float32)] * 2)  # counts steps in its second number
    B = np.zeros((2, 2, 2), np.float32)
    B[1, 1, 0], B[1, 0, 1] = 1, 1 / (limit + 0.5)
    C = np.zeros((2, 5, 2), np.float32)
    C[1, 3, 0] = 1
    return Dfst(A, B, C, np.array([1, 0], np.float32), walk.symbols), walk


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 23, 64, 100])
def test_the_search_finds_the_largest_length_that_passes(limit: int) -> None:
    dfst, table = fading(limit)
    found = search_length(Evaluator(dfst, table, "plg"), 60)
    assert found.largest == limit + 1 and found.ended == "found"
    assert all(one.passed == (one.digits <= limit + 1) for one in found.tried)
    assert largest_passed(dfst, table, range(1, 200), "plg") == limit + 1
    assert largest_passed(dfst, table, [limit + 2, limit + 1], "plg") == 0


def test_a_backend_draws_cases_only_when_they_are_needed() -> None:
    table = TABLES["add2"]
    dfst = planted("add2", 0, table.symbols.index("1"))
    drawn: list[str] = []

    def cases() -> Iterable[Case]:
        for number in range(1000):
            drawn.append(text := "1+" + "1" * (number + 1))
            yield text

    outcomes = cpu_backend(matched(dfst, table), 2)(cases(), Until(stop_early=True), nobody)
    assert outcomes[0] is not None and outcomes[0].mistake and len(drawn) < 20
