"""Read sequences that cover every pair of consecutive rules, and how many reads tell two states apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.explore import Explored, explore
from gridlang.compiler.automata.merging import NONE, table_to_graph
from gridlang.diagnostics import fail
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.traces.limits import LIMITS
from gridlang.learners.traces.recording import told_of
from gridlang.outcomes import Outcome
from gridlang.program import Program
from gridlang.table import MOVES, STAY, Table

SAME = 1 << 30  # No reads tell the states apart.

Reads = tuple[int, ...]
Ints = npt.NDArray[np.int64]
Pairs = tuple[npt.NDArray[Any], ...]


FAR = 1 << 30


def reached(table: Table) -> Explored[int, int]:
    """The states that chains of rules lead to, and the shortest reads to each."""
    return explore([0], lambda q: ((x, entry.next) for x, entry in enumerate(table.rows[q]) if entry))


def covering_reads(table: Table, random: Random, steps: int) -> Iterator[list[int]]:
    """Sequences of up to `steps` reads, until each pair of rules was shown often."""
    cover = _PairCover(table, random)
    while cover.wanted:
        yield cover.sequence(steps)


def random_reads(table: Table, random: Random, steps: int) -> Iterator[list[int]]:
    """Different sequences of up to `steps` random symbols, each until the agent halts or is stuck."""
    seen: set[tuple[int, ...]] = {()}
    barren = 0  # sequences in a row that showed nothing new
    while barren < LIMITS.barren:
        reads: list[int] = []
        state = 0
        for read in random.choices(range(len(table.symbols)), k=steps):
            entry = table.rows[state][read]
            if entry is None:
                break
            reads.append(read)
            state = entry.next
            if entry.is_idle(read):
                break
        barren = 0 if tuple(reads) not in seen else barren + 1
        if not barren:
            seen.add(tuple(reads))
            yield reads


def covering_steps(table: Table) -> int:
    """Steps that suffice to reach every state and to act there."""
    states = reached(table)
    return max(LIMITS.shortest_reads, LIMITS.turns * len(states.path(states.nodes[-1])))


def first_reads(program: Program) -> Traces:
    """What the agent does on the first symbol it reads: all that is recorded for a method that asks."""
    known = [(read,) for read, entry in enumerate(program.table.rows[0]) if entry is not None]
    return record_reads(program, known, {"rule": "ask"})


def record_reads(program: Program, sequences: Sequence[Sequence[int]], data: Mapping[str, object]) -> Traces:
    """What the table does on sequences of reads, as traces; the input of each is the symbols it reads."""
    table = program.table
    if not sequences:
        raise fail("G103", f"there is nothing to record: `{table.name}` has no rule to begin with")
    x, s, m = np.full((3, len(sequences), max(map(len, sequences))), -1, np.int16)
    for row, reads in enumerate(sequences):
        state = 0
        for step, read in enumerate(reads):
            entry = table.rows[state][read]
            assert entry is not None
            x[row, step], s[row, step], m[row, step], state = read, *entry
    length = np.array([len(reads) for reads in sequences], np.int32)
    last = np.arange(len(length)), length - 1
    halts = (x[last] == s[last]) & (m[last] == STAY)
    return Traces(
        x=x,
        s=s,
        m=m,
        length=length,
        ending=tuple(Outcome.HALTED if each else Outcome.BUDGET for each in halts),
        inputs=tuple("".join(table.symbols[read] for read in reads) for reads in sequences),
        **told_of(program),
        data=data,
    )


class _PairCover:
    """The rules shown so far, numbered state * symbols + symbol; `start` comes before all."""

    def __init__(self, table: Table, random: Random) -> None:
        self.random, self.width = random, len(table.symbols)
        self.start = len(table.states) * self.width
        self.known = [[x for x, entry in enumerate(row) if entry is not None] for row in table.rows]
        rules = {q * self.width + x: entry for q, x, entry in table.entries()}
        self.ends = {rule for rule, entry in rules.items() if entry.is_idle(rule % self.width)}
        self.next = {rule: entry.next for rule, entry in rules.items()} | {self.start: 0}
        self.before: list[list[int]] = [[] for _ in table.states]  # of each state, those that lead there
        for rule, after in self.next.items():
            if rule != self.start and rule not in self.ends:
                self.before[after].append(rule // self.width)
        states = reached(table).parents
        self.shown = {
            rule: dict.fromkeys(self.known[after], 0)
            for rule, after in self.next.items()
            if rule not in self.ends and (rule == self.start or rule // self.width in states)
        }
        # rules after which something was not shown often enough
        self.wanted = {rule for rule, counts in self.shown.items() if counts}

    def sequence(self, steps: int) -> list[int]:
        """One more sequence, which begins at the start; what it shows is counted."""
        distance, rule = self._distances(), self.start
        sequence: list[int] = []
        while len(sequence) < steps and rule not in self.ends and self.known[state := self.next[rule]]:
            read = self._chosen(rule, state, distance)
            sequence.append(read)
            self.shown[rule][read] += 1
            if min(self.shown[rule].values()) >= LIMITS.often:
                self.wanted.discard(rule)
            rule = state * self.width + read
        return sequence

    def _chosen(self, rule: int, state: int, distance: dict[int, int]) -> int:
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

    def _beyond(self, rule: int, distance: dict[int, int]) -> int:
        return FAR if rule in self.ends else distance.get(self.next[rule], FAR)

    def _distances(self) -> dict[int, int]:
        """The rules from each state to the next one after which something is missing, if there is a way."""
        sources = {rule // self.width for rule in self.wanted if rule != self.start}
        distance: dict[int, int] = {}
        for state, step in explore(
            sources, lambda q: ((None, before) for before in self.before[q])
        ).parents.items():
            distance[state] = 0 if step is None else distance[step[0]] + 1
        return distance


class StatePairs:
    """Of each two states, how many reads tell them apart."""

    def __init__(self, table: Table) -> None:
        graph, states = table_to_graph(table), len(table.states)
        self.next = graph.next.astype(np.int64)  # (states, symbols), NONE where it halts or is stuck
        self.action = np.where(graph.write == NONE, NONE, graph.write * len(MOVES) + graph.move)
        self.count: Ints = np.full((states, states), SAME, np.int64)
        for acts in self.action.T:
            known = np.flatnonzero(acts != NONE)
            self._tell(np.ix_(known, known), acts[known][:, None] != acts[known], 1)
        reads = 1
        while (self.count == reads).any():
            for after in self.next.T:
                known = np.flatnonzero(after != NONE)
                later = self.count[after[known][:, None], after[known]] == reads
                self._tell(np.ix_(known, known), later, reads + 1)
            reads += 1

    def _tell(self, pairs: Pairs, told: npt.NDArray[np.bool_], reads: int) -> None:
        """Keeps how many reads tell these pairs apart, those that fewer tell apart excepted."""
        self.count[pairs] = np.where(told & (self.count[pairs] == SAME), reads, self.count[pairs])
