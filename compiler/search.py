"""Searching for an input on which an agent does not do what its `output` clause says.

All shortest inputs first, then inputs drawn by hypothesis with growing lengths, steered towards
those that exercise many rules, and shrunk to a smallest failing one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from compiler.engines import execute
from compiler.simulate import HALTED
from gridlang import syntax as s
from gridlang.files import cache_folder
from gridlang.inputs import InputLanguage
from gridlang.outputs import OutputRule
from gridlang.table import Table
from gridlang.world import string_world

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

EXHAUSTIVE_CASES = 6_000
EXHAUSTIVE_STEPS = 600_000
LONGEST_EXHAUSTIVE = 24
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
    covered: int
    reachable: int
    counterexample: Counterexample | None


class _Search:
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
        if done.outcome == HALTED and self.rule.agrees(expected, done.result):
            return None
        got = done.result if done.outcome == HALTED else None
        return Counterexample(text, expected, got, done.outcome, done.steps)

    def exhaustively(self) -> tuple[int, Counterexample | None]:
        """All inputs, shortest first, as long as the budget lasts."""
        for length in range(LONGEST_EXHAUSTIVE + 1):
            for text in self.rule.language.strings(length):
                if self.cases >= EXHAUSTIVE_CASES or self.spent >= EXHAUSTIVE_STEPS:
                    return length - 1, None
                found = self.wrong(text)
                if found:
                    return length - 1, found
        return LONGEST_EXHAUSTIVE, None

    def at_random(self, cases: int, seed: int) -> Counterexample | None:
        """Hypothesis draws, steers and shrinks."""
        import hypothesis
        from hypothesis.configuration import set_hypothesis_home_dir
        from hypothesis.errors import NoSuchExample

        set_hypothesis_home_dir(cache_folder() / "hypothesis")
        settings = hypothesis.settings(
            max_examples=max(1, cases // len(GROWING)),
            database=None,
            deadline=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )

        def fails(text: str) -> bool:
            found = self.wrong(text)
            hypothesis.target(float(self.last_coverage), label="rules used")
            return found is not None

        for longest in GROWING:
            strategy = strings(self.rule.language, longest)
            try:
                smallest = hypothesis.find(strategy, fails, settings=settings, random=Random(seed))
            except NoSuchExample:
                continue
            return self.wrong(smallest)
        return None


def search(
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
    looking = _Search(table, rule, steps, engine, progress)
    exhaustive, found = looking.exhaustively()
    if found is None and cases:
        found = looking.at_random(cases, seed)
    return SearchReport(looking.cases, exhaustive, len(looking.covered), table.transitions, found)


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
