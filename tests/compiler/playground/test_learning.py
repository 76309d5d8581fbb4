"""Learning in the playground: every example is learned from questions, and what is learned is proven."""

from __future__ import annotations

from typing import Any

import pytest

from gridlang.compiler.playground.learning import learn
from gridlang.compiler.verifier.verify import verify
from gridlang.loading import load_source
from gridlang.source import Source
from tests.programs import EXAMPLES


@pytest.mark.parametrize("name", ["increment", "palindrome", "sort", "add10", "ant"])
def test_an_example_is_learned_from_questions_and_proven(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    told: list[dict[str, Any]] = []
    source = Source(f"{name}.grid", (EXAMPLES / f"{name}.grid").read_text(encoding="utf-8"))
    reply = learn(source, told.append)
    assert reply["equivalent"] is True and reply["words"][0].startswith("proven") and reply["page"]
    assert verify(reply["certificate"]).valid
    (learned,) = (each["learned"] for each in told if "learned" in each)
    assert len(load_source(Source("learned.grid", learned["source"])).table.states) == learned["states"]
    assert learned["states"] <= learned["of"] and learned["queries"] > 0
