"""Snapped inference on clusters: what each centre does, and where its step leads.

After each step a vector is replaced by the centre of its cluster, so what follows is one product at a centre:
a table, which needs no expert and does not drift. The equations (23) to (26) are in `snapped_inference`.

A vector h that is off a centre b by r has (Mᵢ - Mⱼ) h ≥ (Mᵢ - Mⱼ) b - r |Mᵢ - Mⱼ|: the output i leads j as
long as r is below their lead at b over |Mᵢ - Mⱼ|.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.acts import STUCK
from gridlang.compiler.automata.merging import NONE, RuleGraph
from gridlang.compiler.extraction.clusters import Clusters, distances_between, reached
from gridlang.compiler.extraction.states import (
    FAINT,
    LEAST_MARGIN,
    decisions,
    directions,
    outputs_on,
    stepped,
)
from gridlang.compiler.tensors.dfst import Dfst, Floats

Doubles = npt.NDArray[np.float64]
SAID = 0.99  # the part that is relied on: a checker bounds it by other means, and must find no less
ENGINE = 2.0**-23  # twice what a product of float32 is off by, for each dimension and unit of length
LEAST_NORM = 1e-30  # in place of zero where it would divide
# Engines round distances of unit vectors by some 1e-5: what is nearer than this to a border is left out.
ENGINES = 2e-5
REACH = 2.0  # of a centre, in tolerances


def decision_radii(dfst: Dfst, centres: Floats) -> Doubles:
    """For each centre and symbol, the distance within which all vectors decide alike: (centres, symbols).

    Within it some output stays positive too, so that none of them is stuck.
    """
    columns = [_radii(dfst, symbol, centres.astype(np.float64)) for symbol in range(len(dfst.symbols))]
    return SAID * np.stack(columns, axis=1)


def _radii(dfst: Dfst, symbol: int, centres: Doubles) -> Doubles:
    leading, positive = np.full(len(centres), np.inf), np.full(len(centres), -np.inf)
    error = ENGINE * len(dfst.h0)
    for tensor in (dfst.B, dfst.C):
        rows = tensor[symbol].astype(np.float64)  # (outputs, d)
        lengths = np.linalg.norm(rows, axis=1)
        apart = np.linalg.norm(rows[:, None] - rows[None], axis=2)
        outputs = centres @ rows.T
        top = outputs.argmax(1)
        first = outputs.max(1)
        leads = first[:, None] - outputs - error * (lengths[top][:, None] + lengths[None])
        within = leads / np.maximum(apart[top], LEAST_NORM)
        within[np.arange(len(centres)), top] = np.inf
        leading = np.minimum(leading, within.min(1))
        positive = np.maximum(positive, first / np.maximum(lengths[top], LEAST_NORM) - error)
    radii: Doubles = np.minimum(leading, positive)
    return radii


def snapped_clusters(dfst: Dfst, clusters: Clusters) -> Clusters:
    """The clusters with the graph of snapped inference, also where no run has shown it.

    Each rule is the product that (24) checks. A centre gets none where it is not sure, where its step leads
    out of the codebook or between two states, or where its decision does not hold as far as steps that were
    seen lead beside it. States out of reach are left out.
    """
    count, symbols, moves = len(clusters.centres), len(dfst.symbols), len(dfst.moves)
    seen, farthest = clusters.graph.write >= 0, REACH * clusters.tolerance
    state, symbol = np.divmod(np.arange(count * symbols), symbols)
    outputs, after = stepped(dfst, clusters.centres[state], symbol)
    does = decisions(dfst, outputs)
    act, margin, top = (part.reshape(count, symbols) for part in (does.act, does.margin, does.top))
    nearest, near = (part.reshape(count, symbols) for part in _landing(after, clusters.centres))
    stay = dfst.moves.index("S") if "S" in dfst.moves else NONE
    idle = np.equal(act, np.arange(symbols) * moves + stay) & (stay >= 0)
    sure = np.not_equal(act, STUCK) & (top > 0) & (margin >= LEAST_MARGIN)
    sure &= top > FAINT * top.max(initial=0.0, where=seen)
    radii, needed = decision_radii(dfst, clusters.centres), np.zeros(count)
    taken = seen & sure & ~idle & (near <= farthest)
    np.maximum.at(needed, nearest[taken].astype(np.int64), near[taken])
    sure &= radii >= needed[:, None]
    reach = np.minimum(farthest, radii.min(1, initial=np.inf, where=sure))
    known = sure & (idle | (near <= reach[nearest]))
    stuck = np.equal(act, STUCK) & dfst.strict  # which is something to do, too
    write = np.where(stuck, symbols, act // moves)
    parts = (write, known | stuck), (act % moves, known), (nearest, known & ~idle)
    graph = RuleGraph(*(np.where(there, part, NONE).astype(np.int32) for part, there in parts))
    return replace(clusters, graph=graph, doubted=clusters.doubted & ~known).only(reached(graph))


def can_be_snapped(dfst: Dfst, clusters: Clusters) -> bool:
    """Whether snapped inference has all rules of the graph."""
    snapped, known = snapped_clusters(dfst, clusters).graph, clusters.graph.write >= 0
    known &= clusters.graph.write < len(dfst.symbols)  # where a strict model is not stuck
    return snapped.size == clusters.graph.size and bool(np.all(snapped.write[known] >= 0))


def halting_where_not_stuck(dfst: Dfst, clusters: Clusters) -> RuleGraph:
    """The graph of a strict model that halts wherever it has no rule though the model is not stuck there."""
    graph, symbols = clusters.graph, len(dfst.symbols)
    outputs = np.stack([outputs_on(dfst, x, clusters.centres) for x in range(symbols)], 1)
    goes_on = np.not_equal(decisions(dfst, outputs).act, STUCK) & np.equal(graph.write, NONE)
    write = np.where(goes_on, np.arange(symbols), graph.write).astype(np.int32)
    move = np.where(goes_on, dfst.moves.index("S"), graph.move).astype(np.int32)
    return RuleGraph(write, move, graph.next)


def _landing(after: Floats, centres: Floats) -> tuple[npt.NDArray[np.int64], Doubles]:
    """The centre nearest to each step, and how near at most; infinity where engines may take another."""
    along = directions(after)  # An overflow has no direction, and leads nowhere.
    finite = np.asarray(np.isfinite(along).all(1))
    distances = distances_between(np.where(finite[:, None], along, 0), centres)
    nearest, each = distances.argmin(1), np.arange(len(after))
    near = distances[each, nearest]
    distances[each, nearest] = np.inf
    clear = finite & (distances.min(1) - near >= ENGINES)
    return nearest, np.where(clear, near + ENGINES, np.inf)
