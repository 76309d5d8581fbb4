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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from compiler.dfst import dfst_to_bytes
from compiler.proofs.joint_step import STRICT, UNASKED
from gridlang.clauses.inputs import language_of
from gridlang.diagnostics import fail
from gridlang.files import read_bytes, write_whole
from gridlang.program import Program
from gridlang.table_json import table_to_json
from learners.learning.counterexamples import HardExample, first_traces, next_traces, world_count
from learners.learning.expert_questions import UnseenRules, unseen_from_json, unseen_rules
from learners.learning.rounds import (
    ROUND,
    Learned,
    RoundResult,
    make_folder,
    open_run,
    read_json,
    round_folder,
    round_from_json,
)
from learners.learning.seed_verdicts import (
    CRASHED,
    DIVERGED,
    REFUSED,
    UNKNOWN,
    SeedQuery,
    SeedResult,
    query_to_json,
    result_from_json,
    seed_results,
)
from learners.traces.dataset import Traces, read_traces, traces_to_bytes
from learners.traces.npz import MAX_BYTES
from learners.training.checkpoints import NAMES
from learners.training.recipes import Recipe, changed, load_recipe
from learners.training.train import Trained, TrainingPlan, TrainingProgress, train

PATIENCE = 600.0  # seconds that a model may take to be extracted and proven
LENGTH = 12  # of inputs on which a model itself must follow what is extracted from it
MOST_LENGTHENED = 4  # a round trains for at most so many times the recipe's iterations
NARROW = 8  # dimensions of a model at least: with fewer, training often comes to rest too early
TRACES, UNSEEN = "traces.npz", "unseen.json"
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
    strict: bool = False  # whether a model must be stuck where the expert is

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
            "strict": self.strict,
        }

    @property
    def declares_inputs(self) -> bool:
        return language_of(self.program.table) is not None

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

    preparing: Callable[[str], None] = _nothing
    traced: Callable[[Traces], None] = _nothing
    training: Callable[[TrainingProgress], None] = _nothing
    judged: Callable[[SeedResult], None] = _nothing
    round: Callable[[RoundResult], None] = _nothing


SILENT = LearnCallbacks()


def learn(
    config: LearnConfig, folder: str, *, resume: bool = False, callbacks: LearnCallbacks = SILENT
) -> Learned:
    """Rounds until all seeds are proven, or one where that is enough, or until there are no more rounds.

    A seed whose verdict no round can change is left alone.
    """
    if config.scope == "inputs" and not config.declares_inputs:
        hint = "declare one in its source, or learn it on all worlds: --scope worlds"
        raise fail("G140", f"`{config.program.name}` has no input clause", hint, config.program.file)
    open_run(folder, config.program.name, config.identity(), resume)
    learned = Learned(folder, config.seeds, (), _unseen(config, folder, callbacks))
    for _ in range(config.rounds):
        done = _Round(config, learned, callbacks).run()
        learned = replace(learned, rounds=(*learned.rounds, done))
        callbacks.round(done)
        if not learned.unfinished or (config.any and learned.proven):
            break
    return learned


def _unseen(config: LearnConfig, folder: str, callbacks: LearnCallbacks) -> UnseenRules:
    """Records the traces of the first round, and asks about the rules that they do not show."""
    path, first = os.path.join(folder, UNSEEN), round_folder(folder, 1)
    if os.path.exists(path):
        return unseen_from_json(read_json(path))
    program, scope, seed = config.program, config.scope, config.seeds[0]
    tell = callbacks.preparing
    tell("tracing")
    traces = first_traces(
        program,
        scope,
        config.many_worlds,
        seed,
        strict=config.strict,
        progress=lambda done: tell(f"tracing: {done:,} runs"),
    )
    unseen = unseen_rules(
        program, traces, scope, seed, lambda done: tell(f"asking about rules not seen: {done:,} states")
    )
    if unseen.examples:
        traces = next_traces(program, traces, unseen.examples, 0, seed, strict=config.strict)
    make_folder(first)
    write_whole(os.path.join(first, TRACES), traces_to_bytes(traces))
    write_whole(path, json.dumps(unseen.as_json()) + "\n")
    return unseen


