"""Learning until proven: trace, train, extract, prove; add the mistakes to the traces, and repeat.

A proof is the answer of an equivalence oracle, so this is exact learning. Each round has a folder with its
traces, its training run, and a file per judged model; an interrupted run is resumable.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from gridlang.compiler.proofs.joint_step import STRICT, UNASKED
from gridlang.diagnostics import fail
from gridlang.files import make_folder, write_whole
from gridlang.learners.learning.counterexamples import HardExample, first_traces, next_traces
from gridlang.learners.learning.expert_questions import ALL_SEEN, UnseenRules, unseen_from_json, unseen_rules
from gridlang.learners.learning.limits import LIMITS
from gridlang.learners.learning.rounds import (
    LOCK,
    ROUND,
    TRACES,
    UNSEEN,
    Learned,
    RoundResult,
    open_run,
    read_kept,
    round_folder,
    round_from_json,
)
from gridlang.learners.learning.seed_verdicts import (
    DIVERGED,
    ON_INPUTS,
    PROVEN,
    UNKNOWN,
    SeedQuery,
    SeedResult,
    result_from_json,
    seed_results,
)
from gridlang.learners.learning.settings import LearnConfig, OnEvent, unheard
from gridlang.learners.methods.models import found_models
from gridlang.learners.runtime.folder_lock import held
from gridlang.learners.traces.choosing.reads import first_reads
from gridlang.learners.traces.dataset import Traces, read_traces, traces_to_bytes
from gridlang.learners.train.journal import CHECKPOINT
from gridlang.learners.train.run import ModelResult, Trained, TrainingPlan, train, write_seeds

TRACE_SEED_STEP = 7_919  # from a round's seed of random traces to the next's: runs of near seeds share none
START_SEED_STEP = 15_485_863  # likewise of the weights that seeds begin with


class Round:
    """The next round of a run, for the seeds that are not proven."""

    def __init__(self, config: LearnConfig, learned: Learned, on_event: OnEvent) -> None:
        self.config, self.tell, self.before = config, on_event, learned.rounds
        self.number, self.seeds = len(learned.rounds) + 1, learned.unfinished
        self.unseen, self.last = learned.unseen, {s: result for s, (_, result) in learned.last.items()}
        self.run_folder, self.folder = learned.folder, round_folder(learned.folder, self.number)
        # whether all that is new are the weights that models begin with
        self.begins_anew = bool(self.last) and all(self.last[seed].astray for seed in self.seeds)
        # whether declared inputs are a narrower question
        self.narrows = config.scope == "worlds" and config.declares_inputs

    def run(self) -> RoundResult:
        """A round that was finished before is read."""
        if os.path.exists(self.path(ROUND)):
            return read_kept(self.path(ROUND), round_from_json, number=self.number)
        make_folder(self.folder)
        hard = self._counterexamples_so_far()
        traces = self._trace(hard)
        plan = self._plan(traces)
        models = self._train(plan)
        begun = time.monotonic()
        results = self.judged([model.result() for model in models])
        asked = models[0].model.training if plan.expert is not None else {}
        losses = [result.loss for result in results if result.loss is not None]
        done = RoundResult(
            number=self.number,
            traces=0 if asked else len(traces),
            steps=asked.get("steps", traces.steps),
            hard=len(hard),
            iterations=max(model.iterations for model in models),
            loss=median(losses) if losses else None,
            training_seconds=round(models[0].seconds, 3),
            judging_seconds=round(time.monotonic() - begun, 3),
            results=results,
            queries=asked.get("queries", 0),
        )
        write_whole(self.path(ROUND), json.dumps(done.as_json()) + "\n")
        return done

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def _counterexamples_so_far(self) -> list[HardExample]:
        """Earlier mistakes of all seeds, after cases that runs seldom show."""
        results = (result for each in self.before for result in each.results)
        hard = (example for result in results for example in result.hard)
        return list(dict.fromkeys((*self.unseen.examples, *hard)))

    def _trace(self, hard: list[HardExample]) -> Traces:
        """The first round's traces exist; later rounds add mistakes and variants of them."""
        path, config = self.path(TRACES), self.config
        if os.path.exists(path):
            traces = read_traces(path)
        else:
            before = read_traces(os.path.join(round_folder(self.run_folder, self.number - 1), TRACES))
            traces = before if self.begins_anew else self._more(before, hard)
            write_whole(path, traces_to_bytes(traces))
        if not config.method.asks:
            self.tell(f"training on {len(traces):,} traces")
        return traces

    def _more(self, before: Traces, hard: list[HardExample]) -> Traces:
        """The traces so far, the mistakes, and more worlds if nothing else is new."""
        config = self.config
        taught = any(result.hard for result in self.before[-1].results)
        more = config.many_worlds // 4 if config.scope == "worlds" or not taught else 0
        seed = config.seeds[0] + TRACE_SEED_STEP * (self.number - 1)
        return next_traces(config.program, before, hard, more, seed, strict=config.strict)

    def _plan(self, traces: Traces) -> TrainingPlan:
        """No seed starts twice from the same weights, nor at a rate at which none settled."""
        config = self.config
        wide = max(len(config.program.table.states), LIMITS.narrow)
        recipe = replace(config.recipe, dim=config.recipe.dim or wide)
        plan = TrainingPlan(traces, recipe, self.seeds, config.device, method=config.method, measured=False)
        if config.method.asks:
            return replace(plan, expert=config.program.table)
        if not config.method.trained or self.number == 1:
            return plan
        starts = (seed + START_SEED_STEP * (self.number - 1) for seed in self.seeds)
        begun = np.stack([*map(plan.shape.initial, starts)])
        # rounds in which no seed settled: Adam's steps were too long
        lost = sum(all(not each.has_settled for each in done.results) for done in self.before)
        slower = replace(plan.recipe, lr=plan.recipe.lr / LIMITS.slower**lost)
        return replace(plan, recipe=slower, begun=begun)

    def _train(self, plan: TrainingPlan) -> list[Trained]:
        """Every round trains afresh: weights learned without the hard examples are in the way."""
        begun = any(os.path.exists(self.path(name)) for name in (CHECKPOINT, "run.json"))
        carry_out = train if plan.method.trained else found_models
        models = carry_out(plan, self.folder, resume=begun, on_event=self.tell)
        write_seeds(models, self.folder)
        return models

    def judged(self, models: Sequence[ModelResult]) -> tuple[SeedResult, ...]:
        """Asks about the models that have not been asked about yet; every result is kept as it comes.

        Where all worlds cannot be settled, declared inputs are asked about.
        """
        results: dict[int, SeedResult] = {}
        queries = {model.seed: self._query(model) for model in models if model.diverged is None}
        for model in models:
            kept = self.path(f"seed-{model.seed}.json")
            if model.diverged is not None:
                reason = f"it diverged at iteration {model.diverged:,}"
                results[model.seed] = SeedResult(model.seed, DIVERGED, reason=reason)
            elif os.path.exists(kept):
                results[model.seed] = read_kept(kept, result_from_json, seed=model.seed)
        self._ask([queries[seed] for seed in queries if seed not in results], results)
        last_round = self.number == self.config.rounds
        still_open = [
            queries[seed]._replace(scope="inputs")
            for seed, result in results.items()
            if self.narrows and (result.verdict, result.scope) == (UNKNOWN, "worlds")
            if result.settled or last_round
        ]
        self._ask(still_open, results)
        return tuple(results[model.seed] for model in models)

    def _ask(self, queries: list[SeedQuery], results: dict[int, SeedResult]) -> None:
        """Keeps and tells the results as they come."""
        for result in seed_results(queries, self.config.patience):
            wide, excluded = results.get(result.seed), self.unseen.excluded
            narrower = result.scope != self.config.scope
            unsettled = not excluded and not result.hard and not narrower
            same = result.is_unknown_as(self.last.get(result.seed))
            known = result.verdict == UNKNOWN and (same or unsettled)
            result = replace(result, settled=known or (self.begins_anew and result.astray))
            if narrower and result.verdict == PROVEN:
                reason = wide.reason if wide else "" if excluded else self.unseen.reason
                result = replace(result, verdict=ON_INPUTS, reason=reason)
            results[result.seed] = self._kept(result)
            self.tell(results[result.seed])

    def _query(self, model: ModelResult) -> SeedQuery:
        """On declared inputs where all worlds cannot be settled, or could not in the round before."""
        config, before = self.config, self.last.get(model.seed)
        narrower = self.narrows and (not self.unseen.excluded or (before and before.scope == "inputs"))
        return SeedQuery.of(
            model.seed,
            self.path(f"seed-{model.seed}.safetensors"),
            config.program,
            scope="inputs" if narrower else config.scope,
            radius=config.radius,
            round=self.number,
            loss=model.loss,
            stuck=STRICT if config.strict else UNASKED,
        )

    def _kept(self, result: SeedResult) -> SeedResult:
        """Writes the source and the certificate; returns the result without them."""
        for ending, text in (("grid", result.source), ("certificate.json", result.certificate)):
            if text:
                write_whole(self.path(f"seed-{result.seed}.{ending}"), text)
        write_whole(self.path(f"seed-{result.seed}.json"), json.dumps(result.as_json()) + "\n")
        return replace(result, source="", certificate="")


