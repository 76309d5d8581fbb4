"""What `verify --kernel` writes is a theorem: Rocq's kernel accepts it, on the axioms of the real numbers alone."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.programs import ROOT
from tests.support.command_line import invoke

PROVEN = ROOT / "compiler" / "proven"
BUILD = PROVEN / "build"
AXIOMS = {line.split(".")[-1] for line in (PROVEN / "checker" / "axioms.txt").read_text().split()}


@pytest.mark.long
@pytest.mark.skipif(
    shutil.which("coqc") is None or not (BUILD / "weights" / "Learned.vo").exists(),
    reason="the proofs are not built: make -C compiler/proven",
)
def test_the_kernel_accepts_that_learned_weights_add(tmp_path: Path) -> None:
    proof, theorem = tmp_path / "proof.json", tmp_path / "add2.v"
    expert, model = (str(ROOT / "examples" / name) for name in ("add2.grid", "models/add2.safetensors"))
    assert invoke("prove", model, "--certificate", str(proof)).exit_code == 0
    assert invoke("verify", str(proof), expert, model, "--kernel", str(theorem)).exit_code == 0
    done = subprocess.run(
        ["bash", "-c", 'ulimit -s unlimited; exec coqc -q -w none -R "$0" Gridlang "$1"', BUILD, theorem],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "Theorem proof_on_numbers" in theorem.read_text()
    assert done.stdout.count("Axioms:") == 3
    assert set(re.findall(r"^\w+(?:\.\w+)*\.(\w+)", done.stdout, re.MULTILINE)) <= AXIOMS
