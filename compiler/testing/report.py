"""What `gridlang test` found, as data and as text."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import Any

from gridlang.clauses.input_clauses import language_of
from gridlang.compiler.proofs.differences.difference_search import SampleRuns, short_inputs, small_worlds
from gridlang.compiler.proofs.differences.joint_runs import Case
from gridlang.compiler.proofs.joint_step import UNASKED
from gridlang.compiler.proofs.reach import Pair, dead_pairs
from gridlang.compiler.simulation.simulate import in_words
from gridlang.compiler.testing.file_tests import run_tests
from gridlang.compiler.testing.input_search import Searched
from gridlang.compiler.testing.limits import LIMITS
from gridlang.compiler.testing.output_search import (
    Counterexample,
    Oracle,
    clause_of,
    expectation_of,
    search_counterexample,
)
from gridlang.diagnostics import counted
from gridlang.outcomes import Outcome
from gridlang.printable import printable, quoted_input
from gridlang.program import Program
from gridlang.syntax import tree as s
from gridlang.table import Table

# of a search, as they are called in JSON
COUNTED = (
    *("unfinished", "shortest_unfinished", "exhaustive", "short", "next_ones", "random", "shrinking"),
    *("longest", "complete"),
)


def test_report(
    program: Program,
    cases: int,
    steps: int,
    seed: int,
    engine: str,
    progress: Callable[[int], None],
    longest: int | None = None,
    oracle: Oracle | None = None,
) -> dict[str, Any]:
    """Runs the tests and the search; tests are for the default arguments alone.

    An `oracle` says what is wanted in place of the `output` line.
    """
    results = [] if program.overridden else list(run_tests(program, steps, engine))
    rule = expectation_of(program, steps, oracle)
    how = (cases, steps, seed, engine, longest, progress)
    searched, used = search_counterexample(program.table, rule, *how) if rule else (None, set[Pair]())
    dead, dead_on_inputs = unused_rules(program, used)
    failed = sum(not r.passed for r in results)
    wrong = searched.smallest if searched else None
    counterexample = asdict(wrong) if wrong else None
    if wrong and counterexample:
        counterexample["verdict"] = wrong.verdict and wrong.verdict.value
        counterexample["reason"] = in_words(wrong.reason)
        counterexample["replay"] = _replay(program, counterexample["input"])
    held = searched is not None and searched.checked > 0 and counterexample is None
    return {
        "file": program.file,
        "output": clause_of(program, oracle),
        "passed": len(results) - failed + held,
        "failed": failed + (searched is not None and not held),
        "tests": [result.as_json() for result in results],
        "skipped": len(program.tests) if program.overridden else 0,
        "search": _numbers(program.table, searched, steps, used) if searched else None,
        "counterexample": counterexample,
        "dead": dead,
        "dead_on_inputs": dead_on_inputs,
    }


def _numbers(table: Table, inputs: Searched[Counterexample], steps: int, used: set[Pair]) -> dict[str, Any]:
    """The inputs tried and the rules used. Rules from a family's `else` are not reported as unused."""
    written = [(state, symbol) for state, symbol, _ in table.entries() if table.is_written(state)]
    unused = [[table.states[pair[0]], table.symbols[pair[1]]] for pair in written if pair not in used]
    return {
        "cases": inputs.cases,
        "checked": inputs.checked,
        "without_value": inputs.unasked,
        "steps": steps,
        **{name: getattr(inputs, name) for name in COUNTED},
        "tried": inputs.described(),
        "covered": len(written) - len(unused),
        "reachable": len(written),
        "unused": unused,
    }


def _replay(program: Program, text: str) -> str:
    arguments = program.arguments.items() if program.overridden else ()
    options = "".join(f" -D {name}={value}" for name, value in arguments)
    return f"gridlang run {shlex.quote(program.file)} {shlex.quote(text)}{options} --watch"


def report_lines(program: Program, data: dict[str, Any]) -> Iterator[str]:
    for test in data["tests"]:
        if not test["passed"]:
            yield f"FAILED {program.file}:{test['line']}: {test['test']}"
            yield from (f"  {line}" for line in test["problem"].split("\n"))
    for rule in data["dead"]:
        place = f"{rule['file']}:{rule['line']}"
        yield f"warning: {place}: this rule can never fire: no world shows {_pairs(rule)}"
        yield f"  {rule['rule']}"
    skipped = data["skipped"]
    if skipped:
        which = "1 test is" if skipped == 1 else f"{skipped} tests are"
        yield f"{program.name}: {which} for the default arguments, and left out"
    if data["counterexample"]:
        yield from _counterexample_lines(program, data["counterexample"], data["output"])
    elif data["search"]:
        yield from _search_lines(program, data["search"], data["output"])
    for rule in data["dead_on_inputs"]:
        yield f"note: {rule['file']}:{rule['line']}: no declared input uses this rule: {rule['rule']}"
    if data["tests"] or data["search"]:
        yield f"{program.name}: {data['passed']} passed, {data['failed']} failed"
    elif not skipped:
        yield f'{program.name}: nothing to test; add a line such as `test "..." = "..."`'


