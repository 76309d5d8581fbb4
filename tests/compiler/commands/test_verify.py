"""`gridlang verify` on the command line: certificates that were edited or damaged, and the files they are about."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gridlang as gl
from gridlang.compiler.proofs.equivalence import Verdict
from gridlang.compiler.proofs.prove import prove
from gridlang.compiler.proven import gridcheck
from gridlang.compiler.tensors.dfst import dfst_to_bytes, table_to_dfst
from gridlang.loading import load
from gridlang.printer import table_to_source
from gridlang.table import Table
from gridlang.table_json import table_to_json
from tests.forgeries.edits import signed
from tests.programs import EXAMPLES
from tests.support.command_line import answer, invoke
from tests.support.pairs import changed, table_of

ADD2 = str(EXAMPLES / "add2.grid")


def resigned(path: Path, **sides: dict[str, Any]) -> None:
    """Other words about the sides of a certificate, and digests that fit."""
    data = json.loads(path.read_text(encoding="utf-8"))
    for side, values in sides.items():
        data[side].update(values)
    path.write_text(json.dumps(signed(data), ensure_ascii=False), encoding="utf-8")


def test_a_file_is_only_said_to_be_the_origin_until_its_table_is_made_anew(tmp_path: Path) -> None:
    """A.grid and B.grid differ; a certificate about A.grid twice is made to speak of B.grid."""
    proof, a, b = tmp_path / "proof.json", tmp_path / "A.grid", tmp_path / "B.grid"
    a.write_text(table_to_source(table_of("add2")), encoding="utf-8")
    other = replace(
        changed(table_of("add2"), "carry(1)", "0", move=2), name="add2", output=table_of("add2").output
    )
    b.write_text(table_to_source(other), encoding="utf-8")
    answer("equiv", str(a), str(a), "--certificate", str(proof))
    assert answer("verify", str(proof), str(a), str(a))["files"] == {"left": str(a), "right": str(a)}
    digest = hashlib.sha256(load(b).as_read()).hexdigest()
    resigned(proof, right={"file": str(b), "source_sha256": digest})
    told = invoke("verify", str(proof)).stdout
    assert f"said to come from {b}" in told and digest not in told
    assert told.count(answer("verify", str(proof))["right"]["table_sha256"]) == 2
    problems = answer("verify", str(proof), str(a), str(b), code=1)["problems"]
    assert [problem["where"] for problem in problems] == ["right"]
    assert "`carry(1)` on `0`: `write 1, L" in problems[0]["message"]
    assert "not valid" in invoke("verify", str(proof), str(a), str(b)).stdout


@pytest.mark.parametrize("kind", ["grid", "json", "safetensors"])
def test_what_was_read_is_what_is_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """A file that is edited while it is compared does not end up in a certificate about the new text."""
    proof, file = tmp_path / "proof.json", tmp_path / f"agent.{kind}"
    add2 = table_of("add2")
    before, after = (rendered(table, kind) for table in (add2, changed(add2, "carry(1)", "0", move=2)))
    file.write_bytes(before)

    def edited_meanwhile(*sides: Table, **options: Any) -> Verdict:
        verdict = prove(*sides, **options)
        file.write_bytes(after)
        return verdict

    monkeypatch.setattr("gridlang.compiler.api.comparison.prove", edited_meanwhile)
    answer("equiv", str(file), str(file), "--certificate", str(proof))
    checked = answer("verify", str(proof))
    digests = {checked[side]["source_sha256"] for side in ("left", "right")}
    read = before if kind != "grid" else gl.loads(before.decode()).as_read()
    assert checked["valid"] and digests == {hashlib.sha256(read).hexdigest()}
    assert answer("verify", str(proof), str(file), str(file), code=1)["valid"] is False
    file.write_bytes(before)
    assert answer("verify", str(proof), str(file), str(file))["valid"] is True


def rendered(table: Table, kind: str) -> bytes:
    if kind == "safetensors":
        return dfst_to_bytes(table_to_dfst(table))
    return (table_to_source(table) if kind == "grid" else table_to_json(table)).encode()


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        ("exit 4", "ran out of stack; `ulimit -s unlimited` before the command gives it more"),
        ("kill -s SEGV $$", "ran out of stack; `ulimit -s unlimited` before the command gives it more"),
        ("exit 2", "ended with 2"),
    ],
)
def test_a_proven_checker_that_breaks_off_is_told_and_the_first_one_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str, says: str
) -> None:
    proof, checker = tmp_path / "proof.json", tmp_path / "gridcheck"
    answer("equiv", ADD2, ADD2, "--radius", "1", "--certificate", str(proof))
    checker.write_text(f"#!/bin/sh\ncat >/dev/null\n{ends}\n")
    checker.chmod(0o755)
    monkeypatch.setattr(gridcheck, "program", lambda: str(checker))
    judged = answer("verify", str(proof))
    assert (judged["valid"], judged["proven"], judged["unanswered"]) == (True, False, says)
    shown = invoke("verify", str(proof)).stdout
    assert f"checked once: the second checker, which is proven in Rocq, {says}" in shown
    assert "checked twice" not in shown
