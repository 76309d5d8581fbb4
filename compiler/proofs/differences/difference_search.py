"""The search for a difference: a world or an input that shows one, as small as can be had, with its steps.

Short inputs and small worlds are tried as they come; an abstraction that fails leads to others. All budgets
are numbers of steps, so what is found never depends on the clock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from compiler.proofs.abstractions.input_automaton import InputRows
from compiler.proofs.differences.concretize import (
    AnySymbol,
    Blind,
    Guide,
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
from compiler.proofs.equivalence import Observation, Place, Suspicion, aligned
from compiler.proofs.joint_step import Stuck, joint_run
from gridlang.table import Table
from gridlang.world import World

# The first search for a world may do so many steps. Most differences take far fewer. Where there is none,
# they are lost before the next abstraction is tried, so they are few at first and grow with what those cost.
FIRST_BUDGET = 20_000
BUDGET_GROWTH = 5
LAST_BUDGET = 500_000  # Where there is nothing to find, the last search takes about ten seconds.
# Each input or world that is simply tried is followed for so many steps: most differences show at once.
STEPS_OF_A_SAMPLE = 1_000
FIRST_SAMPLES = 20_000
LAST_SAMPLES = 200_000  # They take a fraction of a second, where all else has taken longer.
LATER = 2  # A smaller input may show its difference so many times as late.


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

    def __init__(
        self,
        left: Table,
        right: Table,
        inputs: InputRows | None,
        stuck: Stuck,
        progress: Callable[[int], None],
    ) -> None:
        self.left, self.right, self.inputs, self.stuck, self.progress = left, right, inputs, stuck, progress
        self.rows = aligned(left, right)
        self.reader: Reader = inputs or AnySymbol(len(left.symbols))
        self.guide: Guide = Blind(left.rows, self.rows, stuck)
        self.runs = SampleRuns(left, self.rows, stuck)
        self.budget = FIRST_BUDGET

    def among_short_inputs(self) -> Difference | None:
        """That of the smallest input, if it is among the first ones; at scope `worlds` nothing is tried."""
        return self._among_samples(FIRST_SAMPLES) if self.inputs else None

    def among_random_inputs(self) -> Difference | None:
        """That of one of many random inputs, made smaller."""
        if self.inputs is None:
            return None
        self.runs.budget = LAST_SAMPLES
        sample = self.runs.first_difference(random_inputs(self.inputs), STEPS_OF_A_SAMPLE)
        if sample is None:
            return None
        bound = max(STEPS_OF_A_SAMPLE, LATER * sample.step)
        language = self.inputs.language
        text = smallest_input(self.runs, str(sample.case), language, bound, LAST_SAMPLES)
        return self._shown(text, bound, None)

    def by_guide(self) -> Difference | None:
        """One that the last abstraction leads to, with a budget that grows each time."""
        progress = self.progress
        difference = concretize(
            self.left.rows, self.rows, self.guide, self.reader, self.budget, self.stuck, progress
        )
        self.budget = min(BUDGET_GROWTH * self.budget, LAST_BUDGET)
        if difference is None:
            return None
        least = difference.step if difference.shortest else None
        if self.inputs:
            bound = max(STEPS_OF_A_SAMPLE, LATER * difference.step)
            text = self.inputs.complete(difference.first)
            if not self.inputs.language.allows(text):
                return None  # It is no input, and other texts with the same reads may not differ.
            text = smallest_input(self.runs, text, self.inputs.language, bound, LAST_SAMPLES)
            return self._shown(text, bound, least)
        world = World({cell: self.left.symbols[symbol] for cell, symbol in difference.first.items()})
        if least is None:
            world = shrink(world, lambda less: self._replayed(less, difference.step))
        return self._shown(world, difference.step, least)

    def at_last(self) -> Difference | None:
        """One by the guide with the last budget, or among more inputs or worlds that are simply tried."""
        self.budget = LAST_BUDGET
        return self.by_guide() or self._among_samples(min(LAST_SAMPLES, LAST_BUDGET))

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
        sample = self.runs.first_difference(cases, STEPS_OF_A_SAMPLE)
        if sample is None:
            return None
        least = first_step_of_difference(self.left.rows, self.rows, self.reader, FIRST_BUDGET, self.stuck)
        if isinstance(sample.case, World):
            return self._shown(
                shrink(sample.case, lambda w: self._replayed(w, sample.step)), sample.step, least
            )
        return self._shown(sample.case, sample.step, least)

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
