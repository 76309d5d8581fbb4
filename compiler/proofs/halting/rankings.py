"""Rankings: natural numbers that fall with every step, so that no run is endless.

A linear program finds weights of states and of counters by which no step goes up and as many as possible go
down; what stays equal is split into strongly connected components and ranked again. A rank is (component,
value, component, value …), compared from the left. Components are numbered such that every step from one to
another goes down; a value is the state's weight and, for each counter, its weight times what it counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from graphlib import TopologicalSorter
from itertools import groupby
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from compiler.proofs.halting.strip_steps import Counter, Step
from compiler.proofs.limits import LIMITS

SCALES = (1, 2, 3, 4, 6, 12, 60, 840)  # denominators that solutions have
COST_OF_COUNTERS = 1e-6  # Weights that nothing needs are zero.


class Weights(NamedTuple):
    """Of the states and of the counters of a component; zeros are left out."""

    states: dict[int, int]
    counters: dict[Counter, int]

    def rise(self, step: Step) -> int:
        """By how much a step changes the value."""
        counted = sum(self.counters.get(counter, 0) * by for counter, by in step.change)
        return self.states.get(step.after, 0) - self.states.get(step.before, 0) + counted


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
    before = [place[step.before] for step in steps]
    after = [place[step.after] for step in steps]
    graph = coo_array((np.ones(len(steps), np.int8), (before, after)), shape=(len(states), len(states)))
    number = connected_components(graph, connection="strong")[1].tolist()
    members: dict[int, list[int]] = {}
    for state, component in zip(states, number, strict=True):
        members.setdefault(component, []).append(state)
    inner: dict[int, list[Step]] = {component: [] for component in members}
    leads_to: dict[int, set[int]] = {component: set() for component in members}
    for step, start, end in zip(steps, before, after, strict=True):
        if number[start] == number[end]:
            inner[number[start]].append(step)
        else:
            leads_to[number[start]].add(number[end])
    height: dict[int, int] = {}
    for component in TopologicalSorter(leads_to).static_order():
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
    """Weights by which no step goes up, and as many as possible go down; Unranked where none can."""
    if len(steps) > LIMITS.most_ranked_steps:
        raise Unranked(steps)
    states = {state: index for index, state in enumerate(sorted({s for step in steps for s in step[:2]}))}
    counted = sorted({counter for step in steps for counter, _ in step.change})
    counters = {counter: len(states) + index for index, counter in enumerate(counted)}
    size, many = len(states) + len(counters), len(steps)
    entries = []  # step, variable, factor; the last variables are by how much each step falls
    for index, step in enumerate(steps):
        if step.before != step.after:
            entries += [(index, states[step.after], 1), (index, states[step.before], -1)]
        entries += [(index, counters[counter], by) for counter, by in step.change]
        entries.append((index, size + index, 1))
    row, column, factor = np.array(entries).T
    cost = np.concatenate([np.zeros(len(states)), np.full(len(counters), COST_OF_COUNTERS), -np.ones(many)])
    solved = linprog(
        cost,
        A_ub=coo_array((factor, (row, column)), shape=(many, size + many)).tocsr(),
        b_ub=np.zeros(many),
        bounds=[(0, None)] * size + [(0, 1)] * many,
        method="highs",
    )
    for scale in SCALES if solved.status == 0 else ():
        rounded = [round(value * scale) for value in solved.x[:size]]
        weights = Weights(
            {state: rounded[index] for state, index in states.items() if rounded[index]},
            {counter: rounded[index] for counter, index in counters.items() if rounded[index]},
        )
        rises = [weights.rise(step) for step in steps]
        if max(rises) <= 0 and min(rises) < 0:
            return weights
    raise Unranked(steps)
