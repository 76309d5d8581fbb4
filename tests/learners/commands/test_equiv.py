"""`gridlang equiv` and `gridlang verify` on the command line, with source, tables, models and certificates."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from compiler.dfst import dfst_to_bytes, table_to_dfst
from compiler.proofs.prove import prove
from gridlang.printer import table_to_source
from gridlang.table import Entry, Table, table_to_json
from tests.compiler.proofs.test_prove import changed, table_of
from tests.gridlang.test_cli import ADD10, answer, invoke
from tests.programs import EXAMPLES, ROOT

ADD2 = str(EXAMPLES / "add2.grid")
MODELS = ROOT / "tests" / "learners" / "models"
WORLDS, INPUTS = (str(MODELS / f"{name}.safetensors") for name in ("worlds", "inputs"))


def written(folder: Path, table: Table, kind: str) -> str:
    """A table as a file of some kind."""
    path = folder / f"right.{kind}"
    text = {"grid": table_to_source, "json": table_to_json}.get(kind)
    path.write_bytes(text(table).encode() if text else dfst_to_bytes(table_to_dfst(table)))
    return str(path)


@pytest.mark.parametrize("kind", ["grid", "json", "safetensors"])
@pytest.mark.parametrize("scope", ["worlds", "inputs", "observed", "table"])
def test_any_kind_of_file_is_compared_at_any_scope(tmp_path: Path, kind: str, scope: str) -> None:
    same = answer("equiv", ADD2, written(tmp_path, table_of("add2"), kind), "--scope", scope)
    keys = ("equivalent", "scope", "subject", "counterexample", "stuck_branches")
    assert [same[key] for key in keys] == [True, scope, "table", None, 10]
    wrong = written(tmp_path, changed(table_of("add2"), "carry(1)", "0", move=2), kind)
    different = answer("equiv", ADD2, wrong, "--scope", scope, code=1)
    assert different["equivalent"] is False and different["step"] == len(different["counterexample"])
    last = different["counterexample"][-1]
    assert (last["read"], last["left"], last["right"]) == ("0", ["1", "D"], ["1", "L"])


def test_the_shown_world_can_be_run(tmp_path: Path) -> None:
    wrong = written(tmp_path, changed(table_of("add2"), "carry(1)", "0", move=2), "grid")
    found = answer("equiv", ADD2, wrong, code=1)
    world = tmp_path / "world.txt"
    world.write_text(found["world"], encoding="utf-8")
    steps = ("--steps", str(found["step"]), "--trace")
    mine = answer("run", ADD2, "--world", str(world), *steps, code=1)["trace"]
    theirs = answer("run", wrong, "--world", str(world), *steps, code=1)["trace"]
    assert mine[:-1] == theirs[:-1] and mine[-1] != theirs[-1]


def test_a_proof_about_learned_weights_says_that_it_is_about_their_table(tmp_path: Path) -> None:
    proof = str(tmp_path / "proof.json")
    found = answer("equiv", ADD2, WORLDS, "--certificate", proof)
    assert found["equivalent"] is True and found["subject"] == "table" and found["certificate"] == proof
    assert found["right"]["extracted"] and found["right"]["states"] == 12 and not found["left"]["extracted"]
    shown = invoke("equiv", ADD2, WORLDS).stdout
    assert (
        f"the table extracted from {WORLDS}" in shown and "nothing is claimed of the learned weights" in shown
    )
    checked = answer("verify", proof)
    assert checked["valid"] and checked["right"]["extracted"] and checked["claim"]["scope"] == "worlds"


def test_learned_weights_may_be_the_specification() -> None:
    found = answer("equiv", WORLDS, ADD2)
    assert found["equivalent"] is True and found["left"]["extracted"]
    both = answer("equiv", WORLDS, WORLDS)
    assert both["equivalent"] is True and both["left"]["extracted"] and both["right"]["extracted"]


def test_a_difference_that_the_model_shows_is_about_the_model(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    found = answer("equiv", ADD2, INPUTS, "--certificate", str(proof), code=1)
    assert found["equivalent"] is False and found["subject"] == "model"
    assert found["certificate"] is None and not proof.exists()  # no table shows it
    assert "seen on the model itself" in invoke("equiv", ADD2, INPUTS).stdout


def test_a_refused_specification_decides_nothing() -> None:
    drifting = str(MODELS / "drifting.safetensors")
    found = answer("equiv", drifting, ADD2, code=1)
    assert found["equivalent"] is None and found["left"]["refused"] in found["reason"]


@pytest.mark.parametrize("scope", ["worlds", "inputs", "observed", "table"])
def test_alphabets_that_differ_cannot_be_compared(scope: str) -> None:
    for right in (str(EXAMPLES / "mult2.grid"), str(EXAMPLES / "models" / "mult2.safetensors")):
        (found,) = answer("equiv", ADD2, right, "--scope", scope, code=2)["diagnostics"]
        assert found["code"] == "G085"


def test_what_cannot_be_compared_or_read_is_told(tmp_path: Path) -> None:
    ant = str(EXAMPLES / "ant.grid")
    assert answer("equiv", ant, ant, "--scope", "inputs", code=2)["diagnostics"][0]["code"] == "G140"
    assert answer("equiv", ADD2, str(tmp_path / "no.grid"), code=2)["diagnostics"][0]["code"] == "G001"
    assert answer("verify", str(tmp_path / "no.json"), code=2)["diagnostics"][0]["code"] == "G001"
    assert invoke("equiv", ADD2, ADD2, "--scope", "moon").exit_code == 2
    assert invoke("equiv", ADD2, ADD2, "--radius", "-1").exit_code == 2
    shown = invoke("equiv", ADD2, ADD2, "--certificate", ADD2)
    assert shown.exit_code == 2 and "one of the files" in shown.output


def test_agents_that_get_stuck_or_never_halt_are_compared(tmp_path: Path) -> None:
    ant = str(EXAMPLES / "ant.grid")
    assert answer("equiv", ant, ant)["equivalent"] is True
    stuck = Table("stuck", ("_", "x"), ("a",), ((Entry(0, 3, 0), None),))
    lost = Table("lost", ("_", "x"), ("a",), ((None, None),))
    (tmp_path / "stuck.json").write_text(table_to_json(stuck), encoding="utf-8")
    (tmp_path / "lost.json").write_text(table_to_json(lost), encoding="utf-8")
    found = answer("equiv", str(tmp_path / "lost.json"), str(tmp_path / "stuck.json"))
    assert found["equivalent"] is True and found["stuck_branches"] == 2
    found = answer("equiv", str(tmp_path / "stuck.json"), str(tmp_path / "lost.json"), code=1)
    assert found["equivalent"] is False and found["counterexample"][-1]["right"] is None


def test_a_product_that_outgrows_its_limit_is_unknown_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compiler.proofs.prove.LAST_BUDGET", 100)
    monkeypatch.setattr("learners.learning.comparison.prove", partial(prove, limit=50))
    found = answer("equiv", ADD10, ADD10, "--radius", "1", code=1)
    assert found["equivalent"] is None and found["product_states"] == 50
    assert "outgrew its limit of 50 states" in found["reason"]


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


def test_verify_tells_if_a_source_has_changed_since(tmp_path: Path) -> None:
    source, proof = tmp_path / "agent.grid", tmp_path / "proof.json"
    source.write_text(table_to_source(table_of("add2")), encoding="utf-8")
    answer("equiv", ADD2, str(source), "--certificate", str(proof))
    assert answer("verify", str(proof))["changed"] == {"left": False, "right": False}
    source.write_text("# another\n", encoding="utf-8")
    assert answer("verify", str(proof))["changed"] == {"left": False, "right": True}
    assert "has changed since" in invoke("verify", str(proof)).stdout
    source.unlink()
    assert answer("verify", str(proof))["changed"] == {"left": False, "right": None}


def test_comparing_sources_needs_neither_numpy_nor_what_searches() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from gridlang.cli import main; "
        f"assert CliRunner().invoke(main, ['equiv', {ADD2!r}, {ADD2!r}]).exit_code == 0; "
        "assert not {'numpy', 'torch', 'hypothesis'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    alone = "import sys, compiler.verifier.verify; print(*sorted(n for n in sys.modules if n.split('.')[0] in ROOMS))"
    loaded = subprocess.run(
        [sys.executable, "-c", f"ROOMS = ('gridlang', 'compiler', 'learners'); {alone}"],
        check=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert all(name == "compiler" or name.startswith("compiler.verifier") for name in loaded)
