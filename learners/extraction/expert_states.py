"""Clusters gathered by the state of the expert that they stand for, where each stands for one.

The fewest states are not always the plainest program: merged wherever nothing speaks against it, states of
different families end up in one, and no formula is left. What follows the expert from state to state can be
written as the expert is, with its names. What a model does where the expert is stuck is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from compiler.automata.behaviour_names import behaviours_of, filled, named_by_behaviour
from compiler.automata.merging import NONE, Folded, MealyGraph
from compiler.proofs.equivalence import aligned
from compiler.proofs.joint_step import LEFT_STUCK, RIGHT_DIFFERS, joint_run
from compiler.tensors.model import Model
from gridlang.table import Table, families_for
from gridlang.vocabulary import HALT
from gridlang.world import string_world
from learners.evaluation.lockstep import Case
from learners.extraction.clusters import Clusters
from learners.extraction.explorer import rules_for
from learners.extraction.limits import LIMITS


def named_after(expert: Table, table: Table, cases: Iterable[Case]) -> Table:
    """The table with the expert's names and families, where they keep step; the rest is named by behaviour.

    A state is named after the expert's that it is most often in step with; each name is given once.
    """
    together: Counter[tuple[int, int]] = Counter()
    rows = aligned(expert, table)
    for case in cases:
        world = string_world(case) if isinstance(case, str) else case
        together.update(
            (state, other)
            for other, state, _, step in joint_run(expert, rows, world, LIMITS.named_steps)
            if step not in (LEFT_STUCK, RIGHT_DIFFERS)
        )
    names: dict[int, str] = {}
    for (state, other), _ in sorted(together.items(), key=lambda pair: (-pair[1], pair[0])):
        fits = expert.states[other] != HALT or table.halts_everywhere(state)
        if fits and state not in names and expert.states[other] not in names.values():
            names[state] = expert.states[other]
    if not names:
        return named_by_behaviour(table)
    states = filled(names, behaviours_of(table))
    return replace(table, states=states, families=families_for(states, expert))


def numbered(names: list[str]) -> list[str]:
    """The same names, those that come more than once with a number: `walk_R/1`, `walk_R/2`."""
    times, seen = Counter(names), Counter[str]()
    distinct = []
    for name in names:
        seen[name] += 1
        distinct.append(f"{name}/{seen[name]}" if times[name] > 1 else name)
    return distinct


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
