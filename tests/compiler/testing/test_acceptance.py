"""`accept` and `stuck` in an output clause: tested, compared and proven."""

from __future__ import annotations

import pytest

from gridlang.clauses.functions import NUMBER, VERDICT, Acceptance
from gridlang.clauses.outputs import output_rule
from gridlang.compiler.proofs.results.correctness import claims_of
from gridlang.compiler.testing.output_search import search_counterexample
from gridlang.compiler.testing.result_comparison import compare_results
from gridlang.loading import loads
from gridlang.table import Table

AGENT = """
agent thirds
alphabet
  bit = 0..1
input {input}
output {output}
start rest(0)
state rest(n in 0..2)
  b in bit : R -> rest((2*n + b) mod 3)
  {last}
"""
CLAUSE = "accept if a mod 3 == 0 else stuck"
RIGHT = "_ if n == 0 : halt"


def thirds(output: str = CLAUSE, last: str = RIGHT, input: str = "a = bit+") -> Table:
    return loads(AGENT.format(input=input, output=output, last=last)).table


def wrong(table: Table) -> tuple[str, str | None, str | None, str] | None:
    rule = output_rule(table)
    assert rule is not None
    shown = search_counterexample(table, rule, cases=20)[0].smallest
    return shown and (shown.input, shown.verdict, shown.expected, shown.outcome)


def test_an_acceptor_holds_its_clause_and_one_that_accepts_too_much_or_too_little_does_not() -> None:
    assert wrong(thirds()) is None
    assert wrong(thirds(last="_ if n == 0 : write 1, R -> halt")) is None
    assert wrong(thirds(last="_ : halt")) == ("1", Acceptance.STUCK, None, "halted")
    assert wrong(thirds(last="_ if n == 1 : halt")) == ("0", Acceptance.ACCEPT, None, "stuck")


def test_a_verdict_stands_beside_results_of_any_kind() -> None:
    mixed = output_rule(thirds("a if a mod 3 == 0 else stuck"))
    assert mixed is not None and mixed.kind == NUMBER and mixed.acceptances == {Acceptance.STUCK}
    assert mixed.expected("11") == "11" and mixed.expected("10") is Acceptance.STUCK
    assert wrong(thirds("a if a mod 3 == 0 else stuck")) is None
    assert wrong(thirds("a + 1 if a mod 3 == 0 else stuck")) == ("0", None, "1", "halted")
    alone = output_rule(thirds("accept"))
    assert alone is not None and alone.kind == VERDICT and alone.expected("1") is Acceptance.ACCEPT


def test_a_part_of_that_name_comes_first() -> None:
    rule = output_rule(thirds("stuck", input="stuck = bit+"))
    assert rule is not None and not rule.acceptances and rule.expected("10") == "10"


def test_how_a_run_ends_is_proven_and_being_stuck_is_no_fault_where_it_is_asked_for() -> None:
    answers = {claim.says: claim.answer for claim in claims_of(thirds())}
    assert answers == {f"output {CLAUSE}": "proven", "every run ends": "proven"}
    answers = {claim.says: claim.answer for claim in claims_of(thirds("a if a mod 3 == 0 else stuck"))}
    assert list(answers.values()) == ["tested", "tested", "proven"]
    assert [claim.answer for claim in claims_of(thirds(last="_ : halt"))] == ["refuted", "proven"]
    assert [claim.says for claim in claims_of(thirds("stuck", last=""))] == ["output stuck", "every run ends"]
    assert [claim.answer for claim in claims_of(thirds("accept"))][:3] == ["refuted"] * 3


@pytest.mark.parametrize(("output", "same"), [(CLAUSE, True), ("a if a mod 3 == 0 else stuck", False)])
def test_results_are_compared_only_where_some_are_asked_for(output: str, same: bool) -> None:
    other = thirds(last="_ if n == 0 : write 1, R -> halt")
    assert (compare_results(thirds(output), other, cases=20).difference is None) == same
