"""An agent is proven by another one's clauses, whatever its own say; what errs on one long input never is."""

from __future__ import annotations

import pytest

import gridlang as gl
from gridlang.compiler.proofs.results.specifications import by_clauses_of, clause_proof
from gridlang.outcomes import Outcome
from gridlang.table import Table
from tests.programs import EXAMPLES
from tests.support.agents import source
from tests.support.changed_rules import changed, changes, errs

EXPERT = gl.load(str(EXAMPLES / "increment.grid")).table
BOB = (EXAMPLES / "class" / "bob.grid").read_text(encoding="utf-8")
LIAR = BOB.replace("start to", "input c = bit*\noutput c\nstart to").replace(
    "bit  = 0..1\n  mark = 'x'", "mark = 'x' | 'y'\n  bit  = 1 | 0"
)
WORD = "01101000"  # longer than all samples
ENDINGS = {
    "errs": "  any : halt\n",
    "litters": "  any : D -> drop\nstate drop\n  _ : write 'x', U -> to_the_end\n",
    "stuck": "  bit : R\n",
    "endless": "  bit : R\n  _ : L\n",
    "right": "  bit : R -> to_the_end\n",
}
TIMES = source("ann")


def submitted(source: str, expert: Table = EXPERT) -> Table:
    return by_clauses_of(expert, gl.loads(source).table)[1]


def knowing_a_word(ending: str) -> Table:
    """Bob, who walks right in states that know one word, and ends otherwise on that."""
    states = "".join(
        f"state w{at}\n  {bit} : R -> w{at + 1}\n  {1 - int(bit)} : R -> to_the_end\n  _ : L -> last_zero\n"
        for at, bit in enumerate(WORD)
    )
    last = f"state w{len(WORD)}\n  bit : R -> to_the_end\n  _ : L -> other\nstate other\n{ending}"
    return submitted(BOB.replace("start to_the_end", "start w0") + states + last)


@pytest.mark.parametrize("source", [BOB, LIAR])
def test_another_algorithm_is_proven_by_the_experts_clauses_whatever_its_own_say(source: str) -> None:
    table = submitted(source)
    assert (table.input, table.output) == (EXPERT.input, EXPERT.output)
    assert clause_proof(table).total


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.long if kind == "errs" else ()) for kind in ENDINGS]
)
def test_what_ends_otherwise_on_one_long_input_is_never_proven(kind: str) -> None:
    shown = clause_proof(knowing_a_word(ENDINGS[kind]))
    assert shown.total == (kind == "right")
    assert shown.halts == (kind in ("errs", "litters", "right"))
    if kind == "endless":
        assert shown.output


def test_halting_alone_is_no_proof_of_the_output() -> None:
    shown = clause_proof(submitted("agent a\nalphabet\n  0..1\nstart s\nstate s\n  any : halt\n"))
    assert shown.halts and not shown.output


@pytest.mark.long
def test_no_wrong_agent_that_differs_in_one_rule_is_proven() -> None:
    proven = 0
    bob = submitted(BOB)
    for change in changes(bob)[::23]:
        table = changed(bob, change)
        if not errs(table, 1, Outcome):
            total = clause_proof(table).total
            assert not (total and errs(table, 8, Outcome))
            proven += total
    assert proven > 10


@pytest.mark.long
def test_strokes_are_multiplied_by_another_algorithm_and_proven_by_values() -> None:
    expert = gl.load(str(EXAMPLES.parent / "benchmarks" / "agents" / "times.grid")).table
    assert clause_proof(submitted(TIMES, expert)).total
    assert not clause_proof(
        submitted(TIMES.replace("'d' : write 1, L -> f", "'d' : write _, L -> f"), expert)
    ).total
