"""Rankings: natural numbers that fall with every step, so that no run is endless.

Weights of states and of counters are found by which no step goes up and as many as possible go down; what
stays equal is split into strongly connected components and ranked again. A rank is (component,
value, component, value …), compared from the left. Components are numbered such that every step from one to
another goes down; a value is the state's weight and, for each counter, its weight times what it counts.

All counters that never go up around a cycle are taken together, each once. Where that lets nothing fall,
weights are found for a few cycles, and cycles are added by which those go up, until there are none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, groupby
from typing import NamedTuple

from gridlang.compiler.automata.explore import Edge, strong_components
from gridlang.compiler.proofs.halting.cones import ray
from gridlang.compiler.proofs.halting.strip_steps import Change, Counter, Step
from gridlang.compiler.proofs.limits import LIMITS

Weighted = Mapping[Counter, int]


def counted(change: Change, weights: Weighted) -> int:
    return sum(weights.get(counter, 0) * by for counter, by in change)


class StepGraph:
    """The steps inside a strongly connected component, as edges between numbered states."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.states = sorted({state for step in steps for state in step[:2]})
        self.size = len(self.states)
        number = {state: index for index, state in enumerate(self.states)}
        self.edges = [(number[step.before], number[step.after]) for step in steps]
        changes: dict[Change, int] = {}  # Many steps change the same.
        self._change_of = [changes.setdefault(step.change, len(changes)) for step in steps]
        self._changes = list(changes)
        self.counters = sorted({counter for change in changes for counter, _ in change})

    def rises(self, weights: Weighted) -> list[int]:
        rise = [counted(change, weights) for change in self._changes]
        return [rise[number] for number in self._change_of]

    def rising(self, weights: Weighted) -> list[list[int]]:
        """Cycles that go up, some of them; none if no cycle does."""
        return heights(self.size, self.edges, self.rises(weights)).cycles

    def falling(self, weights: Weighted) -> list[bool]:
        """Which steps are on no cycle that stays equal, where none goes up."""
        rises = self.rises(weights)
        of = heights(self.size, self.edges, rises).of
        equal = [of[p] == of[q] + rise for (p, q), rise in zip(self.edges, rises, strict=True)]
        part = strong_components(self.size, list(compress(self.edges, equal)))
        return [
            not is_equal or part[p] != part[q] for (p, q), is_equal in zip(self.edges, equal, strict=True)
        ]

    def change(self, walk: Iterable[int]) -> dict[Counter, int]:
        total: dict[Counter, int] = {}
        for number in walk:
            for counter, by in self.steps[number].change:
                total[counter] = total.get(counter, 0) + by
        return {counter: by for counter, by in total.items() if by}


def falling_counters(graph: StepGraph) -> Weighted | None:
    """Natural weights by which no cycle goes up and some steps go down; None if none are found."""
    rising = {counter: graph.rising({counter: 1}) for counter in graph.counters}
    plain = {counter: 1 for counter, cycles in rising.items() if not cycles}
    if any(graph.falling(plain)):
        return plain
    found = [graph.change(cycle) for cycles in rising.values() for cycle in cycles]
    for _ in range(LIMITS.most_ranking_rounds):
        weights = ray(found)
        cycles = graph.rising(weights) if weights else []
        if not cycles:
            return weights
        found += map(graph.change, cycles)
    return None


class Heights(NamedTuple):
    """Of each node; or cycles, by the numbers of their edges, around which no height can fall so."""

    of: list[int]
    cycles: list[list[int]]


def heights(nodes: int, edges: Sequence[Edge], falls: Sequence[int]) -> Heights:
    """The least natural heights that fall by at least `falls` along each edge, or why there are none."""
    of, through = [0] * nodes, [-1] * nodes  # the edge that asks for a node's height
    into: list[list[int]] = [[] for _ in range(nodes)]
    for number, (_, after) in enumerate(edges):
        into[after].append(number)
    waiting = deque(dict.fromkeys(edges[number][1] for number, by in enumerate(falls) if by > 0))
    waits, raised = set(waiting), 0
    while waiting:
        after = waiting.popleft()
        waits.discard(after)
        for number in into[after]:
            before, wanted = edges[number][0], of[after] + falls[number]
            if wanted > of[before]:
                of[before], through[before] = wanted, number
                raised += 1
                if before not in waits:
                    waits.add(before)
                    waiting.append(before)
        if raised > nodes:  # as often as it takes to look for them
            raised = 0
            cycles = list(_circles(edges, through))
            if cycles:
                return Heights(of, cycles)
    return Heights(of, [])


def _circles(edges: Sequence[Edge], through: Sequence[int]) -> Iterator[list[int]]:
    """Cycles of a graph in which at most one edge leaves a node."""
    round_of: dict[int, int] = {}
    for start in range(len(through)):
        node = start
        while node not in round_of and through[node] >= 0:
            round_of[node] = start
            node = edges[through[node]][1]
        if round_of.get(node) == start and through[node] >= 0:
            cycle, at = [through[node]], edges[through[node]][1]
            while at != node:
                cycle.append(through[at])
                at = edges[through[at]][1]
            yield cycle
        round_of.setdefault(node, start)


class Weights(NamedTuple):
    """Of the states and of the counters of a component; zeros are left out."""

    states: dict[int, int]
    counters: dict[Counter, int]

    def rise(self, step: Step) -> int:
        fall = self.states.get(step.before, 0) - self.states.get(step.after, 0)
        return counted(step.change, self.counters) - fall


class Ranking(NamedTuple):
    """A rank for each state, component and weight in turn; and the weights of each component's counters."""

    ranks: list[tuple[int, ...]]
    counters: dict[int, dict[Counter, int]]


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
