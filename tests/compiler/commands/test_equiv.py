"""`gridlang equiv` on the command line, with source, tables, models and certificates."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.tensors.dfst import dfst_to_bytes, table_to_dfst
from gridlang.printer import table_to_source
from gridlang.table import Table
from gridlang.table_json import table_to_json
from tests.programs import EXAMPLES
from tests.support.changed_limits import limits_with
from tests.support.command_line import ADD10, answer, invoke
from tests.support.pairs import changed, table_of
from tests.support.weights import MODELS, TABLES, rotated

ADD2 = str(EXAMPLES / "add2.grid")
WORLDS, INPUTS = (str(MODELS / f"{name}.safetensors") for name in ("worlds", "inputs"))


def written(folder: Path, table: Table, kind: str) -> str:
    """A table as a file of some kind."""
    path = folder / f"right.{kind}"
    text = {"grid": table_to_source, "json": table_to_json}.get(kind)
    path.write_bytes(text(table).encode() if text else dfst_to_bytes(table_to_dfst(table)))
    return str(path)


@pytest.mark.long
@pytest.mark.usefixtures("few_worlds")
def test_a_proof_says_what_plain_float_inference_does() -> None:
    asked = ("equiv", ADD2, INPUTS, "--scope", "inputs")
    assert "asks about snapped inference" in invoke(*asked).stdout
    shown = invoke(*asked, "--snap")
    assert shown.exit_code == 0
    first, *more = shown.stdout.splitlines()
    does = f"proven: {INPUTS} with snapped inference does what {ADD2} does"
    assert first == f"{does}, on every declared input, at every length"
    assert any(
        re.search(r"with plain float inference it errs on an input of [\d,]+ symbols", line) for line in more
    )
    drift = answer(*asked, "--snap")["drift"]
    assert drift["step"] > 1_000 and len(drift["input"]) > 120


@pytest.mark.long
@pytest.mark.usefixtures("few_worlds")
def test_learned_weights_may_be_the_specification() -> None:
    said = answer("equiv", WORLDS, ADD2)
    assert said["equivalent"] is True and said["left"]["extracted"]
    both = answer("equiv", WORLDS, WORLDS)
    assert both["equivalent"] is True and both["left"]["extracted"] and both["right"]["extracted"]


@pytest.mark.usefixtures("few_worlds")
def test_a_difference_that_the_model_shows_is_about_the_model(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    said = answer("equiv", ADD2, INPUTS, "--certificate", str(proof), code=1)
    assert said["equivalent"] is False and said["subject"] == "model"
    assert said["certificate"] is None and not proof.exists()  # no table shows it
    assert "seen on the model itself" in invoke("equiv", ADD2, INPUTS).stdout


def test_a_refused_specification_decides_nothing(tmp_path: Path) -> None:
    noisy = str(tmp_path / "noisy.safetensors")
    rotated(TABLES["add2"], 1, 0.1).save(noisy)
    said = answer("equiv", noisy, ADD2, code=1)
    assert said["equivalent"] is None and said["left"]["refused"] in said["reason"]


def test_a_product_that_outgrows_its_limit_is_unknown_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = limits_with(LIMITS, last_search_steps=100)
    monkeypatch.setattr("gridlang.compiler.proofs.differences.difference_search.LIMITS", limits)
    monkeypatch.setattr("gridlang.compiler.api.comparison.prove", partial(prove, limit=10))
    said = answer("equiv", ADD10, ADD10, "--radius", "1", code=1)
    assert said["equivalent"] is None and said["product_states"] == 10
    assert "more than 10 states" in said["reason"]


def test_what_is_unknown_says_where_and_what_to_try(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = limits_with(LIMITS, last_search_steps=2_000)
    monkeypatch.setattr("gridlang.compiler.proofs.differences.difference_search.LIMITS", limits)
    flood = EXAMPLES / "flood.grid"
    right = written(tmp_path, changed(table_of("flood"), "next(D)", "o"), "grid")
    said = answer("equiv", str(flood), right, "--radius", "1", code=1)
    suspicion = said["suspicion"]
    assert said["equivalent"] is None and suspicion["seen"] is False and suspicion["symbol"] == "o"
    line = flood.read_text(encoding="utf-8").splitlines()[suspicion["left_line"] - 1]
    assert ":" in line and suspicion["right_line"] is None
    shown = invoke("equiv", str(flood), right, "--radius", "1").stdout
    assert f"{flood} in state `next(D)`, line {suspicion['left_line']}: {line.strip()[0]}" in shown
    assert "has no rule for `o`" in shown and "on none of" in shown and "to try: " in shown
