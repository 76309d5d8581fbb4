"""Searching for an input on which an agent does not do what its `output` clause says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from compiler.engines import execute
from compiler.simulate import HALTED
from compiler.testing.input_search import Tried, search_inputs
from gridlang.clauses.output_kinds import Acceptance
from gridlang.clauses.outputs import OutputRule
from gridlang.table import Table
from gridlang.world import string_world


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input whose result is wrong; `got` is None unless the run halted.

    `expected` is the result, or None where the clause asks for a `verdict` instead: accept or stuck.
    """

    input: str
    expected: str | None
    got: str | None
    outcome: str
    steps: int
    verdict: str | None = None


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
        expected = rule.expected(text)
        wrong = None
        if expected is not None and not rule.is_met(expected, done):
            got = done.result if done.outcome == HALTED else None
            result, verdict = (None, expected.value) if isinstance(expected, Acceptance) else (expected, None)
            wrong = Counterexample(text, result, got, done.outcome, done.steps, verdict)
        return Tried(done.steps, len(used), wrong)

    searched = search_inputs(rule.language, judge, cases, seed, progress)
    # Nobody wrote the rules of the target `halt`, so none of them is missed.
    written = [(state, symbol) for state, symbol, _ in table.entries() if not table.is_halt_target(state)]
    unused = tuple(
        (table.states[state], table.symbols[x]) for state, x in written if (state, x) not in covered
    )
    return SearchReport(
        searched.cases,
        searched.exhaustive,
        searched.complete,
        unused,
        len(written),
        searched.smallest,
        frozenset(covered),
    )
