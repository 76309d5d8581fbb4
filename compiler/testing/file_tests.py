"""Running the tests that a `.grid` file holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from compiler.engines import execute
from compiler.simulate import BUDGET, HALTED, STUCK, Run
from gridlang.clauses.cases import expected_result, test_world
from gridlang.program import Program
from gridlang.syntax import tree as s
from gridlang.syntax import unparse
from gridlang.table import Table


@dataclass(frozen=True, slots=True)
class TestResult:
    """A test line and how it went; `problem` is empty if it passed."""

    line: int
    text: str
    problem: str

    @property
    def passed(self) -> bool:
        return not self.problem


def run_tests(program: Program, steps: int, engine: str = "auto") -> Iterator[TestResult]:
    """The results of a program's own tests, in the order of the file.

    A run is followed for so many steps, and at least for as many as its test names.
    """
    for test in program.tests:
        text = unparse.test(test).split("\n")[0]
        yield TestResult(test.span.line, text, _problem(test, program.table, steps, engine))


def _problem(test: s.Test, table: Table, steps: int, engine: str) -> str:
    world = test_world(test, table.symbols)
    wanted = test.limit.steps.value if test.limit else 0
    if test.expected == "after":
        done = execute(table, world, wanted, engine)
        if done.outcome != BUDGET and done.steps < wanted:
            return f"{describe(done)}, before step {wanted}"
        return _compare(done, expected_result(test, table.symbols))
    done = execute(table, world, max(steps, wanted), engine)
    outcome = STUCK if test.expected == "stuck" else HALTED
    if done.outcome != outcome:
        more = " (--steps allows more)" if done.outcome == BUDGET and not done.reason else ""
        return f"expected it to be {outcome}, but it {describe(done)}{more}"
    return _limit(test, done) or _compare(done, expected_result(test, table.symbols))


def _limit(test: s.Test, done: Run) -> str:
    if test.limit is None:
        return ""
    wanted = test.limit.steps.value
    if test.limit.relation == "in" and done.steps != wanted:
        return f"expected exactly {wanted} steps, took {done.steps}"
    if test.limit.relation == "within" and done.steps > wanted:
        return f"expected at most {wanted} steps, took {done.steps}"
    return ""


def _compare(done: Run, expected: str | None) -> str:
    if expected is None or done.result == expected:
        return ""
    if "\n" in expected + done.result:
        return f"expected\n{expected}\ngot\n{done.result}"
    return f'expected "{expected}", got "{done.result}"'


def describe(done: Run) -> str:
    """How a run ended, as the rest of a sentence."""
    where = f"in state `{done.state}` at {done.cell}"
    steps = f"{done.steps:,} step{'' if done.steps == 1 else 's'}"
    if done.outcome == STUCK:
        return f"got stuck after {steps} {where}: {done.reason or f'no rule for `{done.symbol}`'}"
    if done.outcome == HALTED:
        return f"halted after {steps} {where}"
    if done.outcome == BUDGET and done.reason:
        return f"was stopped after {steps} {where}: {done.reason}"
    if done.outcome == BUDGET:
        return f"was still running after {steps} {where}"
    return f"goes round in circles; seen after {steps} {where}"
