"""Tables that do the same on every sequence of reads, by the states that they reach together."""

from hypothesis import given

from gridlang.compiler.automata.equivalence import follows
from gridlang.compiler.automata.merging import minimize_table
from gridlang.compiler.proofs.equivalence import compare_tables
from gridlang.table import Table
from tests.support.pairs import pairs, table_of
from tests.support.searches import searched


@given(pairs())
@searched(40)
def test_to_follow_is_to_be_equivalent_where_nothing_is_asked_of_stuck_states(
    pair: tuple[Table, Table],
) -> None:
    left, right = pair
    assert follows(left, right) is compare_tables(left, right).equivalent


def test_a_minimised_table_follows_its_original_and_not_the_other_way_round() -> None:
    table = table_of("mult2")
    smaller = minimize_table(table).table
    assert follows(table, smaller) and not follows(smaller, table)
