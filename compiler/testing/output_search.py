"""Searching for an input on which an agent does not do what its `output` clause says.

All shortest inputs first, then inputs drawn by hypothesis with growing lengths, steered towards
those that exercise many rules, and shrunk to a smallest failing one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from compiler.engines import execute
from compiler.simulate import HALTED
from gridlang.clauses.inputs import InputLanguage
from gridlang.clauses.outputs import OutputRule
from gridlang.files import cache_folder
from gridlang.syntax import tree as s
from gridlang.table import Table
from gridlang.world import string_world

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

EXHAUSTIVE_CASES = 6_000  # So many of all shortest inputs take about a second, as do their steps.
EXHAUSTIVE_STEPS = 600_000
RANDOM_STEPS = 10_000_000  # Drawing and shrinking end here, with the smallest input so far.
LONGEST_EXHAUSTIVE = 24  # Only a language of one input a length is listed up to so many symbols.
# Drawn inputs have more and more repetitions: short failures come first, and shrink faster.
GROWING = (3, 6, 12, 24)


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


class _CounterexampleSearch:
    def __init__(
        self, table: Table, rule: OutputRule, steps: int, engine: str, progress: Callable[[int], None]
    ) -> None:
        self.table = table
        self.engine = engine
        self.rule = rule
        self.steps = steps
        self.progress = progress
        self.cases = 0
        self.spent = 0
        self.covered: set[tuple[int, int]] = set()
        self.last_coverage = 0
        self.smallest: Counterexample | None = None

    def wrong(self, text: str) -> Counterexample | None:
        """The counterexample that this input is, if it is one."""
        done = execute(self.table, string_world(text), self.steps, self.engine, profile=True)
        used = set(done.profile or ())
        self.cases += 1
        self.spent += done.steps
        self.covered |= used
        self.last_coverage = len(used)
        self.progress(self.cases)
        expected = self.rule.expected(text)
        if expected is None:
            return None
        if done.outcome == HALTED and self.rule.agrees(expected, done.result):
            return None
        got = done.result if done.outcome == HALTED else None
        counterexample = Counterexample(text, expected, got, done.outcome, done.steps)
        if self.smallest is None or (len(text), text) < (len(self.smallest.input), self.smallest.input):
            self.smallest = counterexample
        return counterexample

    def exhaustively(self) -> tuple[int, bool]:
        """All inputs, shortest first, as long as the budget lasts: up to which length, and whether all."""
        longest = self.rule.language.longest()
        for length in range(min(LONGEST_EXHAUSTIVE, longest) + 1):
            for text in self.rule.language.strings(length):
                if self.cases >= EXHAUSTIVE_CASES or self.spent >= EXHAUSTIVE_STEPS:
                    return length - 1, False
                if self.wrong(text):
                    return length - 1, False
        return min(LONGEST_EXHAUSTIVE, longest), longest <= LONGEST_EXHAUSTIVE

    def at_random(self, cases: int, seed: int) -> None:
        """Hypothesis draws, steers and shrinks; `smallest` keeps what it finds."""
        import hypothesis
        from hypothesis.configuration import set_hypothesis_home_dir
        from hypothesis.errors import NoSuchExample

        set_hypothesis_home_dir(os.path.join(cache_folder(), "hypothesis"))
        settings = hypothesis.settings(
            max_examples=max(1, cases // len(GROWING)),
            database=None,
            deadline=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )

        limit = self.spent + RANDOM_STEPS

        def fails(text: str) -> bool:
            if self.spent >= limit:
                return False
            counterexample = self.wrong(text)
            hypothesis.target(float(self.last_coverage), label="rules used")
            return counterexample is not None

        for longest in GROWING:
            strategy = strings(self.rule.language, longest)
            # None is found, or the budget ends while one is being shrunk.
            with suppress(NoSuchExample, hypothesis.errors.Flaky):
                hypothesis.find(strategy, fails, settings=settings, random=Random(seed))
            if self.smallest or self.spent >= limit:
                return


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
    looking = _CounterexampleSearch(table, rule, steps, engine, progress)
    exhaustive, complete = looking.exhaustively()
    if looking.smallest is None and not complete and cases:
        looking.at_random(cases, seed)
    unused = tuple(
        (table.states[state], table.symbols[symbol])
        for state, symbol, _ in table.entries()
        if (state, symbol) not in looking.covered
    )
    used = frozenset(looking.covered)
    return SearchReport(
        looking.cases, exhaustive, complete, unused, table.transitions, looking.smallest, used
    )


def strings(language: InputLanguage, longest: int) -> SearchStrategy[str]:
    """A hypothesis strategy for declared inputs whose repetitions have at most this length."""
    from hypothesis import strategies as st

    cells = iter(language.cells)

    def piece(node: s.Piece) -> SearchStrategy[str]:
        if isinstance(node, s.One):
            return st.sampled_from(next(cells))
        if isinstance(node, s.Choice):
            return st.one_of([piece(option) for option in node.options])
        if isinstance(node, s.Sequence):
            return st.tuples(*(piece(part.piece) for part in node.parts)).map("".join)
        body = piece(node.piece)
        low, high = {"+": (1, longest), "*": (0, longest), "?": (0, 1)}[node.quantifier]
        return st.lists(body, min_size=low, max_size=max(high, low)).map("".join)

    return st.tuples(*(piece(part.piece) for part in language.parts)).map("".join)
