"""The search for a difference: a world or an input that shows one, as small as can be had, without any proof.

Short inputs and small worlds are tried as they come; an abstraction that fails leads to others. All budgets
count steps, so what is found never depends on the clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count, islice, product, takewhile
from random import Random
from typing import Any, NamedTuple

from gridlang.clauses.inputs import InputLanguage, RareInputs
from gridlang.compiler.proofs.abstractions.windows import Guide, WindowProduct
from gridlang.compiler.proofs.differences.concretize import AnySymbol, Reader, concretize
from gridlang.compiler.proofs.differences.joint_runs import Case, JointRuns
from gridlang.compiler.proofs.differences.shrink import replay, shrink, shrink_input
from gridlang.compiler.proofs.equivalence import Observation, Suspicion
from gridlang.compiler.proofs.joint_step import RIGHT_DIFFERS, Place, Stuck, joint_run
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.stages import Comparison, Failure
from gridlang.compiler.simulation.random_inputs import input_drawer, lengths_up_to
from gridlang.compiler.verifier import limits as checker
from gridlang.table import Table
from gridlang.world import World, string_world

# Few symbols make many more boxes than can be tried; what lies three cells away rarely matters first.
BOXES = ((1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (2, 2))


class Sample(NamedTuple):
    """A world or an input that shows a difference, the step of it, and where both tables stand then."""

    case: Case
    step: int
    place: Place


class SampleRuns:
    """Runs of two tables together, with a budget of steps over all of them."""

    def __init__(self, left: Table, right: Table, stuck: Stuck) -> None:
        self.runs = JointRuns(left, right, stuck)
        self.budget = self.tried = 0
        self.pairs: set[tuple[int, int]] = set()  # LEFT's states with the symbols that they were seen to read

    def difference(self, case: Case, steps: int) -> Sample | None:
        """How RIGHT differs on a case, if that comes so soon and the budget is not spent."""
        if self.budget <= 0:
            return None
        self.tried += 1
        done = self.runs.run(case, steps)
        # Drawing a long input takes longer than getting stuck on it at once.
        self.budget -= done.steps + (len(case) if isinstance(case, str) else 0)
        self.pairs.update((edge.left, edge.symbol) for edge in done.fresh)
        if done.ending is RIGHT_DIFFERS and done.last:
            return Sample(case, done.steps, Place(*done.last[:3]))
        return None

    def first_difference(self, cases: Iterable[Case], steps: int) -> Sample | None:
        """That of the first case that shows one, as far as the budget allows."""
        left = takewhile(lambda _: self.budget > 0, cases)
        return next(filter(None, (self.difference(case, steps) for case in left)), None)


def short_inputs(language: InputLanguage) -> Iterator[str]:
    """Declared inputs, the shortest first, those of one length in the order of the clause."""
    return language.shortest(LIMITS.longest_short_input)


def random_inputs(language: InputLanguage) -> Iterator[str]:
    """Declared inputs whose repetitions grow, for ever; fewer where hardly any text meets the condition."""
    draw = input_drawer(language, Random(0))
    with suppress(RareInputs):
        for number in count():
            yield draw(lengths_up_to(LIMITS.longest_drawn_first + number // LIMITS.drawn_of_a_length))


def small_worlds(symbols: Sequence[str]) -> Iterator[World]:
    """All contents of small boxes, from each of their cells; then random ones of larger boxes, for ever."""
    for width, height in BOXES:
        cells = list(product(range(width), range(height)))
        contents = islice(product(symbols, repeat=len(cells)), LIMITS.boxes_tried)
        for filling, start in product(contents, cells):
            yield World(dict(zip(cells, filling, strict=True)), start)
    random, side = Random(0), range(LIMITS.random_side)
    square = list(product(side, side))
    while True:
        filled = random.random()
        cells = [cell for cell in square if random.random() < filled]
        yield World({cell: random.choice(symbols) for cell in cells}, (LIMITS.random_side // 2,) * 2)


class Difference(NamedTuple):
    """What a verdict says of a difference; the names are those of its fields."""

    counterexample: tuple[Observation, ...]
    world: World
    input: str | None
    shortest: bool
    left_state: str
    right_state: str


class DifferenceSearch:
    """Looks for a difference of two tables, by what is known so far: the guide of the last abstraction."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.left, self.right, self.inputs, self.stuck, *_ = comparison
        self.reader: Reader = self.inputs or AnySymbol(len(self.left.symbols))
        self.blind = self.guide = Guide(WindowProduct(self.left.rows, self.right.rows, 0, self.stuck))
        self.runs = SampleRuns(self.left, self.right, self.stuck)
        self.drawn = False  # Random inputs were tried.

    def among_short_inputs(self) -> Difference | None:
        """That of the smallest input, if it is among the first ones; at scope `worlds` nothing is tried."""
        return self._among_samples(LIMITS.first_sample_steps) if self.inputs else None

    def after(self, failure: Failure) -> Difference | None:
        """What a stage that gave no proof leads to: on worlds by its guide, on inputs among random ones."""
        if failure.input is not None:
            return self._shown(failure.input, checker.LIMITS.run_steps + 1, None)
        if failure.guide is not None:
            self.guide = failure.guide
            return None if self.inputs else self._by_guide(LIMITS.first_search_steps)
        if self.inputs is None or self.drawn:
            return None
        self.drawn = True
        self.runs.budget = LIMITS.last_sample_steps
        sample = self.runs.first_difference(random_inputs(self.inputs.language), LIMITS.steps_of_a_sample)
        return sample and self._smallest(self.inputs.language, str(sample.case), sample.step, None)

    def _smallest(self, language: InputLanguage, text: str, step: int, least: int | None) -> Difference:
        """What is shown for an input with a difference: the smallest that has one about as soon.

        It is the first in the order of length and clause where the budget of steps is enough to try them all;
        else symbols are left out and lowered one by one, with the same budget again.
        """
        bound = max(LIMITS.steps_of_a_sample, LIMITS.later * step)
        self.runs.budget = LIMITS.last_sample_steps
        shorter = takewhile(lambda each: len(each) <= len(text) and each != text, short_inputs(language))
        smallest = self.runs.first_difference(shorter, bound)
        if smallest:
            return self._shown(smallest.case, bound, least)
        self.runs.budget = LIMITS.last_sample_steps
        shrunk = shrink_input(text, language, lambda world: self.runs.difference(world, bound))
        return self._shown(shrunk, bound, least)

    def _by_guide(self, budget: int) -> Difference | None:
        difference = concretize(self.guide, self.reader, budget)
        if difference is None:
            return None
        if self.inputs:
            text = self.inputs.complete(difference.first)
            if not self.inputs.language.allows(text):
                return None  # not an input; other texts with the same reads may not differ
            return self._smallest(self.inputs.language, text, difference.step, difference.step)
        world = World({cell: self.left.symbols[symbol] for cell, symbol in difference.first.items()})
        return self._shown(world, difference.step, difference.step)

    def at_last(self, shortly: bool) -> Difference | None:
        """One by the guide, or among more inputs or worlds that are simply tried."""
        budget = LIMITS.first_search_steps if shortly else LIMITS.last_search_steps
        hopeless = (shortly and self.inputs is None) or needs_condition(self.comparison)
        guided = None if hopeless else self._by_guide(budget)
        return guided if guided or shortly else self._among_samples(LIMITS.last_sample_steps)

    def suspicion(self, place: Place) -> Suspicion:
        """A place in words, and whether LEFT was seen there in any of the runs."""
        p, q, symbol = place
        states = self.left.states[p], self.right.states[q]
        return Suspicion(*states, self.left.symbols[symbol], (p, symbol) in self.runs.pairs, self.runs.tried)

    def _among_samples(self, budget: int) -> Difference | None:
        """That of the first of the short inputs, or of the small worlds, that show one."""
        self.runs.tried, self.runs.budget = 0, budget
        inputs = self.inputs
        cases: Any = short_inputs(inputs.language) if inputs else small_worlds(self.left.symbols)
        sample = self.runs.first_difference(cases, LIMITS.steps_of_a_sample)
        if sample is None:
            return None
        first = concretize(self.blind, self.reader, LIMITS.first_search_steps)
        case = sample.case
        if isinstance(case, World):
            case = shrink(case, lambda world: self._replayed(world, sample.step))
        return self._shown(case, sample.step, first and first.step)

    def _replayed(self, world: World, step: int) -> tuple[Observation, ...] | None:
        return replay(self.left, self.right, world, step, self.stuck)

    def _shown(self, case: Case, bound: int, least: int | None) -> Difference:
        """All steps up to a difference at step `bound` or before, as the reference simulator does them.

        No difference at all comes before the step `least`, where that is known.
        """
        world = string_world(case) if isinstance(case, str) else case
        steps = self._replayed(world, bound)
        assert steps is not None, "what forgets nothing agrees with the reference simulator"
        *_, last = joint_run(self.left, self.right.rows, world, len(steps), self.stuck)
        states = self.left.states[last.left], self.right.states[last.right]
        return Difference(steps, world, case if isinstance(case, str) else None, len(steps) == least, *states)


def needs_condition(comparison: Comparison) -> bool:
    """Whether a short text that the condition of the inputs leaves out shows a difference.

    No proof about all texts can be had then, and guides, which know no conditions, lead to such texts.
    """
    language = comparison.inputs.language if comparison.inputs else None
    if language is None or language.condition is None:
        return False
    runs = SampleRuns(comparison.left, comparison.right, comparison.stuck)
    runs.budget = LIMITS.first_sample_steps
    texts = short_inputs(replace(language, condition=None))
    return runs.first_difference(texts, LIMITS.steps_of_a_sample) is not None
