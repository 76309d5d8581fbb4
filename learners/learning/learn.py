"""Learning until proven: trace, train, extract, prove; add what was got wrong to the traces, and again.

A proof is an answer of an oracle that knows whether two agents are the same, so this is exact learning. Each
round has a folder with its traces, its training run, and a file for each model that was asked about: a run
that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from compiler.dfst import dfst_to_bytes
from gridlang.clauses.inputs import language_of
from gridlang.diagnostics import fail
from gridlang.files import read_bytes, write_whole
from gridlang.program import Program
from gridlang.table_json import table_to_json
from learners.learning.counterexamples import HardExample, first_traces, next_traces, world_count
from learners.learning.rounds import (
    ROUND,
    Learned,
    RoundResult,
    make_folder,
    open_run,
    read_result,
    read_round,
    round_folder,
)
from learners.learning.seed_verdicts import (
    DIVERGED,
    REFUSED,
    SeedQuery,
    SeedResult,
    seed_results,
)
from learners.runtime.folder_lock import held
from learners.traces.dataset import Traces, read_traces, traces_to_bytes
from learners.traces.npz import MAX_BYTES
from learners.training.checkpoints import NAMES
from learners.training.recipes import Recipe, changed, load_recipe
from learners.training.train import Trained, TrainingPlan, TrainingProgress, train

LOCK = ".learn"  # This file in the folder of a run is the lock of whoever learns there.
PATIENCE = 600.0  # seconds that a model may take to be extracted and proven
LENGTH = 12  # of inputs on which a model itself must follow what is extracted from it
MOST_LENGTHENED = 4  # a round trains for at most so many times the recipe's iterations
NARROW = 8  # dimensions of a model at least: with fewer, training often comes to rest too early
TRACE_SEED_STEP = 7_919  # from a round's seed of random traces to the next's: runs of near seeds share none


@dataclass(frozen=True, slots=True, eq=False)
class LearnConfig:
    """What is to be learned, and how."""

    program: Program
    recipe: Recipe
    seeds: tuple[int, ...]
    scope: str = "worlds"
    rounds: int = 8
    worlds: int | None = None  # random worlds to begin with; None for a number that fits the agent
    device: str = "auto"
    any: bool = False  # whether one seed is enough
    radius: int | None = None
    length: int = LENGTH
    patience: float = PATIENCE

    def identity(self) -> dict[str, Any]:
        """What a run must agree with to be gone on with: all that changes what a round does."""
        return {
            "expert": hashlib.sha256(table_to_json(self.program.table, families=False).encode()).hexdigest(),
            "recipe": self.recipe.as_json(),
            "seeds": list(self.seeds),
            "scope": self.scope,
            "worlds": self.many_worlds,
            "radius": self.radius,
            "length": self.length,
        }

    @property
    def many_worlds(self) -> int:
        return world_count(self.program.table, self.scope) if self.worlds is None else self.worlds


def learn_config(
    program: Program,
    *,
    recipe: str,
    iterations: int | None,
    dim: int | None,
    seed: int,
    seeds: int,
    **others: Any,
) -> LearnConfig:
    """The settings as a user gives them: the recipe by its name or file, `seeds` seeds from `seed` on."""
    chosen = changed(load_recipe(recipe, program.name), iterations=iterations, dim=dim)
    return LearnConfig(program, chosen, tuple(range(seed, seed + seeds)), **others)


def _nothing(_: object) -> None:
    """Is told, and does nothing."""


class LearnCallbacks(NamedTuple):
    """Who is told what; a KeyboardInterrupt from here ends the run, which can go on later."""

    traced: Callable[[Traces], None] = _nothing
    training: Callable[[TrainingProgress], None] = _nothing
    judged: Callable[[SeedResult], None] = _nothing
    round: Callable[[RoundResult], None] = _nothing


SILENT = LearnCallbacks()


def learn(
    config: LearnConfig, folder: str, *, resume: bool = False, callbacks: LearnCallbacks = SILENT
) -> Learned:
    """Rounds until all seeds are proven, or one where that is enough, or until there are no more rounds."""
    if config.scope == "inputs" and language_of(config.program.table) is None:
        hint = "declare one in its source, or learn it on all worlds: --scope worlds"
        raise fail("G140", f"`{config.program.name}` has no input clause", hint, config.program.file)
    with held(folder, LOCK):
        return _rounds(config, folder, resume, callbacks)


def _rounds(config: LearnConfig, folder: str, resume: bool, callbacks: LearnCallbacks) -> Learned:
    open_run(folder, config.program.name, config.identity(), resume)
    learned = Learned(folder, config.seeds, ())
    for _ in range(config.rounds):
        done = _Round(config, learned, callbacks).run()
        learned = replace(learned, rounds=(*learned.rounds, done))
        callbacks.round(done)
        if not learned.unproven or (config.any and learned.proven):
            break
    return learned


class _Round:
    """The next round of a run, for the seeds that are not proven; what is done of it lies in its folder."""

    def __init__(self, config: LearnConfig, learned: Learned, callbacks: LearnCallbacks) -> None:
        self.config, self.callbacks, self.before = config, callbacks, learned.rounds
        self.number, self.seeds = len(learned.rounds) + 1, learned.unproven
        self.run_folder, self.folder = learned.folder, round_folder(learned.folder, self.number)
        self.recipe = _lengthened(config, learned.rounds)

    def run(self) -> RoundResult:
        """Trace, train, extract and prove; a round that was finished before is read."""
        if os.path.exists(self.path(ROUND)):
            return read_round(self.path(ROUND), self.number)
        make_folder(self.folder)
        hard = self._counterexamples_so_far()
        traces = self._trace(hard)
        models = self._train(traces)
        begun = time.monotonic()
        results = self._extract_and_prove(models)
        losses = [result.loss for result in results if result.loss is not None]
        done = RoundResult(
            number=self.number,
            traces=len(traces),
            steps=traces.steps,
            hard=len(hard),
            iterations=self.recipe.iterations,
            loss=median(losses) if losses else None,
            training_seconds=round(models[0].seconds, 3),
            judging_seconds=round(time.monotonic() - begun, 3),
            results=results,
        )
        write_whole(self.path(ROUND), json.dumps(done.as_json()) + "\n")
        return done

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def _counterexamples_so_far(self) -> list[HardExample]:
        """What models got wrong in earlier rounds, pooled over the seeds."""
        results = (result for each in self.before for result in each.results)
        return list(dict.fromkeys(example for result in results for example in result.hard))

    def _trace(self, hard: list[HardExample]) -> Traces:
        """Random worlds and inputs in the first round; then also what was got wrong, with variants of it."""
        path, config = self.path("traces.npz"), self.config
        seed = config.seeds[0] + TRACE_SEED_STEP * (self.number - 1)
        if os.path.exists(path):
            traces = read_traces(path)
        elif self.number == 1:
            traces = first_traces(config.program, config.scope, config.many_worlds, seed)
            write_whole(path, traces_to_bytes(traces))
        else:
            before = read_traces(os.path.join(round_folder(self.run_folder, self.number - 1), "traces.npz"))
            more = config.many_worlds // 4 if config.scope == "worlds" else 0
            traces = next_traces(config.program, before, hard, more, seed)
            write_whole(path, traces_to_bytes(traces))
        self.callbacks.traced(traces)
        return traces

    def _train(self, traces: Traces) -> list[Trained]:
        """Every round trains afresh: what was learned without the hard examples would be in the way."""
        plan = TrainingPlan(traces, self.recipe, self.seeds, self.config.device)
        begun = any(os.path.exists(self.path(name)) for name in NAMES)
        models = train(plan, self.folder, resume=begun, progress=self.callbacks.training)
        for model in models:
            path = self.path(f"seed-{model.seed}.safetensors")
            if model.diverged < 0:  # One that lies there may be damaged; this is the one that was trained.
                write_whole(path, dfst_to_bytes(model.dfst))
        return models

    def _extract_and_prove(self, models: list[Trained]) -> tuple[SeedResult, ...]:
        """Asks about the models that have not been asked about yet; every result is kept as it comes."""
        results: dict[int, SeedResult] = {}
        queries = []
        for model in models:
            kept = self.path(f"seed-{model.seed}.json")
            if model.diverged >= 0:
                reason = f"it diverged at iteration {model.diverged:,}"
                results[model.seed] = SeedResult(model.seed, DIVERGED, reason=reason)
            elif os.path.exists(kept):
                results[model.seed] = read_result(kept, model.seed)
            else:
                queries.append(self._query(model))
        for result in seed_results(queries, self.config.patience):
            results[result.seed] = self._kept(result)
            self.callbacks.judged(results[result.seed])
        return tuple(results[seed] for seed in self.seeds)

    def _query(self, model: Trained) -> SeedQuery:
        program, path = self.config.program, self.path(f"seed-{model.seed}.safetensors")
        return SeedQuery(
            seed=model.seed,
            file=path,
            model=read_bytes(path, MAX_BYTES, path),
            expert=table_to_json(program.table),
            expert_file=program.file,
            expert_source=read_bytes(program.file, MAX_BYTES, program.file),
            scope=self.config.scope,
            radius=self.config.radius,
            length=self.config.length,
            round=self.number,
            loss=None if np.isnan(model.loss) else float(model.loss),
        )

    def _kept(self, result: SeedResult) -> SeedResult:
        """Writes the source and the certificate; the result goes on without them."""
        for ending, text in (("grid", result.source), ("certificate.json", result.certificate)):
            if text:
                write_whole(self.path(f"seed-{result.seed}.{ending}"), text)
        write_whole(self.path(f"seed-{result.seed}.json"), json.dumps(result.as_json()) + "\n")
        return replace(result, source="", certificate="")


def _lengthened(config: LearnConfig, before: Sequence[RoundResult]) -> Recipe:
    """The recipe for the next round: one that left a seed refused was too short, and is doubled."""
    recipe, states = config.recipe, len(config.program.table.states)
    times = 2 ** sum(any(result.verdict == REFUSED for result in each.results) for each in before)
    dim = recipe.dim or max(states, NARROW)
    return replace(recipe, dim=dim, iterations=recipe.iterations * min(times, MOST_LENGTHENED))
