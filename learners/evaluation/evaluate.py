"""How a model fares in lockstep with its expert: on a suite of one length, and how far it passes.

PLG(m) of the paper, for any input clause, draws 5 inputs whose every repetition has exactly m symbols, and 5
of at most m. RLG(m) adds all inputs whose every repetition is one thing, m times. An agent without an input
clause has random worlds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from math import isqrt
from random import Random
from typing import NamedTuple

from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import ENDLESS, InputLanguage
from gridlang.compiler.lockstep.cpu import cpu_backend
from gridlang.compiler.lockstep.lockstep import (
    NO_LIMIT,
    BatchProgress,
    Case,
    LockstepOutcome,
    Margin,
    Mistake,
    Until,
    least_margin,
    matched,
    nobody,
)
from gridlang.compiler.simulation.random_inputs import (
    count_inputs,
    lengths_of,
    lengths_up_to,
    longest_input,
    random_input,
    repeated_input,
    repeating_inputs,
    square_world,
)
from gridlang.compiler.tensors.model import Model
from gridlang.diagnostics import fail
from gridlang.display import Shown
from gridlang.learners.evaluation.limits import LIMITS
from gridlang.outcomes import Outcome, Reason
from gridlang.table import Table

PLG, RLG, WORLDS = "plg", "rlg", "worlds"
PLG_CASES = 2 * LIMITS.random_inputs


@dataclass(frozen=True, slots=True)
class Suite:
    """Cases of one length: the first `plg` of them make PLG, all of them the suite."""

    name: str
    digits: int
    count: int
    plg: int
    sampled: bool  # too many repeated inputs: only some are drawn
    cases: Callable[[], Iterator[Case]]  # drawn one by one: long inputs are not all held at once


def suite_of(table: Table, digits: int, name: str, seed: int) -> Suite:
    """The cases of a suite for an agent, the same for the same seed; GridError if there can be none."""
    language = language_of(table)
    size, most = (
        (digits * digits, LIMITS.world_cells)
        if language is None
        else (longest_input(language, digits), LIMITS.input_symbols)
    )
    if size > most:
        what = "worlds" if language is None else "inputs"
        message = f"the {what} for length {digits:,} would have {size:,} symbols each"
        raise fail("G111", message, f"at most {most:,} are evaluated: ask for a smaller length")
    if language is None:
        count = LIMITS.random_worlds
        return Suite(WORLDS, digits, count, 0, False, lambda: _worlds(table.symbols, digits, seed))
    if name == PLG:
        return Suite(PLG, digits, PLG_CASES, PLG_CASES, False, lambda: _random(language, digits, seed))
    count = count_inputs(language, lengths_of(1))
    sampled = count > LIMITS.most_repeated
    if language.condition and not sampled:
        count = sum(1 for _ in repeating_inputs(language, digits))

    def cases() -> Iterator[Case]:
        repeated = _sample(language, digits, seed) if sampled else repeating_inputs(language, digits)
        return chain(_random(language, digits, seed), repeated)

    return Suite(RLG, digits, PLG_CASES + min(count, LIMITS.most_repeated), PLG_CASES, sampled, cases)


def largest_length(table: Table) -> int:
    """The largest length whose inputs can be made; 1 if they do not grow with it."""
    language = language_of(table)
    if language is None:
        return isqrt(LIMITS.world_cells)
    if language.longest() < ENDLESS:
        return 1
    low, high = 1, LIMITS.input_symbols + 1
    while high - low > 1:
        middle = (low + high) // 2
        fits = longest_input(language, middle) <= LIMITS.input_symbols
        low, high = (middle, high) if fits else (low, middle)
    return low


def _random(language: InputLanguage, digits: int, seed: int) -> Iterator[str]:
    for name, lengths in (("exactly", lengths_of(digits)), ("at most", lengths_up_to(digits))):
        for number in range(LIMITS.random_inputs):
            yield random_input(language, lengths, Random(f"{seed} {digits} {name} {number}"))


def _sample(language: InputLanguage, digits: int, seed: int) -> Iterator[str]:
    for number in range(LIMITS.most_repeated):
        yield repeated_input(language, digits, Random(f"{seed} {digits} repeated {number}"))


def _worlds(symbols: tuple[str, ...], digits: int, seed: int) -> Iterator[Case]:
    for number in range(LIMITS.random_worlds):
        yield square_world(symbols, digits, Random(f"{seed} {digits} world {number}"))


SuiteListener = Callable[[Suite, BatchProgress], None]  # told now and then about progress


class FirstError(NamedTuple):
    """The first case of a suite that failed, counted from 1, and what went wrong."""

    number: int
    case: Case
    mistake: Mistake


@dataclass(frozen=True, slots=True)
class Evaluation(Shown):
    """What a suite says about a model at one length.

    `passed` is None where time or memory ended before the answer. `plg`, `rlg` and `worlds` are None where
    they were not asked. `cases` of `count` ran to an end; `cut` of those ended at the step limit.

    >>> import gridlang as gl
    >>> gl.evaluate(gl.compile("examples/increment.grid"), digits=9)
    Evaluation(rlg at 9 digits: passed; 12 of 12 cases, 137 steps)
    """

    digits: int
    suite: str
    passed: bool | None
    plg: bool | None
    rlg: bool | None
    worlds: bool | None
    cases: int
    count: int
    cut: int
    sampled: bool
    steps: int
    seconds: float
    write_margin: Margin | None
    move_margin: Margin | None
    first_error: FirstError | None
    out_of_memory: bool = False

    @property
    def margin(self) -> Margin | None:
        """The smallest decision margin seen."""
        return least_margin((self.write_margin, self.move_margin))

    def __bool__(self) -> bool:
        """There are three answers, as of a proof, so none may be taken for yes or no."""
        raise TypeError("an evaluation has passed, failed or come to no end: ask for its `passed`")

    def __repr__(self) -> str:
        about = f"{self.suite} at {self.digits:,} digits"
        if self.first_error is not None:
            number, _, mistake = self.first_error
            where = f"case {number:,} of {self.count:,}, at step {mistake.step:,}"
            return f"Evaluation({about}: failed in {where}; {self.steps:,} steps)"
        ended = "passed" if self.passed else "unknown"
        of = f"{self.cases:,} of {self.count:,} cases, {self.steps:,} steps"
        return f"Evaluation({about}: {ended}; {of})"


class Evaluator:
    """A model in closed loop and in lockstep with its expert, ready for suites of any length.

    `suite` is plg or rlg; without an input clause random worlds are run. GridError if the alphabets differ.
    """

    def __init__(
        self,
        model: Model,
        table: Table,
        suite: str = RLG,
        seed: int = 0,
        steps: int | None = None,
    ) -> None:
        self.table = table
        self.suite = suite
        self.seed = seed
        self.steps = steps
        self.largest = largest_length(table)
        self.backend = cpu_backend(matched(model, table))

    def at(self, digits: int, deadline: float = math.inf, watch: SuiteListener = nobody) -> Evaluation:
        """The suite at one length, up to its first failing case; GridError if inputs would be too long."""
        suite = suite_of(self.table, digits, self.suite, self.seed)
        steps = self.steps or (LIMITS.world_steps if suite.name == WORLDS else NO_LIMIT)
        begun = time.monotonic()
        outcomes = self.backend(suite.cases(), Until(steps, deadline, stop_early=True), partial(watch, suite))
        return _summary(suite, outcomes, time.monotonic() - begun)


def _summary(suite: Suite, outcomes: Sequence[LockstepOutcome | None], seconds: float) -> Evaluation:
    failed = next((i for i, outcome in enumerate(outcomes) if outcome is not None and outcome.mistake), None)
    error = None
    if failed is not None:
        outcomes = outcomes[: failed + 1]  # later cases depend on the threads' speed
        wrong = outcomes[failed]
        assert wrong is not None and wrong.mistake is not None
        error = FirstError(failed + 1, next(islice(suite.cases(), failed, None)), wrong.mistake)
    ended = [outcome for outcome in outcomes if outcome is not None]
    passed = _verdict(outcomes, suite.count)
    return Evaluation(
        digits=suite.digits,
        suite=suite.name,
        passed=passed,
        plg=_verdict(outcomes[: suite.plg], suite.plg) if suite.name != WORLDS else None,
        rlg=passed if suite.name == RLG else None,
        worlds=passed if suite.name == WORLDS else None,
        cases=len(ended),
        count=suite.count,
        cut=sum(outcome.ending == Outcome.BUDGET for outcome in ended),
        sampled=suite.sampled,
        steps=sum(outcome.steps for outcome in ended),
        seconds=seconds,
        write_margin=least_margin(outcome.write_margin for outcome in ended),
        move_margin=least_margin(outcome.move_margin for outcome in ended),
        first_error=error,
        out_of_memory=any(outcome.ending is Reason.MEMORY for outcome in ended),
    )


def _verdict(outcomes: Sequence[LockstepOutcome | None], count: int) -> bool | None:
    """False after a mistake, True if all cases passed, None if some did not end."""
    if any(outcome is not None and outcome.mistake for outcome in outcomes):
        return False
    return True if sum(outcome is not None and outcome.passed for outcome in outcomes) == count else None


# lengths of which each must pass before the next is tried, each longer by about half
LADDER = (1, 2, 3, 5, 7, 10, 14, 20, 30, 40, 60, 100)
# what ends a search
ENDED_FOUND, ENDED_TIME, ENDED_MEMORY, ENDED_LONGEST = "found", "time", "memory", "longest"


@dataclass(frozen=True, slots=True)
class LengthSearch(Shown):
    """The largest length passed (0 for none), all that was tried, and what ended the search.

    Every length tried below `largest` passed too.

    >>> import gridlang as gl
    >>> search = gl.evaluate("examples/models/add2.safetensors", largest=True, seconds=0.5)
    >>> search.largest == max(each.digits for each in search.tried if each.passed)
    True
    """

    largest: int
    tried: tuple[Evaluation, ...]
    ended: str

    def __repr__(self) -> str:
        return f"LengthSearch(largest length passed {self.largest:,}, {len(self.tried)} tried; {self.ended})"


def search_length(
    evaluator: Evaluator,
    seconds: float,
    known: Evaluation | None = None,
    watch: SuiteListener = nobody,
) -> LengthSearch:
    """Doubles the length until one fails, then halves the gap, as long as time lasts.

    `known` is a length tried before.
    """
    deadline = time.monotonic() + seconds
    tried = [known] if known is not None else []
    ended = ""
    while not ended:
        low, high = bounds(tried)
        wanted = 2 * low or LIMITS.first_length
        digits = min(wanted if wanted < high else (low + high) // 2, evaluator.largest)
        if high - low <= 1:
            ended = ENDED_FOUND
        elif digits == low:
            ended = ENDED_LONGEST
        else:
            tried.append(evaluator.at(digits, deadline, watch))
            if tried[-1].passed is None:
                ended = ENDED_MEMORY if tried[-1].out_of_memory else ENDED_TIME
    return LengthSearch(bounds(tried)[0], tuple(tried), ended)


def measure(
    evaluator: Evaluator,
    digits: int | None,
    largest: bool,
    seconds: float | None = None,
    watch: SuiteListener = nobody,
) -> Evaluation | LengthSearch:
    """One length, or a search for the largest that begins with it; a search has a minute unless given."""
    begun, limit = time.monotonic(), seconds or (LIMITS.search_seconds if largest else math.inf)
    one = evaluator.at(digits, begun + limit, watch) if digits is not None else None
    if one is not None and not largest:
        return one
    return search_length(evaluator, limit - (time.monotonic() - begun), one, watch)


def bounds(tried: Iterable[Evaluation]) -> tuple[int, int]:
    """The largest length below the first that failed, and that one; a huge number if none has."""
    results = [(e.digits, e.passed) for e in tried if e.passed is not None]
    high = min((digits for digits, passed in results if not passed), default=NO_LIMIT)
    return max((digits for digits, passed in results if passed and digits < high), default=0), high
