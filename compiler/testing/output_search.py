"""Searching for an input on which an agent does not do what its `output` clause says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from compiler.simulation.simulate import BUDGET, HALTED
from compiler.testing.input_runs import WALKS_OFF, InputRuns
from compiler.testing.input_search import Searched, Tried, search_inputs
from compiler.testing.limits import LIMITS
from compiler.testing.oracles import Expectation
from gridlang.clauses.functions import Acceptance
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
