"""Models on the command line: compiled, run, compared, minimised, and refused when damaged."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from compiler.dfst import dfst_to_bytes, table_to_dfst
from tests.programs import EXAMPLES, PROGRAMS
from tests.support.command_line import ADD10, answer, invoke

MULT2 = str(EXAMPLES / "mult2.grid")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "add10.safetensors"
    answer("compile", ADD10, "-o", str(path))
    return path


@pytest.mark.parametrize("engine", ["auto", "reference", "native", "dfst"])
def test_a_file_and_its_model_run_the_same_on_every_engine(model: Path, engine: str) -> None:
    from_source = answer("run", ADD10, "47+85", "--engine", engine, "--trace")
    from_model = answer("run", str(model), "47+85", "--engine", engine, "--trace")
    assert from_source == from_model
    assert from_source["result"] == "132" and len(from_source["trace"]) == from_source["steps"]


def test_a_model_knows_its_alphabet_and_its_inputs(model: Path) -> None:
    (found,) = answer("run", str(model), "47*85", code=2)["diagnostics"]
    assert found["code"] == "G070"
    (found,) = answer("run", str(model), "47+", code=2)["diagnostics"]
    assert found["code"] == "G071"


def test_a_model_compiles_back_to_every_target(model: Path, tmp_path: Path) -> None:
    for target in ("dfst", "table", "c", "dot", "grid"):
        out = tmp_path / f"out.{target}"
        data = answer("compile", str(model), "--to", target, "-o", str(out))
        assert (data["states"], data["transitions"]) == (20, 206) and out.stat().st_size > 1000
    assert answer("run", str(tmp_path / "out.grid"), "47+85")["result"] == "132"
    assert answer("equiv", ADD10, str(tmp_path / "out.grid"))["equivalent"] is True


def learned(model: Path) -> bytes:
    """The exact weights in another basis: the same behaviour, but no table."""
    dfst = table_to_dfst(next(p for p in PROGRAMS if p.name == "add10").load().table)
    rng = np.random.default_rng(1)
    basis = np.eye(20) + 0.1 * rng.standard_normal((20, 20))
    inverse = np.linalg.inv(basis)
    tensors = {
        "A": basis @ dfst.A @ inverse,
        "B": dfst.B @ inverse,
        "C": dfst.C @ inverse,
        "h0": basis @ dfst.h0,
    }
    metadata = {k: v for k, v in dfst.metadata.items() if k != "states"}
    return bytes(save({k: np.ascontiguousarray(v, np.float32) for k, v in tensors.items()}, metadata))


def test_learned_weights_run_but_are_no_table(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "learned.safetensors"
    path.write_bytes(learned(model))
    assert answer("run", str(path), "47+85")["result"] == "132"
    assert answer("compile", str(path), "--to", "table", code=2)["diagnostics"][0]["code"] == "G082"
    assert answer("run", str(path), "47+85", "--engine", "native", code=2)["diagnostics"][0]["code"] == "G082"


def test_symbols_in_another_order_are_read_from_the_metadata(tmp_path: Path) -> None:
    dfst = table_to_dfst(next(p for p in PROGRAMS if p.name == "add2").load().table)
    order = [2, 0, 3, 1]
    moves = [4, 2, 0, 3, 1]
    tensors = {
        "A": dfst.A[order],
        "B": dfst.B[order][:, order],
        "C": dfst.C[order][:, moves],
        "h0": dfst.h0,
    }
    metadata = {
        "format": "gridlang-dfst/1",
        "symbols": json.dumps([dfst.symbols[i] for i in order]),
        "moves": json.dumps(["UDLRS"[i] for i in moves]),
        "blank": "_",
    }
    path = tmp_path / "foreign.safetensors"
    path.write_bytes(save({k: np.ascontiguousarray(v) for k, v in tensors.items()}, metadata))
    assert answer("run", str(path), "1011+110")["result"] == "10001"
    assert answer("equiv", str(EXAMPLES / "add2.grid"), str(path))["equivalent"] is True


def broken_models() -> dict[str, bytes]:
    dfst = table_to_dfst(next(p for p in PROGRAMS if p.name == "add2").load().table)
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
    assert found["code"] == "G081" and found["message"].startswith("this is not a model: ")


def test_a_missing_model_is_unreadable() -> None:
    assert answer("run", "nowhere.safetensors", code=2)["diagnostics"][0]["code"] == "G001"


def test_minimising_says_how_good_it_is_and_keeps_the_behaviour(tmp_path: Path) -> None:
    out = tmp_path / "small.safetensors"
    data = answer("compile", MULT2, "--minimize", "-o", str(out))
    assert data["minimized"]["from"] == 27 and data["states"] == data["minimized"]["to"] == 21
    assert data["minimized"]["exact"] is True
    assert "no table can have fewer" in invoke("compile", MULT2, "--minimize", "-o", str(out)).stdout
    assert answer("equiv", MULT2, str(out))["equivalent"] is True
    assert answer("run", str(out), "101*11")["result"] == "1111"


def test_equiv_shows_the_shortest_difference(tmp_path: Path) -> None:
    path = tmp_path / "other.grid"
    text = (EXAMPLES / "add.grid").read_text(encoding="utf-8")
    path.write_text(
        text.replace("sign      : write _, L -> take", "sign      : write 0, L -> take"), encoding="utf-8"
    )
    data = answer("equiv", str(EXAMPLES / "add.grid"), str(path), code=1)
    assert data["equivalent"] is False and data["scope"] == "worlds" and data["subject"] == "table"
    assert data["shortest"] is True and "[" in data["world"]
    last = data["counterexample"][-1]
    assert last["read"] == "+" and last["left"] != last["right"]
    shown = invoke("equiv", str(EXAMPLES / "add.grid"), str(path)).stdout
    assert shown.startswith("different:") and "but" in shown
    same = answer("equiv", ADD10, ADD10)
    assert same["equivalent"] is True and same["product_states"] == 20 and same["counterexample"] is None


def test_interrupting_a_compilation_leaves_no_partial_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gridlang.files

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(gridlang.files.os, "replace", interrupted)
    result = invoke("compile", ADD10, "-o", str(tmp_path / "out.safetensors"))
    assert result.exit_code == 130 and list(tmp_path.iterdir()) == []
