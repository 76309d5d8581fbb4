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
from learners.evaluation.lockstep import Case
from learners.traces.random_inputs import (
    count_inputs,
    lengths_of,
    lengths_up_to,
    longest_input,
    random_input,
    repeated_input,
    repeating_inputs,
)
from learners.traces.random_worlds import square_world
from learners.traces.sampling import input_language

PLG, RLG, WORLDS = "plg", "rlg", "worlds"
RANDOM_INPUTS = 5  # There are so many of exactly m, and as many of at most m, as in the paper.
PLG_CASES = 2 * RANDOM_INPUTS
MOST_REPEATED = 2_000  # Above this only a sample of the repeated inputs is run: already these take minutes.
RANDOM_WORLDS = 20  # These are twice the inputs of PLG, as each world shows less.
WORLD_STEPS = 100_000  # A random world is run for so long, unless a limit is given.
MAX_INPUT_SYMBOLS = 50_000_000  # An input is held as text.
MAX_WORLD_CELLS = 4_000_000  # A random world is held as a dictionary.


@dataclass(frozen=True, slots=True)
class Suite:
    """Cases of one length: the first `plg` of them make PLG, all of them the suite."""

    name: str
    digits: int
    count: int
    plg: int
    sampled: bool  # The repeated inputs are too many, and only some are drawn.
    cases: Callable[[], Iterator[Case]]  # Cases are drawn one by one: long inputs are not all held at once.


def suite_of(table: Table, digits: int, name: str, seed: int) -> Suite:
    """The cases of a suite for an agent, the same for the same seed; GridError if there can be none."""
    language = input_language(table) if table.input else None
    size, most = (
        (digits * digits, MAX_WORLD_CELLS)
        if language is None
        else (longest_input(language, digits), MAX_INPUT_SYMBOLS)
    )
    if size > most:
        what = "worlds" if language is None else "inputs"
        message = f"the {what} for length {digits:,} would have {size:,} symbols each"
        raise fail("G111", message, f"at most {most:,} are evaluated: ask for a smaller length")
    if language is None:
        return Suite(WORLDS, digits, RANDOM_WORLDS, 0, False, lambda: _worlds(table.symbols, digits, seed))
    if name == PLG:
        return Suite(PLG, digits, PLG_CASES, PLG_CASES, False, lambda: _random(language, digits, seed))
    count = count_inputs(language, lengths_of(1))
    sampled = count > MOST_REPEATED
    if language.condition and not sampled:
        count = sum(1 for _ in repeating_inputs(language, digits))

    def cases() -> Iterator[Case]:
        repeated = _sample(language, digits, seed) if sampled else repeating_inputs(language, digits)
        return chain(_random(language, digits, seed), repeated)

    return Suite(RLG, digits, PLG_CASES + min(count, MOST_REPEATED), PLG_CASES, sampled, cases)


def largest_length(table: Table) -> int:
    """The largest length whose inputs can be made; 1 if they do not grow with it."""
    language = input_language(table) if table.input else None
    if language is None:
        return isqrt(MAX_WORLD_CELLS)
    if language.longest() < ENDLESS:
        return 1
    low, high = 1, MAX_INPUT_SYMBOLS + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if longest_input(language, middle) <= MAX_INPUT_SYMBOLS else (low, middle)
    return low


def _random(language: InputLanguage, digits: int, seed: int) -> Iterator[str]:
    for name, lengths in (("exactly", lengths_of(digits)), ("at most", lengths_up_to(digits))):
        for number in range(RANDOM_INPUTS):
            yield random_input(language, lengths, Random(f"{seed} {digits} {name} {number}"))


def _sample(language: InputLanguage, digits: int, seed: int) -> Iterator[str]:
    for number in range(MOST_REPEATED):
        yield repeated_input(language, digits, Random(f"{seed} {digits} repeated {number}"))


def _worlds(symbols: tuple[str, ...], digits: int, seed: int) -> Iterator[Case]:
    for number in range(RANDOM_WORLDS):
        yield square_world(symbols, digits, Random(f"{seed} {digits} world {number}"))
