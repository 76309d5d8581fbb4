"""The states of a model, found along the expert's runs: centres that are closed under snapped inference.

Snapped inference holds the centre of a state after each step, so it cannot drift, and centres can be had
without running float weights that do. The expert runs, and the snapped model is walked along; what its graph
leaves open is asked of the expert, and walked along too.

The expert only chooses the centres. What is claimed of them follows from the weights alone, and is checked;
of a wrapped model it follows from its steps from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from random import Random
from typing import NamedTuple

import numpy as np

from gridlang.compiler.automata.acts import STUCK
from gridlang.compiler.engines import execute
from gridlang.compiler.extraction.clusters import Clusters, graph_to_table
from gridlang.compiler.extraction.exploration import Explained, Growth
from gridlang.compiler.extraction.extract import Extraction, read
from gridlang.compiler.extraction.model_metadata import declared
from gridlang.compiler.extraction.snapped_graph import snapped_clusters
from gridlang.compiler.extraction.states import Acts
from gridlang.compiler.judging.limits import LIMITS
from gridlang.compiler.judging.model_mistakes import questions
from gridlang.compiler.judging.trials import trial_cases
from gridlang.compiler.lockstep.lockstep import Case
from gridlang.compiler.simulation.random_inputs import stuck_worlds
from gridlang.compiler.simulation.simulate import Column
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.model import Model, symbols_of
from gridlang.outcomes import Outcome
from gridlang.table import MOVES, Table
from gridlang.world import string_world


class Closed(NamedTuple):
    """Clusters that nobody knows a question about, and what they were seen on."""

    clusters: Clusters
    rounds: int
    asked: int
    runs: int
    steps: int
    longest: int

    def extraction(self, model: Model, expert: Table, scope: str, seed: int) -> Extraction:
        graph, known = self.clusters.graph, {"steps": self.steps, "longest": self.longest}
        seen = Growth(scope, LIMITS.longest_tried, self.runs, self.steps, graph.size, graph.size, graph.edges)
        evidence = {"scope": scope, "history": (seen,), "asked": self.asked, "saturated": True, **known}
        return read(self.clusters, model, expert, errs=False).extraction(seed, **evidence)


def closed_clusters(
    model: Model,
    expert: Table,
    scope: str,
    seed: int,
    ask: Callable[[list[Case], Table], object] = lambda *_: None,
) -> Iterator[Closed]:
    """Centres closed on the expert's runs, as far as tried, of fewer and then of more states.

    They take a second or two, also of a model whose float vectors never settle. The cases of a question are
    told to `ask`, with the graph that leaves it open. Where only what is observed counts none are asked,
    inputs are enough if some are declared, and there are no rules but those that runs take.
    """
    random, asked = Random(f"{seed} closure"), 0
    tried = "inputs" if scope == "observed" else scope
    first: Iterator[Case] = islice(trial_cases(expert, tried, random), LIMITS.closure_runs)
    if model.strict and tried != "inputs":
        first = chain(first, islice(stuck_worlds(expert, random, LIMITS.trial_steps), LIMITS.closure_runs))
    explained = Explained(model)
    explained.learn(_runs(model, expert, first))
    for number in range(1, LIMITS.closure_rounds + 1):
        clusters, cases = explained.clusters(), list[Case]()
        if clusters is None:
            return
        if scope != "observed":
            if isinstance(model, Dfst):
                clusters = snapped_clusters(model, clusters)  # products that no run has shown
            table = cluster_table(clusters, model, expert)
            cases = questions(expert, table, scope, random)
            ask(cases, table)
        if not cases:
            many = [len(run.read) for run in explained.runs]
            yield Closed(clusters, number, asked, len(many), sum(many), max(many, default=0))
        asked += len(cases)
        if not cases or not explained.learn(_runs(model, expert, cases)):
            explained.refine()


def extraction_along(model: Model, expert: Table, scope: str, seed: int) -> Extraction | None:
    """The states of a model that it goes through along all of the expert's runs, as far as tried."""
    found = next(closed_clusters(model, expert, scope, seed), None)
    return found and found.extraction(model, expert, scope, seed)


def cluster_table(clusters: Clusters, model: Model, expert: Table) -> Table:
    """The graph of clusters as a table; its states are called after their numbers."""
    return graph_to_table(clusters.graph, model, declared(model, expert))


def _runs(model: Model, expert: Table, cases: Iterable[Case]) -> Iterator[Acts]:
    """What the expert does on each case, by the model's numbers; for a strict one also that it is stuck."""
    known = symbols_of(model)
    symbols = np.array([known.index(symbol) for symbol in expert.symbols])
    moves = np.array([model.moves.index(move) if move in model.moves else len(model.moves) for move in MOVES])
    columns: list[tuple[Column, ...]] = []
    for case in cases:
        world = string_world(case) if isinstance(case, str) else case
        columns.clear()
        done = execute(
            expert, world, LIMITS.closure_steps, "native", record=lambda *some: columns.append(some)
        )
        none = [np.zeros((3, 0), np.int64)]
        read, write, move = np.concatenate([np.array(some[:3]) for some in columns] or none, 1)
        acts = Acts(symbols[read], symbols[write] * len(model.moves) + moves[move])
        if model.strict and done.outcome == Outcome.STUCK:
            acts = Acts(np.append(acts.read, known.index(done.symbol)), np.append(acts.act, STUCK))
        if len(acts.read):
            yield acts
