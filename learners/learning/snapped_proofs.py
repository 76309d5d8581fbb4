"""Proofs about a model with snapped inference, tried while it is being explored.

What snapped inference does follows from the codebook alone: a rule of its graph is one product at a centre,
and no run has to have shown it. So a model is proven as soon as its codebook is good enough, long before its
float weights have settled, and also where they drift on long inputs and never do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from compiler.proofs.equivalence import Verdict
from compiler.proofs.joint_step import Stuck
from compiler.proofs.prove import quick_proof
from compiler.tensors.dfst import Dfst
from compiler.tensors.model import Model
from gridlang.table import Table
from learners.extraction.clusters import Clusters, graph_to_table
from learners.extraction.float_bounds.snapped_inference import StateCodebook
from learners.extraction.float_bounds.snapping_record import snapping_of
from learners.extraction.model_metadata import declared
from learners.extraction.saturation import Exploration
from learners.extraction.snapped_graph import REACH, snapped_clusters

SNAPPED = "snapped model"
SCOPES = ("worlds", "inputs")  # The other scopes are about what was seen.
FIRST_STEPS = 100_000  # So many show most states of an agent; before, a proof is hardly ever had.


class SnappedProof(NamedTuple):
    """A verdict on the graph of clusters, which is what the model does with snapped inference."""

    verdict: Verdict
    clusters: Clusters
    snapping: dict[str, Any]  # the codebook, for a certificate


class SnappedProver:
    """Tries the clusters of an exploration: the first, and then whenever its steps have doubled."""

    def __init__(
        self,
        dfst: Model,
        expert: Table,
        scope: str,
        radius: int | None,
        stuck: Stuck,
        progress: Callable[[int], None],
    ) -> None:
        self.dfst, self.expert, self.scope = dfst, expert, scope
        self.radius, self.stuck, self.progress = radius, stuck, progress
        self.proof: SnappedProof | None = None
        self.tried = False  # Clusters were tried, and gave no proof.
        self._due = FIRST_STEPS

    def is_enough(self, exploration: Exploration) -> bool:
        """Whether there is a proof now."""
        if self.scope not in SCOPES or exploration.clusters is None or exploration.steps < self._due:
            return False
        self._due = 2 * exploration.steps
        self.tried = True
        return self.proves(exploration.clusters)

    def proves(self, clusters: Clusters) -> bool:
        """Tries the graph that snapped inference makes of these clusters; a network has none."""
        if not isinstance(self.dfst, Dfst):
            return False
        snapped = snapped_clusters(self.dfst, clusters)
        names = list(map(str, range(snapped.graph.size)))
        table = graph_to_table(snapped.graph, self.dfst, declared(self.dfst, self.expert), names)
        verdict = quick_proof(
            self.expert, table, self.scope, radius=self.radius, stuck=self.stuck, progress=self.progress
        )
        snapping = snapping_of(self.dfst, _codebook(snapped, table)) if verdict is not None else None
        if verdict is not None and snapping is not None:
            self.proof = SnappedProof(replace(verdict, subject=SNAPPED), snapped, snapping)
        return self.proof is not None


def _codebook(clusters: Clusters, table: Table) -> StateCodebook:
    """The codebook of a table whose states are called after the numbers of clusters."""
    order = np.array(list(map(int, table.states)))
    points, place = clusters.codebook.centres, np.argsort(order)
    reach = REACH * clusters.codebook.tolerance
    return StateCodebook(table, points[clusters.firsts][order], points, place[clusters.home], reach)
