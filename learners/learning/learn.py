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

from gridlang.diagnostics import fail
from gridlang.files import write_whole
from learners.learning.counterexamples import HardExample, first_traces, next_traces
from learners.learning.expert_questions import UnseenRules, unseen_rules
from learners.learning.judging import RoundJudge
from learners.learning.limits import LIMITS
from learners.learning.rounds import (
    ABOUT,
    LOCK,
    MERGED,
    ROUND,
    Learned,
    RoundResult,
    make_folder,
    open_run,
    read_round,
    read_unseen,
    round_folder,
)
from learners.learning.settings import Event, LearnConfig, Merged, OnEvent, unheard
from learners.learning.training_further import TrainedFurther, trained_further
from learners.methods.registry import merging_from_the_root, method_named, train_by_method
from learners.runtime.folder_lock import held
from learners.traces.dataset import Traces, read_traces, traces_to_bytes
from learners.traces.limits import LIMITS as TRACE_LIMITS
from learners.traces.sampling import make_traces, sampling_plan
from learners.training.checkpoints import NAMES
from learners.training.method_choice import DFST
from learners.training.train import TrainingPlan

TRACES, UNSEEN = "traces.npz", "unseen.json"
TRACE_SEED_STEP = 7_919  # from a round's seed of random traces to the next's: runs of near seeds share none


def learn(config: LearnConfig, folder: str, *, resume: bool = False, on_event: OnEvent = unheard) -> Learned:
    """Rounds until all seeds are proven, or one where that is enough, or until there are no more rounds.

    A seed whose verdict no round can change is not trained again.
    """
    if config.scope == "inputs" and not config.declares_inputs:
        hint = "declare one in its source, or learn it on all worlds: --scope worlds"
        raise fail("G140", f"`{config.program.name}` has no input clause", hint, config.program.file)
    if config.merging_first and not os.path.exists(os.path.join(folder, ABOUT)):
        merged = _merged(config, folder, resume, on_event)
        if merged.best is not None and not merged.unfinished:
            return merged
    with held(folder, LOCK):
        return _rounds(config, folder, resume, on_event)


def _merged(config: LearnConfig, folder: str, resume: bool, on_event: OnEvent) -> Learned:
    """One round of merging states, a run of its own within the folder."""
    within = os.path.join(folder, MERGED)
    resume = resume and os.path.exists(os.path.join(within, ABOUT))
    merging = merging_from_the_root()
    one = replace(config, method=merging, merging_first=False, seeds=config.seeds[:1], rounds=1)

    def told(event: Event) -> None:
        on_event(Merged(event) if isinstance(event, RoundResult) else event)

    return learn(one, within, resume=resume, on_event=told)


def _rounds(config: LearnConfig, folder: str, resume: bool, on_event: OnEvent) -> Learned:
    open_run(folder, config.program.name, config.identity(), resume, config.command)
    unseen = _unseen(config, folder, on_event)
    if not unseen.excluded:
        on_event(unseen)
    learned = Learned(folder, config.seeds, (), unseen, config.method.name)
    for _ in range(config.rounds):
        done = _Round(config, learned, on_event).run()
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
        return read_unseen(path)
    program, scope, seed = config.program, config.scope, config.seeds[0]
    recorded = os.path.join(first, TRACES)
    begun = os.path.exists(recorded)
    tell("tracing")
    traces = read_traces(recorded) if begun else _first_traces(config, tell)
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
    """What shows the agent as a whole; for merging, what identifies it, which is far less."""
    few_states = config.states <= TRACE_LIMITS.most_states
    if not method_named(config.method.name).trained and not config.strict and few_states:
        plan = sampling_plan(config.program.table, "characteristic")
        return make_traces(config.program, [plan], config.seeds[0])
    return first_traces(
        config.program,
        config.scope,
        config.many_worlds,
        config.seeds[0],
        strict=config.strict,
        progress=lambda done: tell(f"tracing: {done:,} runs"),
    )


