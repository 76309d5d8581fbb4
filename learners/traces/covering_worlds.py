"""Worlds that lead an agent through every two rules that can follow each other, on short ways.

A cell gets its symbol when the agent first reads it, so that it can be led: to a symbol that was seldom read
after the rule before, or on the shortest way to such a place. What is seen often, on random worlds, is what
an agent does most; here everything is seen about as often, which is what identifies an agent soonest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from random import Random

from gridlang.table import DELTAS, Table
from gridlang.world import Cell, World

OFTEN = 4  # Each pair of rules is shown so often: one way to a state is no evidence about the others.
STRAY = 0.1  # A share of all cells is drawn at random, so that ways differ.
LAST = 0.3  # A symbol that ends the run is taken with this chance while others are still to be shown.
BARREN = 200  # So many worlds in a row that show nothing that was missing end the search.
SHORTEST, TURNS = 30, 3  # A run has so many steps at least, or so many times those to the farthest state.
WALLS = 30  # Cells that were read before, after one rule, until nothing new is expected there.
FAR = 1 << 30


def covering_worlds(table: Table, random: Random, steps: int, often: int = OFTEN) -> Iterator[World]:
    """Worlds for runs of so many steps, until each pair was shown `often`, or cannot be led to."""
    cover = _Cover(table, random, often)
    barren = 0
    while cover.wanted and barren < BARREN:
        before = cover.missing
        world = cover.world(steps)
        barren = barren + 1 if cover.missing == before else 0
        if not barren:
            yield world


def covering_steps(table: Table) -> int:
    """Steps that suffice to come to every state and to do something there."""
    depths, level = {0: 0}, [0]
    while level:
        rows = [(state, table.rows[state]) for state in level]
        reached = {entry.next: depths[state] + 1 for state, row in rows for entry in row if entry is not None}
        level = [state for state in reached if state not in depths]
        depths |= {state: reached[state] for state in level}
    return max(SHORTEST, TURNS * max(depths.values()))


class _Cover:
    """What was shown so far: a rule is numbered state * symbols + symbol, and START stands before all."""

    def __init__(self, table: Table, random: Random, often: int) -> None:
        self.table, self.random, self.often = table, random, often
        self.width = len(table.symbols)
        self.start = len(table.states) * self.width
        rows = table.rows
        self.known = [[x for x, entry in enumerate(row) if entry is not None] for row in rows]
        self.ends = {
            q * self.width + x
            for q, row in enumerate(rows)
            for x, entry in enumerate(row)
            if entry is not None and entry.is_idle(x)
        }
        self.next = {q * self.width + x: entry.next for q, x, entry in table.entries()} | {self.start: 0}
        self.before: list[list[int]] = [[] for _ in rows]  # of each state, the rules that lead to it
        for rule, after in self.next.items():
            if rule != self.start and rule not in self.ends:
                self.before[after].append(rule)
        self.shown = {
            rule: dict.fromkeys(self.known[after], 0)
            for rule, after in self.next.items()
            if rule not in self.ends
        }
        self.walls = dict.fromkeys(self.shown, 0)
        self.fresh = dict.fromkeys(self.shown, 0)
        self.missing = sum(often * len(counts) for counts in self.shown.values())
        self.wanted = {rule for rule in self.shown if self._is_wanted(rule)}  # Something after it is missing.

    def _is_wanted(self, rule: int) -> bool:
        few = any(count < self.often for count in self.shown[rule].values())
        return few and self.walls[rule] < WALLS * (1 + self.fresh[rule])

    def world(self, steps: int) -> World:
        """One more world, and what a run on it shows is counted."""
        first: dict[Cell, int] = {}
        now: dict[Cell, int] = {}
        distance = self._distances()
        cell, rule = (0, 0), self.start
        for _ in range(steps):
            state = self.next[rule]
            read = now.get(cell)
            if read is None:
                if not self.known[state]:
                    break
                self.fresh[rule] += 1
                read = first[cell] = self._chosen(rule, state, distance)
            else:
                self.walls[rule] += 1
            entry = self.table.rows[state][read]
            if entry is not None:
                self.shown[rule][read] += 1
                self.missing -= self.shown[rule][read] <= self.often
            if not self._is_wanted(rule):
                self.wanted.discard(rule)
            if entry is None or entry.is_idle(read):
                break
            now[cell] = entry.write
            (x, y), (dx, dy) = cell, DELTAS[entry.move]
            cell, rule = (x + dx, y + dy), state * self.width + read
        return World({cell: self.table.symbols[symbol] for cell, symbol in first.items()}, (0, 0))

    def _chosen(self, rule: int, state: int, distance: list[int]) -> int:
        """The symbol of a fresh cell: one that is missing here, or else one that leads to what is."""
        known, random = self.known[state], self.random
        if random.random() < STRAY:
            return random.choice(known)
        here = state * self.width
        missing = [x for x in known if self.shown[rule][x] < self.often]
        lasting = [x for x in missing if here + x not in self.ends]
        if not lasting and random.random() < LAST:
            lasting = missing
        if lasting:
            return random.choice(lasting)
        ways = [0 if here + x in self.wanted else 1 + self._beyond(here + x, distance) for x in known]
        least = min(ways)
        return random.choice([x for x, way in zip(known, ways, strict=True) if way == least])

    def _beyond(self, rule: int, distance: list[int]) -> int:
        return FAR if rule in self.ends else distance[self.next[rule]]

    def _distances(self) -> list[int]:
        """Of each state, how far it is to a rule after which something is missing, if all cells are fresh."""
        distance = [FAR] * len(self.table.states)
        queue = deque[int]()
        for rule in self.wanted:
            state = rule // self.width
            if rule != self.start and distance[state]:
                distance[state] = 0
                queue.append(state)
        while queue:
            state = queue.popleft()
            for rule in self.before[state]:
                earlier = rule // self.width
                if distance[earlier] == FAR:
                    distance[earlier] = distance[state] + 1
                    queue.append(earlier)
        return distance
