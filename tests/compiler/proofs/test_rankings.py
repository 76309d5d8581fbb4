"""The search for rankings: linear systems in whole numbers, and cycles of steps."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.proofs.halting.cones import ray
from gridlang.compiler.proofs.halting.rankings import (
    Unranked,
    heights,
    ranking,
    strong_components,
)
from gridlang.compiler.proofs.halting.strip_steps import Step
from gridlang.compiler.proofs.values.polynomials import Span

SMALL = st.integers(-2, 2)
ROWS = st.lists(st.dictionaries(st.integers(0, 2), SMALL, min_size=1), min_size=1, max_size=5)
EDGES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), SMALL), max_size=12)


def value(row: dict[int, int], vector: dict[int, int]) -> int:
    return sum(a * vector.get(v, 0) for v, a in row.items())


@given(ROWS)
def test_a_ray_lets_some_row_fall_and_is_found_where_small_numbers_are_one(
    rows: list[dict[int, int]],
) -> None:
    found = ray(rows)
    if found is not None:
        values = [value(row, found) for row in rows]
        assert min(found.values()) >= 0 and max(values) <= 0 and min(values) < 0
        return
    for numbers in product(range(4), repeat=3):
        values = [value(row, dict(enumerate(numbers))) for row in rows]
        assert max(values) > 0 or min(values) == 0


@given(EDGES)
def test_heights_fall_as_wanted_or_a_cycle_shows_why_not(drawn: list[tuple[int, int, int]]) -> None:
    edges, falls = [edge[:2] for edge in drawn], [edge[2] for edge in drawn]
    of, cycles = heights(5, edges, falls)
    for cycle in cycles:
        assert sum(falls[number] for number in cycle) > 0
        assert all(edges[one][1] == edges[other][0] for one, other in pairwise([*cycle, cycle[0]]))
    if not cycles:
        assert all(of[p] - of[q] >= by for (p, q), by in zip(edges, falls, strict=True))


@given(EDGES)
def test_components_are_numbered_downwards(drawn: list[tuple[int, int, int]]) -> None:
    edges = [edge[:2] for edge in drawn]
    part = strong_components(5, edges)
    assert all(part[p] >= part[q] for p, q in edges)


def test_a_span_holds_sums_of_its_rows() -> None:
    span = Span()
    assert span.add({0: 1, 1: 2}) and span.add({1: 1, 2: -1})
    assert not span.add({0: 3, 1: 5, 2: 1}) and not span.add({}) and span.add({2: 1})


def test_counters_that_only_fall_together_are_weighed_against_each_other() -> None:
    one, other = (0, 0), (1, 0)
    steps = [Step(0, 0, ((one, -2), (other, 1))), Step(0, 0, ((one, 1), (other, -1)))]
    found = ranking(1, steps)
    weights = found.counters[0]
    assert 2 * weights[one] >= weights[other] >= weights[one] > 0


def test_steps_that_give_back_what_they_take_are_not_ranked() -> None:
    with pytest.raises(Unranked):
        ranking(2, [Step(0, 1, (((0, 0), -1),)), Step(1, 0, (((0, 0), 1),))])
