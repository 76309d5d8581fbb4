"""A model judged against its expert: extracted, proven, and asked again wherever its table does not know.

A proof is about the table that was extracted. It is given only if the model itself makes no mistake within
some hundred steps on many random worlds and inputs: the table guesses where nothing was seen. A difference
counts only if the model itself shows it: where the table differs and the model does not, the table has not
seen enough, so the model is extracted again with that world among those explored.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

import numpy as np

from compiler.dfst import Dfst, decide
from compiler.proofs.equivalence import Observation, Verdict, compare_tables
from compiler.proofs.prove import prove
from compiler.proofs.shrink import shrink, shrink_input
from compiler.simulate import run
from gridlang.inputs import language_of
from gridlang.table import MOVES, Table
from gridlang.world import World, string_world
from learners.evaluation.lockstep import Case, Match, Mistake, PlainRun, matched
from learners.evaluation.lockstep_cpu import Limits, cpu_backend, nobody
from learners.extraction.expert_merging import merged_after
from learners.extraction.extract import AUTO, EXACT, STEPS, Extraction, extract
from learners.extraction.saturation import INPUTS, LONGEST_REPETITION, WORLDS
from learners.traces.random_inputs import lengths_up_to, random_input
from learners.traces.random_worlds import random_worlds

EXPLORED = {"worlds": WORLDS, "inputs": INPUTS, "observed": AUTO, "table": AUTO}
ASKED = 20_000  # steps of the model on one world, by its equations
BEYOND = 1_000  # steps beyond a difference of its table that the model is followed
TRIED = 1_000  # worlds, and as many inputs, on which the model itself is held against its expert
LONGEST = 60  # of repetitions in these inputs
WORLD_STEPS = 400
SECONDS = 20.0
BESIDE, SHORT = 1_000, 6  # inputs and worlds on which states are seen beside the expert's; how long these are
NEAR = 1  # radius of the windows for a table that was merged as the expert's states are


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict, what was extracted last, the rounds, and the worlds that the model was asked about.

    `verdict.subject` is `table` where the verdict is about the table extracted from the model, and `model`
    for a difference that the model itself has shown.
    """

    verdict: Verdict
    extraction: Extraction
    rounds: int
    worlds: tuple[World, ...] = ()

    @property
    def table(self) -> Table | None:
        """The table that the verdict is about: at scope `observed` the one that was seen, without a guess."""
        return self.extraction.raw if self.verdict.scope == "observed" else self.extraction.table


def judge(
    dfst: Dfst,
    expert: Table,
    scope: str = "worlds",
    *,
    radius: int | None = None,
    seed: int = 0,
    longest: int = LONGEST_REPETITION,
    budget: int = STEPS,
    rounds: int = 20,
    progress: Callable[[int], None] = lambda _: None,
) -> Judgement:
    """Whether what is extracted from a model does what the expert does, or where the model does not.

    Inputs are explored up to `longest`, as in `extract`.
    """
    asked: list[World] = []
    for number in range(1, max(rounds, 1) + 1):
        found = extract(
            dfst,
            expert=expert,
            scope=EXPLORED[scope],
            worlds=asked,
            longest=longest,
            seed=seed,
            budget=budget,
            progress=progress,
        )
        table = found.raw if scope == "observed" else found.table
        if table is None:
            why = f"no table could be extracted from the model: {found.refused}"
            verdict = _caught(dfst, expert, scope, seed, ASKED) or Verdict(None, scope, 0, 0, reason=why)
            return Judgement(verdict, found, number, tuple(asked))
        beside = (
            merged_after(expert, found, _beside(expert, scope, seed)) if scope in (WORLDS, INPUTS) else None
        )
        if beside and beside.table and found.raw and compare_tables(found.raw, beside.table).equivalent:
            near = NEAR if radius is None else radius
            verdict = prove(expert, beside.table, scope, radius=near, progress=progress)
            if verdict.equivalent:
                shown = _caught(dfst, expert, scope, seed, WORLD_STEPS)
                return Judgement(shown or verdict, beside, number, tuple(asked))
        verdict = prove(expert, table, scope, radius=radius, progress=progress)
        if verdict.equivalent is not False or found.scope == EXACT:
            shown = _caught(dfst, expert, scope, seed, WORLD_STEPS) if found.scope != EXACT else None
            return Judgement(shown or verdict, found, number, tuple(asked))
        shown = _asked(dfst, expert, verdict)
        if shown or verdict.world is None or verdict.world in asked:
            return Judgement(shown or _doubtful(verdict), found, number, tuple(asked))
        asked.append(verdict.world)
    verdict = _unknown(verdict, f"after {number} rounds the table still differs where the model does not")
    return Judgement(verdict, found, number, tuple(asked))


def _unknown(verdict: Verdict, reason: str) -> Verdict:
    return replace(
        verdict, equivalent=None, counterexample=None, world=None, input=None, shortest=False, reason=reason
    )


def _doubtful(verdict: Verdict) -> Verdict:
    """The table differs, and the model does not; asking it changes nothing."""
    where = "on a world that it was asked about" if verdict.world else "on reads that no world shows"
    return _unknown(verdict, f"the extracted table differs {where}, but the model itself does not")


