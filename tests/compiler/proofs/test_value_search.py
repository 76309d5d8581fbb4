"""Values: invariants that give what an output clause says are found, and none for agents that are wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridlang as gl
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.proofs.values.polynomials import PRIME, Monomials, Span, modular, whole_numbers
from gridlang.compiler.proofs.values.residues import annihilators, echelon, where_zero
from gridlang.compiler.proofs.values.residues import product as matrix_product
from gridlang.loading import load
from gridlang.outcomes import Outcome
from tests.programs import EXAMPLES, ROOT
from tests.support.agents import LENGTH, TWICE, WEIGH
from tests.support.changed_rules import changed, changes, errs
from tests.support.stored_values import evidence_of

SMALL = st.integers(-3, 3)


@given(st.lists(st.lists(SMALL, min_size=4, max_size=4), min_size=1, max_size=6))
def test_annihilators_of_rows_are_all_vectors_that_every_row_makes_zero(rows: list[list[int]]) -> None:
    matrix = np.array(rows, np.int64)
    basis = annihilators(matrix)
    assert not matrix_product(matrix % PRIME, basis.T).any()
    assert len(basis) + len(echelon(matrix)[0]) == 4


@given(st.lists(st.lists(SMALL, min_size=4, max_size=4), min_size=1, max_size=6))
def test_what_is_zero_on_a_column_keeps_one_dimension_less_or_all(rows: list[list[int]]) -> None:
    matrix, column = echelon(np.array(rows, np.int64))[0], np.array([[1], [2], [0], [1]], np.int64)
    kept = where_zero(matrix, column)
    assert not (len(kept) and matrix_product(kept, column).any())
    assert len(kept) == len(matrix) - bool(matrix_product(matrix, column).any())


@given(st.dictionaries(st.integers(0, 5), st.fractions(-9, 9, max_denominator=9).filter(bool), min_size=1))
def test_polynomials_modulo_the_prime_become_whole_again(terms: dict[int, object]) -> None:
    polynomial = {monomial: modular(a) for monomial, a in terms.items()}  # type: ignore[arg-type]
    whole = whole_numbers(polynomial)
    ratios = {whole[m] * pow(a, -1, PRIME) % PRIME for m, a in polynomial.items()}
    assert len(ratios) == 1


def test_a_span_tells_how_a_polynomial_is_made_of_others() -> None:
    monomials, span = Monomials(), Span()
    x, y, z = (monomials.number([("N", 0, 0, 0, c, 0)]) for c in range(3))
    polynomials = [{x: 1, y: 1}, {y: 1, z: 2}]
    for tag, polynomial in enumerate(polynomials):
        span.add(polynomial, tag)
    made: dict[int, int] = {}
    assert span.rest({x: 3, y: 1, z: PRIME - 4}, made) == {}
    assert {tag: -a % PRIME for tag, a in made.items()} == {0: 3, 1: PRIME - 2}
    assert span.rest({x: 1})


def test_a_sum_of_multiples_is_proven_though_a_step_leads_to_monomials_that_no_invariant_has() -> None:
    assert evidence_of(gl.loads(WEIGH).table)["kind"] == "values"


def test_a_sorted_row_is_proven_by_counts_of_its_symbols() -> None:
    evidence = evidence_of(load(EXAMPLES / "sort.grid", {"base": "2"}).table)
    assert len(evidence["proofs"]) == 2  # type: ignore[arg-type]


def test_a_part_that_may_be_empty_is_no_obstacle() -> None:
    assert evidence_of(gl.loads(LENGTH).table)["kind"] == "values"


def test_symbols_of_a_class_are_told_apart_where_the_agent_does_so() -> None:
    evidence = evidence_of(gl.loads(TWICE).table)
    blank, one, copied, copy = evidence["classes"]
    assert len({blank, one, copied, copy}) == 4


def test_no_increment_with_one_entry_changed_that_halts_wrongly_is_proven() -> None:
    table, proven = load(EXAMPLES / "increment.grid").table, 0
    for change in changes(table):
        state, symbol, entry = change
        before = table.rows[state][symbol]
        if not (entry and before and entry[1:] == before[1:]):
            continue  # only what is written is another
        mutant = changed(table, change)
        try:
            evidence_of(mutant)
        except Unsaid:
            continue
        proven += 1
        assert not errs(mutant, 6, [Outcome.HALTED]), change
    assert proven < 3


def test_a_clause_that_is_not_of_values_says_so() -> None:
    with pytest.raises(Unsaid, match="`sqrt`"):
        evidence_of(load(EXAMPLES / "suite/compute_sqrt.grid").table)


@pytest.mark.parametrize(("limit", "most"), [("most_numbers_fed", 1_000), ("most_monomials", 20)])
def test_a_search_that_takes_too_much_is_given_up(
    limit: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = load(ROOT / "benchmarks/agents/times.grid").table
    assert evidence_of(table)
    monkeypatch.setattr(LIMITS, limit, most)
    with pytest.raises(Unsaid, match="nothing was found"):
        evidence_of(table)
