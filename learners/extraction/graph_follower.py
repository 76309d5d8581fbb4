"""A model followed on a graph that has settled: nothing is gathered, only whether a run leaves the graph."""

from __future__ import annotations

from compiler.automata.merging import MealyGraph
from compiler.simulation.simulate import BUDGET, HALTED
from compiler.tensors.dfst import Dfst
from compiler.tensors.model import Model
from learners.evaluation.lockstep import MEMORY, Case, matched
from learners.evaluation.lockstep_cpu import NativeModel, NativeRun
from learners.extraction.clusters import graph_to_table, rules_of
from learners.extraction.explorer import ExplorerConfig, RunMode
from learners.extraction.explorer_native import NativeExplorer, explorer_for
from learners.extraction.model_metadata import Declared

FOLLOWS = (HALTED, BUDGET, MEMORY)  # Runs that never leave the graph they are held against end so.


class GraphFollower:
    """Runs that are held against a graph; `steps` counts those of all runs.

    Lockstep is compiled for the size of a model, and takes a third of the explorer's time. But it lets the
    length of a vector grow, and tells no pair that is not known from one on which a strict model is stuck:
    so where it finds that a run leaves the graph, the explorer has the last word.
    """

    def __init__(self, dfst: Model, graph: MealyGraph) -> None:
        self.steps = 0
        self._explorer = explorer_for(dfst, ExplorerConfig(rules=rules_of(graph)))
        self._lockstep: NativeModel | None = None
        if isinstance(dfst, Dfst) and not dfst.strict and isinstance(self._explorer, NativeExplorer):
            table = graph_to_table(graph, dfst, Declared("graph"), list(map(str, range(graph.size))))
            self._lockstep = NativeModel(matched(dfst, table))

    def run(self, case: Case, steps: int) -> str:
        """One run, and how it ended."""
        if self._lockstep is not None:
            with NativeRun(self._lockstep, case) as run:
                ended = run.go(steps)
                if ended in FOLLOWS:
                    self.steps += run.steps()
                    return ended
        before = self._explorer.steps
        ended = self._explorer.run(case, steps, RunMode(ruled=True))
        self.steps += self._explorer.steps - before
        return ended
