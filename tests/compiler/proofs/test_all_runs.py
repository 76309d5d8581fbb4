"""Agents with few inputs are proven by runs on all of them, and the checker runs them too."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gridlang as gl
from gridlang.clauses.outputs import output_rule
from gridlang.compiler.proofs.prove import comparison_of
from gridlang.compiler.proofs.results.readings import as_checked
from gridlang.compiler.proofs.stages import Failure, Proof, RunsStage
from gridlang.compiler.verifier.clauses.evaluation import Evaluation
from gridlang.compiler.verifier.clauses.inputs import InputClause
from gridlang.outcomes import Outcome
from tests.forgeries.edits import put, signed
from tests.support.command_line import invoke

NEGATED = """agent negated
alphabet
  bit = 0..1
input a = bit{3}
output 7 - a
start go
state go
  0 : write 1, R
  1 : write 0, R
  _ : halt
"""
PARTS = (("evidence",), ("claims", 0, "evidence"))
CONDITIONED = NEGATED.replace("bit{3}", "bit{3} where a mod 4 > 0").replace("7 - a", "7 * 1 - a")
ENDS = """agent ends
alphabet
  letter = 'a' | 'b'
input w = letter{1,2}
output accept if w == "ab" else stuck
start first
state first
  'a' : R -> second
state second
  'b' : R -> last
state last
  _   : halt
"""


@pytest.mark.parametrize(
    ("source", "inputs"), [(NEGATED, 8), (CONDITIONED, 6), (ENDS, 6)], ids=["number", "where", "acceptor"]
)
def test_what_all_runs_show_is_proven_and_checked_once(source: str, inputs: int, tmp_path: Path) -> None:
    agent, proof = tmp_path / "agent.grid", str(tmp_path / "proof.json")
    agent.write_text(source)
    told = invoke("prove", str(agent), "--certificate", proof)
    assert told.exit_code == 0 and f"proven: all {inputs} declared inputs were run" in told.stdout
    shown = invoke("verify", proof, str(agent))
    assert shown.exit_code == 0 and "output clause says" in shown.stdout
    assert "checked once: the second checker, which is proven in Rocq, does not run agents" in shown.stdout
    assert invoke("verify", proof, "--kernel", str(tmp_path / "proof.v")).exit_code == 2


def test_a_mutant_that_fails_on_one_input_of_many_is_refuted() -> None:
    many = NEGATED.replace("{3}", "{12}").replace("7 - a", "4095 - a").replace("start go", "start s0")
    for place in range(12):
        digit, onward = place % 2, f"s{place + 1}" if place < 11 else "go"
        other = 1 - digit
        many += f"state s{place}\n  {digit} : write {other}, R -> {onward}\n  {other} : as go\n"
    assert gl.prove(gl.loads(many)).claims[1].answer == "proven"
    wrong = gl.prove(gl.loads(many.replace("write 0, R -> go", "R -> go"))).claims[1]
    assert (wrong.answer, wrong.input) == ("refuted", "01" * 6)


def leave_one_out(data: dict[str, Any]) -> None:
    for side in ("left", "right"):
        data[side]["table"]["input"] = [
            ["|", [",", "0", "01", "01"], [",", "1", "0", "01"], [",", "1", "1", "0"]]
        ]


def never_halt(data: dict[str, Any]) -> None:
    for side in ("left", "right"):
        data[side]["table"]["rules"][0][3] = "R"


def swap(data: dict[str, Any]) -> None:
    for side in ("left", "right"):
        data[side]["table"]["rules"][1][2] = "0"


@pytest.mark.parametrize(
    "edit",
    [
        *(put(*part, name, value=7) for part in PARTS for name in ("inputs", "steps")),
        put("claims", 0, "evidence", "kind", value="ranking"),
        *(leave_one_out, never_halt, swap),
    ],
)
def test_a_forgery_of_runs_is_refused(edit: Callable[[dict[str, Any]], None], tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    gl.prove(gl.loads(NEGATED), certificate=proof)
    data = json.loads(proof.read_text())
    edit(data)
    proof.write_text(json.dumps(signed(data)))
    assert not gl.verify(proof).valid


def test_two_agents_are_compared_by_runs_on_all_inputs() -> None:
    left = gl.loads(NEGATED).table
    same = RunsStage().prove(comparison_of(left, left, "inputs", "never"))
    assert isinstance(same, Proof) and same.evidence == {"kind": "runs", "inputs": 8, "steps": 32}
    other = gl.loads(NEGATED.replace("_ : halt", "_ : R")).table
    assert RunsStage().prove(comparison_of(left, other, "inputs")) == Failure(input="000")


CLAUSES = """agent t
alphabet
  bit = 0..1
  sign = '*'
  letter = 'p' | 'q'
input a = bit{{1,2}}, sign, b = bit, sign, w = letter{{0,3}}
output {}
start go
state go
  any : halt
"""


@pytest.mark.parametrize(
    "clause",
    [
        *("a", "-a", "a * b - 3", "a div b", "a mod (b + 1)", "text(a)", "number(reverse(a))", "length(w)"),
        *('count(w, "pq")', "sorted(w)", "join(reverse(w), '_', w)", "repeat(w, a)", "every(w, 1, a)"),
        *('replace(w, "p", "qq")', 'cancel(w, "pq", "qp")', "1 if b == 0 or a div b > 1 else 0"),
        "accept if w == reverse(w) and not a < b else stuck",
    ],
)
def test_the_checker_evaluates_clauses_as_the_language_does(clause: str) -> None:
    table = gl.loads(CLAUSES.format(clause)).table
    rule, left = output_rule(table), as_checked(table, conditioned=True)
    assert rule is not None
    checker = Evaluation(left, InputClause(left))
    texts = list(rule.language.shortest(8))
    results = {"", "0", "1", "-1", "p", *(str(rule.expected(text)) for text in texts)}
    results |= {"0" + result for result in results} | {result + "p" for result in results}
    for text in texts:
        expected = rule.expected(text)
        for result in sorted(results):
            for outcome in (Outcome.HALTED, Outcome.STUCK):
                right = expected is not None and rule.is_met(
                    expected, SimpleNamespace(outcome=outcome, result=result)
                )
                cells = {(x + 2, 1): symbol for x, symbol in enumerate(result)}
                assert checker.is_met(text, outcome is Outcome.HALTED, cells) == right, (text, result)
