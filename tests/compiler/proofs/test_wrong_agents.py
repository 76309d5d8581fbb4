"""Of agents that differ in one rule and err nothing is proven: not by evidence that was found for the right one, and
not by a search that no run has refuted before.
"""

from __future__ import annotations

import pytest

from gridlang.clauses.outputs import output_rule
from gridlang.compiler.proofs.certificates import certified_table
from gridlang.compiler.proofs.results import output_proofs
from gridlang.compiler.proofs.results.claims import PROVEN, TESTED
from gridlang.compiler.proofs.results.correctness import claims_of
from gridlang.compiler.verifier.verify import verify
from gridlang.loading import load, loads
from gridlang.outcomes import Outcome
from gridlang.table import Table
from tests.forgeries.edits import signed
from tests.forgeries.genuine import copied, text_of
from tests.programs import ROOT
from tests.support.changed_rules import changed, changes, errs
from tests.support.proven_certificates import by_output
from tests.support.searches import searching, spread

AGENTS = [f"tests/agents/{name}" for name in (
    "parity", "rest", "words", "half", "thirds", "returns", "sums", "larger", "monus", "same_length", "second",
    "majority", "decrement",
)]  # fmt: skip
EXAMPLES = [f"examples/{name}" for name in (
    "increment", "add", "compare", "subtract", "twice", "reverse", "sort", "suite/duplicate_string",
    "suite/reverse_string", "suite/odds_first",
)]  # fmt: skip
SORTED = "examples/sort"
first_checker = getattr(
    verify, "__wrapped__", verify
)  # the proven one takes minutes to refuse one of the mutants


def table_of(name: str) -> Table:
    base = {"add": 2, "compare": 2, "subtract": 2, "sort": 3}.get(name.rpartition("/")[2])
    return load(ROOT / f"{name}.grid", **({"base": base} if base else {})).table


def seen_alike(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short runs of any agent show what those of this one do, so that they refute nothing."""
    rule = output_rule(table)
    assert rule is not None
    shown = output_proofs._Places(table, rule)
    monkeypatch.setattr(output_proofs, "_Places", lambda *_: shown)


@searching
@pytest.mark.parametrize(
    "name", [*AGENTS, *(pytest.param(name, marks=pytest.mark.long) for name in EXAMPLES)]
)
def test_evidence_of_an_agent_shows_nothing_of_a_mutant_that_errs(name: str) -> None:
    table = table_of(name)
    genuine, wrong = by_output(table, thresholds=name == SORTED), 0
    for mutant in (changed(table, change) for change in spread(changes(table), 90)):
        if errs(mutant, 6, Outcome):
            wrong += 1
            forged = copied(genuine)
            for side in ("left", "right"):
                forged[side]["table"]["rules"] = certified_table(mutant)["rules"]
            assert not first_checker(text_of(signed(forged))).valid, mutant.rows
    assert wrong > 3


@pytest.mark.long
@pytest.mark.parametrize("name", [*AGENTS, "examples/increment", "examples/add", "examples/subtract"])
def test_no_mutant_that_errs_is_proven_where_its_runs_are_not_seen(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = table_of(name)
    seen_alike(table, monkeypatch)
    for mutant in (changed(table, change) for change in spread(changes(table), 9)):
        if errs(mutant, 6, Outcome):
            assert not all(claim.answer == PROVEN for claim in claims_of(mutant)), mutant.rows


ONE = "agent one\nalphabet\n  bit = 0..1\ninput a = bit+\noutput 1\nstart go\nstate go\n  bit : write _, R\n"


@pytest.mark.parametrize(("there", "back"), ["RL", "UD", "DU"])
def test_nothing_may_stand_beside_a_result(there: str, back: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = loads(f"{ONE}  _ : write 1, R -> halt\n").table
    litters = f"{ONE}  _ : write 1, {there} -> drop\nstate drop\n  _ : write 1, {back} -> halt\n"
    seen_alike(right, monkeypatch)
    answers = [claim.answer for table in (right, loads(litters).table) for claim in claims_of(table)]
    assert answers == [PROVEN, PROVEN, PROVEN, PROVEN, TESTED, PROVEN]
