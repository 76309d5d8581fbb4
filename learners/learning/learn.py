"""Learning until proven: trace, train, extract, prove; add the mistakes to the traces, and repeat.

A proof is the answer of an equivalence oracle, so this is exact learning. Each round has a folder with its
traces, its training run, and a file per judged model; an interrupted run is resumable.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace

from gridlang.diagnostics import fail
from gridlang.files import make_folder, write_whole
from learners.learning.counterexamples import first_traces, next_traces
from learners.learning.expert_questions import ALL_SEEN, UnseenRules, unseen_from_json, unseen_rules
from learners.learning.one_round import Round
from learners.learning.rounds import LOCK, TRACES, UNSEEN, Learned, open_run, read_kept, round_folder
from learners.learning.settings import LearnConfig, OnEvent, unheard
from learners.methods.registry import method_named
from learners.runtime.folder_lock import held
from learners.traces.choosing.reads import first_reads
from learners.traces.dataset import Traces, read_traces, traces_to_bytes


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
    open_run(folder, config.program.name, config.identity(), resume, config.command)
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
    if not method_named(config.method.name).asks:
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
    """What shows the agent as a whole; next to nothing for a method that asks."""
    if method_named(config.method.name).asks:
        return first_reads(config.program)
    return first_traces(
        config.program,
        config.scope,
        config.many_worlds,
        config.seeds[0],
        strict=config.strict,
        progress=lambda done: tell(f"tracing: {done:,} runs"),
    )
