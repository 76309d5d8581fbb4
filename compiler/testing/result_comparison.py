"""Tests whether two agents leave the same results on the declared inputs.

Nothing is proven by trying inputs. A proof is that both are proven to halt with what LEFT's output clause
says, which whoever compares them may add.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from gridlang.clauses.functions import NUMBER, Acceptance
from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.outputs import OutputRule, output_rule
from gridlang.compiler.simulation.simulate import Run
from gridlang.compiler.testing.input_runs import InputRuns
from gridlang.compiler.testing.input_search import Searched, Tried, search_inputs
from gridlang.compiler.testing.limits import LIMITS
from gridlang.diagnostics import counted, fail, listing
from gridlang.outcomes import Outcome
from gridlang.printable import quoted_input
from gridlang.table import Table
from gridlang.world import LONGEST_LINE


class Ending(NamedTuple):
    """How a run ended, and what it left if it halted."""

    outcome: Outcome
    result: str | None
    steps: int

    def in_words(self) -> str:
        steps = counted(self.steps, "step")
        if self.result is not None:
            cut = f"{self.result[:LONGEST_LINE]}…" if len(self.result) > LONGEST_LINE else self.result
            return f'halted after {steps} with "{cut}"'
        words = {
            Outcome.BUDGET: "was still running",
            Outcome.LOOPING: "goes round in circles, seen",
            Outcome.STUCK: "got stuck",
        }
        return f"{words[self.outcome]} after {steps}"


class ResultDifference(NamedTuple):
    """An input on which two agents end differently, or leave different results."""

    input: str
    left: Ending
    right: Ending

    def as_json(self) -> dict[str, Any]:
        return {"input": self.input, "left": self.left._asdict(), "right": self.right._asdict()}


@dataclass(frozen=True, slots=True)
class ResultComparison:
    """What trying inputs has shown; `difference` is on the smallest.

    `undecided` is the first input on which one side had ended and the other was still running: it may halt
    with the same result later, or never. On `endless` inputs both were still running.
    """

    inputs: Searched[ResultDifference]
    undecided: ResultDifference | None
    endless: int
    proven: bool = False  # Both are proven to halt, and to leave what LEFT's output clause says.
    proven_results: bool = False  # proven to leave that wherever they halt
    accepts: bool = False  # That clause says how runs end, and nothing else.

    @property
    def difference(self) -> ResultDifference | None:
        return self.inputs.smallest

    @property
    def equivalent(self) -> bool | None:
        """True if proven, False for a difference, else None: a test is no proof."""
        return False if self.difference else True if self.proven else None

    @property
    def tested(self) -> bool:
        """Whether all that was tried was the same."""
        return self.difference is None and self.undecided is None

    def as_json(self) -> dict[str, Any]:
        return {
            "equivalent": self.equivalent,
            "tested": self.tested,
            "proven": self.proven,
            "proven_results": self.proven_results,
            "scope": "inputs",
            "subject": "results",
            "cases": self.inputs.cases,
            "exhaustive": self.inputs.exhaustive,
            "random": self.inputs.random,
            "longest": self.inputs.longest,
            "complete": self.inputs.complete,
            "endless": self.endless,
            "counterexample": self.difference and self.difference.as_json(),
            "undecided": self.undecided and self.undecided.as_json(),
        }

    def lines(self, left: str, right: str) -> Iterator[str]:
        """What was tested, and what it showed."""
        tried = counted(self.inputs.cases, "declared input")
        case = self.difference or self.undecided
        if self.difference:
            yield f"different: {right} does not leave what {left} leaves"
        elif self.proven and self.accepts:
            yield f"proven: {right} ends as {left} does, on every declared input"
            yield f"  both are proven to halt and to be stuck where the output clause of {left} says so"
            return
        elif self.proven:
            yield f"proven: {right} leaves what {left} leaves, on every declared input"
            yield f"  both are proven to halt and to leave what the output clause of {left} says"
            return
        elif case:
            yield f"unknown: the results of {left} and {right} are the same where both end, on {tried} tried"
        else:
            yield f"tested: {right} leaves what {left} leaves, on {tried}"
        if case:
            yield f"  on the input {quoted_input(case.input)}"
            width = max(len(left), len(right))
            yield f"  {left:<{width}}  {case.left.in_words()}"
            yield f"  {right:<{width}}  {case.right.in_words()}"
        if not self.difference:
            yield f"  {self.inputs.described()}; this is a test, and no proof"
            if self.proven_results:
                yield "  proven is that they leave the same on every declared input on which both halt"
            if self.endless:
                yield f"  on {counted(self.endless, 'input')} both were still running in the end"


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
    numbers in the same digits, results are compared as such; else as they stand. Where LEFT's clause says
    `accept`, results may differ.
    """
    language = language_of(left)
    if language is None:
        hint = "declare one in its source"
        raise fail("G140", f"`{left.name}` has no input clause, so there are no inputs to compare on", hint)
    refuse_unknown_inputs(language, right)
    rule = output_rule(left)
    common = _common_rule(rule, output_rule(right))
    results_are_free = rule is not None and Acceptance.ACCEPT in rule.acceptances
    undecided: list[ResultDifference] = []
    endless = 0
    sides = InputRuns(left), InputRuns(right)

    def judge(text: str) -> Tried[ResultDifference]:
        nonlocal endless
        both = [runs.run(text, steps) for runs in sides]
        mine, other = (_ending(one.done) for one in both)
        is_same = _agree(common, mine, other)
        if rule is not None and results_are_free and not is_same and mine.outcome == other.outcome:
            is_same = rule.expected(text) is Acceptance.ACCEPT
        difference = None if is_same else ResultDifference(text, mine, other)
        running = Outcome.BUDGET in (mine.outcome, other.outcome)
        if difference and running:
            undecided.append(difference)
            difference = None
        endless += mine.outcome == other.outcome and mine.outcome in (Outcome.BUDGET, Outcome.LOOPING)
        return Tried(sum(one.cost for one in both), difference, ended=not running)

    searched = search_inputs(language, judge, cases, seed, progress)
    return ResultComparison(searched, undecided[0] if undecided else None, endless)


