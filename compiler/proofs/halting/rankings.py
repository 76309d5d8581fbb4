"""Rankings: natural numbers that fall with every step, so that no run is endless.

Weights of states and of counters are found by which no step goes up and as many as possible go down; what
stays equal is split into strongly connected components and ranked again. A rank is (component,
value, component, value …), compared from the left. Components are numbered such that every step from one to
another goes down; a value is the state's weight and, for each counter, its weight times what it counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from compiler.proofs.halting.falling_counters import StepGraph, counted, falling_counters
from compiler.proofs.halting.step_cycles import Heights, heights, strong_components
from compiler.proofs.halting.strip_steps import Counter, Step
from compiler.proofs.limits import LIMITS


class Weights(NamedTuple):
    """Of the states and of the counters of a component; zeros are left out."""

    states: dict[int, int]
    counters: dict[Counter, int]

    def rise(self, step: Step) -> int:
        """By how much a step changes the value."""
        fall = self.states.get(step.before, 0) - self.states.get(step.after, 0)
        return counted(step.change, self.counters) - fall


class Ranking(NamedTuple):
    """A rank for each state, component and weight in turn; and the weights of each component's counters."""

    ranks: list[tuple[int, ...]]
    counters: dict[int, dict[Counter, int]]

    @property
    def levels(self) -> int:
        return max(len(rank) for rank in self.ranks) // 2


class Unranked(Exception):
    """There are no weights by which one of these steps falls, and none goes up."""

    def __init__(self, steps: Sequence[Step]) -> None:
        super().__init__()
        self.steps = tuple(steps)


def ranking(size: int, steps: Sequence[Step]) -> Ranking:
    """A ranking of the states 0 … size - 1, by which every step falls; Unranked if there is none."""
    ranks: list[tuple[int, ...]] = [()] * size
    counters: dict[int, dict[Counter, int]] = {}
    work = [(list(range(size)), list(steps))]
    components = 0
    while work:
        states, equal = work.pop()
        for members, inner in _components(states, equal):
            weights = _weights(inner) if inner else Weights({}, {})
            for state in members:
                ranks[state] += (components, weights.states.get(state, 0))
            if weights.counters:
                counters[components] = weights.counters
            components += 1
            rest = [step for step in inner if weights.rise(step) == 0]
            if rest:
                work.append((members, rest))
    return Ranking(ranks, counters)


def _components(states: list[int], steps: list[Step]) -> Iterator[tuple[list[int], list[Step]]]:
    """Strongly connected components with the steps inside, such that steps between them go to earlier ones.

    Those without a step inside are together with all others of their height.
    """
    place = {state: index for index, state in enumerate(states)}
    number = strong_components(len(states), [(place[step.before], place[step.after]) for step in steps])
    members: dict[int, list[int]] = {}
    for state, component in zip(states, number, strict=True):
        members.setdefault(component, []).append(state)
    inner: dict[int, list[Step]] = {component: [] for component in members}
    leads_to: dict[int, set[int]] = {component: set() for component in members}
    for step in steps:
        start, end = number[place[step.before]], number[place[step.after]]
        if start == end:
            inner[start].append(step)
        else:
            leads_to[start].add(end)
    height: dict[int, int] = {}
    for component in sorted(members):
        height[component] = 1 + max((height[to] for to in leads_to[component]), default=-1)
    for _, level in groupby(sorted(height, key=height.__getitem__), key=height.__getitem__):
        alone = []
        for component in level:
            if inner[component]:
                yield members[component], inner[component]
            else:
                alone += members[component]
        if alone:
            yield alone, []


def _weights(steps: list[Step]) -> Weights:
    """Weights by which no step goes up, and some go down; Unranked where there are none."""
    if len(steps) > LIMITS.most_ranked_steps:
        raise Unranked(steps)
    graph = StepGraph(steps)
    counters = falling_counters(graph)
    if counters is None:
        raise Unranked(steps)
    rises, falls = graph.rises(counters), graph.falling(counters)
    scale, found = 0, Heights([], [[]])
    while found.cycles:  # With as many as there are states, a cycle that falls falls by enough.
        scale = 2 * scale or 1
        wanted = [scale * rise + falling for rise, falling in zip(rises, falls, strict=True)]
        found = heights(graph.size, graph.edges, wanted)
    return Weights(
        {state: found.of[index] for index, state in enumerate(graph.states) if found.of[index]},
        {counter: scale * weight for counter, weight in counters.items()},
    )
