"""Specifications that few would write: each claim is answered, and what is proven has a valid certificate."""

from __future__ import annotations

from pathlib import Path

import pytest

import gridlang as gl
from tests.programs import EXAMPLES
from tests.support.conditioned import DECREMENT

STAYS = "agent t\nalphabet\n  bit = 0..1\n  x = 'x'\ninput {}\noutput {}\nstart go\nstate go\n  any : halt\n"
CLAUSES = "input {}\noutput {}"
SORTS = (EXAMPLES / "sort.grid").read_text().partition("\ntest")[0]
SORTS = SORTS.replace("{", "{{").replace("}", "}}").replace("input a = digit+\noutput sorted(a)", CLAUSES)
LESS = DECREMENT.replace("input a = digit+ where {}\noutput a - 1", CLAUSES)
STOPS_AT_0 = f"{LESS}  _ : R -> zeros\nstate zeros\n  digit : write 0, R\n  _ : halt\n"
SPINS_AT_0 = f"{LESS}  _ : R -> spin\nstate spin\n  digit : L -> less\n"


@pytest.mark.parametrize(
    ("inputs", "output", "source", "answer"),
    [
        ("a = ('1' | '0')+", "sorted(a)", SORTS, "tested"),
        ("a = digit+", "sorted(a)", SORTS, "proven"),
        ("a = digit* where count(a, '_') == 2", "join(sorted(a))", SORTS, "unknown"),  # there is no input
        ("a = bit, b = bit* where length(b) == 0", "a", STAYS, "proven"),
        ("a = bit+, b = x? where length(b) == 0", "a + 0 * length(b)", STAYS, "tested"),
        ("a = digit+", "a - 1 if a > 0 else 0", STOPS_AT_0, "proven"),
        ("a = digit+ where a > 0", "a - 1", SPINS_AT_0, "proven"),  # only halting needs the condition
        ("a = bit{3}", 'replace(a, "q", "q")', STAYS, "proven"),
        ("a = bit+", "number(reverse(reverse(a)))", STAYS, "tested"),
    ],
)
def test_an_unusual_clause_is_answered(
    tmp_path: Path, inputs: str, output: str, source: str, answer: str
) -> None:
    agent, written = gl.loads(source.format(inputs, output).replace("= 10)", "= 2)")), tmp_path / "proof.json"
    never_stuck, result, halts = gl.prove(agent, certificate=written).claims
    assert (never_stuck.answer, result.answer, halts.answer) == ("proven", answer, "proven")
    assert gl.verify(written).valid and (answer == "proven" or result.reason)
