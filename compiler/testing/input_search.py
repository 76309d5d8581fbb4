"""Searching the declared inputs for one that something is wrong with, whatever that is.

All shortest inputs first, then inputs drawn by hypothesis with growing lengths, steered towards
those that exercise many rules, and shrunk to a smallest failing one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Generic, TypeVar

from gridlang.clauses.inputs import InputLanguage, RareInputs, rare_inputs
from gridlang.clauses.repetitions import bounds_of, cells_in
from gridlang.files import cache_folder
from gridlang.syntax import tree as s

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

EXHAUSTIVE_CASES = 6_000  # So many of all shortest inputs take about a second, as do their steps.
EXHAUSTIVE_STEPS = 600_000
RANDOM_STEPS = 10_000_000  # Drawing and shrinking end here, with the smallest input so far.
LONGEST_EXHAUSTIVE = 24  # Only a language of one input a length is listed up to so many symbols.
# Drawn inputs have more and more repetitions: short failures come first, and shrink faster.
GROWING = (3, 6, 12, 24)
# Hypothesis draws cell by cell, and steers by changing one choice after the other, which takes minutes where
# there are many. A clause of more cells is not steered, and gets fewer drawn inputs in proportion.
MOST_CELLS_STEERED = 16

Wrong = TypeVar("Wrong")


@dataclass(frozen=True, slots=True)
class Tried(Generic[Wrong]):
    """What one input showed: steps that it took, rules that it used, and what is wrong, if something is."""

    steps: int
    rules_used: int
    wrong: Wrong | None


@dataclass(frozen=True, slots=True)
class Searched(Generic[Wrong]):
    """How many inputs were tried, all up to which length, and what is wrong with the smallest that fails."""

    cases: int
    exhaustive: int
    complete: bool  # The language is finite, and all of it was tried.
    smallest: Wrong | None


class _InputSearch(Generic[Wrong]):
    def __init__(
        self, language: InputLanguage, judge: Callable[[str], Tried[Wrong]], progress: Callable[[int], None]
    ) -> None:
        self.language, self.judge, self.progress = language, judge, progress
        self.cases = self.spent = 0
        self.smallest: tuple[int, str, Wrong] | None = None

    def tried(self, text: str) -> Tried[Wrong]:
        """What an input shows; the smallest one with something wrong is kept."""
        tried = self.judge(text)
        self.cases += 1
        self.spent += tried.steps
        self.progress(self.cases)
        if tried.wrong is not None and (
            self.smallest is None or (len(text), text) < (self.smallest[0], self.smallest[1])
        ):
            self.smallest = len(text), text, tried.wrong
        return tried

    def exhaustively(self) -> tuple[int, bool]:
        """All inputs, shortest first, as long as the budget lasts: up to which length, and whether all."""
        longest = self.language.longest()
        for length in range(min(LONGEST_EXHAUSTIVE, longest) + 1):
            try:
                for text in self.language.strings(length):
                    if self.cases >= EXHAUSTIVE_CASES or self.spent >= EXHAUSTIVE_STEPS:
                        return length - 1, False
                    if self.tried(text).wrong is not None:
                        return length - 1, False
            except RareInputs:
                return length - 1, False
        return min(LONGEST_EXHAUSTIVE, longest), longest <= LONGEST_EXHAUSTIVE

    def at_random(self, cases: int, seed: int) -> None:
        """Hypothesis draws, steers and shrinks; `smallest` keeps what it finds."""
        import hypothesis
        from hypothesis.configuration import set_hypothesis_home_dir
        from hypothesis.errors import NoSuchExample

        set_hypothesis_home_dir(os.path.join(cache_folder(), "hypothesis"))
        cells = len(self.language.cells)
        is_steered = cells <= MOST_CELLS_STEERED
        share = 1 if is_steered else MOST_CELLS_STEERED / cells
        settings = hypothesis.settings(
            max_examples=max(1, int(share * cases) // len(GROWING)),
            database=None,
            deadline=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        limit = self.spent + RANDOM_STEPS

        def fails(text: str) -> bool:
            if self.spent >= limit:
                return False
            tried = self.tried(text)
            if is_steered:
                hypothesis.target(float(tried.rules_used), label="rules used")
            return tried.wrong is not None

        for longest in GROWING:
            strategy = strings(self.language, longest)
            # None is found, or the budget ends while one is being shrunk.
            with suppress(NoSuchExample, hypothesis.errors.Flaky, hypothesis.errors.Unsatisfiable):
                hypothesis.find(strategy, fails, settings=settings, random=Random(seed))
            if self.smallest or self.spent >= limit:
                return


def search_inputs(
    language: InputLanguage,
    judge: Callable[[str], Tried[Wrong]],
    cases: int,
    seed: int,
    progress: Callable[[int], None],
) -> Searched[Wrong]:
    """Looks for the smallest declared input with something wrong; so many random ones are tried."""
    search = _InputSearch(language, judge, progress)
    exhaustive, complete = search.exhaustively()
    if search.smallest is None and not complete and cases:
        search.at_random(cases, seed)
    if not search.cases and language.condition:
        raise rare_inputs(language)
    smallest = search.smallest[2] if search.smallest else None
    return Searched(search.cases, exhaustive, complete, smallest)


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
        body, (least, most) = piece(node.piece), bounds_of(node)
        for _ in range(cells_in(node) - cells_in(node.piece)):
            next(cells)  # Counts write the same cells out again.
        most = max(longest, least) if most is None else min(most, max(longest, least, 1))
        return st.lists(body, min_size=least, max_size=most).map("".join)

    texts = st.tuples(*(piece(part.piece) for part in language.parts)).map("".join)
    return texts if language.condition is None else texts.filter(language.allows)
