"""`gridlang extract`: what it writes, its JSON, its exit statuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gridlang.compiler.tensors.dfst import dfst_to_bytes
from gridlang.diagnostics import counted
from gridlang.loading import load
from tests.programs import EXAMPLES
from tests.support import command_line
from tests.support.command_line import invoke
from tests.support.weights import MODELS, TABLES, rotated

KEYS = {
    "states",
    "clusters",
    "saturated",
    "refused",
    "rules",
    "points",
    "guessed",
    "gap",
    "margin",
    "history",
    "seconds",
}
WORLDS, DRIFTING = str(MODELS / "worlds.safetensors"), str(MODELS / "drifting.safetensors")
EXPERT = str(EXAMPLES / "add2.grid")


def answer(*arguments: str, code: int = 0) -> dict[str, Any]:
    return command_line.answer("extract", *arguments, code=code)


def test_json_says_what_was_found(tmp_path: Path) -> None:
    data = answer(WORLDS, "-o", str(tmp_path / "learned.grid"))
    assert "certified_steps" not in data, "what was not asked for is not claimed"
    assert data.keys() >= KEYS and "source" not in data
    assert (data["states"], data["clusters"], data["saturated"], data["refused"]) == (12, 12, True, None)
    assert data["history"][0]["length"] == 1 and data["history"][0].keys() >= {"points", "clusters", "edges"}


def test_without_a_file_the_source_goes_to_stdout() -> None:
    told = invoke("extract", WORLDS)
    assert told.exit_code == 0 and "agent add2" in told.stdout and "clusters" in told.stderr
    assert answer(WORLDS)["source"] == told.stdout


def test_a_refused_model_exits_with_1_and_leaves_no_file(tmp_path: Path) -> None:
    out, given = tmp_path / "learned.grid", str(tmp_path / "noisy.safetensors")
    rotated(TABLES["brackets"], 3, 0.02).save(given)
    data = answer(given, "-o", str(out), code=1)
    assert data["refused"] and data["code"] in ("G151", "G152") and not data["saturated"]
    assert data["states"] is None and data["output"] is None and not out.exists()
    told = invoke("extract", given, "-o", str(out))
    assert (
        told.exit_code == 1 and "refused" in told.stderr and "--longest" in told.stderr and not out.exists()
    )


@pytest.mark.long
def test_a_model_that_drifts_is_what_snapped_inference_does_at_every_length(tmp_path: Path) -> None:
    out = str(tmp_path / "snapped.grid")
    data = answer(DRIFTING, "-o", out)
    assert 4 <= data["drifts_beyond"] < 64 and not data["saturated"] and data["refused"] is None
    assert "drift" in Path(out).read_text(encoding="utf-8").splitlines()[1]
    assert invoke("equiv", EXPERT, out, "--scope", "inputs").exit_code == 0
    out = str(tmp_path / "short.grid")
    told = invoke("extract", DRIFTING, "--longest", "16", "-o", out)
    assert told.exit_code == 0 and "inputs of up to 16" in told.stderr
    assert invoke("run", out, "111+1").stdout == "1000\n"


def test_raw_has_a_state_for_each_cluster(tmp_path: Path) -> None:
    out, raw = str(tmp_path / "learned.grid"), str(tmp_path / "raw.grid")
    given = str(MODELS / "inputs.safetensors")
    assert answer(given, "-o", out)["states"] == len(load(out).table.states)
    assert answer(given, "--raw", "-o", raw)["clusters"] == len(load(raw).table.states) > 12
    assert invoke("equiv", raw, out).exit_code == 0


def test_a_model_without_inputs_cannot_be_explored_on_inputs(tmp_path: Path) -> None:
    path = tmp_path / "flood.safetensors"
    path.write_bytes(dfst_to_bytes(rotated(TABLES["flood"])))
    told = invoke("extract", str(path), "--scope", "inputs")
    assert told.exit_code == 2 and "G150" in told.output
    assert "worlds" in answer(str(path))["explored"]


def test_guesses_are_told_with_their_number(tmp_path: Path) -> None:
    inputs = str(MODELS / "inputs.safetensors")
    out = str(tmp_path / "learned.grid")
    guessed = answer(inputs, "-o", out, "--scope", "inputs")["guessed"]
    assert guessed > 0
    told = invoke("extract", inputs, "-o", out, "--scope", "inputs").output
    assert f"{counted(guessed, 'pair')} guessed: the model was never seen on them" in told
    assert f"with {counted(guessed, 'pair')} guessed" in Path(out).read_text().splitlines()[0]
    told = invoke("extract", inputs, "-o", out, "--scope", "inputs", "--raw").output
    assert "the model was never seen on them" not in told
    assert "only rules that were seen" in Path(out).read_text().splitlines()[0]
