"""A model explored on its inputs and on worlds until it settles, then on worlds that are asked about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from compiler.automata.merging import Folded, MealyGraph, fold
from compiler.simulation.simulate import STUCK
from compiler.tensors.model import Model
from gridlang.diagnostics import fail
from gridlang.table import Table
from gridlang.world import World
from learners.evaluation.lockstep import DIFFERS, Case
from learners.extraction.clusters import Clusters, graph_to_table
from learners.extraction.explorer import NONE, UNDECIDED
from learners.extraction.limits import LIMITS
from learners.extraction.model_metadata import declared
from learners.extraction.refusals import is_sure
from learners.extraction.saturation import (
    INPUTS,
    TRACES,
    WORLDS,
    Exploration,
    PlannedRun,
    doubt_of,
    settle_on_inputs,
    settle_on_worlds,
)

AUTO = "auto"
SCOPES = (AUTO, INPUTS, WORLDS)


class ModelExploration:
    """A model that has been explored at a scope, and may be explored further on worlds that are asked about.

    `clusters` are what its vectors settled to, and `scope` says on what; None where they did not. Exploring
    ends as soon as it `is_enough` for whoever asks, with what is known then. If cases were `seen`, such as
    those of a log, each with its number of steps, it is explored on them and on nothing else.
    """

    def __init__(
        self,
        dfst: Model,
        expert: Table | None = None,
        scope: str = AUTO,
        worlds: Iterable[World] = (),
        longest: int = LIMITS.longest_repetition,
        tolerance: float | None = None,
        seed: int = 0,
        budget: int = LIMITS.steps,
        progress: Callable[[int], None] = lambda _: None,
        is_enough: Callable[[Exploration], bool] = lambda _: False,
        seen: Sequence[tuple[Case, int]] = (),
    ) -> None:
        if not dfst.moves:
            raise fail("G081", "this is not a model: it has no moves")
        self.metadata, self.seed = declared(dfst, expert), seed
        if self.metadata.language is None and scope == INPUTS:
            raise fail(
                "G150", "this model does not say what its inputs are", "explore it on worlds: --scope worlds"
            )
        tolerances = LIMITS.tolerances if tolerance is None else (tolerance,)
        self.exploration = Exploration(dfst, expert, tolerances, budget, seed, progress, is_enough)
        self.asked = 0  # worlds that were asked about
        self.clusters: Clusters | None = None
        self.scope = self._followed(seen) if seen else self._explored_on(scope, worlds, longest, budget)

    def _followed(self, seen: Sequence[tuple[Case, int]]) -> str:
        """Runs on what was seen alone: nothing is asked of what was never seen."""
        exploration = self.exploration
        exploration.round(TRACES, 0, (PlannedRun(case, steps) for case, steps in seen))
        self.clusters = exploration.clusters if is_sure(exploration) else None
        return TRACES

    def _explored_on(self, scope: str, worlds: Iterable[World], longest: int, budget: int) -> str:
        """Explores at a scope; what the clusters rest on, or where they did not settle."""
        exploration, language = self.exploration, self.metadata.language
        if language is not None:
            asked = worlds if scope == INPUTS else ()
            if not (settle_on_inputs(exploration, language, longest, asked) and is_sure(exploration)):
                return INPUTS
        on_inputs = exploration.clusters
        if scope == INPUTS:
            self.clusters = on_inputs
            return INPUTS
        exploration.grant(budget // 2)
        settled = settle_on_worlds(exploration, worlds, doubt_of(exploration)) and is_sure(exploration)
        both = exploration.clusters if settled else None
        if scope == AUTO and on_inputs and not (both and self._is_small(on_inputs, both)):
            self.clusters = on_inputs
            return INPUTS
        self.clusters = both
        what = f"{INPUTS} and {WORLDS}" if on_inputs else WORLDS
        return WORLDS if not both else what if exploration.expert else f"{what} where it is sure"

    def _is_small(self, on_inputs: Clusters, both: Clusters) -> bool:
        """Whether worlds need no more states than inputs do, or than the model has dimensions."""
        most = max(folded(on_inputs, self.seed).graph.size, len(self.exploration.dfst.h0))
        return folded(both, self.seed).graph.size <= most

    def ask(self, cases: Sequence[Case], steps: int) -> list[Case]:
        """Explores further on these cases; those where the model errs, or is stuck.

        There are no clusters any more if what is seen there confuses them.
        """
        self.asked += len(cases)
        endings = self.exploration.ask(cases, steps)
        self.clusters = self.exploration.clusters if is_sure(self.exploration) else None
        return [case for case, ended in zip(cases, endings, strict=True) if ended in (DIFFERS, STUCK)]

    def raw(self) -> Table:
        """A state for each cluster, and a rule for each step that was seen."""
        assert self.clusters is not None
        return self.table_of(self.clusters.graph)

    def table_of(self, graph: MealyGraph, names: Sequence[str] = ()) -> Table:
        """A graph as a table, its states called after their numbers if no names are given."""
        called = names or list(map(str, range(graph.size)))
        return graph_to_table(graph, self.exploration.dfst, self.metadata, called)


def folded(clusters: Clusters, seed: int) -> Folded:
    """Clusters that never disagree merged; what the model left undecided it does nowhere."""
    centres = clusters.codebook.centres[clusters.firsts]
    distances = np.sqrt(np.square(centres[:, None] - centres[None]).sum(2))
    graph = clusters.graph
    write, move = graph.write.copy(), graph.move.copy()
    write[clusters.undecided], move[clusters.undecided] = UNDECIDED, 0
    smaller = fold(MealyGraph(write, move, graph.next), distances, seed)
    write, move = smaller.graph.write.copy(), smaller.graph.move.copy()
    move[write == UNDECIDED] = NONE
    write[write == UNDECIDED] = NONE
    return replace(smaller, graph=MealyGraph(write, move, smaller.graph.next))
