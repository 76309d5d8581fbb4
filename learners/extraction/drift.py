"""Models whose float vectors leave their graph on long inputs by drifting, where snapped ones stay on it.

What a model does with snapped inference follows from its clusters alone: it is a table, which needs no expert
and does not drift. So a model that did not settle is judged by that. The table is run on inputs of all
lengths; the rules that these runs take are what is extracted. It is not what the model does if a run finds no
rule, or if the float weights do not follow it on short inputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import numpy as np

from compiler.automata.merging import MealyGraph
from compiler.proofs.differences.joint_runs import JointRuns
from compiler.proofs.joint_step import LEFT_STUCK
from compiler.tensors.dfst import Dfst
from compiler.tensors.model import symbols_of
from gridlang.clauses.inputs import InputLanguage
from learners.extraction.clusters import Clusters
from learners.extraction.explorer import NONE
from learners.extraction.graph_follower import FOLLOWS, GraphFollower
from learners.extraction.limits import LIMITS
from learners.extraction.model_exploration import ModelExploration
from learners.extraction.saturation import INPUTS, input_lengths
from learners.extraction.snapped_graph import reachable_part, snapped_clusters
from learners.traces.random_inputs import input_drawer, lengths_up_to, repeated_input


class Steady(NamedTuple):
    """What a model does with snapped inference, and the length of inputs up to which it needs none."""

    length: int
    clusters: Clusters


def steady_when_snapped(explored: ModelExploration, longest: int) -> Steady | None:
    """What a model that did not settle on its inputs does with snapped inference; None if that ends."""
    exploration, language = explored.exploration, explored.metadata.language
    dfst = exploration.dfst
    if explored.scope != INPUTS or language is None or not isinstance(dfst, Dfst) or dfst.strict:
        return None  # Where a strict model is stuck no rule is missing, so nothing would show that one is.
    for clusters in exploration.settling():
        snapped = snapped_clusters(dfst, clusters)
        taken = _rules_taken(explored, snapped, _inputs(explored, language, longest))
        length = _followed_length(explored, snapped, language, longest) if taken is not None else 0
        if taken is not None and length >= LIMITS.least_followed:
            return Steady(length, taken)
    return None


def _inputs(explored: ModelExploration, language: InputLanguage, longest: int) -> Iterator[list[str]]:
    """Inputs of each length, one of three of which repeats a symbol."""
    random = Random(f"{explored.seed} drift")
    draw = input_drawer(language, random)
    for length in input_lengths(language, longest):
        yield [
            repeated_input(language, length, random) if number % 3 == 0 else draw(lengths_up_to(length))
            for number in range(LIMITS.snapped_inputs)
        ]


def _rules_taken(
    explored: ModelExploration, clusters: Clusters, inputs: Iterator[list[str]]
) -> Clusters | None:
    """The clusters with those rules alone that runs on inputs take; None if a run finds none."""
    table, symbols = explored.table_of(clusters.graph), symbols_of(explored.exploration.dfst)
    runs, taken = JointRuns(table, table.rows), np.zeros(clusters.graph.write.shape, np.bool_)
    for texts in inputs:
        steps = 0
        for text in texts:
            done = runs.run(text, LIMITS.snapped_run_steps)
            if done.ending is LEFT_STUCK:
                return None
            for state, _, symbol, _ in done.fresh:
                taken[int(table.states[state]), symbols.index(table.symbols[symbol])] = True
            steps += done.steps
            if steps > LIMITS.snapped_steps:
                break
    write, move, after = (
        np.where(taken, numbers, NONE).astype(np.int32)
        for numbers in (clusters.graph.write, clusters.graph.move, clusters.graph.next)
    )
    return reachable_part(clusters, MealyGraph(write, move, after))


def _followed_length(
    explored: ModelExploration, clusters: Clusters, language: InputLanguage, longest: int
) -> int:
    """The length of inputs up to which the float weights do what snapped inference does."""
    follower, random = GraphFollower(explored.exploration.dfst, clusters.graph), Random("following")
    draw, followed = input_drawer(language, random), 0
    for length in input_lengths(language, longest):
        begun = follower.steps
        for number in range(LIMITS.more_drift_inputs):
            if number >= LIMITS.drift_inputs and follower.steps - begun > LIMITS.more_drift_steps:
                break
            repeats = number % 10 == 0
            text = repeated_input(language, length, random) if repeats else draw(lengths_up_to(length))
            if follower.run(text, LIMITS.snapped_run_steps) not in FOLLOWS:
                return followed
        followed = length
    return followed
