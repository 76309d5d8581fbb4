"""Where a model itself, by its own weights, does not do what its expert does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from random import Random
from typing import NamedTuple

import numpy as np

from compiler.proofs.differences.shrink import shrink, shrink_input
from compiler.proofs.equivalence import Observation, Verdict
from compiler.simulation.simulate import run
from compiler.tensors.closed_loop import decide
from compiler.tensors.model import Model
from gridlang.clauses.inputs import language_of
from gridlang.table import MOVES, Table
from gridlang.world import World, string_world
from learners.evaluation.lockstep import Case, Match, Mistake, PlainRun, Until, matched, nobody
from learners.evaluation.lockstep_cpu import cpu_backend
from learners.extraction.limits import LIMITS as EXTRACTION
from learners.extraction.saturation import INPUTS
from learners.traces.random_inputs import (
    input_drawer,
    lengths_up_to,
    longest_input,
    periodic_input,
    repeated_input,
    repeating_inputs,
)
from learners.traces.random_worlds import random_worlds

MOST_STEPS_FOLLOWED = 20_000  # steps for which the model is followed on one world, by its equations
TRIED = 1_000  # worlds, and as many inputs, on which the model itself is held against its expert
LONGEST_TRIED = 60  # of repetitions in these inputs
WORLD_STEPS = 400  # of the agent, in which these worlds grow
SMALL = 20  # A model of so many dimensions does ten million steps a second in C; larger ones are slower.
ATTENTION = 500  # A step of a transformer, which has no vector that it keeps, takes about so many of those.
SHORT_STEPS = 6_000_000  # All of these together have so many, below a second.
# Repetitions in long inputs: some models that make no mistake below fail at 32, at 471, at 1,760.
LONG_LENGTHS = (32, 100, 500, 1_000, 2_000)
REPEATING, MOST_PERIOD = 12, 4  # So many of a length repeat a symbol, and as many a word, of up to 5 symbols.
MOST_LISTED = 10_000  # The ones to choose from; a clause of many parts has endlessly many.
LONG_STEPS = 15_000_000  # All of these together have about so many: a second.
MOST_STEPS_OF_LONG = 1_000_000  # One run of them: a million steps take the equations some ten seconds.
FOLLOWED_LENGTHS = (1, 2, 5, 12, 24, 60, 120, 300)  # of repetitions, as far as models are explored
FOLLOWED_INPUTS = 4  # of each of these lengths, and one that repeats a symbol
FOLLOWED_STEPS = 4_000_000  # of all of them, half a second
LONG_WORLDS = 50  # Runs on so many worlds go on for as long as the equations are followed.
ENGINES_APART = 1_000  # So many steps later the equations may show what the C code has shown, by rounding.
SHRINKING_STEPS = 200_000  # of the equations, for making a world that fails smaller: two seconds
BATCH = 50  # So many short cases are run before the budget is looked at.
# Before anything is explored so many of the shortest inputs are tried, and so many random worlds, for so many
# steps: some hundredths of a second. No vector of a model that may be proven drifts so soon.
FIRST_INPUTS, FIRST_WORLDS, FIRST_STEPS = 40, 60, 60
SOON = 100  # steps in which no vector drifts; on inputs, models that drift first err after thousands
SOON_WORLDS, SOON_INPUTS = 200, 100  # on which mistakes within so many steps are looked for, in 0.1 s
SEVERAL = 2  # of them: a single one may be a vector that was on the edge
LONGEST_FIRST = 12  # symbols of these inputs
MOSTLY = 2  # A model that errs on one of so many of them, or on more, is wrong: no graph of it is looked for.


def steps_to_mistake(
    dfst: Model, expert: Table, case: Case, steps: int = MOST_STEPS_FOLLOWED
) -> tuple[Observation, ...] | None:
    """The steps up to the first at which the model itself does not do what the expert does; None for none."""
    return mistake_finder(dfst, expert, steps)(case)


def mistake_finder(
    dfst: Model, expert: Table, steps: int = MOST_STEPS_FOLLOWED
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
    kinds = {a: Observation(a.read, (a.write, a.move), (a.write, a.move)) for a in set(done)}
    same = [kinds[a] for a in done]  # A million steps are of few kinds, and take little memory.
    # Of a strict model the expert may be the one that is stuck.
    wanted, got = (action and (action.write, action.move) for action in (mistake.expected, mistake.got))
    return (*same, Observation(mistake.read, wanted, got))


def mistake_on_reads(match: Match, reads: list[str]) -> tuple[Observation, ...] | None:
    """What the model does when it is handed these symbols one by one, whatever it writes."""
    table, state, hidden = match.table, 0, match.start()
    steps = []
    for read in reads:
        symbol = table.symbols.index(read)
        entry = table.rows[state][symbol]
        if entry is None and not match.strict:
            return None
        with np.errstate(all="ignore"):
            outputs, hidden = match.step(hidden, symbol)
        decision = decide(outputs, len(match.writes), match.strict)
        does = decision and (match.writes[decision.write], match.moves[decision.move])
        wanted = entry and (table.symbols[entry.write], MOVES[entry.move])
        steps.append(Observation(read, wanted, does))
        if does != wanted:
            return tuple(steps)
        if entry is None:
            return None
        state = entry.next
    return None


class Errors(NamedTuple):
    """On how many of some cases a model errs, and how it does on the first of them, made smaller."""

    first: Verdict
    many: int
    of: int
    cases: str

    def __str__(self) -> str:
        return f"it errs on {self.many} of the {self.of} {self.cases} tried"


def _errors_on(dfst: Model, expert: Table, scope: str, cases: list[Case], what: str) -> Errors | None:
    """The errors on some cases, if most of these show one."""
    outcomes = cpu_backend(matched(dfst, expert), 1)(cases, Until(FIRST_STEPS), nobody) if cases else []
    wrong = [case for case, outcome in zip(cases, outcomes, strict=True) if outcome and outcome.mistake]
    for case in wrong if MOSTLY * len(wrong) >= len(cases) else ():
        difference = smaller_difference(dfst, expert, scope, case, FIRST_STEPS)
        if difference is not None:
            return Errors(difference, len(wrong), len(cases), what)
    return None


class FloatMistakes:
    """The mistakes of one model's float weights at a scope, looked for when they are first asked for."""

    def __init__(self, dfst: Model, expert: Table, scope: str, seed: int) -> None:
        self._model = dfst, expert, scope, seed

    @cached_property
    def at_once(self) -> Errors | None:
        """What the shortest inputs, or else some worlds, show; None if most of them show nothing wrong."""
        dfst, expert, scope, seed = self._model
        language = language_of(expert) if scope != "observed" else None
        inputs: list[Case] = list(islice(language.shortest(LONGEST_FIRST), FIRST_INPUTS)) if language else []
        worlds = list(islice(_random_worlds(expert, scope, seed), FIRST_WORLDS))
        for cases, what in ((inputs, "shortest inputs"), (worlds, "random worlds")):
            errors = _errors_on(dfst, expert, scope, cases, what)
            if errors is not None:
                return errors
        return None

    @cached_property
    def first(self) -> Verdict | None:
        """One on many short worlds and inputs, or else on long inputs; None if none was seen."""
        if self.at_once is not None:
            return self.at_once.first
        mistake = short_mistake(*self._model)
        return long_mistake(*self._model) if mistake is None else mistake

    @cached_property
    def soon(self) -> bool:
        """Whether several of some worlds and inputs show one before vectors can drift."""
        dfst, expert, scope, seed = self._model
        worlds, inputs = _random_worlds(expert, scope, seed), _random_inputs(expert, scope, seed)
        cases = [*islice(worlds, SOON_WORLDS), *islice(inputs, SOON_INPUTS)]
        outcomes = cpu_backend(matched(dfst, expert), 1)(cases, Until(SOON), nobody)
        return sum(bool(outcome and outcome.mistake) for outcome in outcomes) >= SEVERAL


