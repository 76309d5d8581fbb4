"""Do two agents leave the same results on the declared inputs, whichever way they go? That is tested here.

Nothing is proven by trying inputs. A proof is that both are proven to meet the same output clause, which
whoever compares them may add.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from compiler.simulation.simulate import BUDGET, HALTED, LOOPING, Run
from compiler.testing.input_runs import InputRuns
from compiler.testing.input_search import Searched, Tried, search_inputs
from compiler.testing.limits import LIMITS
from gridlang.clauses.clause_values import from_base
from gridlang.clauses.inputs import language_of
from gridlang.clauses.output_kinds import NUMBER, ROW, Acceptance
from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.diagnostics import fail, listing
from gridlang.table import Table


class Ending(NamedTuple):
    """How a run ended, and what it left if it halted."""

    outcome: str
    result: str | None
    steps: int


@dataclass(frozen=True, slots=True)
class ResultDifference:
    """An input on which two agents end otherwise, or leave something else."""

    input: str
    left: Ending
    right: Ending


@dataclass(frozen=True, slots=True)
class ResultComparison:
    """What trying inputs has shown: the smallest with a difference, if there is one.

    `undecided` is the first input on which one side had ended and the other was still running: it may halt
    with the same result later, or never. On `endless` inputs both were still running.
    """

    inputs: Searched[ResultDifference]
    undecided: ResultDifference | None
    endless: int
    proven: bool = False  # Both are proven to leave what one output clause says, where they halt.

    @property
    def difference(self) -> ResultDifference | None:
        return self.inputs.smallest

    @property
    def equivalent(self) -> bool | None:
        """False for a difference, True where it is proven; None else, since what was tested is not."""
        return False if self.difference else True if self.proven else None

    @property
    def tested(self) -> bool:
        """Whether all that was tried was the same."""
        return self.difference is None and self.undecided is None


def compare_results(
    left: Table,
    right: Table,
    *,
    cases: int = LIMITS.cases,
    steps: int = LIMITS.most_steps,
    seed: int = 0,
    progress: Callable[[int], None] = lambda _: None,
) -> ResultComparison:
    """Runs both on all short inputs that LEFT declares, and on `cases` longer ones.

    Both must halt with the same result, or both be stuck. Where both have an output clause that gives
    numbers in the same digits, results are compared as such; where both have the same sequence of parts, its
    numbers are; else results are compared as they stand. Where LEFT's clause says `accept`, results may
    differ.
    """
    language = language_of(left)
    if language is None:
        hint = "declare one in its source"
        raise fail("G140", f"`{left.name}` has no input clause, so there are no inputs to compare on", hint)
    foreign = sorted({symbol for cell in language.cells for symbol in cell} - set(right.symbols))
    if foreign:
        raise fail("G085", f"`{right.name}` does not know {listing(foreign, 'and')} of the inputs")
    rules = output_rule(left), output_rule(right)
    digits, row, rule = _common_digits(*rules), _common_row(*rules), rules[0]
    results_are_free = rule is not None and Acceptance.ACCEPT in rule.acceptances
    undecided: list[ResultDifference] = []
    endless = 0
    sides = InputRuns(left), InputRuns(right)

    def judge(text: str) -> Tried[ResultDifference]:
        nonlocal endless
        both = [runs.run(text, steps) for runs in sides]
        mine, other = (_ending(one.done) for one in both)
        is_same = _agree(mine, other, digits) or _are_rows(row, text, mine, other)
        if rule is not None and results_are_free and not is_same and mine.outcome == other.outcome:
            is_same = rule.expected(text) is Acceptance.ACCEPT
        difference = None if is_same else ResultDifference(text, mine, other)
        running = BUDGET in (mine.outcome, other.outcome)
        if difference and running:
            undecided.append(difference)
            difference = None
        endless += mine.outcome == other.outcome and mine.outcome in (BUDGET, LOOPING)
        return Tried(sum(one.cost for one in both), difference, ended=not running)

    searched = search_inputs(language, judge, cases, seed, progress)
    return ResultComparison(searched, undecided[0] if undecided else None, endless)


def _common_digits(left: OutputRule | None, right: OutputRule | None) -> str:
    """The digits in which both output clauses give numbers; none where they do not."""
    if left is None or right is None or left.kind != NUMBER or right.kind != NUMBER:
        return ""
    return left.digits if left.digits == right.digits else ""


def _common_row(left: OutputRule | None, right: OutputRule | None) -> OutputRule | None:
    """The output clause that is a sequence of parts, if it is that of both."""
    if left is None or right is None or left.kind != ROW:
        return None
    return left if (left.clause, left.digits) == (right.clause, right.digits) else None


def _are_rows(rule: OutputRule | None, text: str, mine: Ending, other: Ending) -> bool:
    """Whether both results are what a sequence of parts asks for, whatever zeros its numbers have."""
    if rule is None or not mine.outcome == other.outcome == HALTED:
        return False
    expected = rule.expected(text)
    if not isinstance(expected, str):
        return False
    return all(rule.agrees(expected, end.result or "") for end in (mine, other))


def _ending(done: Run) -> Ending:
    return Ending(done.outcome, left_behind(done) if done.outcome == HALTED else None, done.steps)


def left_behind(done: Run) -> str:
    """The result; where it is too large to be laid out as text, its cells one by one."""
    box = done.world.box
    if box is None or box.area <= LIMITS.most_area:
        return done.result
    cells = sorted(done.world.cells.items())
    return " ".join(f"{x - box.left},{y - box.top}:{symbol}" for (x, y), symbol in cells)


def _agree(mine: Ending, other: Ending, digits: str) -> bool:
    if mine.outcome != other.outcome:
        return False
    if not mine.result or not other.result or not set(mine.result + other.result) <= set(digits):
        return mine.result == other.result
    return from_base(mine.result, digits) == from_base(other.result, digits)
