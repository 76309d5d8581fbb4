"""The agents of examples/suite against definitions in plain Python, and the page against its record."""

from __future__ import annotations

import json
from random import Random

import pytest

from benchmarks.pages import results, with_table
from benchmarks.suite_tasks import TASKS, bracketed, solution, value
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.outputs import output_rule
from gridlang.compiler.engines import execute
from gridlang.compiler.testing.file_tests import run_tests
from gridlang.loading import load
from gridlang.outcomes import Outcome
from gridlang.world import string_world
from tests.programs import EXAMPLES, ROOT

SUITE = EXAMPLES / "suite"
RECORD = ROOT / "benchmarks" / "results" / "suite.json"
STEPS = 10_000_000


def drawn(name: str) -> list[str]:
    """Inputs of every short length, many of each, and some that are long."""
    random, draw = Random(name), TASKS[name].draw
    lengths = [length for length in range(1, 31) for _ in range(15)] + [100, 200, 400] * 3
    return list(dict.fromkeys(draw(random, length) for length in lengths))


@pytest.mark.parametrize("name", TASKS)
def test_an_agent_of_the_suite_leaves_what_the_definition_says(name: str) -> None:
    program, inputs = load(SUITE / f"{name}.grid"), drawn(name)
    language, rule = language_of(program.table), output_rule(program.table)
    assert language is not None
    for text, run in ((text, execute(program.table, string_world(text), STEPS)) for text in inputs):
        answer = TASKS[name].answer(text)
        assert language.allows(text), text
        assert (run.outcome, run.result) == (Outcome.HALTED, answer), text
        assert rule is not None and rule.agrees(str(rule.expected(text)), answer), text
    assert [result for result in run_tests(program, STEPS) if result.problem] == []


def test_every_agent_of_the_suite_has_a_definition_and_a_story_that_names_its_source() -> None:
    files = {path.stem: path.read_text(encoding="utf-8") for path in SUITE.glob("*.grid")}
    assert files.keys() == TASKS.keys()
    for text in files.values():
        story = text.partition("\nagent ")[0]
        assert all(line.startswith("# ") for line in story.splitlines())
        assert "The idea:" in story and "Delétang et al." in story


def test_definitions_agree_with_the_examples_of_the_paper() -> None:
    asked = {
        "even_pairs": ("aabba", "b"),
        "modular_arithmetic": ("1+2-4", "4"),
        "parity_check": ("aaabba", "b"),
        "cycle_navigation": ("010211", "2"),
        "stack_manipulation": ("abbaa-A-", "abba"),
        "reverse_string": ("aabba", "abbaa"),
        "modular_arithmetic_brackets": ("-(1-2)*(4-3*(-2))", "0"),
        "duplicate_string": ("abaab", "abaababaab"),
        "missing_duplicate": ("ab?aba", "a"),
        "odds_first": ("aaabaa", "aaaaba"),
        "binary_addition": ("001+01101", "01011"),
        "bucket_sort": ("421302214", "011222344"),
    }
    for name, (text, answer) in asked.items():
        assert TASKS[name].answer(text) == answer
    for text in (bracketed(Random(seed), 30, "+-*") for seed in range(100)):
        assert value(text) == eval(text) % 5
    assert solution("((x-2)+4)=1") == "4"


def test_the_page_shows_the_record() -> None:
    page = (ROOT / "docs" / "research" / "suite.md").read_text(encoding="utf-8")
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    assert with_table(page, results(record)) == page
    tasks, said = list(record.values()), " ".join(page.split())

    def span(name: str) -> str:
        values = [task[name] for task in tasks]
        return f"{min(values)} to {max(values)}"

    assert f"The experts have {span('states')} states" in said
    assert f"All 60 seeds are proven in the first round, after {span('training_seconds')} seconds" in said
    assert all(seed["states"] <= task["states"] for task in tasks for seed in task["seeds"])
    assert sum(task["proven"] for task in tasks) == 60 and all(task["rounds"] == 1 for task in tasks)
