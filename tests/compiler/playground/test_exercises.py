"""Exercises: each can be solved, none is solved already; and what the playground asks of the language is answered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gridlang.compiler.playground.build import examples
from gridlang.compiler.playground.service import answer
from tests.compiler.playground.solutions import SOLUTIONS, solved
from tests.programs import ROOT

EXAMPLES = ROOT / "examples"
LISTED = {each["name"]: each for each in examples(EXAMPLES)}


def ask(kind: str, **question: Any) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(answer(json.dumps({"kind": kind, **question})))
    return reply


@pytest.fixture(autouse=True)
def beside_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)


def test_every_example_has_a_story_and_two_exercises() -> None:
    assert set(LISTED) == {path.stem for path in EXAMPLES.glob("*.grid")} == set(SOLUTIONS)
    for each in LISTED.values():
        assert each["story"].endswith((".", ">")) and len(each["exercises"]) == 2


@pytest.mark.parametrize("name", LISTED)
def test_exercises_are_solved_by_an_answer_and_not_by_what_they_begin_with(name: str) -> None:
    for exercise, changes in zip(LISTED[name]["exercises"], SOLUTIONS[name], strict=True):
        begun = exercise.get("starter", LISTED[name]["source"])
        for source, right in ((begun, False), (solved(begun, changes), True)):
            reply = ask("exercise", source=source, name="exercise.grid", tests=exercise["tests"])
            tests = reply.get("tests")
            assert (bool(tests) and all(test["passed"] for test in tests)) == right, reply


def test_a_misspelt_state_is_told_with_its_place_and_a_fix() -> None:
    source = LISTED["increment"]["source"].replace("L -> carry", "L -> cary")
    reply = ask("check", source=source, name="mine.grid")
    assert not reply["drawn"]
    (wrong,) = reply["diagnostics"]
    assert source[wrong["start"] : wrong["end"]] == "cary"
    (edit,) = wrong["fixes"][0]["edits"]
    assert source[: edit["start"]] + edit["text"] + source[edit["end"] :] == LISTED["increment"]["source"]


def test_a_difference_from_an_example_is_told_and_replayed() -> None:
    source = LISTED["add"]["source"].replace("write d + c, L -> home", "write d, L -> home")
    reply = ask("equiv", source=source, name="mine.grid", other="add.grid", scope="inputs")
    assert reply["equivalent"] is False and "different" in reply["words"][0]
    assert "add.grid" in reply["page"] and "mine.grid" in reply["page"]
    same = ask("equiv", source=LISTED["add2"]["source"], name="add2.grid", other="add2.grid", scope="worlds")
    assert same["equivalent"] is True


def test_a_world_that_fits_no_more_gives_way_to_the_agents_own() -> None:
    source = LISTED["increment"]["source"]
    pages = {
        given: ask("draw", source=source, name="a.grid", given=given)["page"]
        for given in ("111", "xyz", None)
    }
    assert pages["xyz"] == pages[None] != pages["111"]


def test_what_cannot_be_answered_is_no_traceback() -> None:
    assert ask("layout", source="agent\n", name="a.grid")["diagnostics"]
    assert (
        ask("test", source=LISTED["walks"]["source"], name="walks.grid")["diagnostics"][0]["code"] == "G055"
    )
    assert ask("check", source=LISTED["walks"]["source"], name="walks.grid")["library"] is True
    assert ask("equiv", source=LISTED["add"]["source"], name="a.grid", other="flood.grid", scope="worlds")[
        "diagnostics"
    ]
    assert ask("explain", code="G020")["text"].startswith("G020")
