"""Worlds on which two agents are looked at side by side: short inputs, random ones, or random worlds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

from gridlang.clauses.inputs import language_of
from gridlang.table import Table
from gridlang.world import World, string_world
from learners.reports.limits import LIMITS
from learners.traces.random_inputs import lengths_up_to, random_input
from learners.traces.random_worlds import random_worlds


def sampled_worlds(table: Table, seed: int = 0) -> Iterator[World]:
    """Declared inputs where there are any, else worlds that keep the agent going."""
    random = Random(f"{seed} sampled")
    language = language_of(table)
    if language is None:
        yield World({})
        yield from islice(random_worlds(table, random, 200), LIMITS.worlds)
        return
    for text in islice(language.shortest(LIMITS.listed_length), LIMITS.short_inputs):
        yield string_world(text)
    for _ in range(LIMITS.drawn_inputs):
        yield string_world(random_input(language, lengths_up_to(LIMITS.drawn_length), random))
