"""The exploration loop, forwards and backwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.automata.explore import Stop, TooLarge, explore, steps_ahead


def test_exploring_is_breadth_first_with_shortest_paths() -> None:
    reached = explore([1], lambda n: [("double", n * 2), ("next", n + 1)] if n < 20 else [])
    assert reached.nodes[:4] == [1, 2, 4, 3] and len(set(reached.nodes)) == len(reached.nodes)
    assert reached.path(16) == ["double"] * 4
    assert reached.stopped is None


def test_exploring_can_be_stopped_and_limited() -> None:
    def successors(n: int) -> list[tuple[str, int]]:
        if n == 5:
            raise Stop("five")
        return [("next", n + 1)]

    stopped = explore([0], successors)
    assert stopped.stopped == (5, "five") and stopped.path(5) == ["next"] * 5
    with pytest.raises(TooLarge):
        explore([0], lambda n: [("next", n + 1)], limit=100)


def test_several_starts_are_explored_at_once_and_every_path_knows_its_own() -> None:
    reached = explore([10, 0], lambda n: [("up", n + 1)] if n % 10 < 3 else [])
    assert reached.nodes == [10, 0, 11, 1, 12, 2, 13, 3]
    assert (reached.origin(13), reached.path(13)) == (10, ["up"] * 3)
    assert (reached.origin(0), reached.path(0)) == (0, [])
    with pytest.raises(TooLarge):
        explore(range(5), lambda _: list[tuple[None, int]](), limit=4)


@given(
    st.lists(st.lists(st.integers(0, 9), max_size=3), min_size=10, max_size=10), st.sets(st.integers(0, 9))
)
def test_looking_backwards_counts_what_exploring_forwards_would(
    graph: list[list[int]], goals: set[int]
) -> None:
    ahead = steps_ahead(goals, range(10), graph.__getitem__)
    for start in range(10):
        reached = explore([start], lambda node: [(None, after) for after in graph[node]])
        ways = [len(reached.path(node)) + 1 for node in reached.nodes if node in goals]
        assert ahead.get(start) == min(ways, default=None)
    assert list(ahead.values()) == sorted(ahead.values())
