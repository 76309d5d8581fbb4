"""Proofs in the playground: told one by one, checked, and honest about what a browser cannot decide."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gridlang.compiler.playground.service import answer
from gridlang.compiler.proofs.values import output_evidence
from tests.programs import EXAMPLES


def asked(kind: str, source: str, **more: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The answer, and what was told before it."""
    told: list[str] = []
    question = {"kind": kind, "source": source, "name": "tried.grid", **more}
    reply = json.loads(answer(json.dumps(question), told.append))
    return reply, [json.loads(each) for each in told]


def claims(source: str) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    reply, told = asked("prove", source)
    return reply, {each["claim"]["says"]: each["claim"] for each in told if "claim" in each}


def test_without_numpy_a_proof_by_values_is_left_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_evidence, "find_spec", lambda _: None)
    _, told = claims((EXAMPLES / "suite" / "bucket_sort.grid").read_text(encoding="utf-8"))
    (output,) = (claim for says, claim in told.items() if says.startswith("output"))
    assert output["answer"] == "tested" and output["elsewhere"]
    assert told["halts"]["answer"] == "proven"


def test_an_agent_without_declared_inputs_is_told_what_to_add() -> None:
    reply, _ = asked("prove", (EXAMPLES / "ant.grid").read_text(encoding="utf-8"))
    assert "add a line `input" in reply["failure"]
