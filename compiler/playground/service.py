"""The language for the playground: questions in, answers out, both as JSON.

It runs in a browser's worker, without numpy, a compiler or graphviz. The page waits a limited time and then
ends the worker, so nothing here keeps time itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from gridlang.clauses.cases import test_world
from gridlang.compiler.drawing.page import start_of
from gridlang.compiler.playground.pictures import by_path, draw, read
from gridlang.diagnostics import Diagnostic, Edit, GridError
from gridlang.files import unsaved
from gridlang.loading import load, load_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.syntax.parser import parse

STEPS = 1_000_000  # of a run whose result is tested: some seconds in a browser
CASES = 100  # drawn inputs: a browser runs Python some ten times slower than a terminal


def answer(question: str, tell: Callable[[str], object] = lambda _: None) -> str:
    """The answer to one question: its `kind` names it, the rest are its arguments.

    `files` are texts by name: they are read before the files of the same names that are there. What takes
    long tells how far it is meanwhile.
    """
    asked = json.loads(question)
    kind, texts = asked.pop("kind"), asked.pop("files", {})
    unsaved.set(by_path(texts))
    try:
        if kind in LONG:
            asked["tell"] = lambda told: tell(json.dumps(told))
        reply = _asked(kind)(**asked)
    except GridError as error:
        reply = {"diagnostics": list(map(_diagnostic, error.diagnostics))}
    except (RecursionError, MemoryError) as error:
        reply = {"failure": f"this is too large for a browser ({type(error).__name__})"}
    return json.dumps(reply)


def _asked(kind: str) -> Callable[..., dict[str, Any]]:
    """The function for a kind of question; the modules of some are loaded on first use."""
    if kind in QUESTIONS:
        return QUESTIONS[kind]
    module = import_module(f"gridlang.compiler.playground.{LONG.get(kind, 'editing')}")
    answered: Callable[..., dict[str, Any]] = getattr(module, kind)
    return answered


def check(source: str, name: str) -> dict[str, Any]:
    """The errors of a source, and whether it is an agent, which can be drawn, or a library."""
    program, found = read(source, name)
    return {
        "diagnostics": list(map(_diagnostic, found)),
        "drawn": program is not None,
        "library": program is None and not any(each.is_error for each in found),
    }


def test(source: str, name: str) -> dict[str, Any]:
    """What `gridlang test` says, as data and in words."""
    from gridlang.compiler.testing.report import report_lines, test_report

    program = load_source(Source(name, source))
    report = test_report(program, CASES, STEPS, 0, "reference", lambda _: None)
    wrong, passed = report["counterexample"], [{**test, "passed": True} for test in report["tests"]]
    return {
        "tests": [{**each, "given": _given(program, each["line"])} for each in report["tests"]],
        "passed": report["passed"],
        "failed": report["failed"],
        "counterexample": wrong["input"] if wrong else None,
        "words": list(report_lines(program, {**report, "tests": passed}))[:-1],
    }


def exercise(source: str, name: str, tests: str) -> dict[str, Any]:
    """The results of an exercise's tests, which replace those of the source."""
    from gridlang.compiler.testing.file_tests import run_tests

    whole = f"{_without_tests(source)}\n{tests}"
    above = whole.count("\n") - tests.count("\n")
    try:
        program = load_source(Source(name, whole))
    except GridError as error:
        own = [each for each in error.diagnostics if each.span is None or each.span.line <= above]
        if own:
            raise GridError(own) from None
        return {"tests": [], "problem": error.diagnostics[0].message}
    results = [each for each in run_tests(program, STEPS, "reference") if each.line > above]
    told = [
        {"test": r.text, "passed": r.passed, "problem": r.problem or None, "given": _given(program, r.line)}
        for r in results
    ]
    return {"tests": told, "problem": None}


def equiv(source: str, name: str, other: str, scope: str) -> dict[str, Any]:
    """Whether a source does what an example does: in words, with a page that replays where it does not."""
    from gridlang.compiler.playground.pictures import comparison_page
    from gridlang.compiler.proofs.certificates import Subject, accepted
    from gridlang.compiler.proofs.prove import prove
    from gridlang.compiler.terminal.printing import Named, verdict_lines

    mine = load_source(Source(name, source))
    unsaved.set({})  # the example as shipped, even if the files that it uses were edited
    expert = load(other)
    verdict, _ = accepted(Subject.of(expert), Subject.of(mine), prove(expert.table, mine.table, scope))
    label = name if name != other else f"your {name}"
    words = list(verdict_lines(Named(other, expert), Named(label, mine), verdict))
    shown = comparison_page(expert, other, mine, label, verdict)
    return {"equivalent": verdict.equivalent, "words": words, "page": shown}


def layout(source: str, name: str) -> dict[str, Any]:
    """The source as `gridlang fmt` lays it out."""
    from gridlang.syntax.formatter import format_source

    return {"source": format_source(Source(name, source))}


def explain(code: str) -> dict[str, Any]:
    """What `gridlang explain` says of a code."""
    from gridlang.codes import CODES, explanation

    return {"text": explanation(CODES[code]) if code in CODES else ""}


LONG = {"prove": "proving", "learn": "learning"}  # the modules of questions that tell how far they are
QUESTIONS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "check": check,
    "draw": draw,
    "test": test,
    "exercise": exercise,
    "equiv": equiv,
    "layout": layout,
    "explain": explain,
}


def _without_tests(source: str) -> str:
    """The source with empty lines where its tests are; what cannot be read stays as it is."""
    agent = parse(Source("<exercise>", source)).agent
    lines = source.split("\n")
    for test in agent.tests if agent else ():
        first, last = (test.span.source.position(place)[0] for place in (test.span.start, test.span.end))
        lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(lines)


def _given(program: Program, line: int) -> str | None:
    """What a test puts on the grid, as it is typed; None where that is too large to type."""
    chosen = next((test for test in program.tests if test.span.line == line), None)
    if chosen is None:
        return None
    world = test_world(chosen, program.table.symbols)
    text = getattr(chosen.world, "value", None)
    return start_of(world, text if isinstance(text, str) else None).text


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic with offsets in its file, and the fixes that change this file alone."""
    span = diagnostic.span
    fixes = [fix for fix in diagnostic.fixes if span and all(e.span.source == span.source for e in fix.edits)]
    return {
        **diagnostic.as_json(),
        "label": diagnostic.label,
        "start": span.start if span else None,
        "end": span.end if span else None,
        "fixes": [{"title": fix.title, "edits": list(map(_edit, fix.edits))} for fix in fixes],
    }


def _edit(edit: Edit) -> dict[str, Any]:
    return {"start": edit.span.start, "end": edit.span.end, "text": edit.replacement}
