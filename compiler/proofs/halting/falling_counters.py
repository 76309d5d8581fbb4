"""Weights of counters by which no cycle of steps goes up, and some go down.

All counters that never go up around a cycle are taken together, each once. Where that lets nothing fall,
weights are found for a few cycles, and cycles are added by which those go up, until there are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress

from compiler.proofs.halting.cones import Span, ray
from compiler.proofs.halting.step_cycles import closed_walks, heights, strong_components
from compiler.proofs.halting.strip_steps import Change, Counter, Step
from compiler.proofs.limits import LIMITS

Weighted = Mapping[Counter, int]


def counted(change: Change, weights: Weighted) -> int:
    """By how much a change of counters changes a value."""
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
        """What the steps of a walk change together."""
        total: dict[Counter, int] = {}
        for number in walk:
            for counter, by in self.steps[number].change:
                total[counter] = total.get(counter, 0) + by
        return {counter: by for counter, by in total.items() if by}


def falling_counters(graph: StepGraph) -> Weighted | None:
    """Natural weights by which no cycle goes up and some steps go down; None if none are found."""
    plain = {counter: 1 for counter in graph.counters if not graph.rising({counter: 1})}
    if any(graph.falling(plain)):
        return plain
    span = Span[Counter]()
    walks = map(graph.change, closed_walks(graph.size, graph.edges))
    cycles = [change for change in walks if span.add(change)]
    for _ in range(LIMITS.most_ranking_rounds):
        weights = ray(cycles)
        rising = weights and graph.rising(weights)
        if not rising:
            return weights
        cycles += map(graph.change, rising)
    return None
