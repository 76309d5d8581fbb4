"""`gridlang run` on the command line, with source, tables and models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from gridlang.compiler.tensors.dfst import dfst_to_bytes, table_to_dfst
from tests.support.command_line import ADD10, answer, steps_of
from tests.support.weights import TABLES


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