def _asked(dfst: Dfst, expert: Table, verdict: Verdict) -> Verdict | None:
    """The difference as the model itself shows it, on the world of a verdict or on its bare reads."""
    assert verdict.counterexample is not None
    if verdict.world is None:
        steps = _on_reads(matched(dfst, expert), [step.read for step in verdict.counterexample])
    else:
        steps = model_steps(dfst, expert, verdict.world, len(verdict.counterexample) + BEYOND)
    if steps is None:
        return None
    return replace(verdict, counterexample=steps, subject="model", shortest=False)


def model_steps(dfst: Dfst, expert: Table, case: Case, steps: int = ASKED) -> tuple[Observation, ...] | None:
    """The steps up to the first at which the model itself does not do what the expert does; None for none."""
    return asking(dfst, expert, steps)(case)


def asking(dfst: Dfst, expert: Table, steps: int = ASKED) -> Callable[[Case], tuple[Observation, ...] | None]:
    """`model_steps` for many cases of one model; by its equations, as `run --engine dfst` follows them."""
    match = matched(dfst, expert)

    def ask(case: Case) -> tuple[Observation, ...] | None:
        following = PlainRun(match, case)
        following.go(steps)
        return _until(expert, case, following.mistake) if following.mistake else None

    return ask


def _until(expert: Table, case: Case, mistake: Mistake) -> tuple[Observation, ...]:
    world = string_world(case) if isinstance(case, str) else case
    done = run(expert, world, mistake.step, trace=True).trace or ()
    same = [Observation(a.read, (a.write, a.move), (a.write, a.move)) for a in done]
    got = (mistake.got.write, mistake.got.move) if mistake.got else None
    return (*same[:-1], same[-1]._replace(right=got))


def _on_reads(match: Match, reads: list[str]) -> tuple[Observation, ...] | None:
    """What the model does when it is handed these symbols one by one, whatever it writes."""
    table, state, hidden = match.table, 0, match.h0
    steps = []
    for read in reads:
        symbol = table.symbols.index(read)
        entry = table.rows[state][symbol]
        if entry is None:
            return None
        with np.errstate(all="ignore"):
            write, move = match.B[symbol] @ hidden, match.C[symbol] @ hidden
            hidden = match.A[symbol] @ hidden
        decision = decide(np.concatenate([write, move]), len(match.writes))
        does = decision and (match.writes[decision.write], match.moves[decision.move])
        wanted = (table.symbols[entry.write], MOVES[entry.move])
        steps.append(Observation(read, wanted, does))
        if does != wanted:
            return tuple(steps)
        state = entry.next
    return None


def _caught(dfst: Dfst, expert: Table, scope: str, seed: int, steps: int) -> Verdict | None:
    """A world among many on which the model itself fails within so many steps, made smaller.

    A model that follows its table may drift off after many more; then the proof of the table stands.
    """
    cases = list(_cases(expert, scope, seed))
    limits = Limits(steps, time.monotonic() + SECONDS, stop_early=True)
    outcomes = cpu_backend(matched(dfst, expert), 1)(cases, limits, nobody)
    for case, outcome in zip(cases, outcomes, strict=False):
        mistake = model_steps(dfst, expert, case, steps) if outcome and outcome.mistake else None
        if mistake:  # and not by the rounding of one engine alone
            small = _smaller(dfst, expert, case, len(mistake))
            return Verdict(
                False,
                scope,
                product_states=0,
                stuck_branches=0,
                subject="model",
                counterexample=model_steps(dfst, expert, small),
                world=string_world(small) if isinstance(small, str) else small,
                input=small if scope == INPUTS and isinstance(small, str) else None,
            )
    return None


def _smaller(dfst: Dfst, expert: Table, case: Case, step: int) -> Case:
    """Less of a world or of an input, with a mistake no later than before; as far as time allows."""
    until, ask = time.monotonic() + SECONDS / 4, asking(dfst, expert)

    def differs(world: World) -> bool:
        steps = ask(world) if time.monotonic() < until else None
        return steps is not None and len(steps) <= step

    language = language_of(expert)
    if isinstance(case, str) and language is not None:
        return shrink_input(case, language, differs)
    return case if isinstance(case, str) else shrink(case, differs)


def _beside(expert: Table, scope: str, seed: int) -> Iterator[Case]:
    """Short inputs, and random worlds unless only inputs are asked about, to see two tables side by side."""
    random = Random(f"{seed} beside")
    language = language_of(expert)
    if language is not None:
        for number in range(BESIDE):
            yield random_input(language, lengths_up_to(1 + SHORT * number // BESIDE), random)
    if scope != INPUTS:
        yield from islice(random_worlds(expert, random, WORLD_STEPS), BESIDE)


def _cases(expert: Table, scope: str, seed: int) -> Iterator[Case]:
    """Declared inputs, shorter ones first; before them random worlds, unless only inputs are asked about.

    Nothing is tried at scope `observed`: there is no observed language without a table.
    """
    random = Random(f"{seed} judging")
    if scope in ("worlds", "table"):
        yield from islice(random_worlds(expert, random, WORLD_STEPS), TRIED)
    language = language_of(expert)
    if scope == "observed" or language is None:
        return
    for number in range(TRIED):
        yield random_input(language, lengths_up_to(1 + LONGEST * number // TRIED), random)
