"""Acceptors: that they halt and are stuck where their clause says so is proven, and of no other agent."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import gridlang as gl
from gridlang.clauses.outputs import output_rule
from gridlang.compiler.proofs.certificates import Subject, certificate
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.halting.halting import prove_halting
from gridlang.compiler.proofs.results.acceptance import acceptance_verdict
from gridlang.compiler.proofs.results.correctness import claims_of, strongest
from gridlang.compiler.verifier.verify import Checked, verify
from gridlang.table import Table
from tests.forgeries.edits import signed
from tests.support.changed_rules import changed, changes, errs
from tests.support.searches import searching, spread

THIRDS = """
agent thirds
alphabet
  bit = 0..1
input a = bit+ {where}
output {output}
start rest(0)
state rest(n in 0..2)
  b in bit : R -> rest((2*n + b) mod 3)
  {last}
"""
RETURNS = """
agent returns
alphabet
  letter = 'a'..'b'
input w = letter+
output stuck if count(w, 'b') mod 2 == 1 else accept if length(w) > 2 else stuck
start read(0, 0)
state read(odd in 0..1, long in 0..3)
  'a' : R -> read(odd, min(long + 1, 3))
  'b' : R -> read(1 - odd, min(long + 1, 3))
  _ if long == 3 : L -> back(odd)
state back(odd in 0..1)
  letter : L
  _ if odd == 0 : halt
"""
SUMS = """
agent sums
alphabet
  bit  = 0..1
  sign = '+'
input a = bit+, sign, b = bit+ where b > 0
output accept if (a + b) mod 2 == 0 and a != 0 else stuck
start first(0, 0)
state first(last in 0..1, more in 0..1)
  b in bit : R -> first(b, max(more, b))
  '+' if more == 1 : R -> second(last, 0)
state second(first in 0..1, last in 0..1)
  b in bit : R -> second(first, b)
  _ if first == last : write 1, U -> halt
