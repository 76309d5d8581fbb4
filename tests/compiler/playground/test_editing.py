"""What the playground's editor is told, and that files which are open count before those that are there."""

from __future__ import annotations

import pytest

from tests.programs import EXAMPLES
from tests.support.playground import ask

MULT10, MULT = ((EXAMPLES / f"{name}.grid").read_text(encoding="utf-8") for name in ("mult10", "mult"))
LIBRARY = "library mine\n\nstate go(next: state)\n  0 : R\n  _ : as next\n"
USER = (
    'agent user\n\nuse go from "mine.grid"\n\nalphabet\n  0\n\nstart go(done)\n\nstate done\n  any : halt\n'
)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a browser's worker, where the examples lie in the folder that Python is in."""
    monkeypatch.chdir(EXAMPLES)


def test_hover_tells_what_a_check_of_the_running_agent_finds() -> None:
    files = {"mult10.grid": MULT10, "mult.grid": MULT}
    place = {"name": "mult.grid", "offset": MULT.index("times(m, 0)"), "agent": "mult10.grid", "files": files}
    shown = ask("hover", **place)
    assert "46 states" in shown["text"] and MULT[shown["start"] : shown["end"]] == "times"
    rule = ask("hover", **{**place, "offset": MULT.index("-> times(m, 0)")})
    assert "take, 3: write '*', D -> times(3,0)" in rule["text"]


def test_states_of_open_files_are_offered_with_their_parameters() -> None:
    files = {"user.grid": USER, "mine.grid": LIBRARY}
    reply = ask("complete", name="user.grid", offset=USER.index("go(done)"), files=files)
    offered = {item["text"]: item for item in reply["items"]}
    assert {"go", "done", "halt"} <= set(offered) and reply["start"] == USER.index("go(done)")
    assert offered["go"]["detail"] == "(next: state) from mine.grid"
    path = ask("complete", name="user.grid", offset=USER.index('mine.grid"'), files=files)
    assert "mine.grid" in [item["text"] for item in path["items"]]


def test_a_new_name_is_written_in_all_files_or_refused() -> None:
    question = {
        "name": "user.grid",
        "offset": USER.index("go from"),
        "files": {"user.grid": USER, "mine.grid": LIBRARY},
    }
    assert ask("rename", **question)["name"] == "go"
    edits = ask("rename", **question, wanted="stroll")["edits"]
    assert sorted((edit["file"], edit["text"]) for edit in edits) == [
        ("mine.grid", "stroll"),
        ("user.grid", "stroll"),
        ("user.grid", "stroll"),
    ]
    assert ask("rename", **question, wanted="done") == {"refused": "there is a state named `done` already"}
