"""`gridlang run` on the command line, with source, tables and models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

import gridlang as gl
from gridlang.compiler.tensors.dfst import dfst_to_bytes, table_to_dfst
from tests.programs import EXAMPLES
from tests.support.command_line import ADD10, answer, invoke, steps_of
from tests.support.weights import TABLES, rotated


def test_run_prints_the_result_and_says_how_it_ended() -> None:
    result = invoke("run", ADD10, "47+85")
    assert result.stdout == "132\n" and result.stderr.startswith("halted after ")
    data = answer("run", ADD10, "47+85")
    assert {k: data[k] for k in ("outcome", "result", "state")} == {
        "outcome": "halted",
        "result": "132",
        "state": "finish",
    }
    assert data["steps"] == 39 and len(data["cell"]) == 2 and len(data["origin"]) == 2
    assert invoke("run", ADD10, "-", input="1+2\n").stdout == "3\n"


def test_run_exits_with_1_unless_it_halted(tmp_path: Path) -> None:
    path = tmp_path / "t.grid"
    path.write_text(
        "agent t\nalphabet\n  bit = 0..1\nstart a\nstate a\n  0 : R\n  _ : write _, L\n", encoding="utf-8"
    )
    assert answer("run", str(path), "01", code=1)["outcome"] == "stuck"
    assert answer("run", str(path), "00", "--steps", "9", code=1)["outcome"] == "budget"
    assert answer("run", str(path), "00", "--steps", "99", "--detect-loops", code=1)["outcome"] == "looping"
    assert "no rule for `1`" in invoke("run", str(path), "01").stderr


def test_what_is_about_states_is_not_silently_left_out_of_a_run_by_weights(tmp_path: Path) -> None:
    source, model = tmp_path / "t.grid", str(tmp_path / "t.safetensors")
    source.write_text(
        "agent t\nalphabet\n  bit = 0..1\nstart a\nstate a\n  0 : R\n  _ : write _, L\n", encoding="utf-8"
    )
    assert invoke("compile", str(source), "-o", model).exit_code == 0
    looping = answer("run", model, "00", "--steps", "99", "--detect-loops", code=1)
    assert looping["outcome"] == "looping" == gl.run(model, "00", steps=99, detect_loops=True).outcome
    refused = invoke("run", model, "00", "--engine", "dfst", "--detect-loops")
    assert refused.exit_code == 2 and "--engine dfst does not have" in refused.stderr
    with pytest.raises(ValueError, match="the engine dfst does not have"):
        gl.run(model, "00", engine="dfst", detect_loops=True)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("12*3", "G070", "`*` is not in the alphabet"),
        ("12+", "G071", "ends too early"),
        ("12++3", "G071", "`+` at character 4"),
        ("", "G071", "ends too early"),
    ],
)
def test_inputs_outside_the_language_are_named_with_their_position(
    text: str, code: str, message: str
) -> None:
    (found,) = answer("run", ADD10, text, code=2)["diagnostics"]
    assert found["code"] == code and message in found["message"]
    assert found["column"] >= 1


def test_worlds_are_pictures_with_a_start_cell(tmp_path: Path) -> None:
    room = tmp_path / "room.txt"
    room.write_text("####\n#_[_]#\n####\n", encoding="utf-8")
    flood = str(EXAMPLES / "flood.grid")
    assert invoke("run", flood, "--world", str(room)).stdout == "####\n#oo#\n####\n"
    room.write_text("####\n#__#\n####\n", encoding="utf-8")
    assert answer("run", flood, "--world", str(room), code=2)["diagnostics"][0]["code"] == "G072"
    room.write_text("##%#\n#_[_]#\n", encoding="utf-8")
    assert answer("run", flood, "--world", str(room), code=2)["diagnostics"][0]["code"] == "G070"
    assert invoke("run", flood, "x", "--world", str(room)).exit_code == 2


def test_a_trace_for_people_tells_the_cell_the_state_and_the_line() -> None:
    lines = invoke("run", ADD10, "1+2", "--trace").stdout.splitlines()
    assert lines[0].split()[:8] == ["1", "(0,", "0)", "1", "->", "1", "R", "seek"]
    assert lines[0].endswith("line 17: digit | sign : R")
    assert lines[-2].split()[-1] == "halt" and lines[-1] == "3"


def test_watch_without_a_terminal_prints_plain_frames() -> None:
    result = invoke("run", ADD10, "1+2", "--watch")
    assert result.stdout.endswith("\n\n3\n")
    assert "step 0   seek   at (0, 0)" in result.stdout and "[1]" in result.stdout
    assert "line 17: digit | sign : R" in result.stdout and "\x1b" not in result.stdout
    assert invoke("run", ADD10, "1+2", "--watch", "--json").exit_code == 2


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "add10.safetensors"
    answer("compile", ADD10, "-o", str(path))
    return path


@pytest.mark.parametrize("engine", ["auto", "reference", "native", "dfst"])
def test_a_file_and_its_model_run_the_same_on_every_engine(model: Path, engine: str) -> None:
    from_source = answer("run", ADD10, "47+85", "--engine", engine)
    from_model = answer("run", str(model), "47+85", "--engine", engine)
    assert from_source == from_model and from_source["result"] == "132"
    seen = [
        [(step["step"], step["cell"], step["read"], step["write"], step["move"]) for step in steps]
        for steps in (steps_of("47+85", "--engine", engine, file=file) for file in (ADD10, str(model)))
    ]
    assert seen[0] == seen[1] and len(seen[0]) == from_source["steps"]


def test_learned_weights_run_but_are_no_table(tmp_path: Path) -> None:
    path = tmp_path / "learned.safetensors"
    path.write_bytes(dfst_to_bytes(rotated(TABLES["add10"])))
    assert answer("run", str(path), "47+85")["result"] == "132"
    assert answer("compile", str(path), "--to", "table", code=2)["diagnostics"][0]["code"] == "G082"
    assert answer("run", str(path), "47+85", "--engine", "native", code=2)["diagnostics"][0]["code"] == "G082"


def broken_models() -> dict[str, bytes]:
    dfst = table_to_dfst(TABLES["add2"])
    good = dfst_to_bytes(dfst)
    tensors = {"A": dfst.A, "B": dfst.B, "C": dfst.C, "h0": dfst.h0}

    def changed(metadata: dict[str, str] | None = None, **other: np.ndarray) -> bytes:
        kept = {k: v for k, v in {**tensors, **other}.items() if v.size}
        return bytes(save(kept, {**dfst.metadata, **(metadata or {})}))

    return {
        "empty": b"",
        "text": b"agent add\n",
        "cut in the header": good[:60],
        "cut in the body": good[:-40],
        "a huge header": b"\xff" * 16,
        "not a number": changed(A=np.full_like(dfst.A, np.nan)),
        "wrong shape": changed(B=dfst.B[:, :2].copy()),
        "missing tensor": changed(C=np.zeros(0, np.float32)),
        "another version": changed({"format": "gridlang-dfst/9"}),
        "no metadata": bytes(save(tensors)),
        "other moves": changed({"moves": '["N","E","S","W","X"]'}),
        "symbols that are no list": changed({"symbols": "3"}),
        "symbols twice": changed({"symbols": '["_","0","0","+"]'}),
        "too many states": changed({"states": '["a"]'}),
        "integers": bytes(save({**tensors, "A": dfst.A.astype(np.int32)}, dict(dfst.metadata))),
    }


@pytest.mark.parametrize("kind", broken_models())
def test_damaged_and_foreign_models_are_refused_in_words(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(broken_models()[kind])
    (found,) = answer("run", str(path), "1+1", code=2)["diagnostics"]
    known = {"empty": ("G001", "this file is empty")}.get(kind, ("G081", "this is not a model: "))
    assert found["code"] == known[0] and found["message"].startswith(known[1])
