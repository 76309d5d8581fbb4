"""Read sequences that cover every pair of consecutive rules, each soon.

An expert is a table, so it can be asked what it would do on any sequence of symbols, even one that no world
shows. Each choice goes to a symbol seldom read after the rule before, or takes the shortest way to such a
place. On random worlds an agent mostly does the same few things; here everything is seen about equally often,
in a fraction of the steps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from random import Random

import numpy as np

from gridlang.diagnostics import fail
from gridlang.program import Program
from gridlang.table import Table
from learners.traces.dataset import Traces
from learners.traces.limits import LIMITS
from learners.traces.recording import told_of

FAR = 1 << 30

Step = tuple[int, int, int]  # read, written, moved


def covering_reads(table: Table, random: Random, steps: int) -> Iterator[list[Step]]:
    """What a table does on sequences of up to `steps` reads, until each pair of rules was shown often."""
    cover = _PairCover(table, random)
    while cover.wanted:
        yield cover.sequence(steps)


def covering_steps(table: Table) -> int:
    """Steps that suffice to come to every state and to do something there."""
    depths, level = {0: 0}, [0]
    while level:
        after = {e.next: depths[q] + 1 for q in level for e in table.rows[q] if e is not None}
        level = [state for state in after if state not in depths]
        depths |= {state: after[state] for state in level}
    return max(LIMITS.shortest_reads, LIMITS.turns * max(depths.values()))


def record_reads(program: Program, sequences: list[list[Step]], data: Mapping[str, object]) -> Traces:
    """The sequences as traces; the input of each is the symbols it reads."""
    table = program.table
    if not sequences:
        raise fail("G103", f"there is nothing to record: `{table.name}` has no rule to begin with")
    steps = np.full((3, len(sequences), max(map(len, sequences))), -1, np.int16)
    for row, sequence in enumerate(sequences):
        steps[:, row, : len(sequence)] = np.transpose(sequence)
    return Traces(
        x=steps[0],
        s=steps[1],
        m=steps[2],
        length=np.array([len(sequence) for sequence in sequences], np.int32),
        ending=tuple("halted" if _halts(table, sequence) else "cut" for sequence in sequences),
        inputs=tuple("".join(table.symbols[x] for x, _, _ in sequence) for sequence in sequences),
        **told_of(program),
        data=data,
    )


def _halts(table: Table, sequence: list[Step]) -> bool:
    """Whether the last step is idle, which keeps the symbol, the place and the state."""
    state = 0
    for read, _, _ in sequence[:-1]:
        entry = table.rows[state][read]
        assert entry is not None
        state = entry.next
    read = sequence[-1][0]
    last = table.rows[state][read]
    return last is not None and last.is_idle(read)


class _PairCover:
    """What was shown so far: a rule is numbered state * symbols + symbol, and `start` stands before all."""

    def __init__(self, table: Table, random: Random) -> None:
        self.table, self.random = table, random
        self.width = len(table.symbols)
        self.start = len(table.states) * self.width
        self.known = [[x for x, entry in enumerate(row) if entry is not None] for row in table.rows]
        rules = {q * self.width + x: entry for q, x, entry in table.entries()}
        self.ends = {rule for rule, entry in rules.items() if entry.is_idle(rule % self.width)}
        self.next = {rule: entry.next for rule, entry in rules.items()} | {self.start: 0}
        self.before: list[list[int]] = [[] for _ in table.states]  # of each state, the rules that lead there
        for rule, after in self.next.items():
            if rule != self.start and rule not in self.ends:
                self.before[after].append(rule)
        reached = self._reached()
        self.shown = {
            rule: dict.fromkeys(self.known[after], 0)
            for rule, after in self.next.items()
            if rule not in self.ends and (rule == self.start or rule // self.width in reached)
        }
        # rules after which something was not shown often enough
        self.wanted = {rule for rule, counts in self.shown.items() if counts}

    def _reached(self) -> set[int]:
        reached, level = {0}, [0]
        while level:
            after = {self.next[q * self.width + x] for q in level for x in self.known[q]}
            level = list(after - reached)
            reached |= after
        return reached

    def sequence(self, steps: int) -> list[Step]:
        """One more sequence, which begins at the start; what it shows is counted."""
        distance, rule = self._distances(), self.start
        sequence: list[Step] = []
        while len(sequence) < steps and self.known[state := self.next[rule]]:
            read = self._chosen(rule, state, distance)
            entry = self.table.rows[state][read]
            assert entry is not None
            sequence.append((read, entry.write, entry.move))
            self.shown[rule][read] += 1
            if min(self.shown[rule].values()) >= LIMITS.often:
                self.wanted.discard(rule)
            rule = state * self.width + read
            if rule in self.ends:
                break
        return sequence

    def _chosen(self, rule: int, state: int, distance: list[int]) -> int:
        """A symbol that was seldom read here, or else one that leads to where some were."""
        known, random = self.known[state], self.random
        if random.random() < LIMITS.stray:
            return random.choice(known)
        here = state * self.width
        missing = [x for x in known if self.shown[rule][x] < LIMITS.often]
        lasting = [x for x in missing if here + x not in self.ends]
        if not lasting and random.random() < LIMITS.last:
            lasting = missing
        if lasting:
            return random.choice(lasting)
        ways = [0 if here + x in self.wanted else 1 + self._beyond(here + x, distance) for x in known]
        least = min(ways)
        return random.choice([x for x, way in zip(known, ways, strict=True) if way == least])

    def _beyond(self, rule: int, distance: list[int]) -> int:
        return FAR if rule in self.ends else distance[self.next[rule]]

    def _distances(self) -> list[int]:
        """The rules from each state to the next one after which something is missing."""
        distance = [FAR] * len(self.table.states)
        sources = {rule // self.width for rule in self.wanted if rule != self.start}
        queue = deque(sources)
        for state in sources:
            distance[state] = 0
        while queue:
            state = queue.popleft()
            for rule in self.before[state]:
                earlier = rule // self.width
                if distance[earlier] == FAR:
                    distance[earlier] = distance[state] + 1
                    queue.append(earlier)
        return distance
