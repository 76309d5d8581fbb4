"""Weights and agents that accept: they end as the expert's clause says, or it is not claimed of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import gridlang as gl
from tests.support.agents import THIRDS
from tests.support.command_line import invoke
from tests.support.weights import rotated, strict

CLAUSE = "accept if a mod 3 == 0 else stuck"
EVERYTHING = THIRDS.replace("_ if n == 0", "_")
SIXTHS = THIRDS.replace("0..2", "0..5").replace("b) mod 3", "b) mod 6")


@pytest.fixture
def expert(tmp_path: Path) -> str:
    path = tmp_path / "thirds.grid"
    path.write_text(THIRDS)
    return str(path)


def test_strict_weights_are_proven_to_end_as_the_clause_says(expert: str, tmp_path: Path) -> None:
    model, proof = str(tmp_path / "model.safetensors"), str(tmp_path / "proof.json")
    strict(gl.loads(THIRDS).table).save(model)
    told = invoke("prove", model, "--expert", expert, "--certificate", proof)
    says = f"proven: with snapped inference these weights end on every input as `{CLAUSE}` says"
    assert told.exit_code == 0 and told.stdout.splitlines()[0] == says
    checked = gl.verify(proof, expert, model)
    assert checked.valid and checked.claim is not None
    assert checked.claim["says"].endswith(
        "is stuck wherever LEFT is, and every run of LEFT ends as its output clause says"
    )


def test_weights_that_accept_everything_are_not_proven_to_accept(expert: str, tmp_path: Path) -> None:
    model = str(tmp_path / "model.safetensors")
    rotated(gl.loads(EVERYTHING).table, 1).save(model)
    told = invoke("prove", model, "--expert", expert)
    assert told.exit_code == 1 and "they were not taught to be stuck" in told.stdout.splitlines()[0]
    assert told.stdout.startswith("proven in part: ")


def test_another_acceptor_by_the_same_clause_is_proven_to_end_alike(expert: str, tmp_path: Path) -> None:
    other = tmp_path / "other.grid"
    other.write_text(SIXTHS.replace("_ if n == 0 : halt", "_ if n mod 3 == 0 : write 1, U -> halt"))
    told = invoke("equiv", "--io", expert, str(other))
    assert told.exit_code == 0 and told.stdout.startswith(f"proven: {other} ends as {expert} does")
    other.write_text(SIXTHS)
    assert invoke("equiv", "--io", expert, str(other)).stdout.startswith("different: ")
