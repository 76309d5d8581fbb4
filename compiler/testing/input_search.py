"""Searching the declared inputs for one that something is wrong with, whatever that is.

All shortest inputs first, then longer ones of growing lengths, each input once; one that fails is shrunk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Generic, TypeVar

from gridlang.clauses.inputs import InputLanguage, rare_inputs
from gridlang.clauses.position_automaton import Bounds
from gridlang.compiler.proofs.differences.shrink import shrink_text
from gridlang.compiler.simulation.clause_folding import fold_clause
from gridlang.compiler.testing.drawn_inputs import InputDrawer
from gridlang.compiler.testing.limits import LIMITS
from gridlang.diagnostics import counted

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


Wrong = TypeVar("Wrong")


@dataclass(frozen=True, slots=True)
class Tried(Generic[Wrong]):
    """What one input showed: what its runs cost, in native steps, and what is wrong, if something is.

    One of which nothing is `asked`, or on which a run has not `ended`, shows nothing.
    """

    cost: int
    wrong: Wrong | None
    asked: bool = True
    ended: bool = True


@dataclass(frozen=True, slots=True)
class Searched(Generic[Wrong]):
    """What was tried, each input once: in order, drawn, and while a failing one was shrunk.

    Of up to `exhaustive` symbols all inputs were tried, which are `short` ones; `next_ones` are the first
    with one symbol more, and `random` ones are others that were drawn. Nothing is asked of `unasked` inputs,
    and on `unfinished` ones a run did not end.
    """

    cases: int
    exhaustive: int
    short: int
    next_ones: int
    random: int
    shrinking: int
    longest: int  # most symbols of an input that was tried
    complete: bool  # The language is finite, and all of it was tried.
    unasked: int
    unfinished: int
    shortest_unfinished: str | None
    smallest: Wrong | None

    @property
    def checked(self) -> int:
        """How many inputs showed something, right or wrong."""
        return self.cases - self.unasked - self.unfinished

    def described(self) -> str:
        """All but the shrinking: `all 126 inputs of up to 6 symbols, then 9 random ones of up to 90`."""
        if self.complete:
            return "the only input" if self.short == 1 else f"all {self.short:,} inputs that there are"
        ways = []
        if self.short:
            ways.append(f"all {counted(self.short, 'input')} of up to {counted(self.exhaustive, 'symbol')}")
        if self.next_ones:
            ways.append(f"the first {self.next_ones:,} of {counted(self.exhaustive + 1, 'symbol')}")
        if self.random:
            ways.append(f"then {self.random:,} random ones of up to {counted(self.longest, 'symbol')}")
        return ", ".join(ways)


class _InputSearch(Generic[Wrong]):
    def __init__(
        self,
        language: InputLanguage,
        judge: Callable[[str], Tried[Wrong]],
        longest: int,
        progress: Callable[[int], None],
    ) -> None:
        self.language, self.judge, self.progress = language, judge, progress
        self.longest = min(longest, language.longest())
        self.tried: set[str] = set()
        self.listed, self.drawn, self.shrinking = Counter[int](), Counter[int](), Counter[int]()  # by length
        self.spent = 0
        self.dearest = 0  # cost of a run at the length drawn last
        self.reach = self.longest  # A repetition that is longer takes too long.
        self.repeats = 0  # draws that were tried before
        self.exhaustive = -1
        self.unasked, self.unfinished = 0, list[str]()
        self.smallest: tuple[str, Wrong] | None = None
        self.unlisted = self._in_order()

    def is_new(self, text: str) -> bool:
        """Whether a text is to be tried: what is listed, drawn or shrunk comes by here, perhaps again.

        One that does not meet the condition is no input, but to ask costs.
        """
        if text in self.tried or self.language.condition is None:
            return text not in self.tried
        self.spent += LIMITS.condition_cost + LIMITS.symbol_cost * len(text)
        return self.language.allows(text)

    def wrong(self, text: str, way: Counter[int]) -> bool:
        """Tries an input, counted in `way`, and keeps it if something is wrong."""
        self.tried.add(text)
        way[len(text)] += 1
        self.progress(len(self.tried))
        tried = self.judge(text)
        self.spent += tried.cost + LIMITS.symbol_cost * len(text)
        self.dearest = max(self.dearest, tried.cost)
        if tried.wrong is not None:
            self.smallest = text, tried.wrong
            return True
        self.unasked += not tried.asked
        if tried.asked and not tried.ended:
            self.unfinished.append(text)
        return False

    def _in_order(self) -> Iterator[str]:
        """All texts of the form of an input, shortest first; `exhaustive` is the last length gone through."""
        for length in range(self.longest + 1):
            yield from self.language.texts(length)
            self.exhaustive = length

    def list_inputs(self, cases: int, cost: int) -> None:
        """Goes on with all inputs in order, until something is wrong or so much is spent."""
        limit, most = self.spent + cost, self.listed.total() + cases
        while self.listed.total() < most and self.spent < limit:
            text = next(self.unlisted, None)
            if text is None:
                return
            if not self.is_new(text):
                self.spent += LIMITS.symbol_cost * len(text)
            elif self.wrong(text, self.listed):
                return

    def draw_inputs(self, cases: int, seed: int) -> None:
        """Lengths that grow fast, then each one, again and again; until one is wrong or so much is spent."""
        drawer = InputDrawer(self.language, self.longest, Random(f"{seed} inputs"))
        budget = LIMITS.drawn_cost * max(1, cases // LIMITS.cases)
        limit, share, coarse = self.spent + budget, self.spent + int(LIMITS.coarse_share * budget), True
        while True:
            before, self.repeats = self.drawn.total(), 0
            for text in self._planned(drawer, coarse, share):
                if self.wrong(text, self.drawn) or self.drawn.total() >= cases or self.spent >= limit:
                    return
            fresh = self.drawn.total() - before
            if not coarse and fresh <= LIMITS.fresh_share * (fresh + self.repeats):
                self.list_inputs(cases - self.drawn.total(), limit - self.spent)
                return
            share, coarse = limit, False

    def _planned(self, drawer: InputDrawer, coarse: bool, limit: int) -> Iterator[str]:
        """New inputs of growing lengths, until runs cost too much or do not end, or no input is that long."""
        self.dearest, last = 0, 1
        tries = LIMITS.tries_with_a_condition if self.language.condition else LIMITS.tries_of_a_plan
        for length in self._lengths(drawer, coarse):
            # Most agents take about the square of the length.
            predicted = self.dearest * (length / last) ** 2 * (LIMITS.most_swept + 1)
            if length > self.reach or self.spent + predicted > limit:
                return
            self.dearest, last, too_long = 0, length, True
            for plan in drawer.plans(length):
                draws = (drawer.draw(plan) for _ in range(tries))
                for text in (text for text in draws if text is not None):
                    too_long = False
                    if self.is_new(text):
                        yield text
                        if text in self.unfinished[-1:]:
                            self.reach = length - 1
                        break
                    self.repeats += text in self.tried
            if too_long:
                return

    def _lengths(self, drawer: InputDrawer, coarse: bool) -> Iterator[int]:
        """Lengths of repetitions beyond those tried in full."""
        first = max(1, self.exhaustive if drawer.repetitions else 1)
        if not coarse:
            yield from range(first, self.longest + 1)
            return
        length = float(first)
        while length < self.longest:
            yield int(length)
            length = max(length + 1, length * LIMITS.coarse)

    def shrink(self) -> None:
        """Makes the wrong input smaller; shorter ones that were all tried are not tried again."""
        assert self.smallest
        limit = self.spent + LIMITS.shrinking_cost

        def fails(text: str) -> bool:
            done = self.shrinking.total() >= LIMITS.shrinking_cases or self.spent >= limit
            declared = not done and self.language.mismatch(text) is None and self.is_new(text)
            return declared and self.wrong(text, self.shrinking)

        shrink_text(self.smallest[0], self.language, fails)

    def searched(self) -> Searched[Wrong]:
        def beyond(way: Counter[int]) -> int:
            return sum(number for length, number in way.items() if length > self.exhaustive)

        next_ones, random, shrinking = map(beyond, (self.listed, self.drawn, self.shrinking))
        return Searched(
            len(self.tried),
            self.exhaustive,
            len(self.tried) - next_ones - random - shrinking,
            next_ones,
            random,
            shrinking,
            max(self.listed + self.drawn, default=0),
            self.exhaustive == self.language.longest(),
            self.unasked,
            len(self.unfinished),
            min(self.unfinished, key=len, default=None),
            self.smallest[1] if self.smallest else None,
        )


def search_inputs(
    language: InputLanguage,
    judge: Callable[[str], Tried[Wrong]],
    cases: int,
    seed: int,
    progress: Callable[[int], None],
    longest: int | None = None,
) -> Searched[Wrong]:
    """Looks for the smallest declared input with something wrong; `cases` longer ones are drawn.

    Without a `longest` length, inputs have up to 500 symbols, or as many as the shortest ones need. Raises
    RareInputs where none was met that meets the condition.
    """
    if longest is None:
        longest = max(LIMITS.longest, 2 * language.least())
    search = _InputSearch(language, judge, longest, progress)
    search.list_inputs(LIMITS.listed_cases, LIMITS.listed_cost)
    if search.smallest is None and search.exhaustive < search.longest and cases:
        search.draw_inputs(cases, seed)
        if search.smallest:
            search.shrink()
    if language.condition and not search.tried:
        raise rare_inputs(language)
    return search.searched()


def strings(language: InputLanguage, longest: int) -> SearchStrategy[str]:
    """A hypothesis strategy for declared inputs whose repetitions have at most this length."""
    from hypothesis import strategies as st

    def many(body: SearchStrategy[str], bounds: Bounds) -> SearchStrategy[str]:
        least, most = bounds.least, max(longest, bounds.least)
        if bounds.most is not None:
            most = min(bounds.most, max(most, 1))
        return st.lists(body, min_size=least, max_size=most).map("".join)

    def row(parts: list[SearchStrategy[str]]) -> SearchStrategy[str]:
        return st.tuples(*parts).map("".join)

    texts = fold_clause(language, st.sampled_from, many, st.one_of, row)
    return texts if language.condition is None else texts.filter(language.allows)
