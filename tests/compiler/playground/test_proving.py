"""Proofs in the playground: told one by one, checked, and honest about what a browser cannot decide."""

from __future__ import annotations

from typing import Any

import pytest

from gridlang.compiler.proofs.values import output_evidence
from tests.programs import EXAMPLES
from tests.support.playground import ask


def test_without_numpy_a_proof_by_values_is_left_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_evidence, "find_spec", lambda _: None)
    told: list[Any] = []
    ask("gridlang/prove", (EXAMPLES / "suite" / "bucket_sort.grid").read_text(encoding="utf-8"), told=told)
    claims = {each["claim"]["says"]: each["claim"] for each in told if "claim" in each}
    (output,) = (claim for says, claim in claims.items() if says.startswith("output"))
    assert output["answer"] == "tested" and output["elsewhere"]
    assert claims["halts"]["answer"] == "proven"


def test_an_agent_without_declared_inputs_is_told_what_to_add() -> None:
    refused = ask("gridlang/prove", (EXAMPLES / "ant.grid").read_text(encoding="utf-8"))
    assert "add a line `input" in refused
