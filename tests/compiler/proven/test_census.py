"""Every kind of certificate that a command writes, given to both checkers; they may not disagree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gridlang.compiler.proofs.values import value_proofs
from gridlang.compiler.proofs.values.clause_goals import wanted_values
from gridlang.compiler.proven.gridcheck import program
from gridlang.compiler.verifier.values.values import VALUE_KINDS
from gridlang.compiler.verifier.verify import EVIDENCE_PARTS, verify
from tests.programs import EXAMPLES
from tests.support.agents import LARGER, MONUS, THIRDS
from tests.support.command_line import invoke
from tests.support.conditioned import DECREMENT
from tests.support.proven_checker import is_proven

INCREMENT = str(EXAMPLES / "increment.grid")
ADD2, MODEL = str(EXAMPLES / "add2.grid"), str(EXAMPLES / "models" / "add2.safetensors")
OTHER, ACCEPTOR, CONDITIONED = "increment that differs", "an acceptor", "one that has a condition"
STROKES, COMPARED = "one that subtracts strokes", "one that compares them"
CENSUS = {
    "windows, scope table": ("equiv", INCREMENT, INCREMENT, "--scope", "table"),
    "windows, scope observed, snapped": ("equiv", ADD2, MODEL, "--scope", "observed"),
    "windows, scope worlds": ("equiv", INCREMENT, INCREMENT, "--scope", "worlds"),
    "windows, scope inputs": ("equiv", INCREMENT, INCREMENT, "--scope", "inputs"),
    "strips, scope inputs, snapped": ("equiv", ADD2, MODEL, "--scope", "inputs"),
    "difference, scope table": ("equiv", INCREMENT, OTHER, "--scope", "table"),
    "difference, scope worlds": ("equiv", INCREMENT, OTHER, "--scope", "worlds"),
    "difference, scope inputs": ("equiv", INCREMENT, OTHER, "--scope", "inputs"),
    "results, scope inputs, halts": ("prove", INCREMENT),
    "folds, scope inputs, halts": ("prove", ADD2),
    "conditioned folds, scope inputs, halts, where": (
        "prove",
        str(EXAMPLES / "subtract.grid"),
        "-D",
        "base=2",
    ),
    "strips and values, scope inputs, halts": ("prove", str(EXAMPLES / "sort.grid"), "-D", "base=2"),
    "strips and sorted, scope inputs, halts": ("prove", str(EXAMPLES / "sort.grid"), "-D", "base=3"),
    "strips and words, scope inputs, halts": ("prove", str(EXAMPLES / "twice.grid")),
    "strips and values, scope inputs, halts, where": ("prove", CONDITIONED),
    "strips and acceptance, scope inputs, halts": ("prove", ACCEPTOR),
    "windows and values, scope inputs, halts, where": ("prove", STROKES),
    "strips and branches, scope inputs, halts": ("prove", COMPARED),
}

built = pytest.mark.skipif(program() is None, reason="gridcheck is not built: make -C compiler/proven")


def kind_of(data: dict[str, Any]) -> str:
    output = data["total"]["output"]
    evidence = data["evidence"]["kind"] + (f" and {output['kind']}" if output else "")
    table = data["left"]["table"]
    told = {
        "halts": data["claim"]["halts"],
        "snapped": data["right"].get("snapping"),
        "where": table.get("where"),
    }
    return ", ".join([evidence, f"scope {data['claim']['scope']}", *(word for word in told if told[word])])


@built
@pytest.mark.parametrize("kind", CENSUS)
def test_both_checkers_find_a_written_certificate_valid(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "sorted" in kind:  # Sorted rows of three digits are proven by values, if that is tried first.
        monkeypatch.setattr(value_proofs, "wanted_values", lambda *given: wanted_values(*given)[1:])
    other = tmp_path / "other.grid"
    other.write_text(Path(INCREMENT).read_text().replace("write d + 1", "write d"))
    acceptor, conditioned = tmp_path / "acceptor.grid", tmp_path / "conditioned.grid"
    acceptor.write_text(THIRDS)
    strokes, compared = tmp_path / "strokes.grid", tmp_path / "compared.grid"
    strokes.write_text(MONUS)
    compared.write_text(LARGER)
    conditioned.write_text(DECREMENT.format("a > 0"))
    written = tmp_path / "certificate.json"
    files = {
        OTHER: str(other),
        ACCEPTOR: str(acceptor),
        CONDITIONED: str(conditioned),
        STROKES: str(strokes),
        COMPARED: str(compared),
    }
    command = (files.get(word, word) for word in CENSUS[kind])
    invoke(*command, "--certificate", str(written))
    text = written.read_text()
    assert kind_of(json.loads(text)) == kind
    assert verify(text).valid
    weights = Path(MODEL).read_bytes() if MODEL in CENSUS[kind] else None
    assert is_proven(text.encode(), weights) is True


@built
def test_both_checkers_find_what_learn_writes_valid(tmp_path: Path) -> None:
    """The proof that it does what the expert does, and that of its output."""
    written = (
        "-o",
        str(tmp_path / "learned.safetensors"),
        "--certificate",
        str(tmp_path / "certificate.json"),
    )
    assert invoke("learn", INCREMENT, "--method", "ask", *written).exit_code == 0
    texts = [file.read_text() for file in tmp_path.rglob("*certificate.json")]
    assert {json.loads(text)["claim"]["output"] for text in texts} == {True, False}
    assert all(verify(text).valid and is_proven(text.encode()) for text in texts)


def test_the_census_has_every_kind_of_evidence() -> None:
    first = {kind.split(",")[0] for kind in CENSUS}
    assert {kind.split(" and ")[0] for kind in first} == set(EVIDENCE_PARTS) - {"runs"}  # Python alone runs
    assert {kind.split(" and ")[1] for kind in first if " and " in kind} == {
        *VALUE_KINDS,
        "acceptance",
        "branches",
    }
