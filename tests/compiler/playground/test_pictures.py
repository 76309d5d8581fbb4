"""What the playground's editor is told and draws: files that are open count before those that are there."""

from __future__ import annotations

import pytest

from tests.programs import EXAMPLES
from tests.support.playground import ask, errors, say

MULT10, MULT = ((EXAMPLES / f"{name}.grid").read_text(encoding="utf-8") for name in ("mult10", "mult"))


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a browser's worker, where the examples lie in the folder that Python is in."""
    monkeypatch.chdir(EXAMPLES)


def test_both_ways_of_drawing_a_family_are_drawn() -> None:
    data = ask("gridlang/page", MULT)
    assert [view["folded"] for view in data["views"]] == [True, False]
    assert [each.count('data-node="') for each in data["graphs"]] == [19, 95]


def test_what_cannot_be_read_is_not_drawn() -> None:
    broken = MULT.replace("-> take", "-> tkae")
    (message,) = set(errors(broken))
    assert ask("gridlang/page", broken) in f"{message}.".replace(": not a state of this agent\n", ". Hint: ")


def test_hover_tells_what_a_check_of_the_running_agent_finds() -> None:
    for name, text in (("mult.grid", MULT), ("mult10.grid", MULT10)):
        say("textDocument/didOpen", name, text)
    say("textDocument/diagnostic", "mult10.grid")
    at = MULT[: MULT.index("times(m, 0)")].split("\n")
    position = {"line": len(at) - 1, "character": len(at[-1])}
    shown = say("textDocument/hover", "mult.grid", position=position)
    say("textDocument/didClose", "mult10.grid")
    alone = say("textDocument/hover", "mult.grid", position=position)
    say("textDocument/didClose", "mult.grid")
    assert "46 states" in shown["contents"]["value"] and "46 states" in alone["contents"]["value"]
