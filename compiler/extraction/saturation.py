"""Saturation: a model is explored on longer and longer runs until they show nothing new.

In closed loop a model that has converged comes back to finitely many hidden vectors, up to rounding and
drift; one that has not goes on making new ones. Runs are made in rounds. A round that adds no cluster and no
edge, at the same tolerance, is quiet; points may be added, and clusters may merge. A model is *saturated*
after several quiet rounds in a row, on inputs the last of them at the greatest length. That is evidence and
no proof: a rare rule may still be missing.

How near the vectors of one cluster are depends on the model, so codebooks of several tolerances are filled at
once. After each round the largest tolerance is taken whose clusters keep apart what does different things.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import NamedTuple

from gridlang.compiler.automata.merging import RuleGraph
from gridlang.compiler.extraction.clusters import (
    Clusters,
    Overlap,
    gathered_again,
    graph_to_table,
    nothing_new,
    rules_of,
)
from gridlang.compiler.extraction.explorer import PLAIN, ExplorerConfig, PlainExplorer, RunMode, rules_for
from gridlang.compiler.extraction.explorer_native import NativeExplorer, explorer_for
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.extraction.model_metadata import Declared
from gridlang.compiler.lockstep.cpu import NativeModel, NativeRun
from gridlang.compiler.lockstep.lockstep import Case, matched
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.model import Model
from gridlang.outcomes import End, Outcome, Reason
from gridlang.table import Table

INPUTS, WORLDS, ASKED, TRACES = "inputs", "worlds", "asked", "traces"
RULED = RunMode(ruled=True)
FOLLOWS = (
    Outcome.HALTED,
    Outcome.BUDGET,
    Reason.MEMORY,
)  # Runs that never leave the graph they are held against end so.


class Growth(NamedTuple):
    """The result of a round; no clusters if none are separate."""

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


class GraphFollower:
    """Runs that are held against a graph that has settled; `steps` counts those of all runs.

    Lockstep takes a third of the explorer's time. But it lets the length of a vector grow, and does not tell
    an unknown pair from one on which a strict model is stuck: where it leaves the graph, the explorer
    decides.
    """

    def __init__(self, dfst: Model, graph: RuleGraph) -> None:
        self.steps = 0
        self._explorer = explorer_for(dfst, ExplorerConfig(rules=rules_of(graph)))
        self._lockstep: NativeModel | None = None
        if isinstance(dfst, Dfst) and not dfst.strict and isinstance(self._explorer, NativeExplorer):
            self._lockstep = NativeModel(matched(dfst, graph_to_table(graph, dfst, Declared("graph"))))

    def run(self, case: Case, steps: int, mode: RunMode = RULED) -> End:
        """One run, and how it ended."""
        if self._lockstep is not None:
            with NativeRun(self._lockstep, case) as run:
                ended = run.go(steps)
                if ended in FOLLOWS:
                    self.steps += run.steps()
                    return ended
        before = self._explorer.steps
        ended = self._explorer.run(case, steps, mode)
        self.steps += self._explorer.steps - before
        return ended


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
        self.world_random = Random(f"{seed} worlds")
        rules = rules_for(dfst, expert) if expert else None
        max_points = min(LIMITS.points_a_dimension * max(8, len(dfst.h0)), LIMITS.most_points)
        self.explorer = explorer_for(dfst, ExplorerConfig(tuple(sorted(tolerances)), max_points, rules, seed))
        self.history: list[Growth] = []
        self._gathered: dict[float, Clusters] = {}  # by tolerance
        self.clusters: Clusters | None = None  # of the largest tolerance that keeps them separate
        self.overlap: tuple[float, Overlap] | None = None  # with its tolerance
        self.too_near: Clusters | None = None  # clusters that are not separate
        self.quiet = 0  # rounds in a row that showed nothing new
        self.followed = 0  # steps that were only followed
        self.longest = self.longest_halted = 0  # steps of a run
        self.grant(budget)
        self.enough = False  # the caller knows enough; nothing need settle
        self.settled_length = 0  # of inputs up to which rounds were quiet
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
        """Whether to stop: it is enough, the budget is spent, or no tolerance is left."""
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
        """Makes some runs, and compares what is known before and after.

        Where the inputs before were quiet, a run is first followed on the graph alone, which is fast; only
        one that leaves it is explored. Such a round is not quiet, even if the graph then stays the same.
        """
        runs = departures = 0
        settled = self.clusters if scope == INPUTS and self.quiet >= LIMITS.followed_after else None
        follower = GraphFollower(self.dfst, settled.graph) if settled else None
        for plan in planned:
            runs += 1
            followed = self._run(plan._replace(mode=RULED), follower) if follower else None
            # A strict model is stuck as its graph is; where another one is stuck, so is the graph.
            if followed not in FOLLOWS and not (followed == Outcome.STUCK and self.dfst.strict):
                stuck = self._run(plan) == Outcome.STUCK and not self.dfst.strict
                departures += follower is not None and not stuck
            if departures == LIMITS.departures or self.spent:
                break
        before = self.clusters
        self._look()
        self.quiet = self.quiet + 1 if nothing_new(before, self.clusters) and not departures else 0
        self.history.append(Growth(scope, length, runs, self.steps, *self._size()))
        if self.clusters is not None and self.quiet == LIMITS.followed_after:
            self.explorer.close_finer(LIMITS.finer_kept * self.clusters.codebook.tolerance)
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

    def ask(self, cases: Iterable[Case], steps: int) -> list[End]:
        """Explores these cases, up to where the expert is stuck; how each run ended."""
        mode = RunMode(ruled=self.expert is not None)
        endings = [self._run(PlannedRun(case, steps, mode)) for case in cases]
        self._look()
        self.history.append(Growth(ASKED, 0, len(endings), self.steps, *self._size()))
        return endings

    def _run(self, plan: PlannedRun, follower: GraphFollower | None = None) -> End:
        runner = follower or self.explorer
        before = runner.steps
        ended = runner.run(*plan)
        done = runner.steps - before
        self.followed += done if follower else 0
        self.longest = max(self.longest, done)
        self.longest_halted = max(self.longest_halted, done if ended == Outcome.HALTED else 0)
        self.progress(self.steps)
        return ended

    def _size(self) -> tuple[int, int, int]:
        """Points, clusters and edges."""
        if self.clusters is None:
            return max(len(codebook.centres) for codebook in self.explorer.codebooks()), 0, 0
        return len(self.clusters.codebook.centres), self.clusters.graph.size, self.clusters.graph.edges

    def _look(self) -> None:
        """The clusters of the largest tolerance that keeps apart what does different things."""
        self.clusters = self.overlap = self.too_near = None
        for codebook in reversed(self.explorer.codebooks()):
            before = self._gathered.get(codebook.tolerance)
            clusters = None if codebook.full else gathered_again(codebook, len(self.dfst.symbols), before)
            if isinstance(clusters, Clusters):
                self._gathered[codebook.tolerance] = clusters
            if isinstance(clusters, Overlap):
                self.overlap = (codebook.tolerance, clusters)
            elif clusters and clusters.separate:
                self.clusters = clusters
                return
            elif clusters:
                self.too_near = clusters
