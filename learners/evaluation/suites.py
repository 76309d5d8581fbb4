"""The cases that tell how far a model generalises: PLG and RLG of the paper, for any input clause.

PLG(m) draws 5 inputs whose every repetition has exactly m symbols, and 5 of at most m. RLG(m) adds all
inputs whose every repetition is one thing, m times. An agent without an input clause has random worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from math import isqrt
from random import Random

from gridlang.clauses.inputs import ENDLESS, InputLanguage
from gridlang.diagnostics import fail
from gridlang.table import Table
from learners.evaluation.limits import LIMITS
from learners.evaluation.lockstep import Case
from learners.traces.choosing.random_inputs import (
    count_inputs,
    lengths_of,
    lengths_up_to,
    longest_input,
    random_input,
    repeated_input,
    repeating_inputs,
    square_world,
)
from learners.traces.choosing.sampling import input_language

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
    language = input_language(table) if table.input else None
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
    language = input_language(table) if table.input else None
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
