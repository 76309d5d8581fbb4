"""Strips: sound on all small worlds and inputs by brute force, strong enough for the experts, and checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.automata.merging import minimize_table
from gridlang.compiler.proofs.abstractions.grains import families_and_states, grains, strip_evidence
from gridlang.compiler.proofs.joint_step import STRICT, Stuck
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.proofs.results.correctness import claims_of
from gridlang.compiler.proofs.results.readings import as_checked
from gridlang.compiler.verifier.strips import check_strips
from gridlang.compiler.verifier.tables import TooMuch
from gridlang.compiler.verifier.verify import Checked, verify
from gridlang.table import MOVES, STAY, Entry, Table
from tests.forgeries.edits import signed
from tests.forgeries.genuine import by_strips, certified, copied, genuine, text_of
from tests.programs import DISTINCT
from tests.support.pairs import MODES, first_difference, pairs, small_inputs, small_worlds, table_of
from tests.support.searches import searched

CLAUSES = {example.name: example.load().table.input for example in DISTINCT}
LARGE = ("add10", "mult10")
WITH_INPUTS = [name for name, clause in CLAUSES.items() if clause and " where " not in clause]


def checked(data: dict[str, Any]) -> Checked:
    return verify(text_of(data))


@given(pairs(), st.integers(0, 13), st.sampled_from(["worlds", "inputs"]), st.sampled_from(MODES))
@searched(40)
def test_strips_alone_are_sound_and_their_certificates_valid(
    pair: tuple[Table, Table], number: int, scope: str, stuck: Stuck
) -> None:
    left, right = pair
    verdict = by_strips(left, right, number, scope, stuck)
    if verdict is not None:
        assert checked(certified(left, right, verdict)).valid
        for world in small_inputs(left) if scope == "inputs" else small_worlds(left):
            assert first_difference(left, right, world, stuck=stuck) is None


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name in LARGE else ()) for name in WITH_INPUTS]
)
def test_a_minimised_expert_is_proven_on_inputs_in_both_directions(name: str) -> None:
    expert = table_of(name)
    smaller = minimize_table(expert).table
    for left, right in ((expert, smaller), (smaller, expert)):
        verdict = prove(left, right, "inputs")
        assert verdict.equivalent
        assert checked(certified(left, right, verdict)).valid


def test_a_strip_at_all_worlds_needs_no_input_clause() -> None:
    eat = table_of("palindrome")
    verdict = by_strips(eat, eat, 0, "worlds", STRICT)
    assert verdict is not None and verdict.evidence is not None
    assert verdict.evidence["rows"] == [0, 0]
    assert checked(certified(eat, eat, verdict)).valid


def test_classes_that_mix_symbols_cannot_hide_a_step() -> None:
    """With all symbols in one class, every cell may hold any: then more steps must be there."""
    edited = copied(genuine("inputs"))
    classes = edited["evidence"]["classes"]
    edited["evidence"]["classes"] = [0] * len(classes)
    assert not checked(signed(edited)).valid


def in_a_row(many: int, onward: Callable[[int], int]) -> Table:
    """An agent that goes to the right from state to state, and halts on a blank."""
    rows = tuple((Entry(0, STAY, state), Entry(1, MOVES.index("R"), onward(state))) for state in range(many))
    return Table("row", ("_", "x"), tuple(f"q{state}" for state in range(many)), rows, (), "a = 'x'*")


def test_states_of_a_large_cycle_share_their_grams() -> None:
    cycle = in_a_row(1_000, lambda state: (state + 1) % 1_000)
    _, kinds = families_and_states(cycle)
    assert len(set(kinds)) == 1
    assert [claim.answer for claim in claims_of(cycle)] == ["proven", "proven"]


def test_grams_count_against_the_limit_of_a_strip() -> None:
    """They grow with the square of states that are told apart, and states do not."""
    line = in_a_row(250, lambda state: min(state + 1, 249))
    left, part = as_checked(line), strip_evidence(next(grains(line)))
    strip = check_strips(left, left, "inputs", part, "unasked", 20_000)
    assert len(strip.elements) < 2_000
    with pytest.raises(TooMuch):
        check_strips(left, left, "inputs", part, "unasked", 2_000)
