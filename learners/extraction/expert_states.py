"""Clusters gathered by the state of the expert that they stand for, where each stands for one.

The fewest states are not always the plainest program: merged wherever nothing speaks against it, states of
different families end up in one, and no formula is left. What follows the expert from state to state can be
written as the expert is, with its names. What a model does where the expert is stuck is left out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from compiler.automata.merging import NONE, Folded, MealyGraph
from compiler.tensors.model import Model
from gridlang.table import Table
from learners.extraction.clusters import Clusters
from learners.extraction.explorer import rules_for


def folded_as_the_expert(clusters: Clusters, dfst: Model, expert: Table) -> tuple[Folded, list[str]] | None:
    """A state for each of the expert's that clusters stand for, and their names; None if one is unclear."""
    graph, rules = clusters.graph, rules_for(dfst, expert)
    homes = _homes(graph, rules)
    if homes is None:
        return None
    used = sorted(set(homes))
    home = tuple(used.index(state) for state in homes)
    asked = rules["write"][homes] >= 0  # (clusters, symbols): where the expert has a rule
    merged = [np.full((len(used), graph.write.shape[1]), NONE, np.int32) for _ in range(3)]
    for cluster, node in enumerate(home):
        known = (graph.write[cluster] >= 0) & asked[cluster]
        after = np.array([home[next] if next >= 0 else NONE for next in graph.next[cluster]], np.int32)
        for rows, numbers in zip(merged, (graph.write[cluster], graph.move[cluster], after), strict=True):
            rows[node, known] = numbers[known]
    if (clusters.undecided & (merged[0][list(home)] >= 0)).any():
        return None  # The model was asked there, and did not know.
    return Folded(MealyGraph(*merged), home, len(used)), [expert.states[state] for state in used]


def _homes(graph: MealyGraph, rules: npt.NDArray[np.void]) -> list[int] | None:
    """The state of the expert that each cluster keeps step with; None if one has none, or two, or errs."""
    homes, waiting = {0: 0}, [0]
    while waiting:
        cluster = waiting.pop()
        state = homes[cluster]
        for symbol in np.flatnonzero(graph.write[cluster] >= 0).tolist():
            write, move, after = rules[state, symbol].tolist()
            if write < 0:
                continue  # The expert is stuck there.
            onward = int(graph.next[cluster, symbol])
            acts = graph.write[cluster, symbol] == write and graph.move[cluster, symbol] == move
            if not acts or (onward == NONE and after != state) or homes.get(onward, after) != after:
                return None
            if onward != NONE and onward not in homes:
                homes[onward] = after
                waiting.append(onward)
    return [homes[cluster] for cluster in range(graph.size)] if len(homes) == graph.size else None
