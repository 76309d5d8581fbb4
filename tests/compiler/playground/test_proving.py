"""Proofs in the playground."""

from __future__ import annotations

from tests.programs import EXAMPLES
from tests.support.playground import ask


def test_an_agent_without_declared_inputs_is_told_what_to_add() -> None:
    refused = ask("gridlang/prove", (EXAMPLES / "ant.grid").read_text(encoding="utf-8"))
    assert "add a line `input" in refused
