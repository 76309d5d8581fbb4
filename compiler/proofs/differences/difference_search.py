"""The search for a difference: a world or an input that shows one, as small as can be had, with its steps.

Short inputs and small worlds are tried as they come; an abstraction that fails leads to others. All budgets
count steps, so what is found never depends on the clock.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from compiler.proofs.abstractions.windows import Guide, WindowProduct
from compiler.proofs.differences.concretize import (
    AnySymbol,
    Reader,
    concretize,
    first_step_of_difference,
)
from compiler.proofs.differences.joint_runs import Case
from compiler.proofs.differences.sample_runs import (
    SampleRuns,
    random_inputs,
    short_inputs,
    small_worlds,
    smallest_input,
    world_of,
)
from compiler.proofs.differences.shrink import replay, shrink
from compiler.proofs.equivalence import Observation, Suspicion
from compiler.proofs.joint_step import Place, joint_run
from compiler.proofs.limits import LIMITS
from compiler.proofs.stages import Comparison, Failure
from gridlang.clauses.inputs import InputLanguage
from gridlang.table import Table
from gridlang.world import World


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

    def __init__(self, comparison: Comparison, right: Table) -> None:
        self.left, self.rows, self.inputs, self.stuck, _, self.progress = comparison
        self.comparison, self.right = comparison, right
        self.reader: Reader = self.inputs or AnySymbol(len(self.left.symbols))
        self.blind = self.guide = Guide(WindowProduct(self.left.rows, self.rows, 0, self.stuck))
        self.runs = SampleRuns(self.left, self.rows, self.stuck)
        self.drawn = False  # Random inputs were tried.

    def among_short_inputs(self) -> Difference | None:
        """That of the smallest input, if it is among the first ones; at scope `worlds` nothing is tried."""
        return self._among_samples(LIMITS.first_sample_steps) if self.inputs else None

    def after(self, failure: Failure) -> Difference | None:
        """What a stage that gave no proof leads to: on worlds by its guide, on inputs among random ones."""
        if failure.guide is not None:
            self.guide = failure.guide
            return None if self.inputs else self._by_guide(LIMITS.first_search_steps)
        if self.inputs is None or self.drawn:
            return None
        self.drawn = True
        self.runs.budget = LIMITS.last_sample_steps
        sample = self.runs.first_difference(random_inputs(self.inputs), LIMITS.steps_of_a_sample)
        return sample and self._smallest(self.inputs.language, str(sample.case), sample.step, None)

    def _smallest(self, language: InputLanguage, text: str, step: int, least: int | None) -> Difference:
        """What is shown for an input with a difference: the smallest that has one about as soon."""
        bound = max(LIMITS.steps_of_a_sample, LIMITS.later * step)
        text = smallest_input(self.runs, text, language, bound, LIMITS.last_sample_steps)
        return self._shown(text, bound, least)

    def _by_guide(self, budget: int) -> Difference | None:
        """One that the last abstraction leads to."""
        difference = concretize(self.guide, self.reader, budget, self.progress)
        if difference is None:
            return None
        least = difference.step if difference.shortest else None
        if self.inputs:
            text = self.inputs.complete(difference.first)
            if not self.inputs.language.allows(text):
                return None  # It is no input, and other texts with the same reads may not differ.
            return self._smallest(self.inputs.language, text, difference.step, least)
        world = World({cell: self.left.symbols[symbol] for cell, symbol in difference.first.items()})
        if least is None:
            world = shrink(world, lambda less: self._replayed(less, difference.step))
        return self._shown(world, difference.step, least)

    def at_last(self, shortly: bool) -> Difference | None:
        """One by the guide, or among more inputs or worlds that are simply tried."""
        astray = needs_condition(self.comparison)
        first = self._by_guide(LIMITS.first_search_steps) if self.inputs and not astray else None
        if first is not None or shortly:
            return first
        last = LIMITS.last_search_steps
        guided = None if astray else self._by_guide(last)
        return guided or self._among_samples(min(LIMITS.last_sample_steps, last))

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
        least = first_step_of_difference(self.blind, self.reader, LIMITS.first_search_steps)
        case = sample.case
        if isinstance(case, World):
            case = shrink(case, lambda world: self._replayed(world, sample.step))
        return self._shown(case, sample.step, least)

    def _replayed(self, world: World, step: int) -> tuple[Observation, ...] | None:
        return replay(self.left, self.right, world, step, self.stuck)

    def _shown(self, case: Case, bound: int, least: int | None) -> Difference:
        """All steps up to a difference at step `bound` or before, as the reference simulator does them.

        No difference at all comes before the step `least`, where that is known.
        """
        world = world_of(case)
        steps = self._replayed(world, bound)
        assert steps is not None, "what forgets nothing agrees with the reference simulator"
        *_, last = joint_run(self.left, self.rows, world, len(steps), self.stuck)
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
