"""Exercises: each can be solved, none is solved already; and what the playground asks of the language is answered."""

from __future__ import annotations

import pytest

from gridlang.compiler.playground.build import examples
from tests.compiler.playground.solutions import SOLUTIONS, solved
from tests.programs import ROOT
from tests.support.playground import ask, errors

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
            tests = ask("gridlang/exercise", source, tests=exercise["tests"])["tests"]
            assert (bool(tests) and all(test["passed"] for test in tests)) == right


def test_what_cannot_be_answered_is_no_traceback() -> None:
    walks, add = LISTED["walks"]["source"], LISTED["add"]["source"]
    assert ask("textDocument/formatting", "agent\n") is None
    assert "library" in ask("gridlang/test", walks)
    assert errors(walks) == [] and ask("gridlang/page", walks) is None
    assert "alphabet" in ask("gridlang/compare", add, other="flood.grid", scope="worlds")
    assert ask("gridlang/explain", "", code="G020").startswith("G020")