class _Round:
    """The next round of a run, for the seeds that are not proven; what is done of it lies in its folder."""

    def __init__(self, config: LearnConfig, learned: Learned, on_event: OnEvent) -> None:
        self.config, self.tell, self.before = config, on_event, learned.rounds
        self.number, self.seeds = len(learned.rounds) + 1, learned.unfinished
        self.unseen, self.last = learned.unseen, {s: result for s, (_, result) in learned.last.items()}
        self.run_folder, self.folder = learned.folder, round_folder(learned.folder, self.number)

    def run(self) -> RoundResult:
        """Trace, train, extract and prove; a round that was finished before is read."""
        if os.path.exists(self.path(ROUND)):
            return read_round(self.path(ROUND), self.number)
        make_folder(self.folder)
        hard = self._counterexamples_so_far()
        traces = self._trace(hard)
        plan = self._plan(traces)
        trained = self._train(plan)
        begun = time.monotonic()
        results = self._judge().results(trained.models)
        losses = [result.loss for result in results if result.loss is not None]
        done = RoundResult(
            number=self.number,
            traces=len(traces),
            steps=traces.steps,
            hard=len(hard),
            iterations=plan.recipe.iterations,
            loss=median(losses) if losses else None,
            training_seconds=round(trained.seconds, 3),
            judging_seconds=round(time.monotonic() - begun, 3),
            results=results,
            trained_on=trained.seeds,
        )
        write_whole(self.path(ROUND), json.dumps(done.as_json()) + "\n")
        return done

    def _judge(self) -> RoundJudge:
        return RoundJudge(self.config, self.number, self.folder, self.unseen, self.last, self.tell)

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
            # Without anything new to learn from, a round would be the one before once more.
            taught = any(result.hard for result in self.before[-1].results)
            more = config.many_worlds // 4 if config.scope == "worlds" or not taught else 0
            traces = next_traces(config.program, before, hard, more, seed, strict=config.strict)
            write_whole(path, traces_to_bytes(traces))
        self.tell(f"training on {len(traces):,} traces")
        return traces

    def _plan(self, traces: Traces) -> TrainingPlan:
        """What is trained: by the recipe as it fits these traces, for longer where a round was too short."""
        config = self.config
        # The width of a network is chosen by what its traces show.
        wide = 0 if config.method.network else max(config.states, LIMITS.narrow)
        recipe = replace(config.recipe, dim=config.recipe.dim or wide)
        plan = TrainingPlan(traces, recipe, self.seeds, config.device, config.command, config.method)
        longer = _times_longer(self.before) * plan.recipe.iterations
        return replace(plan, recipe=replace(plan.recipe, iterations=longer))

    def _train(self, plan: TrainingPlan) -> TrainedFurther:
        """Every round trains afresh: what was learned without the hard examples would be in the way."""
        begun = any(os.path.exists(self.path(name)) for name in (*NAMES, "run.json"))
        models = train_by_method(plan, self.folder, resume=begun, on_event=self.tell)
        if not models:
            hint = "`train --method sat` with more --seconds and --most-states may find one"
            raise fail(
                "G227", f"no machine was found that is consistent with {len(plan.traces):,} traces", hint
            )
        trained = TrainedFurther(list(models), 0.0, 0)
        if plan.method.name == DFST and not self.config.recipe.iterations:
            trained = trained_further(
                plan,
                models,
                self.folder,
                widen=not self.config.recipe.dim,
                on_event=self.tell,
            )
        for model in trained.models:
            path = self.path(f"seed-{model.seed}.safetensors")
            if model.diverged < 0:  # One that lies there may be damaged; this is the one that was trained.
                write_whole(path, model.model.to_bytes())
        return trained._replace(seconds=trained.seconds + models[0].seconds)


def _times_longer(before: Sequence[RoundResult]) -> int:
    """Times the recipe's iterations: twice as many after each round that was too short for a seed."""
    short = sum(any(result.too_short for result in each.results) for each in before)
    return min(1 << short, LIMITS.most_lengthened)
