"""The strict claim: RIGHT is stuck wherever LEFT is, or LEFT never is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.proofs.equivalence import compare_tables
from gridlang.compiler.proofs.joint_step import NEVER, STRICT, UNASKED, Stuck
from gridlang.compiler.proofs.prove import prove
from gridlang.table import Table
from tests.support.pairs import changed, first_difference, pairs, small_worlds, table_of
from tests.support.searches import searched


def test_a_rule_that_no_input_reaches_does_not_matter_on_inputs() -> None:
    palindrome = table_of("palindrome")
    fewer = changed(palindrome, "halt", "a")
    assert prove(fewer, palindrome, "inputs", stuck=STRICT).equivalent is True
    assert prove(fewer, palindrome, "table", stuck=STRICT).equivalent is False


@given(pairs(), st.sampled_from([STRICT, NEVER]))
@searched(30)
def test_a_strict_proof_is_a_plain_one_and_reads_show_what_worlds_show(
    pair: tuple[Table, Table], stuck: Stuck
) -> None:
    left, right = pair
    strict, plain = compare_tables(left, right, stuck=stuck), compare_tables(left, right, stuck=UNASKED)
    if strict.equivalent:
        assert plain.equivalent and prove(left, right, "worlds", stuck=stuck).equivalent
        for world in small_worlds(left):
            assert first_difference(left, right, world, stuck=stuck) is None
    elif strict.world is not None:
        assert strict.counterexample
        steps = len(strict.counterexample)
        assert first_difference(left, right, strict.world, steps, stuck) == steps
