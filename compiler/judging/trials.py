"""What models are tried on: declared inputs of growing length, and random worlds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

from gridlang.clauses.input_clauses import language_of
from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.judging.limits import LIMITS
from gridlang.compiler.lockstep.lockstep import Case
from gridlang.compiler.simulation.random_inputs import input_drawer, lengths_up_to
from gridlang.compiler.simulation.random_worlds import random_worlds
from gridlang.table import Table


def trial_cases(table: Table, scope: str, random: Random) -> Iterator[Case]:
    """Declared inputs of growing length, and random worlds unless only inputs are asked about."""
    language = language_of(table)
    if language is not None:
        yield from growing_inputs(language, LIMITS.inputs_tried, LIMITS.longest_tried, random)
    if scope != "inputs" or language is None:
        yield from islice(random_worlds(table, random, LIMITS.trial_steps), LIMITS.worlds_tried)


def growing_inputs(language: InputLanguage, count: int, longest: int, random: Random) -> Iterator[str]:
    """Declared inputs, shorter ones first, with repetitions of up to `longest` in the end."""
    draw = input_drawer(language, random)
    for number in range(count):
        yield draw(lengths_up_to(1 + longest * number // count))
