"""What is not proven is searched as `test` searches: a wrong output refutes it."""

from __future__ import annotations

import pytest

import gridlang as gl
from gridlang.compiler.terminal.printing import claim_words
from gridlang.diagnostics import GridError
from tests.support.agents import LATE


def test_an_output_that_errs_far_out_is_refuted_with_the_input() -> None:
    outcome = gl.prove(gl.loads(LATE))
    claim = next(claim for claim in outcome.claims if claim.says.startswith("output"))
    assert not outcome and (claim.answer, claim.input) == ("refuted", "a" * 15)
    assert claim_words(claim, [claim]).endswith(f"it leaves `{'a' * 14}b` where `{'a' * 15}` is wanted")


def test_a_run_without_end_refutes_halting_too() -> None:
    endless = LATE.replace("write 'b', R -> halt", "S -> go(14)").replace(
        "  'a' if n == 14", "  'a' if n >= 14"
    )
    endless = endless.replace("S -> go(14)", "R -> turn") + "state turn\n  letter | _ : L -> again\n"
    endless += "state again\n  letter | _ : R -> turn\n"
    answers = {claim.says.split()[0]: claim.answer for claim in gl.prove(gl.loads(endless)).claims}
    assert answers == {"never": "proven", "output": "proven", "halts": "refuted"}  # it leaves no wrong result


def test_what_is_right_as_far_as_was_tried_says_on_how_many_inputs() -> None:
    right = LATE.replace("write 'b', R", "R -> go(14)").replace("-> go(14) -> halt", "-> go(14)")
    claim = next(claim for claim in gl.prove(gl.loads(right)).claims if claim.says.startswith("output"))
    if claim.answer != "proven":
        assert claim.answer == "tested" and "inputs" in claim.tried and "short" not in claim.tried


def test_without_inputs_the_hint_says_to_declare_some() -> None:
    with pytest.raises(GridError) as error:
        gl.prove("examples/ant.grid")
    [told] = error.value.diagnostics
    assert told.code == "G140" and "--scope" not in (told.hint or "")