def short_mistake(dfst: Model, expert: Table, scope: str, seed: int) -> Verdict | None:
    """The first of many random worlds and inputs on which the model itself fails, made smaller."""
    budget = _budget(dfst, SHORT_STEPS)
    for cases, steps in (
        (_random_worlds(expert, scope, seed), WORLD_STEPS),
        (_random_inputs(expert, scope, seed), MOST_STEPS_FOLLOWED),
    ):
        failed = _first_failure(dfst, expert, cases, steps, budget // 2)
        if failed is not None:
            return _smaller_difference(dfst, expert, scope, failed)
    return None


def smaller_difference(dfst: Model, expert: Table, scope: str, case: Case, steps: int) -> Verdict | None:
    """What the model does wrong on a case within so many steps, on a smaller one; None if it does not err."""
    mistake = steps_to_mistake(dfst, expert, case, steps)
    return _smaller_difference(dfst, expert, scope, _Failure(case, mistake)) if mistake else None


def _smaller_difference(dfst: Model, expert: Table, scope: str, failed: _Failure) -> Verdict:
    small = _smaller(dfst, expert, failed.case, len(failed.mistake))
    if small == failed.case:
        return _difference(scope, failed.case, failed.mistake)
    mistake = steps_to_mistake(dfst, expert, small, len(failed.mistake))
    assert mistake is not None
    return _difference(scope, small, mistake)


def long_mistake(dfst: Model, expert: Table, scope: str, seed: int) -> Verdict | None:
    """A long input that repeats little, on which the model fails because its vectors drift.

    Errors that grow with each step show soonest where a run goes round in one state.
    """
    share = _budget(dfst, LONG_STEPS) // len(LONG_LENGTHS)
    for length in LONG_LENGTHS:
        cases = _repeating_inputs(expert, scope, seed, length)
        failed = _first_failure(dfst, expert, cases, MOST_STEPS_OF_LONG, share, at_once=1)
        if failed is not None:
            return _difference(scope, failed.case, failed.mistake)
    return None


def followed_length(dfst: Model, expert: Table, seed: int) -> int | None:
    """The longest inputs on which the float weights were seen to do as the expert does; None without inputs.

    Lengths grow until one fails, or the budget allows no run of a length to its end.
    """
    language, followed = language_of(expert), 0
    if language is None:
        return None
    random, backend = Random(f"{seed} following"), cpu_backend(matched(dfst, expert), 1)
    draw, budget = input_drawer(language, random), _budget(dfst, FOLLOWED_STEPS)
    for length in FOLLOWED_LENGTHS:
        if longest_input(language, length) > EXTRACTION.input_symbols:
            return followed
        cases = [draw(lengths_up_to(length)) for _ in range(FOLLOWED_INPUTS)]
        cases.append(repeated_input(language, length, random))
        for case in reversed(cases):
            (outcome,) = backend([case], Until(budget, stop_early=True), nobody)
            budget -= outcome.steps if outcome else budget
            if outcome is None or outcome.mistake or budget <= 0:
                return followed
        followed = length
    return followed


def mistake_on_long_runs(dfst: Model, expert: Table, scope: str, seed: int) -> Verdict | None:
    """A world on which the model fails after more steps than random worlds are tried for: many never end."""
    worlds = islice(_random_worlds(expert, scope, seed), LONG_WORLDS)
    failed = _first_failure(dfst, expert, worlds, MOST_STEPS_FOLLOWED, _budget(dfst, SHORT_STEPS))
    return _difference(scope, failed.case, failed.mistake) if failed else None


def _difference(scope: str, case: Case, steps: tuple[Observation, ...]) -> Verdict:
    """What the model itself has shown."""
    return Verdict(
        False,
        scope,
        product_states=0,
        stuck_branches=0,
        subject="model",
        counterexample=steps,
        world=string_world(case) if isinstance(case, str) else case,
        input=case if scope == INPUTS and isinstance(case, str) else None,
    )


class _Failure(NamedTuple):
    """A case, and the steps of the equations on it up to the first that is not the expert's."""

    case: Case
    mistake: tuple[Observation, ...]


def _budget(dfst: Model, steps: int) -> int:
    """So many steps for small models, fewer for large ones, whose steps take longer."""
    if not len(dfst.h0):
        return steps // ATTENTION
    return int(steps * min(1.0, (SMALL / max(len(dfst.h0), 1)) ** 2))


def _first_failure(
    dfst: Model, expert: Table, cases: Iterator[Case], steps: int, budget: int, at_once: int = BATCH
) -> _Failure | None:
    """The first case that fails within so many steps, and all cases together within the budget.

    Budgets are in steps, so that the answer depends on no clock. A failure must be one by the equations too,
    if a little later: a mistake by the rounding of one engine alone is none.
    """
    backend = cpu_backend(matched(dfst, expert), 1)
    while budget > 0 and (batch := list(islice(cases, at_once))):
        outcomes = backend(batch, Until(min(steps, budget), stop_early=True), nobody)
        for case, outcome in zip(batch, outcomes, strict=False):
            if outcome is None:
                continue
            budget -= outcome.steps
            far = outcome.mistake.step + ENGINES_APART if outcome.mistake else 0
            mistake = steps_to_mistake(dfst, expert, case, far) if far else None
            if mistake is not None:
                return _Failure(case, mistake)
    return None


def _smaller(dfst: Model, expert: Table, case: Case, step: int) -> Case:
    """Less of a world or of an input, with a mistake no later than before; as far as the budget allows."""
    ask, left = mistake_finder(dfst, expert, step), SHRINKING_STEPS // step

    def differs(world: World) -> bool:
        nonlocal left
        left -= 1
        return left >= 0 and ask(world) is not None

    language = language_of(expert)
    if isinstance(case, str) and language is not None:
        return shrink_input(case, language, differs)
    return case if isinstance(case, str) else shrink(case, differs)


def _random_worlds(expert: Table, scope: str, seed: int) -> Iterator[Case]:
    """None where only inputs are asked about, or what was observed: that needs a table."""
    drawn = random_worlds(expert, Random(f"{seed} judging"), WORLD_STEPS)
    return islice(drawn, TRIED if scope in ("worlds", "table") else 0)


def _random_inputs(expert: Table, scope: str, seed: int) -> Iterator[Case]:
    """Declared inputs, shorter ones first."""
    random, language = Random(f"{seed} judging inputs"), language_of(expert)
    if scope == "observed" or language is None:
        return
    draw = input_drawer(language, random)
    for number in range(TRIED):
        yield draw(lengths_up_to(1 + LONGEST_TRIED * number // TRIED))


def _repeating_inputs(expert: Table, scope: str, seed: int, length: int) -> Iterator[Case]:
    """Inputs of a length in which each part repeats one symbol, and some that repeat a short word."""
    language = language_of(expert)
    if scope == "observed" or language is None or longest_input(language, length) > EXTRACTION.input_symbols:
        return
    random = Random(f"{seed} repeating {length}")
    same = list(islice(repeating_inputs(language, length), MOST_LISTED))
    yield from random.sample(same, min(len(same), REPEATING))
    for number in range(REPEATING):
        yield periodic_input(language, 2 + number % MOST_PERIOD, length, random)
