"""Searching for an input on which an agent does not do what its `output` clause says."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from compiler.proofs.results.claims import REFUTED, TESTED, UNKNOWN, Claim
from compiler.simulation.simulate import BUDGET, HALTED, LOOPING
from compiler.testing.input_runs import WALKS_OFF, InputRuns
from compiler.testing.input_search import Searched, Tried, search_inputs
from compiler.testing.limits import LIMITS
from compiler.testing.oracles import Expectation, clause_of, expectation_of
from gridlang.clauses.functions import Acceptance
from gridlang.clauses.inputs import RareInputs
from gridlang.diagnostics import counted
from gridlang.program import Program
from gridlang.table import Table


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input whose result is wrong; `got` is None unless the run halted. `reason` says why it cannot.

    `expected` is the result, or None where the clause asks for a `verdict` instead: accept or stuck.
    """

    input: str
    expected: str | None
    got: str | None
    outcome: str
    steps: int
    verdict: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SearchReport:
    """Which inputs were tried, and which rules they used."""

    inputs: Searched[Counterexample]
    steps: int  # most steps of a run
    unused: tuple[tuple[str, str], ...]  # state and symbol that no input used
    reachable: int
    used: frozenset[tuple[int, int]] = frozenset()  # by number, what some input used

    @property
    def counterexample(self) -> Counterexample | None:
        return self.inputs.smallest

    @property
    def covered(self) -> int:
        return self.reachable - len(self.unused)


def search_counterexample(
    table: Table,
    rule: Expectation,
    cases: int = LIMITS.cases,
    steps: int = LIMITS.most_steps,
    seed: int = 0,
    engine: str = "auto",
    longest: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> SearchReport:
    """Looks for a counterexample to an output clause, on short inputs and `cases` drawn ones."""
    runs, longest_run = InputRuns(table, engine), 0

    def judge(text: str) -> Tried[Counterexample]:
        nonlocal longest_run
        expected = rule.expected(text)
        done, cost = runs.run(text, steps, asked=expected is not None)
        if expected is None:
            return Tried(cost, None, asked=False)
        if rule.is_met(expected, done):
            longest_run = max(longest_run, done.steps)
            return Tried(cost, None)
        if done.outcome == BUDGET and done.reason != WALKS_OFF and done.steps < LIMITS.sudden * longest_run:
            return Tried(cost, None, ended=False)
        got = done.result if done.outcome == HALTED else None
        result, verdict = (
            (None, expected.value) if isinstance(expected, Acceptance) else (str(expected), None)
        )
        return Tried(cost, Counterexample(text, result, got, done.outcome, done.steps, verdict, done.reason))

    searched = search_inputs(rule.language, judge, cases, seed, progress, longest)
    covered = runs.used()
    # What nobody wrote is not missed.
    written = [(state, symbol) for state, symbol, _ in table.entries() if table.is_written(state)]
    unused = tuple(
        (table.states[state], table.symbols[x]) for state, x in written if (state, x) not in covered
    )
    return SearchReport(searched, steps, unused, len(written), frozenset(covered))


def searched_claims(
    program: Program, claims: Iterable[Claim], progress: Callable[[int], None] = lambda _: None
) -> tuple[Claim, ...]:
    """Claims about an agent, after the search of `test` where its `output` line is not proven.

    What another agent says (`output as`) is one claim more.
    """
    given, says = tuple(claims), clause_of(program)
    if program.oracle:
        both = f"{shlex.quote(program.oracle.file)} {shlex.quote(program.file)}"
        given = (Claim(says, UNKNOWN, f"`gridlang equiv --io {both}` may prove it"), *given)
    open_claims = [claim for claim in given if claim.says == says and claim.answer in (TESTED, UNKNOWN)]
    rule = expectation_of(program, LIMITS.most_steps)
    if not open_claims or rule is None:
        return given
    try:
        found = search_counterexample(program.table, rule, progress=progress)
    except RareInputs:
        return given
    wrong = found.counterexample
    if wrong:
        return tuple(_refuted(claim, wrong, says) for claim in given)
    if not found.inputs.checked:
        return given
    all_of_them = "all " if found.inputs.complete and found.inputs.checked == found.inputs.cases > 1 else ""
    tried = f"on {all_of_them}{counted(found.inputs.checked, 'input')}"
    return tuple(
        claim._replace(answer=TESTED, tried=tried) if claim in open_claims else claim for claim in given
    )


def _refuted(claim: Claim, wrong: Counterexample, output: str) -> Claim:
    """What a wrong run says of a claim: that of the output is refuted, and halting by a run without end."""
    if claim.answer not in (TESTED, UNKNOWN) or claim.says not in (output, "halts"):
        return claim
    if claim.says == output:
        wanted = "that it halts" if wrong.verdict == "accept" else f"`{wrong.verdict or wrong.expected}`"
        return Claim(output, REFUTED, f"{_ending(wrong)} where {wanted} is wanted", None, wrong.input)
    if wrong.outcome == HALTED or wrong.verdict == "stuck":
        return claim
    answer = REFUTED if wrong.outcome != BUDGET or wrong.reason else UNKNOWN
    return Claim("halts", answer, _ending(wrong), None, wrong.input)


def _ending(wrong: Counterexample) -> str:
    """How a run ends."""
    if wrong.got is not None:
        return f"it leaves `{wrong.got}`"
    if wrong.outcome == LOOPING:
        return "it goes round in circles"
    if wrong.outcome == BUDGET:
        return wrong.reason or f"it still runs after {wrong.steps:,} steps"
    return f"it is {wrong.outcome}"
