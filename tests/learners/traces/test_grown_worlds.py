"""Worlds that grow in C are those that grow in Python."""

from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.table import Table
from learners.traces import random_worlds
from learners.traces.random_worlds import grown_by_use
from tests.strategies import tables
from tests.support.searches import searched


@searched(25)
@given(table=tables(), seed=st.integers(0, 2**32), steps=st.integers(1, 120))
def test_native_worlds_are_those_of_the_definition(table: Table, seed: int, steps: int) -> None:
    def drawn() -> list[tuple[object, ...]]:
        worlds = islice(random_worlds.random_worlds(table, Random(seed), steps), 24)
        return [(list(world.cells.items()), world.start) for world in worlds]

    native = drawn()
    with pytest.MonkeyPatch.context() as patch:
        uses = [[0] * len(table.symbols) for _ in table.states]
        patch.setattr(
            random_worlds,
            "_growing",
            lambda *_: lambda weights, random: grown_by_use(table, random, steps, uses, weights),
        )
        assert drawn() == native