"""


def thirds(
    output: str = "accept if a mod 3 == 0 else stuck", last: str = "_ if n == 0 : halt", where: str = ""
) -> Table:
    return gl.loads(THIRDS.format(output=output, last=last, where=where)).table


AGENTS: dict[str, Callable[[], Table]] = {
    "thirds": thirds,
    "returns": lambda: gl.loads(RETURNS).table,
    "sums": lambda: gl.loads(SUMS).table,
}


def proven(table: Table) -> Verdict | None:
    """The proof of its output, if there is one."""
    found = [claim for claim in claims_of(table) if claim.says.startswith("output")]
    return found[0].verdict if found[0].answer == "proven" else None


def certified(table: Table) -> str:
    verdict = strongest(claims_of(table))
    assert verdict is not None and verdict.total.accepts
    side = Subject(table, "acceptor.grid", b"")
    return certificate(side, side, verdict)


@pytest.mark.parametrize("name", AGENTS)
def test_an_acceptor_is_proven_and_its_certificate_says_so(name: str) -> None:
    table = AGENTS[name]()
    assert [claim.answer for claim in claims_of(table)] == ["proven"] * 2
    checked = verify(certified(table))
    assert checked.valid and checked.claim and checked.claim["output"]
    assert checked.claim["says"].endswith("and every run of LEFT ends as its output clause says")


@pytest.mark.parametrize(
    ("output", "last", "where"),
    [
        ("accept", "_ : halt", ""),
        ("stuck", "", ""),
        ("stuck if a mod 3 == 1 else accept", "_ if n != 1 : halt", ""),
        ("accept if a mod 3 == 0 else stuck", "_ if n == 0 : halt", "where length(a) < 4 and a > 0"),
        ("accept if a == 0 else stuck", "_ if n == 0 : halt", "where a mod 3 > 0 or length(a) == 1"),
        ("accept", "_ if n == 0 : halt", "where a mod 6 == 3"),
    ],
)
def test_whatever_the_clause_says_of_its_inputs_is_proven(output: str, last: str, where: str) -> None:
    table = thirds(output, last, where)
    assert {claim.answer for claim in claims_of(table)} == {"proven"}
    assert verify(certified(table)).valid


@pytest.mark.parametrize(
    ("output", "last"),
    [
        ("accept if a mod 3 == 0 else stuck", "_ : halt"),
        ("accept if a mod 3 == 0 else stuck", ""),
        ("accept if a mod 3 == 0 else stuck", "_ if n == 0 : R"),
        ("accept if a mod 3 == 0 else stuck", "_ if n == 0 : halt\n  _ if n == 1 : R"),
        ("accept if a mod 3 == 0 or a == 400 else stuck", "_ if n == 0 : halt"),
        ("accept if a mod 3 == 0 and length(a) < 12 else stuck", "_ if n == 0 : halt"),
    ],
)
def test_one_that_ends_otherwise_on_some_input_is_not_proven(output: str, last: str) -> None:
    assert proven(thirds(output, last)) is None


def test_where_it_is_not_proven_the_reason_is_told() -> None:
    reasons = {
        "a if a mod 3 == 0 else stuck": "the clause has results beside `accept` and `stuck`",
        "accept if a mod 3 == 0 and a * 0 != a + 1 else stuck": "the clause compares two things that may both be of any size",
    }
    for output, reason in reasons.items():
        claim = claims_of(thirds(output))[0]
        assert (claim.answer, claim.reason) == ("tested", reason)


@searching
@pytest.mark.parametrize("name", AGENTS)
def test_no_mutant_is_proven_that_ends_otherwise(name: str) -> None:
    table = AGENTS[name]()
    for mutant in (changed(table, change) for change in spread(changes(table), 20)):
        if (verdict := _without_tests(mutant)) is not None:
            assert not errs(mutant, 7), mutant.rows
            side = Subject(mutant, "mutant.grid", b"")
            assert verify(certificate(side, side, verdict)).valid


def _without_tests(table: Table) -> Verdict | None:
    """The proof that is found where no run has refuted it."""
    ending, _ = prove_halting(table)
    rule = output_rule(table)
    assert rule is not None
    return acceptance_verdict(table, rule, ending)[0] if ending is not None else None


@cache
def _genuine() -> str:
    return certified(thirds())


def _forged(edit: Callable[[dict[str, Any]], object]) -> Checked:
    data = json.loads(_genuine())
    edit(data)
    return verify(json.dumps(signed(data)))


def _halves(**values: Any) -> Callable[[dict[str, Any]], object]:
    return lambda data: data["total"]["output"].update(values)


def _clause(tree: Any) -> Callable[[dict[str, Any]], object]:
    def edit(data: dict[str, Any]) -> None:
        for side in ("left", "right"):
            data[side]["table"]["output"]["value"] = tree

    return edit


def _rules(*rules: tuple[str, ...]) -> Callable[[dict[str, Any]], object]:
    """Other rules on the blank."""

    def edit(data: dict[str, Any]) -> None:
        for side in ("left", "right"):
            table = data[side]["table"]
            table["rules"] = [rule for rule in table["rules"] if rule[1] != "_"] + [
                list(rule) for rule in rules
            ]

    return edit


def _without_end(data: dict[str, Any]) -> None:
    data["claim"]["halts"], data["total"]["halting"] = False, None
    data["claim"]["says"] = data["claim"]["says"].replace(", and every run of LEFT ends", "")


A = ["number", ["part", 0]]
ZERO = ["==", ["mod", A, 3], 0]


@pytest.mark.parametrize(
    "edit",
    [
        _halves(accept=None),
        _halves(stuck=None),
        lambda data: data["total"]["output"].pop("stuck"),
        _halves(more=None),
        _halves(kind="results"),
        lambda data: data["total"]["output"]["accept"]["kinds"].pop(),
        lambda data: data["total"]["output"]["stuck"].update(met=False),
        _clause(["if", ["==", ["mod", A, 3], 1], ["accept"], ["stuck"]]),
        _clause(["if", ZERO, ["stuck"], ["accept"]]),
        _clause(["if", ["and", ZERO, [">", A, 7]], ["accept"], ["stuck"]]),
        _clause(["if", ["or", ZERO, ["==", A, 1]], ["accept"], ["stuck"]]),
        _clause(["if", ["==", ["mod", A, 6], 0], ["accept"], ["stuck"]]),
        _clause(["if", ["other", "a mod 3 == 0"], ["accept"], ["stuck"]]),
        _clause(["if", ZERO, ["accept"], 1]),
        _clause(["if", ZERO, ["accept"]]),
        _clause(["accept"]),
        _clause(["stuck"]),
        _clause("accept"),
        _rules(*((f"rest({n})", "_", "_", "S", f"rest({n})") for n in (0, 1))),
        _rules(("rest(1)", "_", "_", "S", "rest(1)")),
        _rules(),
        _without_end,
    ],
)
def test_a_forged_certificate_is_refused(edit: Callable[[dict[str, Any]], object]) -> None:
    assert verify(_genuine()).valid
    assert not _forged(edit).valid


def test_a_clause_that_splits_the_inputs_alike_is_shown_by_the_same_evidence() -> None:
    assert _forged(_clause(["if", ["not", ZERO], ["stuck"], ["accept"]])).valid
