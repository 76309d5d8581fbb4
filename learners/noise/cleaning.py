"""Cleaning: noisy traces, and nothing else, to a table and to what most likely happened in each trace.

A model learns from writes and moves as they were recorded, so that what it says is what most records say and
never what it said before. Tables are read off from it, and the search goes on from the likeliest. Every
second round begins apart from all others, with reads as they were recorded, too; those between take the reads
that the best table of all believes. Candidates are weighed by the records alone. The end is reached when two
that began apart have come to the same: where one rests alone may be a table that calls a state noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gridlang.diagnostics import fail
from gridlang.table import MOVES
from learners.noise.corruption import Rates
from learners.noise.estimate import Judgement, judgement
from learners.noise.search import SAME, Candidate, estimated, improved
from learners.noise.tabulation import tables_of
from learners.traces.dataset import Traces
from learners.traces.joining import chosen
from learners.training.fitting import fitted
from learners.training.recipes import Recipe
from learners.training.train import Trained, TrainingPlan, TrainingProgress, train

UNKNOWN = Rates(0.1, 0.1, 0.1)  # What is believed of the noise before anything is known.
SHARE = 0.3  # Of the iterations that fit: a model that goes on learns the noise of single traces.
LEAST_ITERATIONS = 3_000  # Fewer are not enough for any agent that was tried.
# A model that begins apart has so many dimensions for each state, and one more: with no room to spare, two of
# the three states of `increment` fall together in every seed, and noisy traces never part them.
ROOM = 1.25
FOUND = 2  # The end is reached when so many that began apart have led to the best table, or nearly,
WIDE = 16  # Dimensions of the first model where nobody knows how many states there are.
NEARLY = 20.0  # Nats: tables whose costs differ by less differ in three rules at most, all of them rare.
UNIMPROVED = 4  # or so many rounds in a row to nothing better.
STRONG = 0.15  # Where more is noise, many rest at the same wrong table, and all rounds are gone through.
SEARCHED = 80_000  # Steps on which tables are compared, of the first traces; the end is on all of them.
TOO_STRONG = 0.5  # A kind of record of which more is called noise says nothing.
FAR = 2_000.0  # Nats behind the best from which no search catches up that begins with what the best believes.


@dataclass(frozen=True, slots=True, eq=False)
class CleaningPlan:
    """How to clean: the recipe of one model, how many rounds at most, chance, and where to train."""

    recipe: Recipe
    rounds: int = 8
    seed: int = 0
    device: str = "auto"


@dataclass(frozen=True, slots=True, eq=False)
class Cleaned:
    """What most likely happened, the likeliest table, and what is judged wrong."""

    traces: Traces
    best: Candidate
    judgement: Judgement
    rounds: int
    found_again: int  # So many rounds that began apart found a table that is as likely.


@dataclass(frozen=True, slots=True)
class RoundOfCleaning:
    """What one round comes to; told to whoever watches."""

    number: int
    rates: Rates
    states: int
    cost: float
    judged_wrong: int


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """All that a round leaves to the next."""

    rounds: int
    best: Candidate | None
    found_again: int
    unimproved: int

    @property
    def at_rest(self) -> bool:
        strong = self.best is not None and max(self.best.accounts.rates) > STRONG
        return not strong and (self.found_again >= FOUND or self.unimproved >= UNIMPROVED)


def cleaned(
    seen: Traces,
    plan: CleaningPlan,
    belief: Belief | None = None,
    *,
    on_belief: Callable[[Belief], None] = lambda _: None,
    on_round: Callable[[RoundOfCleaning], None] = lambda _: None,
    progress: Callable[[str], None] = lambda _: None,
) -> Cleaned:
    """The traces without their noise; only reads, writes, moves, lengths and endings of `seen` are used.

    It goes on from a belief that `on_belief` was given.
    """
    refuse_stuck(seen)
    belief = belief or Belief(0, None, 0, 0)
    cleaning = Cleaning(seen, plan, progress)
    while belief.rounds < plan.rounds and not belief.at_rest:
        belief = cleaning.after(belief)
        on_belief(belief)
        on_round(_told(belief, cleaning.searched))
    assert belief.best is not None  # There is one after any round.
    progress("estimating the noise in all traces")
    best = cleaning.on_all(belief.best)
    told = judgement(seen, best.accounts)
    if max(told.rates) > TOO_STRONG:
        hint = "more traces, more --rounds, or --dim of another size may help"
        raise fail("G222", "the likeliest table calls most of what was recorded noise", hint)
    x, s, m = best.accounts.x, best.accounts.s, best.accounts.m
    traces = replace(seen, x=x, s=s, m=m, data={**seen.data, "cleaned": told.as_json()})
    return Cleaned(traces, best, told, belief.rounds, belief.found_again)


def _told(belief: Belief, searched: Traces) -> RoundOfCleaning:
    best = belief.best
    assert best is not None
    told = judgement(searched, best.accounts)
    return RoundOfCleaning(belief.rounds, told.rates, len(best.table.states), best.cost, told.wrong)


def refuse_stuck(seen: Traces) -> None:
    """GridError for traces whose last step shows a read alone."""
    if seen.strict:
        hint = "record them without --strict"
        raise fail("G221", "traces that show where the agent is stuck cannot be cleaned of noise", hint)


class Cleaning:
    """The traces, and how they are cleaned."""

    def __init__(self, seen: Traces, plan: CleaningPlan, progress: Callable[[str], None]) -> None:
        self.seen, self.plan, self.progress = seen, plan, progress
        rows = max(1, int(np.searchsorted(np.cumsum(seen.length, dtype=np.int64), SEARCHED)))
        self.searched = seen if rows >= len(seen) else chosen(seen, np.arange(rows))

    def after(self, belief: Belief) -> Belief:
        """What is believed after one more round: a model, its tables, and where a search leads from them."""
        number, best = belief.rounds + 1, belief.best
        apart = number % 2 == 1 or best is None
        found = self._found(number, best, apart)
        if best is None:
            return Belief(number, found, 1, 0)
        near = abs(found.cost - best.cost) < NEARLY
        again = belief.found_again + (near and apart)
        if found.cost < best.cost - SAME:
            return Belief(number, found, again if near else 1, 0)
        return Belief(number, best, again, belief.unimproved + 1)

    def _found(self, number: int, best: Candidate | None, apart: bool) -> Candidate:
        """The likeliest table that a round comes to, apart from the best so far or with what it believes."""
        random = np.random.default_rng([self.plan.seed, number, 0x636C65616E])  # The bytes spell `clean`.
        believed = self.seen
        if best is not None and not apart:
            believed = replace(self.seen, x=self.on_all(best).accounts.x)
        model = self._trained(believed, number, WIDE if best is None else len(best.table.states), apart)
        rates = best.accounts.rates if best is not None else UNKNOWN
        self.progress(f"round {number}: reading off tables")
        tables = tables_of(model.dfst, believed, self.seen, random)
        read = best.accounts.read if best is not None else None
        starts = [estimated(table, self.searched, rates, read) for table in tables]
        likeliest = min(starts, key=lambda each: each.cost)
        if best is None or apart or SAME < abs(likeliest.cost - best.cost) < FAR:
            return improved(likeliest, self.searched, lambda at: self._tell(number, at))
        return likeliest

    def on_all(self, best: Candidate) -> Candidate:
        """The table with all traces, estimated anew where the search has not seen all of them."""
        if self.searched is self.seen:
            return best
        return estimated(best.table, self.seen, best.accounts.rates, best.accounts.read)

    def _trained(self, traces: Traces, number: int, otherwise: int, roomy: bool) -> Trained:
        """One model, which begins elsewhere in each round."""
        plan, symbols = self.plan, len(traces.symbols)
        states = plan.recipe.dim or traces.states or otherwise
        dim = int(ROOM * states) + 1 if roomy else states
        fits = fitted(plan.recipe, symbols * dim * (dim + symbols + len(MOVES)), traces).iterations
        iterations = max(min(LEAST_ITERATIONS, fits), int(SHARE * fits))
        recipe = replace(plan.recipe, dim=dim, iterations=iterations)

        def tell(at: TrainingProgress) -> None:
            self.progress(f"round {number}: training {at.iteration:,}/{at.iterations:,}")

        seed = 1_000 * plan.seed + number
        return train(TrainingPlan(traces, recipe, (seed,), plan.device), progress=tell)[0]

    def _tell(self, number: int, at: Candidate) -> None:
        self.progress(f"round {number}: searching, {len(at.table.states)} states, {at.cost:,.0f} nats")
