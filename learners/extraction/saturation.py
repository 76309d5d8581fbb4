"""Saturation: a model is explored on longer and longer runs until they show nothing new.

In closed loop a model that has converged comes back to finitely many hidden vectors, up to rounding and
drift: the graph of its clusters grows with the first runs, and then stays as it is, however long the inputs
become. One that has not converged goes on making new ones. So the runs are made in rounds, on declared inputs
and then on random worlds, and after a round the graph is compared with that before it: its tolerance, its
number of clusters and its number of edges. Points may be added, for a vector may drift within its cluster.

A round that changes none of the three is quiet. A model is *saturated* when several rounds in a row were
quiet, and on inputs the last of them had the greatest length. That is evidence and no proof: a rare rule may
still be missing.

How near the vectors of one cluster are depends on the model, so codebooks of several tolerances are filled at
once. After each round the largest tolerance is taken whose clusters keep apart what does different things.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import NamedTuple

import numpy as np

from compiler.simulation.simulate import HALTED, STUCK
from compiler.tensors.dfst import Floats
from compiler.tensors.model import Model, symbols_of
from gridlang.clauses.inputs import ENDLESS, InputLanguage, RareInputs
from gridlang.table import BLANK, Table
from gridlang.world import World
from learners.evaluation.lockstep import Case
from learners.extraction.clusters import Clusters, Overlap, gathered
from learners.extraction.explorer import PLAIN, ExplorerConfig, PlainExplorer, RunMode, rules_for
from learners.extraction.explorer_native import explorer_for
from learners.extraction.graph_follower import FOLLOWS, GraphFollower
from learners.extraction.limits import LIMITS
from learners.traces.random_inputs import (
    all_inputs,
    count_inputs,
    input_drawer,
    lengths_of,
    lengths_up_to,
    longest_input,
    repeated_input,
)
from learners.traces.random_worlds import scrambled_world

INPUTS, WORLDS, ASKED, TRACES = "inputs", "worlds", "asked", "traces"


class Growth(NamedTuple):
    """What was known after a round; no clusters where none could be told apart."""

    scope: str
    length: int  # repetitions in inputs, or steps of a run on a world
    runs: int
    steps: int  # since the beginning
    points: int
    clusters: int
    edges: int


class PlannedRun(NamedTuple):
    """A run that is to be made, and the most steps it may take."""

    case: Case
    steps: int
    mode: RunMode = PLAIN


class Exploration:
    """The rounds of one model, and what they have shown: separate clusters, or what stands in the way."""

    def __init__(
        self,
        dfst: Model,
        expert: Table | None,
        tolerances: Iterable[float],
        budget: int,
        seed: int,
        progress: Callable[[int], None],
        is_enough: Callable[[Exploration], bool] = lambda _: False,
    ) -> None:
        self.dfst, self.expert, self.progress, self.is_enough = dfst, expert, progress, is_enough
        self.random = Random(f"{seed} extraction")
        rules = rules_for(dfst, expert) if expert else None
        max_points = min(LIMITS.points_a_dimension * max(8, len(dfst.h0)), LIMITS.most_points)
        self.explorer = explorer_for(dfst, ExplorerConfig(tuple(sorted(tolerances)), max_points, rules, seed))
        self.history: list[Growth] = []
        self.clusters: Clusters | None = None  # of the largest tolerance that keeps them separate
        self.overlap: tuple[float, Overlap] | None = None  # with its tolerance
        self.too_near: Clusters | None = None  # clusters that are not separate
        self.quiet = 0  # rounds in a row that showed nothing new
        self.followed = 0  # steps that were only followed
        self.longest = self.longest_halted = 0  # steps of a run
        self.grant(budget)
        self.enough = False  # Whoever wanted to know has no more questions, and nothing need settle.
        self.settled_length = 0  # of inputs at which all was quiet
        self._last_clusters: Clusters | None = None  # of a round on inputs
        self._earlier_clusters: list[tuple[int, Clusters]] = []  # whenever the steps had doubled

    def grant(self, steps: int) -> None:
        """Allows these steps from now on; fewer where they are slow."""
        slow = isinstance(self.explorer, PlainExplorer)
        self.budget = self.steps + (min(steps, LIMITS.plain_steps) if slow else steps)

    @property
    def steps(self) -> int:
        return self.explorer.steps + self.followed

    @property
    def over(self) -> bool:
        """Whether to stop: it is enough, the budget is spent, or no tolerance will do any more."""
        return (
            self.enough
            or self.spent
            or (bool(self.history) and self.clusters is None and self.too_near is None)
        )

    @property
    def spent(self) -> bool:
        work = max(LIMITS.work, LIMITS.work_a_weight * len(self.dfst.h0) ** 2)
        return self.steps >= self.budget or self.explorer.work > work

    def limit(self) -> int:
        """Steps for the next run: generous, but not endless, beside those that halted."""
        usual = int(LIMITS.run_steps * LIMITS.run_growth ** len(self.history))
        return max(usual, LIMITS.run_factor * self.longest_halted)

    def round(self, scope: str, length: int, planned: Iterable[PlannedRun]) -> None:
        """Makes some runs, and compares what is known after them with what was known before.

        Where the inputs before were quiet, a run is first followed on the graph alone, which is fast; only
        one that leaves it is explored. Such a round is not quiet, even if the graph then stays the same.
        """
        runs = departures = 0
        settled = self.clusters if scope == INPUTS and self.quiet >= LIMITS.quiet_rounds else None
        follower = GraphFollower(self.dfst, settled.graph) if settled else None
        for plan in planned:
            runs += 1
            followed = self._followed(follower, plan) if follower else ""
            # A strict model is stuck as its graph is; where another one is stuck, so is the graph.
            if followed in FOLLOWS or (followed == STUCK and self.dfst.strict):
                continue
            stuck = self._run(plan) == STUCK and not self.dfst.strict
            departures += follower is not None and not stuck
            if departures == LIMITS.departures or self.spent:
                break
        before = self._signature()
        self._look()
        self.quiet = self.quiet + 1 if self._signature() == before and not departures else 0
        self.history.append(Growth(scope, length, runs, self.steps, *self._size()))
        if scope == INPUTS and self.clusters is not None:
            self._last_clusters = self.clusters
            if not self._earlier_clusters or self.steps >= 2 * self._earlier_clusters[-1][0]:
                self._earlier_clusters.append((self.steps, self.clusters))
        self.enough = self.clusters is not None and self.is_enough(self)

    def settling(self) -> list[Clusters]:
        """The clusters that inputs gave, the last ones first, and then some of those before."""
        earlier = [clusters for _, clusters in reversed(self._earlier_clusters)]
        last = self._last_clusters
        return earlier if last is None or last is earlier[0] else [last, *earlier]

    def ask(self, cases: Iterable[Case], steps: int) -> list[str]:
        """Explores these cases, as far as the expert has rules; how each run ended."""
        mode = RunMode(ruled=self.expert is not None)
        endings = [self._run(PlannedRun(case, steps, mode)) for case in cases]
        self._look()
        self.history.append(Growth(ASKED, 0, len(endings), self.steps, *self._size()))
        return endings

    def _run(self, plan: PlannedRun) -> str:
        before = self.explorer.steps
        ended = self.explorer.run(*plan)
        self._count(self.explorer.steps - before, ended)
        return ended

    def _followed(self, follower: GraphFollower, plan: PlannedRun) -> str:
        before = follower.steps
        ended = follower.run(plan.case, plan.steps)
        self.followed += follower.steps - before
        self._count(follower.steps - before, ended)
        return ended

    def _count(self, done: int, ended: str) -> None:
        self.longest = max(self.longest, done)
        self.longest_halted = max(self.longest_halted, done if ended == HALTED else 0)
        self.progress(self.steps)

    def _size(self) -> tuple[int, int, int]:
        """Points, clusters and edges."""
        if self.clusters is None:
            return max(len(codebook.centres) for codebook in self.explorer.codebooks()), 0, 0
        return len(self.clusters.codebook.centres), self.clusters.graph.size, self.clusters.graph.edges

    def _signature(self) -> tuple[float, ...]:
        """What a quiet round leaves as it was; points may be added to a cluster."""
        return (self.clusters.codebook.tolerance, *self._size()[1:]) if self.clusters else ()

    def _look(self) -> None:
        """The clusters of the largest tolerance that keeps apart what does different things."""
        self.clusters = self.overlap = self.too_near = None
        for codebook in reversed(self.explorer.codebooks()):
            clusters = None if codebook.full else gathered(codebook, len(self.dfst.symbols))
            if isinstance(clusters, Overlap):
                self.overlap = (codebook.tolerance, clusters)
            elif clusters and clusters.separate:
                self.clusters = clusters
                return
            elif clusters:
                self.too_near = clusters


def settle_on_inputs(
    exploration: Exploration,
    language: InputLanguage,
    longest: int = LIMITS.longest_repetition,
    worlds: Iterable[World] = (),
) -> bool:
    """Explores inputs of growing length; whether the model is saturated on them.

    The worlds that were asked about come first. What rarely happens is found soonest on many inputs of middle
    length: so after inputs that left a graph which seemed to have settled, shorter ones are explored again.
    """
    lengths = input_lengths(language, longest)
    finite = language.longest() < ENDLESS
    mode = RunMode(ruled=exploration.expert is not None)
    asked = [PlannedRun(world, LIMITS.given_steps, mode) for world in worlds]
    if asked:
        exploration.round(INPUTS, 1, asked)
    at = 0
    while True:
        length, quiet = lengths[at], exploration.quiet
        every = count_inputs(language, lengths_up_to(length)) <= LIMITS.listed_inputs
        drawn = all_inputs(language, length) if every else _inputs(exploration, language, length)
        exploration.round(INPUTS, length, (PlannedRun(text, exploration.limit()) for text in drawn))
        if finite and every and exploration.clusters is not None:
            return True  # There are no other inputs.
        settled = exploration.clusters is not None and exploration.quiet >= LIMITS.quiet_rounds
        exploration.settled_length = max(exploration.settled_length, length if settled else 0)
        at_end = len(exploration.history) == LIMITS.rounds or (settled and length == lengths[-1])
        if exploration.over or at_end:
            return settled
        was_left = quiet >= LIMITS.quiet_rounds > exploration.quiet
        at = max(0, at - LIMITS.rounds_back) if was_left else min(at + 1, len(lengths) - 1)


def input_lengths(language: InputLanguage, longest: int) -> list[int]:
    """Lengths up to the longest, which may be beyond ours: then they go on doubling, as far as inputs fit."""
    lengths = [length for length in LIMITS.lengths if length < longest]
    while 2 * lengths[-1] < longest if lengths else False:
        lengths.append(2 * lengths[-1])
    return [n for n in (*lengths, longest) if longest_input(language, n) <= LIMITS.input_symbols] or [1]


def _inputs(exploration: Exploration, language: InputLanguage, length: int) -> Iterator[str]:
    """Inputs of a round: some that repeat one symbol, some of exactly this length, some of at most."""
    settled = exploration.quiet >= LIMITS.quiet_rounds
    fewest, steps = LIMITS.followed_inputs if settled else LIMITS.explored_inputs
    symbols, begun = len(exploration.dfst.symbols), exploration.steps
    edges = exploration.history[-1].edges if exploration.history else 0
    draw = input_drawer(language, exploration.random)
    most = max(steps * symbols, LIMITS.steps_an_edge * edges)
    for number in range(max(LIMITS.inputs_a_symbol * symbols, LIMITS.inputs_an_edge * edges)):
        if number >= fewest and exploration.steps - begun > most:
            return
        if number % 3 == 0:
            yield repeated_input(language, length, exploration.random)
        else:
            try:
                yield draw(lengths_of(length) if number % 3 == 1 else lengths_up_to(length))
            except RareInputs:
                yield draw(lengths_up_to(length))


def settle_on_worlds(exploration: Exploration, worlds: Iterable[World], doubt: float) -> bool:
    """Explores worlds; whether the model is saturated on them.

    They are those asked about, scrambled ones, and ones made as the model runs. With an expert a run ends
    where that is stuck, or after the first difference; without one, where the model is not sure what to do.
    """
    mode = RunMode(ruled=True) if exploration.expert else RunMode(doubt=doubt)
    steps = max(exploration.limit(), LIMITS.given_steps)
    asked = [PlannedRun(world, steps, RunMode(ruled=exploration.expert is not None)) for world in worlds]
    exploration.quiet = 0
    if asked:
        exploration.round(WORLDS, 0, asked)
    for number in range(LIMITS.world_rounds):
        steps = LIMITS.first_world_steps + LIMITS.more_world_steps * number
        exploration.round(WORLDS, steps, _worlds(exploration, steps, mode))
        if exploration.over or exploration.quiet >= LIMITS.quiet_world_rounds:
            break
    return exploration.clusters is not None and exploration.quiet >= LIMITS.quiet_world_rounds


def _worlds(exploration: Exploration, steps: int, mode: RunMode) -> Iterator[PlannedRun]:
    """Of each four one is a scrambled grid, and three grow while the model runs, one of few symbols."""
    symbols, random = symbols_of(exploration.dfst), exploration.random
    blank_first = (BLANK, *(symbol for symbol in symbols if symbol != BLANK))
    for number in range(LIMITS.world_runs):
        if number % 4 == 0:
            yield PlannedRun(scrambled_world(blank_first, random), steps, mode)
        else:
            few = number % 4 == 1
            weights = _few_symbols(len(symbols), random) if few else np.ones(len(symbols), np.float32)
            yield PlannedRun(World({}), steps, mode._replace(symbol_weights=weights))


def _few_symbols(symbols: int, random: Random) -> Floats:
    """Weights for one to four symbols; squares, so that one often prevails, and never quite zero."""
    weights = np.zeros(symbols, np.float32)
    for symbol in random.sample(range(symbols), random.randint(1, min(4, symbols))):
        weights[symbol] = random.random() ** 2 + 0.01
    return weights


def doubt_of(exploration: Exploration) -> float:
    """How far from one-hot outputs may be where this model is sure: as far as they are on its inputs."""
    least, most = LIMITS.doubts
    noise = 1 - exploration.clusters.margin if exploration.clusters else (least + most) / 2
    return min(max(noise, least), most)
