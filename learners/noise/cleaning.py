"""Cleaning: noisy traces, and nothing else, to a table and to what most likely happened in each trace.

It is expectation and maximisation in turns. A model learns from reads as they are believed to be and from
writes and moves as they were recorded, so that what it says is what most records say and never what it said
before. The traces are decoded with it, one account drawn for each with its probability, and these are the
reads that are believed next. From a model that learned what is likeliest a table is read off by majority; a
table decodes the traces better than any model, because what is rare in it does not exist. The table that
makes the records likeliest is kept, and the end is reached when it is found again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from compiler.dfst import Dfst, table_to_dfst
from compiler.minimize import minimize_table
from gridlang.diagnostics import GridError, fail
from gridlang.table import Table
from learners.noise.corruption import Rates
from learners.noise.decoding import Decoded, decode
from learners.noise.estimate import Judgement, judgement
from learners.noise.tabulation import Floats, followed, reading_of, table_by_majority
from learners.traces.dataset import Traces
from learners.training.recipes import Recipe
from learners.training.train import Trained, TrainingPlan, TrainingProgress, train

UNKNOWN = Rates(0.1, 0.1, 0.1)  # What is believed of the noise before anything is known.
SHARE = 0.3  # Of a recipe's iterations: a model that goes on learns the noise of single traces.
LEAST_ITERATIONS = 3_000  # Fewer are not enough for any agent that was tried.
# Every second model has so many dimensions for each state, and one more: with no room to spare, two of the
# three states of `increment` fall together in every seed, and noisy traces never part them.
ROOM = 1.25
TABLES = 2  # So many models learn what is likeliest in each round, and give a table each.
AGAIN = 2  # The end is reached when so many rounds have found the best table.
UNCHANGED = 3  # Or when so many rounds have judged the same number of steps wrong.
SAME = 3.0  # Nats: tables whose costs differ by less say the same of all traces but, at most, one step.
DRAWS = 3  # So often the rates are estimated from accounts drawn at the last rates: it settles at once.
REFINED = 3  # A table is read off anew from what it decodes so often, at most: it gets better, or stays.


@dataclass(frozen=True, slots=True, eq=False)
class CleaningPlan:
    """How to clean: the recipe of one model, how many rounds at most, chance, and where to train."""

    recipe: Recipe
    rounds: int = 8
    seed: int = 0
    device: str = "auto"

    @property
    def shorter(self) -> Recipe:
        """The recipe for a model of one round."""
        least = min(LEAST_ITERATIONS, self.recipe.iterations)
        return replace(self.recipe, iterations=max(least, int(SHARE * self.recipe.iterations)))


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A table, and what happened in the traces if it is the agent's."""

    table: Table
    decoded: Decoded
    reading: Floats

    @property
    def cost(self) -> float:
        """Nats of all records: the less, the likelier they are."""
        return float(self.decoded.cost.sum(dtype=np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class Cleaned:
    """What most likely happened, the table that most steps agree on, and what is judged wrong."""

    traces: Traces
    best: Candidate
    judgement: Judgement
    rounds: int
    found_again: int  # So many rounds found the best table, by models that learned apart.


@dataclass(frozen=True, slots=True)
class RoundOfCleaning:
    """What one round comes to; told to whoever watches."""

    number: int
    rates: Rates
    states: int
    cost: float
    judged_wrong: int


def cleaned(
    seen: Traces,
    plan: CleaningPlan,
    *,
    on_round: Callable[[RoundOfCleaning], None] = lambda _: None,
    progress: Callable[[str], None] = lambda _: None,
) -> Cleaned:
    """The traces without their noise; only reads, writes, moves, lengths and endings of `seen` are used."""
    if seen.strict:
        hint = "record them without --strict"
        raise fail("G221", "traces that show where the agent is stuck cannot be cleaned of noise", hint)
    run = _Cleaning(seen, plan, progress)
    wrong: list[int] = []
    for number in range(1, plan.rounds + 1):
        run.round(number)
        if run.best is None:
            continue
        told = judgement(seen, run.best.decoded)
        states = len(run.best.table.states)
        on_round(RoundOfCleaning(number, told.rates, states, run.best.cost, told.wrong))
        wrong.append(told.wrong)
        if run.found_again >= AGAIN or (len(wrong) >= UNCHANGED and len(set(wrong[-UNCHANGED:])) == 1):
            break
    if run.best is None:
        hint = "more traces, more --rounds, or --dim of another size may help"
        raise fail("G222", "no table could be read off from these traces: the noise is too strong", hint)
    progress("estimating the noise")
    told, traces = run.final_judgement(run.best), believed(seen, run.best.decoded)
    return Cleaned(traces, run.best, told, number, run.found_again)


def believed(seen: Traces, decoded: Decoded) -> Traces:
    """The traces as they are decoded."""
    told = {"cleaned": judgement(seen, decoded).as_json()}
    return replace(seen, x=decoded.x, s=decoded.s, m=decoded.m, data={**seen.data, **told})


class _Cleaning:
    """What is believed so far."""

    def __init__(self, seen: Traces, plan: CleaningPlan, progress: Callable[[str], None]) -> None:
        self.seen, self.plan, self.progress = seen, plan, progress
        self.random = np.random.default_rng([plan.seed, 0x636C65616E])  # The bytes spell `clean`.
        self.rates = UNKNOWN
        self.reads = seen  # x as believed, s and m as recorded
        self.best: Candidate | None = None
        self.found_again = 0
        self.seeds = 1_000 * plan.seed  # Every model of a run begins elsewhere.

    def round(self, number: int) -> None:
        """One model of what was recorded, then tables of what is likeliest."""
        model = self._trained(self.reads, 1, f"round {number}: training")[0].dfst
        reading = self._reading(model, self.reads)
        self.progress(f"round {number}: decoding {len(self.seen):,} traces")
        drawn = decode(model, self.seen, self.rates, reading, random=self.random)
        likeliest = decode(model, self.seen, self.rates, reading)
        self.rates = judgement(self.seen, drawn).rates
        self.reads = replace(self.seen, x=drawn.x)
        clean = believed(self.seen, likeliest)
        candidates = [] if self.best is None else [self._decoded(self.best.table, self.best.reading)]
        self.best = candidates[0] if candidates else None  # Costs are compared at one rate of the noise.
        for trained in self._trained(clean, TABLES, f"round {number}: training on what is likeliest"):
            self.progress(f"round {number}: decoding by a table")
            refined = self._refined(trained.dfst, clean)
            candidates += [] if refined is None else [refined]
        self._weigh(candidates)

    def _trained(self, traces: Traces, count: int, what: str) -> list[Trained]:
        """So many models that have not diverged; every second has room to spare."""

        def tell(at: TrainingProgress) -> None:
            self.progress(f"{what} {at.iteration:,}/{at.iterations:,}")

        models: list[Trained] = []
        recipe = self.plan.shorter
        states = recipe.dim or traces.states or 0
        for seed in range(self.seeds, self.seeds + count):
            dim = int(ROOM * states) + 1 if states and seed % 2 == 0 else recipe.dim
            plan = TrainingPlan(traces, replace(recipe, dim=dim), (seed,), self.plan.device)
            models += train(plan, progress=tell)
        self.seeds += count
        return [model for model in models if model.diverged < 0] or models

    def _refined(self, machine: Dfst, clean: Traces) -> Candidate | None:
        """The table of a model, and of what it decodes, as long as that makes the records likelier."""
        best: Candidate | None = None
        for _ in range(REFINED):
            candidate = self._candidate(machine, clean)
            if candidate is None or (best is not None and candidate.cost > best.cost - SAME):
                break
            best = candidate
            machine, clean = table_to_dfst(candidate.table), believed(self.seen, candidate.decoded)
        return best

    def _candidate(self, machine: Dfst, clean: Traces) -> Candidate | None:
        table = table_by_majority(machine, clean, self.seen)
        if table is None:
            return None
        try:
            table = minimize_table(table).table
        except GridError:
            return None
        return self._decoded(table, self._reading(table_to_dfst(table), clean))

    def _decoded(self, table: Table, reading: Floats) -> Candidate:
        return Candidate(table, decode(table_to_dfst(table), self.seen, self.rates, reading), reading)

    def final_judgement(self, best: Candidate) -> Judgement:
        """What is judged wrong, and rates that blame reads and writes alike where nothing parts them."""
        likeliest = judgement(self.seen, best.decoded)
        even = (likeliest.rates.reads + likeliest.rates.writes) / 2
        rates = Rates(even, even, likeliest.rates.moves)
        exact = table_to_dfst(best.table)
        for _ in range(DRAWS):
            drawn = decode(exact, self.seen, rates, best.reading, random=self.random)
            told = judgement(self.seen, best.decoded, drawn)
            rates = told.rates
        return told

    def _reading(self, machine: Dfst, traces: Traces) -> Floats:
        return reading_of(followed(machine, traces), traces)

    def _weigh(self, candidates: list[Candidate]) -> None:
        """Keeps the likeliest, and counts the rounds that have found it."""
        if not candidates:
            return
        likeliest = min(candidates, key=lambda each: each.cost)
        if self.best is None or likeliest.cost < self.best.cost - SAME:
            self.best, self.found_again = likeliest, 1
        elif any(each is not self.best and each.cost <= self.best.cost + SAME for each in candidates):
            self.found_again += 1