def learn(config: LearnConfig, folder: str, *, resume: bool = False, on_event: OnEvent = unheard) -> Learned:
    """Rounds until all seeds are proven, or one where that is enough, or until there are no more rounds.

    A seed whose verdict no round can change is not trained again.
    """
    if config.scope == "inputs" and not config.declares_inputs:
        hint = "declare one in its source, or learn it on all worlds: --scope worlds"
        raise fail("G140", f"`{config.program.name}` has no input clause", hint, config.program.file)
    with held(folder, LOCK):
        return _rounds(config, folder, resume, on_event)


def _rounds(config: LearnConfig, folder: str, resume: bool, on_event: OnEvent) -> Learned:
    open_run(folder, config.program.name, config.identity(), resume)
    unseen = _unseen(config, folder, on_event)
    if not unseen.excluded:
        on_event(unseen)
    learned = Learned(folder, config.seeds, (), unseen, config.method.name)
    for _ in range(config.rounds):
        done = Round(config, learned, on_event).run()
        learned = replace(learned, rounds=(*learned.rounds, done))
        on_event(done)
        enough = learned.proven or (not unseen.excluded and learned.proven_on_inputs)
        if not learned.unfinished or (config.any and enough):
            break
    return learned


def _unseen(config: LearnConfig, folder: str, tell: OnEvent) -> UnseenRules:
    """Records the traces of the first round, and asks about the rules that they do not show."""
    path, first = os.path.join(folder, UNSEEN), round_folder(folder, 1)
    if os.path.exists(path):
        return read_kept(path, unseen_from_json)
    program, scope, seed = config.program, config.scope, config.seeds[0]
    recorded = os.path.join(first, TRACES)
    begun = os.path.exists(recorded)
    tell("tracing")
    traces = read_traces(recorded) if begun else _first_traces(config, tell)
    unseen = ALL_SEEN
    if not config.method.asks:
        unseen = unseen_rules(
            program, traces, scope, seed, lambda done: tell(f"asking about rules not seen: {done:,} states")
        )
    if not begun:
        if unseen.examples:
            traces = next_traces(program, traces, unseen.examples, 0, seed, strict=config.strict)
        make_folder(first)
        write_whole(recorded, traces_to_bytes(traces))
    write_whole(path, json.dumps(unseen.as_json()) + "\n")
    return unseen


def _first_traces(config: LearnConfig, tell: OnEvent) -> Traces:
    """Traces that show the whole agent; hardly any for a method that queries."""
    if config.method.asks:
        return first_reads(config.program)
    return first_traces(
        config.program,
        config.scope,
        config.many_worlds,
        config.seeds[0],
        strict=config.strict,
        progress=lambda done: tell(f"tracing: {done:,} runs"),
    )
