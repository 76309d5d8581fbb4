"""What `gridlang test` found, as data and as text."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from compiler.search import SearchReport, search
from compiler.testing import run_tests
from gridlang.loading import Program
from gridlang.outputs import output_rule


def test_report(
    program: Program, cases: int, steps: int, seed: int, engine: str, progress: Callable[[int], None]
) -> dict[str, Any]:
    """Runs the tests and the search; tests are for the default arguments alone."""
    results = [] if program.given else list(run_tests(program, max(steps, 10_000_000), engine))
    rule = output_rule(program.table)
    found = (
        search(program.table, rule, cases=cases, steps=steps, seed=seed, engine=engine, progress=progress)
        if rule
        else None
    )
    failed = sum(not r.passed for r in results)
    counterexample = asdict(found.counterexample) if found and found.counterexample else None
    if counterexample:
        counterexample["replay"] = _replay(program, counterexample["input"])
    return {
        "file": program.file,
        "passed": len(results) - failed + (found is not None and counterexample is None),
        "failed": failed + (counterexample is not None),
        "tests": [
            {"line": r.line, "test": r.text, "passed": r.passed, "problem": r.problem or None}
            for r in results
        ],
        "skipped": len(program.tests) if program.given else 0,
        "search": _numbers(found) if found else None,
        "counterexample": counterexample,
    }


def _numbers(found: SearchReport) -> dict[str, int]:
    return {
        "cases": found.cases,
        "exhaustive": found.exhaustive,
        "covered": found.covered,
        "reachable": found.reachable,
    }


def _replay(program: Program, text: str) -> str:
    given = (
        "".join(f" -D {name}={value}" for name, value in program.arguments.items()) if program.given else ""
    )
    return f"gridlang run {shlex.quote(program.file)} {shlex.quote(text)}{given} --watch"


def print_report(program: Program, data: dict[str, Any], echo: Callable[[str], Any]) -> None:
    """The report for people."""
    for test in data["tests"]:
        if not test["passed"]:
            echo(f"FAILED {program.file}:{test['line']}: {test['test']}")
            echo("  " + test["problem"].replace("\n", "\n  "))
    if data["skipped"]:
        echo(f"{program.name}: {data['skipped']} tests are for the default arguments and were left out")
    wrong = data["counterexample"]
    if wrong:
        got = f'"{wrong["got"]}"' if wrong["got"] is not None else f"nothing: {wrong['outcome']}"
        echo(f"FAILED {program.file}: output {program.table.output}")
        echo(f'  input     "{wrong["input"]}"')
        echo(f'  expected  "{wrong["expected"]}"')
        echo(f"  got       {got} after {wrong['steps']:,} steps")
        echo(f"  replay    {wrong['replay']}")
    elif data["search"]:
        tried = data["search"]
        used = f"{tried['covered']} of {tried['reachable']} rules used"
        echo(f"{program.name}: output {program.table.output} held on {tried['cases']:,} inputs")
        echo(f"  all of up to {tried['exhaustive']} symbols, then random longer ones; {used}")
    if not data["tests"] and not data["search"]:
        echo(f'{program.name}: nothing to test; add a line such as `test "..." = "..."`')
    else:
        echo(f"{program.name}: {data['passed']} passed, {data['failed']} failed")
