"""Exploring a model until longer runs show nothing new: on its declared inputs, then on random worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import NamedTuple

import numpy as np

from compiler.dfst import Dfst, Floats, symbols_of
from compiler.simulate import BUDGET, HALTED, STUCK
from gridlang.inputs import ENDLESS, InputLanguage
from gridlang.table import BLANK, Table
from gridlang.world import World
from learners.evaluation.lockstep import MEMORY, Case
from learners.extraction.clusters import Clusters, Overlap, gathered, rules_of
from learners.extraction.explorer import PLAIN, Explorer, Manner, PlainExplorer, Setting, rules_for
from learners.extraction.explorer_choice import explorer_for
from learners.traces.random_inputs import (
    all_inputs,
    count_inputs,
    lengths_of,
    lengths_up_to,
    longest_input,
    random_input,
    repeated_input,
)
from learners.traces.random_worlds import scrambled_world

INPUTS, WORLDS = "inputs", "worlds"
TOLERANCES = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16)
POINTS, MOST_POINTS = 32, 4096  # in a book, for each hidden number; models that settle need fewer than ten
PLAIN_STEPS = 100_000  # of all runs together, without a C compiler
WORK, WORK_A_NUMBER = 2_000_000_000, 3_000_000  # numbers compared in the search for points; times d squared
QUIET, WORLD_QUIET = 4, 6  # rounds without anything new
LENGTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 300)  # of repetitions, one a round
LONGEST = LENGTHS[-1]
ROUNDS = 80  # on inputs, at most; models that settle need fewer than forty
BACK = 6  # rounds to go back when a graph that had settled was left
LARGEST = 20_000  # symbols in an input
LISTED = 400  # inputs that are all taken
EXPLORED, FOLLOWED = (2, 8_000), (6, 50_000)  # of a round: inputs at least, and steps for each symbol, about
MOST = 25  # inputs of a round for each symbol
INPUTS_AN_EDGE, STEPS_AN_EDGE = 2, 150  # or so many for each edge, where that is more: some are seldom seen
LEFT = 2  # inputs of a round on which the graph was left, before all is explored anew
DOUBTS = (0.02, 0.1)  # how far from one-hot a sure model may be, at least and at most
WORLD_RUNS, WORLD_ROUNDS = 150, 60
GIVEN = 50_000  # steps on a world that was asked about, at least
FINE = (HALTED, BUDGET, MEMORY)  # how runs end that follow a graph

Told = Callable[[int], None]  # of the steps done


class Growth(NamedTuple):
    """What was known after a round; no clusters where none could be told apart."""

    scope: str
    length: int  # of the inputs' repetitions, or steps of a run on a world
    runs: int
    steps: int  # since the beginning
    points: int
    clusters: int
    edges: int


class Trial(NamedTuple):
    """A run that is to be made."""

    case: Case
    steps: int
    manner: Manner = PLAIN


class Search:
    """The exploration of one model, and what it has found so far."""

    def __init__(
        self,
        dfst: Dfst,
        expert: Table | None,
        tolerances: Iterable[float],
        budget: int,
        seed: int,
        told: Told,
    ) -> None:
        self.dfst, self.expert, self.told = dfst, expert, told
        self.random = Random(f"{seed} extraction")
        rules = rules_for(dfst, expert) if expert else None
        most = min(POINTS * max(8, len(dfst.h0)), MOST_POINTS)
        setting = Setting(tuple(sorted(tolerances)), most, rules, seed)
        self.explorer = explorer_for(dfst, setting)
        self.history: list[Growth] = []
        self.found: Clusters | None = None
        self.overlap: tuple[float, Overlap] | None = None  # and the tolerance
        self.close: Clusters | None = None  # clusters that are not separate
        self.quiet = 0  # rounds in a row without anything new
        self.followed = 0  # steps that were only followed
        self.longest = self.longest_halted = 0  # steps of a run
        self.grant(budget)
        self.good = 0  # the greatest length of inputs that seemed to have settled

    def grant(self, steps: int) -> None:
        """Allows so many steps from now on; fewer where they are slow."""
        slow = isinstance(self.explorer, PlainExplorer)
        self.budget = self.steps + (min(steps, PLAIN_STEPS) if slow else steps)

    @property
    def steps(self) -> int:
        return self.explorer.steps + self.followed

    @property
    def over(self) -> bool:
        """Whether to stop: the budget is spent, or no tolerance will do any more."""
        return self.spent or (bool(self.history) and self.found is None and self.close is None)

    @property
    def spent(self) -> bool:
        work = max(WORK, WORK_A_NUMBER * len(self.dfst.h0) ** 2)
        return self.steps >= self.budget or self.explorer.work > work

    def limit(self) -> int:
        """Steps for the next run: generous, but not endless, beside those that halted."""
        return max(int(1_000 * 1.3 ** len(self.history)), 8 * self.longest_halted)

    def round(self, scope: str, length: int, trials: Iterable[Trial]) -> None:
        """Makes some runs, and looks at what they have shown.

        Where the graph has settled, runs are followed on it, which is fast, and explored if they leave it.
        """
        runs = left = 0
        settled = self.found if scope == INPUTS and self.quiet >= QUIET else None
        follower = explorer_for(self.dfst, Setting(rules=rules_of(settled.graph))) if settled else None
        for trial in trials:
            runs += 1
            if follower and self._run(follower, trial._replace(manner=Manner(ruled=True))) in FINE:
                continue
            stuck = self._run(self.explorer, trial) == STUCK  # and so is the graph
            left += follower is not None and not stuck
            if left == LEFT or self.spent:
                break
        before = self._signature()
        self._look()
        self.quiet = self.quiet + 1 if self._signature() == before and not left else 0
        self.history.append(Growth(scope, length, runs, self.steps, *self._size()))

    def _run(self, explorer: Explorer, trial: Trial) -> str:
        before = explorer.steps
        ended = explorer.run(*trial)
        done = explorer.steps - before
        self.followed += done if explorer is not self.explorer else 0
        self.longest = max(self.longest, done)
        self.longest_halted = max(self.longest_halted, done if ended == HALTED else 0)
        self.told(self.steps)
        return ended

    def _size(self) -> tuple[int, int, int]:
        """Points, clusters and edges."""
        if self.found is None:
            return max(len(book.centres) for book in self.explorer.books()), 0, 0
        return len(self.found.book.centres), self.found.graph.size, self.found.graph.edges

    def _signature(self) -> tuple[float, ...]:
        """What must stay the same in a quiet round: points may be added to a cluster, clusters may not."""
        return (self.found.book.tolerance, *self._size()[1:]) if self.found else ()

    def _look(self) -> None:
        """The clusters of the largest tolerance that keeps apart what does different things."""
        self.found = self.overlap = self.close = None
        for book in reversed(self.explorer.books()):
            clusters = None if book.full else gathered(book, len(self.dfst.symbols))
            if isinstance(clusters, Overlap):
                self.overlap = (book.tolerance, clusters)
            elif clusters and clusters.separate:
                self.found = clusters
                return
            elif clusters:
                self.close = clusters


def settle_on_inputs(
    search: Search, language: InputLanguage, longest: int = LONGEST, given: Iterable[World] = ()
) -> bool:
    """Explores inputs of growing length, those given first; whether the longer ones have shown nothing new.

    What rarely happens is found soonest on many inputs of middle length: so after inputs that left a graph
    which seemed to have settled, shorter ones are explored again.
    """
    lengths = [n for n in _lengths(longest) if longest_input(language, n) <= LARGEST] or [1]
    finite = language.longest() < ENDLESS
    asked = [Trial(world, GIVEN, Manner(ruled=search.expert is not None)) for world in given]
    if asked:
        search.round(INPUTS, 1, asked)
    at = 0
    while True:
        length, quiet = lengths[at], search.quiet
        every = count_inputs(language, lengths_up_to(length)) <= LISTED
        drawn = all_inputs(language, length) if every else _inputs(search, language, length)
        search.round(INPUTS, length, (Trial(text, search.limit()) for text in drawn))
        if finite and every and search.found is not None:
            return True  # there are no other inputs
        settled = search.found is not None and search.quiet >= QUIET
        search.good = max(search.good, length if settled else 0)
        if search.over or len(search.history) == ROUNDS or (settled and length == lengths[-1]):
            return settled
        at = max(0, at - BACK) if quiet >= QUIET > search.quiet else min(at + 1, len(lengths) - 1)


def _lengths(longest: int) -> list[int]:
    """Lengths up to the longest, which may be beyond ours: then they go on doubling."""
    lengths = [length for length in LENGTHS if length < longest]
    while 2 * lengths[-1] < longest if lengths else False:
        lengths.append(2 * lengths[-1])
    return [*lengths, longest]


def _inputs(search: Search, language: InputLanguage, length: int) -> Iterator[str]:
    """Inputs of a round: some that repeat one symbol, some of exactly this length, some of at most."""
    fewest, steps = FOLLOWED if search.quiet >= QUIET else EXPLORED
    symbols, begun = len(search.dfst.symbols), search.steps
    edges = search.history[-1].edges if search.history else 0
    most = max(steps * symbols, STEPS_AN_EDGE * edges)
    for number in range(max(MOST * symbols, INPUTS_AN_EDGE * edges)):
        if number >= fewest and search.steps - begun > most:
            return
        if number % 3 == 0:
            yield repeated_input(language, length, search.random)
        else:
            lengths = lengths_of(length) if number % 3 == 1 else lengths_up_to(length)
            yield random_input(language, lengths, search.random)


def settle_on_worlds(search: Search, given: Iterable[World], doubt: float) -> bool:
    """Explores worlds: those given, scrambled ones, and ones that are made while the model runs.

    With an expert a run ends where that is stuck, or after the first difference; without one, where the model
    is not sure what to do.
    """
    manner = Manner(ruled=True) if search.expert else Manner(doubt=doubt)
    steps = max(search.limit(), GIVEN)
    asked = [Trial(world, steps, Manner(ruled=search.expert is not None)) for world in given]
    search.quiet = 0
    if asked:
        search.round(WORLDS, 0, asked)
    for number in range(WORLD_ROUNDS):
        steps = 60 + 20 * number
        search.round(WORLDS, steps, _worlds(search, steps, manner))
        if search.over or search.quiet >= WORLD_QUIET:
            break
    return search.found is not None and search.quiet >= WORLD_QUIET


def _worlds(search: Search, steps: int, manner: Manner) -> Iterator[Trial]:
    """Of each four one is a scrambled grid, and three grow while the model runs, one of few symbols."""
    symbols, random = symbols_of(search.dfst), search.random
    blank_first = (BLANK, *(symbol for symbol in symbols if symbol != BLANK))
    for number in range(WORLD_RUNS):
        if number % 4 == 0:
            yield Trial(scrambled_world(blank_first, random), steps, manner)
        else:
            taste = _taste(len(symbols), random) if number % 4 == 1 else np.ones(len(symbols), np.float32)
            yield Trial(World({}), steps, manner._replace(liking=taste))


def _taste(symbols: int, random: Random) -> Floats:
    """A liking for one to four symbols."""
    liking = np.zeros(symbols, np.float32)
    for symbol in random.sample(range(symbols), random.randint(1, min(4, symbols))):
        liking[symbol] = random.random() ** 2 + 0.01
    return liking


def doubt_of(search: Search) -> float:
    """How far from one-hot outputs may be where this model is sure: as far as they are on its inputs."""
    noise = 1 - search.found.margin if search.found else sum(DOUBTS) / 2
    return min(max(noise, DOUBTS[0]), DOUBTS[1])
