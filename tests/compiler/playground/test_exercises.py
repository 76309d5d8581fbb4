"""Exercises: each can be solved, none is solved already; and what the playground asks of the language is answered."""

from __future__ import annotations

import pytest

from gridlang.compiler.playground.build import examples
from tests.compiler.playground.solutions import SOLUTIONS, solved
from tests.programs import ROOT
from tests.support.playground import ask

EXAMPLES = ROOT / "examples"
LISTED = {each["name"]: each for each in examples(EXAMPLES)}


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
