"""Halting: what is proven to end ends, examples are proven, and forged rankings are refused."""

from __future__ import annotations

import pytest
from hypothesis import given

from gridlang.compiler.proofs.halting.halting import prove_halting
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.proofs.results.claims import PROVEN, Claim
from gridlang.compiler.proofs.results.correctness import with_claims
from gridlang.compiler.simulation.simulate import run
from gridlang.compiler.verifier.verify import verify
from gridlang.loading import load
from gridlang.outcomes import Outcome
from gridlang.table import STAY, Entry, Table
from tests.forgeries import made
from tests.forgeries.edits import Forged
from tests.forgeries.genuine import HALTING, certified, descending, genuine, text_of
from tests.forgeries.halting import forged
from tests.programs import EXAMPLES
from tests.support.changed_rules import changed as one_changed
from tests.support.changed_rules import changes
from tests.support.pairs import D, R, changed, pairs, small_inputs, table_of
from tests.support.searches import searched, spread

BASED = ("add", "compare", "increment", "mult", "sort", "subtract")
SUITE = sorted(path.stem for path in (EXAMPLES / "suite").glob("*.grid"))
LARGE = ("modular_arithmetic_brackets", "solve_equation")
STEPS = 3_000  # Small inputs of small agents that halt need far fewer.


def example(name: str, base: int | None = None) -> Table:
    return load(EXAMPLES / f"{name}.grid", **({"base": base} if base else {})).table


def assert_halts(table: Table) -> None:
    ending, why = prove_halting(table)
    assert ending is not None, why
    judged = verify(text_of(certified(table, table, ending)))
    assert judged.valid, judged.problems
    assert judged.claim is not None and judged.claim["halts"]


def test_an_agent_that_goes_down_for_ever_is_not_proven_to_halt() -> None:
    assert prove_halting(descending(Entry(1, D, 1)))[0] is None


def test_an_agent_that_leaves_its_rows_and_halts_there_is_proven_to_halt() -> None:
    rows = ((Entry(0, D, 1), Entry(0, R, 0)), (Entry(1, STAY, 1), Entry(1, STAY, 1)))
    table = Table("down", ("_", "x"), ("eat", "down"), rows, (), "a = 'x'*")
    assert_halts(table)


def test_symbols_of_one_class_are_counted_apart_where_that_is_needed() -> None:
    """Every round turns one `a` into a `b`, and both are letters."""
    rows = (
        (Entry(0, STAY, 0), Entry(2, 2, 1), Entry(2, R, 0)),  # seek: the first a becomes b
        (Entry(0, R, 0), Entry(1, 2, 1), Entry(2, 2, 1)),  # home: to the left end
    )
    table = Table("turn", ("_", "a", "b"), ("seek", "home"), rows, (("letter", "ab"),), "a = letter+")
    assert_halts(table)


@pytest.mark.parametrize("name", ["increment", "suite/reverse_string", "suite/parity_check"])
def test_no_mutant_that_runs_for_ever_is_proven_to_halt(name: str) -> None:
    table = example(name)
    tried = [one_changed(table, change) for change in spread(changes(table), 25)]
    proven = [mutant for mutant in tried if prove_halting(mutant)[0] is not None]
    assert 0 < len(proven) < len(tried)
    for mutant in proven:
        assert all(run(mutant, world, STEPS).outcome != Outcome.BUDGET for world in small_inputs(mutant)), (
            mutant.rows
        )


@given(pairs())
@searched(30)
def test_random_agents_that_are_proven_to_halt_do(pair: tuple[Table, Table]) -> None:
    for table in pair:
        ending, _ = prove_halting(table)
        if ending is not None:
            assert all(run(table, world, STEPS).outcome != Outcome.BUDGET for world in small_inputs(table))
            assert verify(text_of(certified(table, table, ending))).valid


def test_a_model_that_does_what_the_expert_does_halts_where_it_does() -> None:
    left = table_of("palindrome")
    right = changed(left, "halt", "a")
    ending, _ = prove_halting(left)
    assert ending is not None
    data = certified(
        left, right, with_claims(prove(left, right, "inputs"), [Claim("halts", PROVEN, verdict=ending)])
    )
    assert data["left"]["table_sha256"] != data["right"]["table_sha256"]
    judged = verify(text_of(data))
    assert judged.valid and judged.claim is not None and judged.claim["halts"]


@pytest.mark.parametrize("name", HALTING)
def test_a_certificate_of_halting_is_valid(name: str) -> None:
    assert verify(text_of(genuine(name))).valid


@pytest.mark.parametrize("forgery", [pytest.param(f, id=f.name) for f in forged()])
def test_forged_halting_is_refused_where_it_was_forged(forgery: Forged) -> None:
    judged = verify(made(forgery).text)
    assert not judged.valid and judged.problems[0].where.startswith(forgery.where), judged
