"""Differences are shown on the smallest input, with the states of both sides; what is unknown, by a suspicion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.proofs.differences.difference_search import short_inputs
from gridlang.compiler.proofs.differences.shrink import shrink_input
from gridlang.compiler.proofs.joint_step import NEVER, Stuck
from gridlang.compiler.proofs.prove import prove
from gridlang.loading import load
from gridlang.table import Table
from gridlang.world import string_world
from tests.programs import EXAMPLES
from tests.support.pairs import MODES, changed, first_difference, pairs, table_of
from tests.support.searches import searched


def language(table: Table) -> InputLanguage:
    declared = language_of(table)
    assert declared is not None
    return declared


def test_a_difference_on_inputs_is_shown_on_the_smallest_one() -> None:
    """A carry into a second digit that was 9 needs two digits of b, and no more."""
    left = table_of("add10")
    right = changed(left, "ripple(1)", "9", write=left.symbols.index("5"))
    verdict = prove(left, right, "inputs")
    assert verdict.input == "1+99"
    assert (verdict.left_state, verdict.right_state) == ("ripple(1)", "ripple(1)")


@given(pairs(), st.sampled_from(MODES))
@searched(20)
def test_no_shorter_input_shows_a_difference_than_the_one_shown(
    pair: tuple[Table, Table], stuck: Stuck
) -> None:
    left, right = pair
    verdict = prove(left, right, "inputs", stuck=stuck, limit=2_000)
    shown = verdict.input or ""
    for length in range(min(len(shown), 5)):
        for text in language(left).strings(length):
            assert first_difference(left, right, string_world(text), stuck=stuck) is None


@given(pairs(), st.sampled_from(["worlds", "inputs", "table"]), st.sampled_from(MODES))
@searched(20)
def test_the_states_named_are_those_at_the_step_that_differs(
    pair: tuple[Table, Table], scope: str, stuck: Stuck
) -> None:
    left, right = pair
    verdict = prove(left, right, scope, stuck=stuck, limit=2_000)
    if not verdict.counterexample:
        return
    p = q = 0
    for step in verdict.counterexample[:-1]:
        read = left.symbols.index(step.read)
        mine, other = left.rows[p][read], right.rows[q][read]
        assert mine and other
        p, q = mine.next, other.next
    assert (verdict.left_state, verdict.right_state) == (left.states[p], right.states[q])


def test_an_input_is_shrunk_by_leaving_out_and_by_lowering() -> None:
    declared = language(table_of("add10"))

    def carries(text: str) -> bool:
        a, b = (int(part) for part in text.split("+"))
        return b >= 100 > a and a + b >= 1000

    small = shrink_input(
        "0042+9876",
        declared,
        lambda world: carries("".join(world.cells[x, 0] for x in range(len(world.cells)))),
    )
    assert small == "0+1000"


def test_short_inputs_come_in_the_order_of_length_and_clause() -> None:
    few = short_inputs(language(table_of("add2")))
    assert [next(few) for _ in range(5)] == ["0+0", "0+1", "1+0", "1+1", "00+0"]


@given(pairs(), st.sampled_from(["worlds", "inputs"]))
@searched(20)
def test_a_suspicion_names_a_place_where_the_tables_do_differ(pair: tuple[Table, Table], scope: str) -> None:
    left, right = pair
    suspicion = prove(left, right, scope, limit=60).suspicion
    if suspicion:
        symbol = left.symbols.index(suspicion.symbol)
        mine = left.rows[left.states.index(suspicion.left_state)][symbol]
        other = right.rows[right.states.index(suspicion.right_state)][symbol]
        assert mine is not None and (other is None or mine[:2] != other[:2])


def test_a_difference_at_the_first_input_says_that_none_comes_earlier() -> None:
    left = table_of("increment")
    verdict = prove(left, changed(left, left.states[0], "0", move=0), "inputs")
    assert verdict.input == "0" and verdict.shortest
    assert verdict.world == string_world("0")


def test_no_guide_is_followed_to_texts_that_a_condition_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def followed(*_: object) -> None:
        raise AssertionError("the guide leads to 0-1, which is no input")

    monkeypatch.setattr("gridlang.compiler.proofs.differences.difference_search.concretize", followed)
    subtract = load(EXAMPLES / "subtract.grid", base=2).table
    verdict = prove(subtract, subtract, "inputs", stuck=NEVER)
    assert verdict.equivalent is None and verdict.condition == "a >= b"
