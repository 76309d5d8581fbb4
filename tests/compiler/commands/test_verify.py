"""`gridlang verify` on the command line: certificates that were edited, damaged, or whose sources have changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.programs import EXAMPLES
from tests.support.command_line import answer, invoke, process

ADD2 = str(EXAMPLES / "add2.grid")


def edited(path: Path, *keys: Any, value: Any) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    part = data
    for key in keys[:-1]:
        part = part[key]
    part[keys[-1]] = value
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")


@pytest.mark.parametrize(
    ("keys", "value", "where"),
    [
        (("claim", "scope"), "table", "claim"),
        (("claim", "says"), "all is well", "claim"),
        (("right", "table", "rules", 3), ["seek", "_", "_", "U", "seek"], "right"),
        (("left", "source_sha256"), "0" * 64, "left"),
        (("evidence", "elements", 5), [0, 0], "evidence"),
        (("digests", "evidence"), "0" * 64, "evidence"),
    ],
)
def test_an_edited_certificate_is_rejected_saying_where(
    tmp_path: Path, keys: tuple[Any, ...], value: Any, where: str
) -> None:
    proof = tmp_path / "proof.json"
    answer("equiv", ADD2, ADD2, "--radius", "1", "--certificate", str(proof))
    assert answer("verify", str(proof))["valid"] is True
    edited(proof, *keys, value=value)
    found = answer("verify", str(proof), code=1)
    assert found["valid"] is False and where in {problem["where"] for problem in found["problems"]}
    shown = invoke("verify", str(proof))
    assert shown.exit_code == 1 and f"  {where}: " in shown.stdout


def test_a_damaged_certificate_is_not_valid(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    answer("equiv", ADD2, ADD2, "--certificate", str(proof))
    whole = proof.read_bytes()
    for damaged in (whole[:100], b"", b"\xff\xfe", whole.replace(b"add2.grid", b"add\xff.grid")):
        proof.write_bytes(damaged)
        assert answer("verify", str(proof), code=1)["valid"] is False


def test_the_verifier_loads_nothing_of_the_house_but_itself() -> None:
    code = "import sys, compiler.verifier.verify; print(*sys.modules)"
    loaded = process("-c", code).stdout.split()
    house = {name for name in loaded if name.split(".")[0] in ("gridlang", "compiler", "learners")}
    assert "compiler.verifier.verify" in house
    assert all(name == "compiler" or name.startswith("compiler.verifier") for name in house)
