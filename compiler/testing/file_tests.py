"""Running the tests that a `.grid` file holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gridlang.clauses.cases import Expected, expected_result, expected_state, test_world
from gridlang.compiler.engines import execute
from gridlang.compiler.simulation.simulate import Run
from gridlang.outcomes import Outcome
from gridlang.program import Program
from gridlang.syntax import tree as s
from gridlang.syntax import unparse
from gridlang.world import World, world_line, world_picture


@dataclass(frozen=True, slots=True)
class TestResult:
    """A test line and how it went; `problem` is empty if it passed."""

    line: int
    text: str
    problem: str
    name: str = ""  # as the file calls the test

    @property
    def passed(self) -> bool:
        return not self.problem

    def as_json(self) -> dict[str, Any]:
        about = {"line": self.line, "name": self.name or None, "test": self.text}
        return {**about, "passed": self.passed, "problem": self.problem or None}


def run_tests(program: Program, steps: int, engine: str = "auto") -> Iterator[TestResult]:
    """The results of a program's own tests, in the order of the file.

    A run is followed for `steps`, and at least for as many as its test names.
    """
    for test in program.tests:
        text = unparse.test(test).split("\n")[0]
        name = test.name.name if test.name else ""
        yield TestResult(test.span.line, text, _problem(test, program, steps, engine), name)


def _problem(test: s.Test, program: Program, steps: int, engine: str) -> str:
    table = program.table
    world = test_world(test, table.symbols)
    wanted = test.limit.steps.value if test.limit else 0
    if test.expected == "after":
        done = execute(table, world, wanted, engine)
        if done.outcome != Outcome.BUDGET and done.steps < wanted:
            return f"{describe(done)}, before step {wanted}"
        return _compare(done, expected_result(test, table.symbols))
    loops = test.expected == "loops"
    if engine == "dfst" and (loops or test.state):
        engine = "auto"  # A model's equations have no states.
    done = execute(table, world, max(steps, wanted), engine, detect_loops=loops)
    outcome = Outcome.LOOPING if loops else Outcome.STUCK if test.expected == "stuck" else Outcome.HALTED
    if done.outcome != outcome:
        more = " (--steps allows more)" if done.outcome == Outcome.BUDGET and not done.reason else ""
        return f"expected it to be {outcome}, but it {describe(done)}{more}"
    problem = _limit(test, done) or _place(test, program, done)
    return problem or _compare(done, expected_result(test, table.symbols))


def _place(test: s.Test, program: Program, done: Run) -> str:
    """What is wrong with the state that a run halted in."""
    agent = program.definition.agent if program.definition else None
    wanted = expected_state(test, program.table, agent.states if agent else ())
    if wanted in (None, done.state):
        return ""
    return f"expected it to halt in state `{wanted}`, but it {describe(done)}"


def _limit(test: s.Test, done: Run) -> str:
    if test.limit is None:
        return ""
    wanted = test.limit.steps.value
    if test.limit.relation == "in" and done.steps != wanted:
        return f"expected exactly {wanted} steps, took {done.steps}"
    if test.limit.relation == "within" and done.steps > wanted:
        return f"expected at most {wanted} steps, took {done.steps}"
    return ""


def _compare(done: Run, expected: Expected | None) -> str:
    if expected is None:
        return ""
    wanted, left = expected.result, done.result
    if wanted == left and expected.has_head_at(done.world.cells, done.cell):
        return ""
    if expected.head is not None:
        worlds = World(expected.cells, expected.head), World(done.world.cells, done.cell)
        wanted, left = (world_picture(world) or world_line(world) for world in worlds)
        return f"expected, the head in brackets\n{wanted}\ngot\n{left}"
    if "\n" in wanted + left:
        return f"expected\n{wanted}\ngot\n{left}"
    return f'expected "{wanted}", got "{left}"'


def describe(done: Run) -> str:
    """How a run ended, as the rest of a sentence."""
    where = f"in state `{done.state}` at {done.cell}"
    steps = f"{done.steps:,} step{'' if done.steps == 1 else 's'}"
    if done.outcome == Outcome.STUCK:
        return f"got stuck after {steps} {where}: {done.why or f'no rule for `{done.symbol}`'}"
    if done.outcome == Outcome.HALTED:
        return f"halted after {steps} {where}"
    if done.outcome == Outcome.BUDGET and done.reason:
        return f"was stopped after {steps} {where}: {done.why}"
    if done.outcome == Outcome.BUDGET:
        return f"was still running after {steps} {where}"
    return f"goes round in circles; seen after {steps} {where}"
