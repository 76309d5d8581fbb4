"""The language for the playground: its messages are those of a language server, and some of its own.

It runs in a browser's worker, without numpy, a compiler or graphviz. The page waits a limited time and then
ends the worker, so nothing here keeps time itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from gridlang.clauses.cases import test_world
from gridlang.compiler.drawing.page import page_data, start_of
from gridlang.compiler.drawing.views import first_scene
from gridlang.compiler.language_server import handlers
from gridlang.compiler.language_server.analysis import Summary, summary_of
from gridlang.compiler.language_server.documents import Documents, Params
from gridlang.compiler.language_server.features.renaming import Refused
from gridlang.diagnostics import Diagnostic, GridError
from gridlang.files import unsaved
from gridlang.loading import Loaded, load, load_source, try_load_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.syntax.parser import parse

STEPS = 1_000_000  # of a run whose result is tested: some seconds in a browser
CASES = 100  # drawn inputs: a browser runs Python some ten times slower than a terminal
RECENT = 8  # sources that are not read again
REQUEST_FAILED = -32803
Tell = Callable[[dict[str, Any]], None]


class Agents(Documents):
    """Open documents of one folder, and what is known of the agent that runs."""

    def __init__(self) -> None:
        super().__init__()
        self.running = ""  # the path of the document whose diagnostics were asked for last
        self.current = self.known
        self._last = Summary()

    def source(self, params: Params) -> Source:
        """The document that a message is about; its name is its path, as Python runs in its folder."""
        path = self.path(params["textDocument"]["uri"])
        return Source(os.path.basename(path), self.project.open[path])

    def read(self, path: str) -> Loaded:
        """A document as it was read before, unless a text has changed since."""
        return _read(os.path.basename(path), self.project.open[path], tuple(self.project.open.items()))

    def known(self, path: str) -> Summary:
        running = self.running if self.running in self.project.open else path
        self._last = summary_of(self.read(running)).after(self._last)
        return self._last


@lru_cache(RECENT)
def _read(name: str, text: str, _texts: object) -> Loaded:
    return try_load_source(Source(name, text), library=True)


def diagnostic(agents: Agents, params: Params) -> Params:
    agents.running = agents.path(params["textDocument"]["uri"])
    return handlers.report(agents, params)


def page(agents: Agents, params: Params, _: Tell) -> Params | None:
    """What the page of a document shows; None for a library, which has no graph of its own."""
    program, found = agents.read(agents.path(params["textDocument"]["uri"]))
    if program is None and any(each.is_error for each in found):
        raise GridError(found)
    return page_data(first_scene(program)) if program else None


def test(agents: Agents, params: Params, _: Tell) -> Params:
    """What `gridlang test` says, as data and in words."""
    from gridlang.compiler.testing.report import report_lines, test_report

    program = load_source(agents.source(params))
    report = test_report(program, CASES, STEPS, 0, "reference", lambda _: None)
    wrong, passed = report["counterexample"], [{**test, "passed": True} for test in report["tests"]]
    return {
        "tests": [{**each, "given": _given(program, each["line"])} for each in report["tests"]],
        "passed": report["passed"],
        "failed": report["failed"],
        "counterexample": wrong["input"] if wrong else None,
        "words": list(report_lines(program, {**report, "tests": passed}))[:-1],
    }


def exercise(agents: Agents, params: Params, _: Tell) -> Params:
    """The results of an exercise's tests, which replace those of the document."""
    from gridlang.compiler.testing.file_tests import run_tests

    tests = params["tests"]
    whole = f"{_without_tests(agents.source(params).text)}\n{tests}"
    above = whole.count("\n") - tests.count("\n")
    try:
        program = load_source(Source("exercise.grid", whole))
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


def compare(agents: Agents, params: Params, _: Tell) -> Params:
    """Whether a document does what an example does: in words, with a page that replays where it does not."""
    from gridlang.compiler.playground.pictures import comparison_page
    from gridlang.compiler.proofs.certificates import Subject, accepted
    from gridlang.compiler.proofs.prove import prove
    from gridlang.compiler.terminal.printing import Named, verdict_lines

    source, other = agents.source(params), params["other"]
    mine = load_source(source)
    unsaved.set({})  # the example as shipped, even if the files that it uses were edited
    expert = load(other)
    verdict, _certificate = accepted(
        Subject.of(expert), Subject.of(mine), prove(expert.table, mine.table, params["scope"])
    )
    label = source.path if source.path != other else f"your {other}"
    words = list(verdict_lines(Named(other, expert), Named(label, mine), verdict))
    shown = comparison_page(expert, other, mine, label, verdict)
    return {"equivalent": verdict.equivalent, "words": words, "page": shown}


def explain(_: Agents, params: Params, _tell: Tell) -> str:
    """What `gridlang explain` says of a code."""
    from gridlang.codes import CODES, explanation

    return explanation(CODES[params["code"]])


def prove(agents: Agents, params: Params, tell: Tell) -> Params:
    from gridlang.compiler.playground import proving

    return proving.prove(agents.source(params), tell)


def learn(agents: Agents, params: Params, tell: Tell) -> Params:
    from gridlang.compiler.playground import learning

    return learning.learn(agents.source(params), tell)


OWN: Mapping[str, Callable[[Agents, Params, Tell], Any]] = {
    "gridlang/page": page,
    "gridlang/test": test,
    "gridlang/exercise": exercise,
    "gridlang/compare": compare,
    "gridlang/explain": explain,
    "gridlang/prove": prove,
    "gridlang/learn": learn,
}
OF_EDITORS = {**handlers.METHODS, "textDocument/diagnostic": diagnostic}
AGENTS = Agents()


def answer(message: str, tell: Callable[[str], object] = lambda _: None) -> str:
    """The response to a request, both as JSON. What takes long tells how far it is meanwhile."""

    def on_the_way(found: dict[str, Any]) -> None:
        tell(json.dumps(found))

    asked = json.loads(message)
    method, params = asked["method"], asked["params"]
    unsaved.set(AGENTS.project.open)
    try:
        if method in OWN:
            result = OWN[method](AGENTS, params, on_the_way)
        else:
            result = OF_EDITORS[method](AGENTS, params)
        reply = {"result": result}
    except GridError as error:
        reply = _failed(_in_words(error.diagnostics[0]))
    except Refused as error:
        reply = _failed(f"{error}.")
    except (RecursionError, MemoryError) as error:
        reply = _failed(f"This is too large for a browser ({type(error).__name__}).")
    return json.dumps({"id": asked.get("id"), **reply})


def _failed(message: str) -> dict[str, Any]:
    return {"error": {"code": REQUEST_FAILED, "message": message}}


def _in_words(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.message}.{f' Hint: {diagnostic.hint}.' if diagnostic.hint else ''}"


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
