"""Worlds on which two agents are looked at side by side: short inputs, random ones, or random worlds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

from gridlang.clauses.inputs import language_of
from gridlang.table import Table
from gridlang.world import World, string_world
from learners.traces.random_inputs import lengths_up_to, random_input
from learners.traces.random_worlds import random_worlds

ALL_UP_TO = 4  # Inputs of up to so many symbols are all taken, if they are not too many.
SHORT, LONGER, WORLDS = 300, 200, 300  # So many worlds of each kind reach nearly every rule.
REPETITIONS = 6  # Each part of a random input is repeated so often at most.


def sampled_worlds(table: Table, seed: int = 0) -> Iterator[World]:
    """Declared inputs where there are any, else worlds that keep the agent going."""
    random = Random(f"{seed} sampled")
    language = language_of(table)
    if language is None:
        yield World({})
        yield from islice(random_worlds(table, random, 200), WORLDS)
        return
    for text in islice(language.shortest(ALL_UP_TO), SHORT):
        yield string_world(text)
    for _ in range(LONGER):
        yield string_world(random_input(language, lengths_up_to(REPETITIONS), random))
