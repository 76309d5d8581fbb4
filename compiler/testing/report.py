"""What `gridlang test` found, as data and as text."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from compiler.testing.file_tests import run_tests
from compiler.testing.output_search import SearchReport, search_counterexample
from compiler.testing.unused_rules import unused_rules
from gridlang.clauses.outputs import output_rule
from gridlang.diagnostics import counted
from gridlang.program import Program


def test_report(
    program: Program, cases: int, steps: int, seed: int, engine: str, progress: Callable[[int], None]
) -> dict[str, Any]:
    """Runs the tests and the search; tests are for the default arguments alone."""
    results = [] if program.overridden else list(run_tests(program, max(steps, 10_000_000), engine))
    rule = output_rule(program.table)
    report = None
    if rule:
        report = search_counterexample(
            program.table, rule, cases=cases, steps=steps, seed=seed, engine=engine, progress=progress
        )
    unused = unused_rules(program, report.used if report else ())
    failed = sum(not r.passed for r in results)
    counterexample = asdict(report.counterexample) if report and report.counterexample else None
    if counterexample:
        counterexample["replay"] = _replay(program, counterexample["input"])
    return {
        "file": program.file,
        "passed": len(results) - failed + (report is not None and counterexample is None),
        "failed": failed + (counterexample is not None),
        "tests": [
            {
                "line": r.line,
                "name": r.name or None,
                "test": r.text,
                "passed": r.passed,
                "problem": r.problem or None,
            }
            for r in results
        ],
        "skipped": len(program.tests) if program.overridden else 0,
        "search": _numbers(report) if report else None,
        "counterexample": counterexample,
        "dead": [rule._asdict() for rule in unused.on_worlds],
        "dead_on_inputs": [rule._asdict() for rule in unused.on_inputs],
    }


def _numbers(report: SearchReport) -> dict[str, Any]:
    return {
        "cases": report.cases,
        "exhaustive": report.exhaustive,
        "complete": report.complete,
        "covered": report.covered,
        "reachable": report.reachable,
        "unused": [list(pair) for pair in report.unused],
    }


def _replay(program: Program, text: str) -> str:
    arguments = program.arguments.items() if program.overridden else ()
    options = "".join(f" -D {name}={value}" for name, value in arguments)
    return f"gridlang run {shlex.quote(program.file)} {shlex.quote(text)}{options} --watch"


def print_report(program: Program, data: dict[str, Any], echo: Callable[[str], Any]) -> None:
    """The report for people."""
    for test in data["tests"]:
        if not test["passed"]:
            echo(f"FAILED {program.file}:{test['line']}: {test['test']}")
            for line in test["problem"].split("\n"):
                echo(f"  {line}")
    for rule in data["dead"]:
        echo(
            f"warning: {rule['file']}:{rule['line']}: this rule can never fire: no world shows {_pairs(rule)}"
        )
        echo(f"  {rule['rule']}")
    skipped = data["skipped"]
    if skipped:
        which = "1 test is" if skipped == 1 else f"{skipped} tests are"
        echo(f"{program.name}: {which} for the default arguments, and left out")
    if data["counterexample"]:
        _print_counterexample(program, data["counterexample"], echo)
    elif data["search"]:
        _print_search(program, data["search"], echo)
    for rule in data["dead_on_inputs"]:
        echo(f"note: {rule['file']}:{rule['line']}: no declared input uses this rule: {rule['rule']}")
    if data["tests"] or data["search"]:
        echo(f"{program.name}: {data['passed']} passed, {data['failed']} failed")
    elif not skipped:
        echo(f'{program.name}: nothing to test; add a line such as `test "..." = "..."`')


def _pairs(rule: dict[str, Any]) -> str:
    more = rule["pairs"] - 1
    others = f", nor {counted(more, 'other pair')} that it is for" if more else ""
    return f"`{rule['symbol']}` in state `{rule['state']}`{others}"


def _print_counterexample(program: Program, wrong: dict[str, Any], echo: Callable[[str], Any]) -> None:
    steps = f"{wrong['steps']:,} step{'' if wrong['steps'] == 1 else 's'}"
    got = f'"{wrong["got"]}" after {steps}'
    if wrong["outcome"] == "budget":
        got = f"nothing: it was still running after {steps} (--steps allows more)"
    elif wrong["got"] is None:
        got = f"nothing: it was {wrong['outcome']} after {steps}"
    echo(f"FAILED {program.file}: output {program.table.output}")
    echo(f'  input     "{wrong["input"]}"')
    verdict = {"accept": "that it halts", "stuck": "that it gets stuck"}.get(wrong["verdict"])
    wanted = verdict or f'"{wrong["expected"]}"'
    echo(f"  expected  {wanted}")
    echo(f"  got       {got}")
    echo(f"  replay    {wrong['replay']}")


def _print_search(program: Program, tried: dict[str, Any], echo: Callable[[str], Any]) -> None:
    echo(f"{program.name}: output {program.table.output} held on {tried['cases']:,} inputs")
    short = f"all of up to {tried['exhaustive']} symbols, then random longer ones"
    which = "all that there are" if tried["complete"] else short
    echo(f"  {which}; {tried['covered']} of {tried['reachable']} rules used")
    unused = [f"{state} on {symbol}" for state, symbol in tried["unused"]]
    if unused:
        more = f" and {len(unused) - 4} more" if len(unused) > 4 else ""
        echo(f"  not used: {', '.join(unused[:4])}{more}")
