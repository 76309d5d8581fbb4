"""Searching for an input on which an agent does not do what its `output` clause says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from compiler.engines import execute
from compiler.simulate import HALTED
from compiler.testing.input_search import Tried, search_inputs
from gridlang.clauses.outputs import OutputRule
from gridlang.table import Table
from gridlang.world import string_world


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input whose result is wrong; `got` is None unless the run halted."""

    input: str
    expected: str
    got: str | None
    outcome: str
    steps: int


@dataclass(frozen=True, slots=True)
class SearchReport:
    """What was tried: how many inputs, all up to which length, and which rules they used."""

    cases: int
    exhaustive: int
    complete: bool  # The language is finite, and all of it was tried.
    unused: tuple[tuple[str, str], ...]  # No input used these pairs of state and symbol.
    reachable: int
    counterexample: Counterexample | None
    used: frozenset[tuple[int, int]] = frozenset()  # The same by number, for all that some input used.

    @property
    def covered(self) -> int:
        return self.reachable - len(self.unused)


def search_counterexample(
    table: Table,
    rule: OutputRule,
    *,
    cases: int = 400,
    steps: int = 100_000,
    seed: int = 0,
    engine: str = "auto",
    progress: Callable[[int], None] = lambda _: None,
) -> SearchReport:
    """Looks for a counterexample to an output clause."""
    covered: set[tuple[int, int]] = set()

    def judge(text: str) -> Tried[Counterexample]:
        done = execute(table, string_world(text), steps, engine, profile=True)
        used = set(done.profile or ())
        covered.update(used)
        expected, halted = rule.expected(text), done.outcome == HALTED
        wrong = None
        if expected is not None and not (halted and rule.agrees(expected, done.result)):
            got = done.result if halted else None
            wrong = Counterexample(text, str(expected), got, done.outcome, done.steps)
        return Tried(done.steps, len(used), wrong)

    searched = search_inputs(rule.language, judge, cases, seed, progress)
    unused = tuple(
        (table.states[state], table.symbols[symbol])
        for state, symbol, _ in table.entries()
        if (state, symbol) not in covered
    )
    return SearchReport(
        searched.cases,
        searched.exhaustive,
        searched.complete,
        unused,
        table.transitions,
        searched.smallest,
        frozenset(covered),
    )