def _pairs(rule: dict[str, Any]) -> str:
    more = rule["pairs"] - 1
    others = f", nor {counted(more, 'other pair')} that it is for" if more else ""
    return f"`{rule['symbol']}` in state `{rule['state']}`{others}"


def _counterexample_lines(program: Program, wrong: dict[str, Any], clause: str) -> Iterator[str]:
    steps = counted(wrong["steps"], "step")
    got = f'"{printable(wrong["got"] or "")}" after {steps}'
    if wrong["reason"]:
        got = f"nothing: it was stopped after {steps}: {wrong['reason']}"
    elif wrong["outcome"] == Outcome.BUDGET:
        got = f"nothing: it was still running after {steps} (--steps allows more)"
    elif wrong["outcome"] == Outcome.LOOPING:
        got = f"nothing: it goes round in circles, seen after {steps}"
    elif wrong["got"] is None:
        got = f"nothing: it was {wrong['outcome']} after {steps}"
    yield f"FAILED {program.file}: {clause}"
    yield f"  input     {quoted_input(wrong['input'])}"
    verdict = {"accept": "that it halts", "stuck": "that it gets stuck"}.get(wrong["verdict"])
    wanted = verdict or f'"{printable(wrong["expected"])}"'
    yield f"  expected  {wanted}"
    yield f"  got       {got}"
    yield f"  replay    {wrong['replay']}"


def _search_lines(program: Program, search: dict[str, Any], clause: str) -> Iterator[str]:
    tried = search["tried"] or "no input, since all are longer"
    if search["checked"]:
        yield f"{program.name}: {clause} held on {counted(search['checked'], 'input')}"
        yield f"  tried {tried}"
    else:
        yield f"FAILED {program.file}: {clause}"
        yield f"  nothing was checked: tried {tried}"
    if search["without_value"]:
        yield f"  not counted: {counted(search['without_value'], 'input')} without a value"
    if search["unfinished"]:
        number, bound = counted(search["unfinished"], "input"), counted(search["steps"], "step")
        length = counted(len(search["shortest_unfinished"]), "symbol")
        late = f"{number}, of {length} or more, did not halt within {bound}"
        yield f"  not counted: {late} (--steps allows more)"
    if search["checked"] and search["covered"]:  # By equations a run has no states, and shows no rules.
        unused = [f"{state} on {symbol}" for state, symbol in search["unused"]]
        more = f" and {len(unused) - 4} more" if len(unused) > 4 else ""
        which = f"; not used: {', '.join(unused[:4])}{more}" if unused else ""
        yield f"  {search['covered']} of {search['reachable']} rules used{which}"


Rules = dict[s.Rule, list[Pair]]
Unused = dict[str, Any]  # a rule as JSON has it


def unused_rules(program: Program, used: Iterable[Pair]) -> tuple[list[Unused], list[Unused]]:
    """Rules that no world can use, and others that no declared input can use, as far as that is shown.

    `used` are pairs that runs on declared inputs came to.
    """
    table, language = program.table, language_of(program.table)
    rules: Rules = {}
    whole = {rule.span: rule for rule in reversed(list(program.rules.values()))}
    for pair, rule in program.rules.items():
        # What writes the rest of a word is part of its rule.
        rules.setdefault(whole[rule.span], []).append(pair)
    seen = set(used)
    if language:
        seen |= _sampled(table, short_inputs(language))
    unseen = _not_among(seen, rules)
    if not unseen:
        return [], []
    on_worlds = _dead(table, _not_among(_sampled(table, small_worlds(table.symbols)), unseen), "worlds")
    others = {rule: pairs for rule, pairs in unseen.items() if rule not in on_worlds}
    on_inputs = _dead(table, others, "inputs") if language else {}
    return _described(table, on_worlds), _described(table, on_inputs)


def _not_among(seen: set[Pair], rules: Rules) -> Rules:
    return {rule: pairs for rule, pairs in rules.items() if seen.isdisjoint(pairs)}


def _dead(table: Table, rules: Rules, scope: str) -> Rules:
    """Those of the rules that a proof shows to be used nowhere at the scope."""
    dead = dead_pairs(table, scope) if rules else set()
    return {rule: pairs for rule, pairs in rules.items() if dead.issuperset(pairs)}


def _sampled(table: Table, cases: Iterable[Case]) -> set[Pair]:
    runs = SampleRuns(table, table, UNASKED)
    runs.budget = LIMITS.unused_rule_steps
    runs.first_difference(cases, LIMITS.unused_rule_sample_steps)
    return runs.pairs


def _described(table: Table, rules: Rules) -> list[Unused]:
    """By file and line, with the first pair of each, and the number of its pairs."""
    described = [
        {
            "file": rule.span.source.path,
            "line": rule.span.line,
            "rule": " ".join(rule.span.text.split()),
            "state": table.states[pairs[0][0]],
            "symbol": table.symbols[pairs[0][1]],
            "pairs": len(pairs),
        }
        for rule, pairs in rules.items()
    ]
    return sorted(described, key=lambda each: tuple(each.values()))
