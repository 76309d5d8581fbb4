"""Agents that decide before they write, where there are few results.

First an agent is sought that ends at other pairs for one result than for all others, whatever it leaves: that
takes far fewer rules. From its ends rules are sought that go on: to decide between the others, and then, for
one result after the other, to leave it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from gridlang.compiler.synthesis.asked import RESULT, Asked, Pattern
from gridlang.compiler.synthesis.limits import LIMITS
from gridlang.compiler.synthesis.native_search import (
    ENDS,
    EXHAUSTED,
    FOUND,
    STUCK,
    WANTED,
    Candidate,
    Groups,
    Space,
    Task,
)

Ends = Mapping[int, frozenset[Pattern]]  # of the number of a pair: the results of the runs that end there


def first_decisions(asked: Collection[Asked]) -> tuple[Groups, ...]:
    """Ways to tell one result from all others, if there are few results."""
    results = dict.fromkeys(one.pattern for one in asked)
    few = 1 < len(results) <= LIMITS.results and all(one.ending == RESULT for one in asked)
    if not few or len(results) == len(asked):
        return ()
    splits = ((frozenset([one]), frozenset(results) - {one}) for one in results)
    return tuple(splits)[: None if len(results) > 2 else 1]


@dataclass(slots=True)
class Completion:
    """Agents that continue where a candidate has decided, while rules are `left` to try."""

    space: Space  # of agents of the most states, with all inputs
    left: int = LIMITS.to_complete

    def of(self, candidate: Candidate, groups: Groups) -> Candidate | None:
        """An agent that leaves what is asked of all inputs."""
        for decided, ends in self._decided(candidate, _ends(candidate, groups)):
            found = self._written(decided, ends)
            if found:
                return found
        return None

    def _decided(self, candidate: Candidate, ends: Ends) -> Iterator[tuple[Candidate, Ends]]:
        """Agents that end at other pairs for other results."""
        mixed = next((results for results in ends.values() if len(results) > 1), None)
        if mixed is None:
            yield candidate, ends
            return
        groups = tuple(frozenset([one]) for one in sorted(mixed))
        for found in self._found(candidate, ends, mixed, groups):
            others = {pair: results for pair, results in ends.items() if results != mixed}
            yield from self._decided(found, others | dict(_ends(found, groups)))

    def _written(self, candidate: Candidate, ends: Ends) -> Candidate | None:
        """An agent that leaves one result after the other."""
        for results in dict.fromkeys(ends.values()):
            found = next(self._found(candidate, ends, results), None)
            if found is None:
                return None
            candidate, ends = found, {pair: them for pair, them in ends.items() if them != results}
        return candidate

    def _found(
        self, candidate: Candidate, ends: Ends, results: frozenset[Pattern], groups: Groups = ()
    ) -> Iterator[Candidate]:
        """Agents that continue from the ends with these results, and keep the others; the cheapest first."""
        inputs = tuple(one for one in self.space.inputs if one.pattern in results)
        rules = tuple(
            rule if pair not in ends else WANTED if ends[pair] == results else (0, 0, STUCK)
            for pair, rule in enumerate(candidate.rules)
        )
        used = 1 + max(0, *(after for _, _, after in rules if after < ENDS))
        kept = rules[: used * len(self.space.table.symbols)]
        states = min(used + LIMITS.states_to_write, self.space.states)
        space = replace(self.space, states=states, inputs=inputs, decides=groups, kept=kept)
        seen, until = set[object](), self.left - LIMITS.to_write
        for cost in range(LIMITS.dearest_to_write):
            task, state = Task(replace(space, most_cost=cost)), FOUND
            while state == FOUND and self.left > max(until, 0):
                before = task.nodes
                state = task.go_on(self.left - max(until, 0))
                self.left -= task.nodes - before
                if state == FOUND and (found := task.candidate()).rules not in seen:
                    seen.add(found.rules)
                    yield found
            if state != EXHAUSTED:
                return


def _ends(candidate: Candidate, groups: Groups) -> Ends:
    """Where a candidate ends, with the results of each group."""
    pairs = enumerate(after - ENDS for _, _, after in candidate.rules)
    return {pair: groups[group] for pair, group in pairs if 0 <= group < len(groups)}