class _Round:
    """The next round of a run, for the seeds that are not proven; what is done of it lies in its folder."""

    def __init__(self, config: LearnConfig, learned: Learned, callbacks: LearnCallbacks) -> None:
        self.config, self.callbacks, self.before = config, callbacks, learned.rounds
        self.number, self.seeds = len(learned.rounds) + 1, learned.unfinished
        self.unseen, self.last = learned.unseen, {s: result for s, (_, result) in learned.last.items()}
        self.run_folder, self.folder = learned.folder, round_folder(learned.folder, self.number)
        self.recipe = _lengthened(config, learned.rounds)

    def run(self) -> RoundResult:
        """Trace, train, extract and prove; a round that was finished before is read."""
        if os.path.exists(self.path(ROUND)):
            return round_from_json(read_json(self.path(ROUND)))
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
        """What models got wrong in earlier rounds, pooled over the seeds, after what runs seldom show."""
        results = (result for each in self.before for result in each.results)
        hard = (example for result in results for example in result.hard)
        return list(dict.fromkeys((*self.unseen.examples, *hard)))

    def _trace(self, hard: list[HardExample]) -> Traces:
        """Those of the first round are there; then comes also what was got wrong, with variants of it."""
        path, config = self.path(TRACES), self.config
        seed = config.seeds[0] + TRACE_SEED_STEP * (self.number - 1)
        if os.path.exists(path):
            traces = read_traces(path)
        else:
            before = read_traces(os.path.join(round_folder(self.run_folder, self.number - 1), TRACES))
            more = config.many_worlds // 4 if config.scope == "worlds" else 0
            traces = next_traces(config.program, before, hard, more, seed, strict=config.strict)
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
            if model.diverged < 0 and not os.path.exists(path):
                write_whole(path, dfst_to_bytes(model.dfst))
        return models

    def _extract_and_prove(self, models: list[Trained]) -> tuple[SeedResult, ...]:
        """Asks about the models that have not been asked about yet; every result is kept as it comes.

        Where all worlds cannot be settled, declared inputs are asked about.
        """
        results: dict[int, SeedResult] = {}
        queries = {model.seed: self._query(model) for model in models if model.diverged < 0}
        for model in models:
            kept = self.path(f"seed-{model.seed}.json")
            if model.diverged >= 0:
                reason = f"it diverged at iteration {model.diverged:,}"
                results[model.seed] = SeedResult(model.seed, DIVERGED, reason=reason)
            elif os.path.exists(kept):
                results[model.seed] = result_from_json(read_json(kept))
        for result in self._answers([queries[seed] for seed in queries if seed not in results]):
            results[result.seed] = self._kept(result)
            self.callbacks.judged(result)
        for result in self._answers_on_inputs(queries, results):
            narrower = self._kept(result, "inputs.")
            results[result.seed] = self._kept(
                replace(results[result.seed], inputs=narrower, hard=result.hard)
            )
            self.callbacks.judged(result)
        return tuple(results[seed] for seed in self.seeds)

    def _answers(self, queries: list[SeedQuery]) -> Iterator[SeedResult]:
        """The results at the scope asked for; on all worlds they are known where nothing can settle it."""
        if self._narrows and not self.unseen.excluded:
            for seed, loss in ((query.seed, query.loss) for query in queries):
                yield SeedResult(seed, UNKNOWN, loss, self.unseen.reason, scope="worlds", settled=True)
            return
        by_seed = {query.seed: query for query in queries}
        for result in seed_results(queries, self.config.patience):
            yield self._settled(self._repeatable(by_seed[result.seed], result))

    def _answers_on_inputs(
        self, queries: dict[int, SeedQuery], results: dict[int, SeedResult]
    ) -> Iterator[SeedResult]:
        """The results on declared inputs for seeds that stay unknown on all worlds in this run."""
        last_round = self.number == self.config.rounds
        stay = [
            seed
            for seed, result in results.items()
            if result.verdict == UNKNOWN and (result.settled or last_round) and result.inputs is None
        ]
        narrower = {seed: queries[seed]._replace(scope="inputs") for seed in stay if self._narrows}
        for result in seed_results(list(narrower.values()), self.config.patience):
            before = self.last.get(result.seed)
            same = result.is_unknown_as(before.inputs if before else None)
            yield replace(self._repeatable(narrower[result.seed], result), settled=same)

    @property
    def _narrows(self) -> bool:
        """Whether there is a smaller question than the one that was asked."""
        return self.config.scope == "worlds" and self.config.declares_inputs

    def _repeatable(self, query: SeedQuery, result: SeedResult) -> SeedResult:
        """The result; of a crash with the command that repeats it, and its traceback is put into a file."""
        if result.verdict != CRASHED:
            return result
        path = self.path(f"seed-{query.seed}.crash.json")
        write_whole(path, query_to_json(query))
        if result.traceback:
            write_whole(self.path(f"seed-{query.seed}.crash.txt"), result.traceback)
        return replace(result, reason=f"{result.reason}; repeat it with `python -m learners.learning {path}`")

    def _settled(self, result: SeedResult) -> SeedResult:
        """The result, with whether another round can change it."""
        same = result.is_unknown_as(self.last.get(result.seed))
        unsettled = not self.unseen.excluded and not result.hard
        return replace(result, settled=result.verdict == UNKNOWN and (same or unsettled))

    def _query(self, model: Trained) -> SeedQuery:
        program, path = self.config.program, self.path(f"seed-{model.seed}.safetensors")
        return SeedQuery(
            seed=model.seed,
            file=path,
            model=read_bytes(path, MAX_BYTES, path),
            expert=table_to_json(program.table),
            expert_file=program.file,
            expert_source=program.as_read(),
            expert_arguments=program.argument_texts(),
            scope=self.config.scope,
            radius=self.config.radius,
            length=self.config.length,
            round=self.number,
            loss=None if np.isnan(model.loss) else float(model.loss),
            stuck=STRICT if self.config.strict else UNASKED,
        )

    def _kept(self, result: SeedResult, of: str = "") -> SeedResult:
        """Writes the source and the certificate; the result goes on without them."""
        texts = ("grid", result.source), ("certificate.json", result.certificate)
        for ending, text in texts:
            if text:
                write_whole(self.path(f"seed-{result.seed}.{of}{ending}"), text)
        if not of:
            write_whole(self.path(f"seed-{result.seed}.json"), json.dumps(result.as_json()) + "\n")
        return replace(result, source="", certificate="", traceback="")


def _lengthened(config: LearnConfig, before: Sequence[RoundResult]) -> Recipe:
    """The recipe for the next round: one that left a seed refused was too short, and is doubled."""
    recipe, states = config.recipe, len(config.program.table.states)
    times = 2 ** sum(any(result.verdict == REFUSED for result in each.results) for each in before)
    dim = recipe.dim or max(states, NARROW)
    return replace(recipe, dim=dim, iterations=recipe.iterations * min(times, MOST_LENGTHENED))
