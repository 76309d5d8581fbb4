"""Proofs on worlds and inputs, against brute force over all small ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.proofs.abstractions.input_automaton import InputRows, row_automaton
from gridlang.compiler.proofs.abstractions.windows import WindowAnalysis, WindowProduct
from gridlang.compiler.proofs.equivalence import Verdict, compare_tables
from gridlang.compiler.proofs.joint_step import Stuck
from gridlang.compiler.proofs.prove import prove
from gridlang.table import Entry, Table
from gridlang.world import World, string_world
from tests.programs import DISTINCT, Example
from tests.strategies import worlds
from tests.support.pairs import (
    CLAUSES,
    MODES,
    changed,
    first_difference,
    pairs,
    small_inputs,
    small_worlds,
    table_of,
    there_and_back,
)
from tests.support.searches import searched

U, D, L, R = range(4)


def check(left: Table, right: Table, verdict: Verdict, small: Iterator[World]) -> None:
    """A verdict is right about all small worlds, and about the one that it shows."""
    if verdict.equivalent is False:
        assert verdict.world is not None and verdict.counterexample is not None
        first = first_difference(left, right, verdict.world, 5_000, verdict.stuck)
        assert first == len(verdict.counterexample)
        if verdict.shortest:
            steps = (first_difference(left, right, world, stuck=verdict.stuck) for world in small)
            assert all(first <= (step or first) for step in steps)
    elif verdict.equivalent:
        for world in small:
            assert first_difference(left, right, world, stuck=verdict.stuck) is None


@given(pairs(), st.sampled_from(MODES))
@searched(30)
def test_what_is_said_of_all_worlds_holds_on_every_small_world(
    pair: tuple[Table, Table], stuck: Stuck
) -> None:
    left, right = pair
    check(left, right, prove(left, right, "worlds", stuck=stuck, limit=2_000), small_worlds(left))


@given(pairs(), st.integers(0, 2), st.sampled_from(MODES))
@searched(14)
def test_a_bound_on_the_radius_is_as_sound_and_is_kept(
    pair: tuple[Table, Table], radius: int, stuck: Stuck
) -> None:
    left, right = pair
    verdict = prove(left, right, "worlds", radius=radius, stuck=stuck, limit=2_000)
    assert verdict.radius is not None and verdict.radius <= radius
    check(left, right, verdict, small_worlds(left))


@given(pairs(), st.sampled_from(MODES))
@searched(36)
def test_what_is_said_of_all_inputs_holds_on_every_short_input(
    pair: tuple[Table, Table], stuck: Stuck
) -> None:
    left, right = pair
    verdict = prove(left, right, "inputs", stuck=stuck, limit=2_000)
    language = language_of(left)
    assert language is not None
    assert verdict.input is None or language.mismatch(verdict.input) is None
    check(left, right, verdict, small_inputs(left))


@given(st.data())
@searched(20)
def test_a_difference_at_worlds_is_one_at_table_and_every_proof_at_table_is_one_at_worlds(
    data: st.DataObject,
) -> None:
    left, right = data.draw(pairs())
    if compare_tables(left, right).equivalent:
        assert prove(left, right, "worlds").equivalent
        assert prove(left, right, "inputs").equivalent
        world = data.draw(worlds(left))
        assert first_difference(left, right, world) is None


@pytest.mark.parametrize(("distance", "radius"), [(1, 1), (2, 2), (3, 3)])
def test_a_cell_just_written_reads_as_written(distance: int, radius: int) -> None:
    left = there_and_back(distance, Entry(0, U, 0))
    right = there_and_back(distance, Entry(1, D, 0))
    assert compare_tables(left, right).equivalent is False
    verdict = prove(left, right, "worlds")
    assert (verdict.equivalent, verdict.counterexample) == (True, None)
    assert prove(left, right, "worlds", radius=radius).equivalent is True


def test_what_no_window_holds_is_remembered() -> None:
    left, right = there_and_back(6, Entry(0, U, 0)), there_and_back(6, None)
    assert prove(left, right, "worlds").equivalent is True
    assert WindowAnalysis(WindowProduct(left.rows, right.rows, 3)).ahead


@pytest.mark.parametrize(
    ("name", "state", "symbol"),
    [
        ("brackets", "finish(1)", "0"),
        ("brackets", "wipe(1)", "]"),
        pytest.param("compare", "halt", "6", marks=pytest.mark.long),
    ],
)
def test_what_was_left_far_away_is_found_as_it_was_left(name: str, state: str, symbol: str) -> None:
    """No world shows these changes, but no window is large enough to tell."""
    left = table_of(name)
    right = changed(left, state, symbol)
    assert compare_tables(left, right).equivalent is False
    assert prove(left, right, "worlds", radius=2).equivalent is True
    assert WindowAnalysis(WindowProduct(left.rows, right.rows, 2)).ahead


@pytest.mark.parametrize(
    ("name", "state", "symbol"),
    [("palindrome", "halt", "a"), ("palindrome", "halt", "1"), ("brackets", "partner(])", ")")],
)
def test_what_only_other_worlds_show_is_no_difference_on_inputs(name: str, state: str, symbol: str) -> None:
    left = table_of(name)
    right = changed(left, state, symbol)
    at_inputs, at_worlds = prove(left, right, "inputs"), prove(left, right, "worlds")
    assert (at_inputs.equivalent, at_worlds.equivalent) == (True, False)


@pytest.mark.parametrize("example", DISTINCT, ids=lambda e: e.name)
def test_every_example_is_proven_to_do_what_it_does(example: Example) -> None:
    table = example.load().table
    verdict = prove(table, table, "worlds")
    assert verdict.equivalent is True and verdict.radius == 0
    if table.input:
        assert prove(table, table, "inputs").equivalent is True


def test_a_planted_difference_is_found_on_worlds_and_on_inputs() -> None:
    left = table_of("add10")
    right = changed(left, "ripple(1)", "7", write=left.symbols.index("9"))
    at_worlds, at_inputs = prove(left, right), prove(left, right, "inputs")
    assert at_worlds.equivalent is at_inputs.equivalent is False
    assert at_worlds.shortest and at_worlds.world is not None and at_worlds.input is None
    assert at_inputs.input is not None and at_inputs.world == string_world(at_inputs.input)
    assert len(at_worlds.counterexample or ()) <= len(at_inputs.counterexample or ())
    last = (at_inputs.counterexample or ())[-1]
    assert last.read == "7" and last.left == ("8", "L") and last.right == ("9", "L")


def test_what_was_never_observed_is_no_difference_on_what_was() -> None:
    left = table_of("add2")
    right = changed(left, "carry(1)", "0")
    verdict = prove(left, right, "observed")
    assert verdict.equivalent is True and verdict.unobserved_branches == 1 and verdict.scope == "observed"
    assert prove(left, right, "worlds").equivalent is False
    wrong = changed(left, "carry(1)", "0", move=L)
    assert prove(left, wrong, "observed").equivalent is False


def test_reads_that_a_world_shows_come_with_it() -> None:
    left = table_of("add2")
    verdict = prove(left, changed(left, "carry(1)", "0", move=L), "table")
    assert verdict.world is not None
    hidden = prove(there_and_back(1, Entry(0, U, 0)), there_and_back(1, None), "table")
    assert hidden.equivalent is False and hidden.world is None


def language(clause: str) -> InputLanguage:
    language = language_of(Table("t", ("_", "x", "y"), ("a",), ((None,) * 3,), (("mark", "xy"),), clause))
    assert language is not None
    return language


@given(st.sampled_from(CLAUSES), st.permutations([0, 1, 2, 3]), st.randoms(use_true_random=False))
def test_cells_read_in_any_order_are_completed_to_an_input(
    clause: str, columns: list[int], random: Any
) -> None:
    symbols = ("_", "x", "y")
    automaton = row_automaton(language(clause), symbols)
    assert automaton is not None
    rows = InputRows(language(clause), symbols, automaton)
    first: dict[tuple[int, int], int] = {}
    for column in columns:
        options = rows.options(first, (column, 0))
        assert options, "there is always a way on"
        first[column, 0] = random.choice(options)
    text = rows.complete(first)
    assert language(clause).mismatch(text) is None
    assert all(text.ljust(4, "_")[x] == symbols[symbol] for (x, _), symbol in first.items())
    assert rows.options(first, (-1, 0)) == rows.options(first, (0, 5)) == (0,)
