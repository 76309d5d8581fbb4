"""What comparing results has shown, for people and as data."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gridlang.diagnostics import counted
from gridlang.printable import quoted_input
from gridlang.terminal.console import say
from gridlang.world import LONGEST_LINE

if TYPE_CHECKING:
    from compiler.testing.result_comparison import Ending, ResultComparison, ResultDifference


def comparison_data(comparison: ResultComparison) -> dict[str, Any]:
    return {
        "equivalent": comparison.equivalent,
        "tested": comparison.tested,
        "proven": comparison.proven,
        "scope": "inputs",
        "subject": "results",
        "cases": comparison.inputs.cases,
        "exhaustive": comparison.inputs.exhaustive,
        "random": comparison.inputs.random,
        "longest": comparison.inputs.longest,
        "complete": comparison.inputs.complete,
        "endless": comparison.endless,
        "counterexample": _case_data(comparison.difference),
        "undecided": _case_data(comparison.undecided),
    }


def _case_data(case: ResultDifference | None) -> dict[str, Any] | None:
    return {**asdict(case), "left": case.left._asdict(), "right": case.right._asdict()} if case else None


def print_comparison(left: str, right: str, comparison: ResultComparison) -> None:
    """What was tested, and what it showed."""
    tried = counted(comparison.inputs.cases, "declared input")
    case = comparison.difference or comparison.undecided
    if comparison.difference:
        say(f"different: {right} does not leave what {left} leaves")
    elif case:
        say(f"unknown: the results of {left} and {right} are the same where both end, on {tried} tried")
    elif comparison.proven:
        say(f"proven: {right} leaves what {left} leaves, on every declared input on which both halt")
        say("  both are proven to leave what the same output clause says")
        return
    else:
        say(f"tested: {right} leaves what {left} leaves, on {tried}")
    if case:
        say(f"  on the input {quoted_input(case.input)}")
        width = max(len(left), len(right))
        say(*(f"  {name:<{width}}  {_ended(end)}" for name, end in ((left, case.left), (right, case.right))))
    if comparison.difference:
        return
    say(f"  {comparison.inputs.described()}; this is a test, and no proof")
    if comparison.endless:
        say(f"  on {counted(comparison.endless, 'input')} both were still running in the end")


def _ended(end: Ending) -> str:
    steps = counted(end.steps, "step")
    if end.result is not None:
        shown = end.result if len(end.result) <= LONGEST_LINE else f"{end.result[:LONGEST_LINE]}…"
        return f'halted after {steps} with "{shown}"'
    words = {"budget": "was still running", "looping": "goes round in circles, seen", "stuck": "got stuck"}
    return f"{words[end.outcome]} after {steps}"
