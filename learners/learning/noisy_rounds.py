"""Learning from noisy traces: clean them, learn from the result, extract, and measure at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from compiler.proofs.prove import prove
from compiler.tensors.dfst import Dfst, table_to_dfst
from gridlang.diagnostics import counted
from gridlang.display import Shown
from gridlang.table import Table
from learners.extraction.extract import extract
from learners.learning.limits import LIMITS
from learners.learning.noisy_run_folder import NoFolder, RunFolder
from learners.methods.noise.cleaning import Cleaned, CleaningPlan, RoundOfCleaning, cleaned, refuse_stuck
from learners.methods.noise.corruption import MADE
from learners.methods.noise.decoding import decode
from learners.methods.noise.estimate import judgement
from learners.traces.dataset import Traces
from learners.traces.joining import chosen
from learners.training.train import TrainingPlan, TrainingProgress, train

SCOPES = ("inputs", "worlds")
PROVEN, REFUTED, UNPROVEN = "proven", "refuted", "unknown"


class Explained(NamedTuple):
    """How many of the steps of some traces are recorded as the table says they happened."""

    steps: int
    agree: int
    traces: int

    def as_json(self) -> dict[str, int]:
        return self._asdict()


@dataclass(frozen=True, slots=True, eq=False)
class NoisySeed:
    """One model that learned from cleaned traces, and what was extracted from it."""

    seed: int
    dfst: Dfst
    table: Table | None
    refused: str
    longest: int  # length of explored inputs
    verdicts: dict[str, str]  # by scope; empty without an expert

    def as_json(self) -> dict[str, Any]:
        size = len(self.table.states) if self.table else None
        loss = self.dfst.training.get("loss")
        about = {"seed": self.seed, "loss": loss, "states": size, "refused": self.refused or None}
        return {**about, "longest": self.longest, "verdicts": self.verdicts}


@dataclass(frozen=True, slots=True, eq=False)
class NoisyLearned(Shown):
    """All that was learned from noisy traces, and the final measurement.

    >>> import gridlang as gl
    >>> clean = gl.trace("examples/increment.grid", rule="worlds", count=200)
    >>> gl.learn_noisy(gl.corrupt(clean, 0.05), seeds=0, against="examples/increment.grid")
    NoisyLearned(3 states, 832 of 6,158 steps judged wrong; proven on inputs, proven on worlds)
    """

    cleaned: Cleaned
    seeds: list[NoisySeed]
    verdicts: dict[str, str]  # of the likeliest table
    explained: Explained
    held_out: Explained | None

    @property
    def table(self) -> Table:
        """The likeliest table."""
        return self.cleaned.best.table

    @property
    def traces(self) -> Traces:
        """What most likely happened."""
        return self.cleaned.traces

    @property
    def model(self) -> Dfst:
        """The likeliest table as exact weights, with what is kept of how it was learned."""
        exact = table_to_dfst(self.table)
        about = self.seeds[0].dfst.metadata if self.seeds else {}
        training = {"training": about["training"]} if "training" in about else {}
        return replace(exact, metadata={**exact.metadata, **training})

    def __repr__(self) -> str:
        told, states = self.cleaned.judgement, counted(len(self.table.states), "state")
        verdicts = ", ".join(f"{verdict} on {scope}" for scope, verdict in self.verdicts.items())
        judged = f"{states}, {told.wrong:,} of {told.steps:,} steps judged wrong"
        return f"NoisyLearned({judged}{f'; {verdicts}' if verdicts else ''})"


def learn_noisy(
    seen: Traces,
    plan: CleaningPlan,
    seeds: tuple[int, ...],
    expert: Table | None = None,
    folder: NoFolder | RunFolder | None = None,
    *,
    on_event: Callable[[str | RoundOfCleaning], None] = lambda _: None,
) -> NoisyLearned:
    """What the traces say the agent is; the expert is asked when all is done, to measure it, and not before.

    Without an expert some traces are held out, and the claim is how many of their steps the table explains.
    """
    refuse_stuck(seen)
    keeper = folder or NoFolder()
    known = anonymous(seen)
    kept, held_out = (known, None) if expert is not None else _split(known)
    belief = keeper.belief(kept, plan)
    clean = cleaned(kept, plan, belief, on_belief=keeper.keep, on_round=on_event, progress=on_event)
    keeper.keep_cleaned(clean.traces)
    models = _retrained(clean, plan, seeds, keeper, on_event)
    on_event("measuring")
    return NoisyLearned(
        cleaned=clean,
        seeds=[_measured(model, expert) for model in models],
        verdicts=verdicts_of(clean.best.table, expert),
        explained=_explained(kept, clean),
        held_out=None if held_out is None else _explained(held_out, clean),
    )


def anonymous(seen: Traces) -> Traces:
    """The traces without what shows what was really done: their source, their inputs, and their noise."""
    data = {key: value for key, value in seen.data.items() if key != MADE}
    return replace(seen, inputs=("",) * len(seen), source="", data={**data, "noisy": True})


def _split(traces: Traces) -> tuple[Traces, Traces | None]:
    """Those to learn from, and every tenth, which is held out; none of few."""
    every = np.arange(len(traces))
    out = every % LIMITS.held_out == LIMITS.held_out - 1
    return (traces, None) if not out.any() else (chosen(traces, every[~out]), chosen(traces, every[out]))


def _retrained(
    clean: Cleaned,
    plan: CleaningPlan,
    seeds: tuple[int, ...],
    folder: NoFolder | RunFolder,
    progress: Callable[[str], None],
) -> list[NoisySeed]:
    """Models of the cleaned traces, with what is extracted from each without an expert."""

    def tell(at: TrainingProgress) -> None:
        progress(f"training on cleaned traces {at.iteration:,}/{at.iterations:,}")

    models = {seed: model for seed in seeds if (model := folder.model(seed)) is not None}
    missing = tuple(seed for seed in seeds if seed not in models)
    recipe = plan.recipe
    if not (recipe.dim or clean.traces.states):
        recipe = replace(recipe, dim=len(clean.best.table.states))
    if missing:
        for trained in train(TrainingPlan(clean.traces, recipe, missing, plan.device), progress=tell):
            models[trained.seed] = trained.dfst
            folder.keep_model(trained.seed, trained.dfst)
    return [_extracted(seed, models[seed], progress) for seed in seeds]


def _extracted(seed: int, model: Dfst, progress: Callable[[str], None]) -> NoisySeed:
    progress(f"extracting seed {seed}")
    table, refused, length = None, "it diverged", 0
    for length in (
        LIMITS.noisy_lengths if all(np.isfinite(each).all() for each in (model.A, model.B, model.C)) else ()
    ):
        extraction = extract(model, longest=length)
        table, refused = extraction.table, extraction.refused
        if table is not None:
            break
    return NoisySeed(seed, model, table, refused, length, {})


def _measured(model: NoisySeed, expert: Table | None) -> NoisySeed:
    return model if model.table is None else replace(model, verdicts=verdicts_of(model.table, expert))


def verdicts_of(table: Table, expert: Table | None) -> dict[str, str]:
    """What is proven of a table against the expert, on inputs and on worlds."""
    if expert is None:
        return {}
    answers = {True: PROVEN, False: REFUTED, None: UNPROVEN}
    scopes = SCOPES if expert.input else SCOPES[1:]
    return {scope: answers[prove(expert, table, scope).equivalent] for scope in scopes}


def _explained(traces: Traces, clean: Cleaned) -> Explained:
    """The steps of traces whose records are as the table says, given the rates that were estimated."""
    told = judgement(traces, decode(clean.best.table, traces, clean.judgement.rates, clean.best.read))
    return Explained(told.steps, told.steps - told.wrong, len(traces))
