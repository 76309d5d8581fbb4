"""Where a model itself, by its own weights, does not do what its expert does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import islice
from random import Random

import numpy as np

from compiler.closed_loop import decide
from compiler.dfst import Dfst
from compiler.proofs.equivalence import Observation, Verdict
from compiler.proofs.shrink import shrink, shrink_input
from compiler.simulate import run
from gridlang.clauses.inputs import language_of
from gridlang.table import MOVES, Table
from gridlang.world import World, string_world
from learners.evaluation.lockstep import Case, Match, Mistake, PlainRun, matched
from learners.evaluation.lockstep_cpu import Limits, cpu_backend, nobody
from learners.extraction.saturation import INPUTS
from learners.traces.random_inputs import lengths_up_to, random_input
from learners.traces.random_worlds import random_worlds

MOST_STEPS_FOLLOWED = 20_000  # steps for which the model is followed on one world, by its equations
TRIED = 1_000  # worlds, and as many inputs, on which the model itself is held against its expert
LONGEST_TRIED = 60  # of repetitions in these inputs
WORLD_STEPS = 400  # of the agent, in which these worlds grow
SECONDS = 20.0  # for trying all of these; a quarter of it for making one that fails smaller


def steps_to_mistake(
    dfst: Dfst, expert: Table, case: Case, steps: int = MOST_STEPS_FOLLOWED
) -> tuple[Observation, ...] | None:
    """The steps up to the first at which the model itself does not do what the expert does; None for none."""
    return mistake_finder(dfst, expert, steps)(case)


def mistake_finder(
    dfst: Dfst, expert: Table, steps: int = MOST_STEPS_FOLLOWED
) -> Callable[[Case], tuple[Observation, ...] | None]:
    """`steps_to_mistake` for many cases of one model: by its equations, as `run --engine dfst` goes."""
    match = matched(dfst, expert)

    def ask(case: Case) -> tuple[Observation, ...] | None:
        following = PlainRun(match, case)
        following.go(steps)
        return _steps_until(expert, case, following.mistake) if following.mistake else None

    return ask


def _steps_until(expert: Table, case: Case, mistake: Mistake) -> tuple[Observation, ...]:
    world = string_world(case) if isinstance(case, str) else case
    done = run(expert, world, mistake.step - 1, trace=True).trace or ()
    same = [Observation(a.read, (a.write, a.move), (a.write, a.move)) for a in done]
    # Of a strict model the expert may be the one that is stuck.
    wanted, got = (action and (action.write, action.move) for action in (mistake.expected, mistake.got))
    return (*same, Observation(mistake.read, wanted, got))


def mistake_on_reads(match: Match, reads: list[str]) -> tuple[Observation, ...] | None:
    """What the model does when it is handed these symbols one by one, whatever it writes."""
    table, state, hidden = match.table, 0, match.h0
    steps = []
    for read in reads:
        symbol = table.symbols.index(read)
        entry = table.rows[state][symbol]
        if entry is None and not match.strict:
            return None
        with np.errstate(all="ignore"):
            write, move = match.B[symbol] @ hidden, match.C[symbol] @ hidden
            hidden = match.A[symbol] @ hidden
        decision = decide(np.concatenate([write, move]), len(match.writes), match.strict)
        does = decision and (match.writes[decision.write], match.moves[decision.move])
        wanted = entry and (table.symbols[entry.write], MOVES[entry.move])
        steps.append(Observation(read, wanted, does))
        if does != wanted:
            return tuple(steps)
        if entry is None:
            return None
        state = entry.next
    return None


def mistake_verdict(dfst: Dfst, expert: Table, scope: str, seed: int, steps: int) -> Verdict | None:
    """A world among many on which the model itself fails within so many steps, made smaller.

    A model that follows its table may drift off after many more; then the proof of the table stands.
    """
    cases = list(_cases(expert, scope, seed))
    limits = Limits(steps, time.monotonic() + SECONDS, stop_early=True)
    outcomes = cpu_backend(matched(dfst, expert), 1)(cases, limits, nobody)
    for case, outcome in zip(cases, outcomes, strict=False):
        # The equations are asked too: a mistake by the rounding of one engine alone is none.
        mistake = steps_to_mistake(dfst, expert, case, steps) if outcome and outcome.mistake else None
        if mistake:
            small = _smaller(dfst, expert, case, len(mistake))
            return Verdict(
                False,
                scope,
                product_states=0,
                stuck_branches=0,
                subject="model",
                counterexample=steps_to_mistake(dfst, expert, small),
                world=string_world(small) if isinstance(small, str) else small,
                input=small if scope == INPUTS and isinstance(small, str) else None,
            )
    return None


def _smaller(dfst: Dfst, expert: Table, case: Case, step: int) -> Case:
    """Less of a world or of an input, with a mistake no later than before; as far as time allows."""
    until, ask = time.monotonic() + SECONDS / 4, mistake_finder(dfst, expert)

    def differs(world: World) -> bool:
        steps = ask(world) if time.monotonic() < until else None
        return steps is not None and len(steps) <= step

    language = language_of(expert)
    if isinstance(case, str) and language is not None:
        return shrink_input(case, language, differs)
    return case if isinstance(case, str) else shrink(case, differs)


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
        yield random_input(language, lengths_up_to(1 + LONGEST_TRIED * number // TRIED), random)
