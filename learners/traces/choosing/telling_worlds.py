"""Worlds that tell in which state an agent is: what tells any two states apart is read in all of them.

What an acceptor has read may show only at its end, and few random inputs end where it matters. So the agent
is led to a state, wanders, and then reads what tells two states apart, whatever its state: prefixes and
suffixes of the W-method (Chow 1978), all with all, since a linear model is known only from a whole block.
"""

from __future__ import annotations

from random import Random

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.merging import NONE
from gridlang.compiler.simulation.random_worlds import ChooseSymbol, FreshCell, Growth
from gridlang.learners.traces.choosing.reads import SAME, Ints, StatePairs
from gridlang.learners.traces.limits import LIMITS
from gridlang.table import Table
from gridlang.world import World

FAR = SAME  # the distance of what cannot be reached


def telling_worlds(table: Table, random: Random, steps: int, *, always: bool = False) -> list[World]:
    """Worlds for runs of `steps` steps; none where all states soon differ, unless `always`."""
    if len(table.states) > LIMITS.most_states_told:
        return []
    telling = _Telling(table, random)
    latest = telling.distance[telling.distance < FAR].max(initial=0)  # any two that differ have by then
    if not telling.pairs or (latest <= LIMITS.soon and not always):
        return []
    wanted = max(LIMITS.least_telling, LIMITS.telling_a_rule * table.transitions)
    growth = Growth(table, steps)
    return [growth.world(telling.walk()) for _ in range(min(LIMITS.most_telling, wanted))]


class _Telling:
    """How long each two states do the same, and how far it is from each to each."""

    def __init__(self, table: Table, random: Random) -> None:
        self.random = random
        pairs = StatePairs(table)
        self.next, self.action, self.distance = pairs.next, pairs.action, pairs.count
        self.lasting = self._lasting()
        # What tells a state from the one that has halted would be read at once by most runs.
        told = (self.distance < FAR) & self.lasting[:-1, None] & self.lasting[:-1]
        self.pairs: list[list[int]] = np.argwhere(told).tolist()
        self.ways = [self._ways_to(goal) for goal in range(len(self.next))]

    def _lasting(self) -> npt.NDArray[np.bool_]:
        """The states from which a run can be endless if all cells are fresh; not NONE, the last."""
        lasting = np.append(np.ones(len(self.next), np.bool_), False)
        while True:
            still = np.append(lasting[self.next].any(1), False) & lasting
            if (still == lasting).all():
                return lasting
            lasting = still

    def _ways_to(self, goal: int) -> Ints:
        """Of each state, and of NONE, the last, the steps to the goal if all cells are fresh."""
        way: Ints = np.full(len(self.next) + 1, FAR, np.int64)
        way[goal] = 0
        while True:
            nearer = np.append(np.minimum(way[:-1], way[self.next].min(1) + 1), FAR)
            if (nearer == way).all():
                return way
            way = nearer

    def walk(self) -> ChooseSymbol:
        """Where a walk is led: to a state, anywhere, and through what tells two states apart."""
        goal: int | None = self.random.randrange(len(self.next))
        wanders = self.random.randint(0, LIMITS.wander)
        pair: list[int] = []  # Two states in which the same was read since they were chosen.

        def choose(fresh: FreshCell) -> int | None:
            nonlocal goal, wanders, pair
            if not fresh.known:
                return None
            after = self.next[fresh.state, fresh.known]
            if goal is not None and (fresh.state == goal or self.ways[goal][fresh.state] >= FAR):
                goal = None
            if goal is not None:
                return self._least(fresh.known, self.ways[goal][after].tolist())
            if wanders:
                wanders -= 1
                return self._least(fresh.known, (~self.lasting[after]).tolist())
            pair = pair or self.random.choice(self.pairs)
            costs = [self._cost(pair[0], pair[1], read) for read in fresh.known]
            read = self._least(fresh.known, costs)
            pair = self.next[pair, read].tolist() if 0 < min(costs) < FAR else []  # then comes another
            return read

        return choose

    def _least(self, known: list[int], costs: list[int]) -> int:
        least = min(costs)
        return self.random.choice([read for read, cost in zip(known, costs, strict=True) if cost == least])

    def _cost(self, one: int, other: int, read: int) -> int:
        """The steps still to go until the two act differently, if this is read now."""
        if NONE in (self.action[one, read], self.action[other, read]):
            return FAR
        if self.action[one, read] != self.action[other, read]:
            return 0
        after = self.next[[one, other], read]
        return FAR if NONE in after else int(self.distance[after[0], after[1]])