def refuse_unknown_inputs(language: InputLanguage, right: Table) -> None:
    """GridError for an agent that does not know a symbol of the inputs."""
    foreign = sorted({symbol for cell in language.cells for symbol in cell} - set(right.symbols))
    if foreign:
        raise fail("G085", f"`{right.name}` does not know {listing(foreign, 'and')} of the inputs")


def _common_rule(left: OutputRule | None, right: OutputRule | None) -> OutputRule | None:
    """LEFT's output clause, if both give numbers in the same digits."""
    if left is None or right is None or left.digits != right.digits:
        return None
    return left if left.kind == right.kind == NUMBER else None


def _agree(rule: OutputRule | None, mine: Ending, other: Ending) -> bool:
    """Whether both end alike and leave the same, whatever zeros numbers have."""
    if mine.outcome != other.outcome or mine.result == other.result or rule is None:
        return mine.outcome == other.outcome and mine.result == other.result
    results = mine.result or "", other.result or ""
    return all(results) and set().union(*results) <= set(rule.digits) and rule.agrees(*results)


def _ending(done: Run) -> Ending:
    return Ending(done.outcome, left_behind(done) if done.outcome == Outcome.HALTED else None, done.steps)


def left_behind(done: Run) -> str:
    """The result as text, or if that is too large, its cells."""
    box = done.world.box
    if box is None or box.area <= LIMITS.most_area:
        return done.result
    cells = sorted(done.world.cells.items())
    return " ".join(f"{x - box.left},{y - box.top}:{symbol}" for (x, y), symbol in cells)
