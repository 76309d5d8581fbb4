"""Values: invariants that give what an output clause says are found, and none for agents that are wrong."""

from __future__ import annotations

import pytest

import gridlang as gl
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.loading import load
from gridlang.outcomes import Outcome
from tests.programs import EXAMPLES, ROOT
from tests.support.agents import source
from tests.support.changed_rules import changed, changes, errs
from tests.support.stored_values import evidence_of


def test_a_sum_of_multiples_is_proven_though_a_step_leads_to_monomials_that_no_invariant_has() -> None:
    assert evidence_of(gl.loads(source("weigh")).table)["kind"] == "values"


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


@pytest.mark.parametrize(("limit", "most"), [("most_numbers_fed", 1_000), ("most_monomials", 20)])
def test_a_search_that_takes_too_much_is_given_up(
    limit: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = load(ROOT / "benchmarks/agents/times.grid").table
    assert evidence_of(table)
    monkeypatch.setattr(LIMITS, limit, most)
    with pytest.raises(Unsaid, match="nothing was found"):
        evidence_of(table)
