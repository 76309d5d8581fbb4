"""The graph that snapped inference makes of clusters: what each centre does, and where its step leads.

After each step a vector is replaced by the centre of its cluster, so what follows is one product at a centre,
whether or not a run has shown it. The equations (23) to (26) are in `float_bounds`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from compiler.automata.merging import MealyGraph
from compiler.tensors.dfst import Dfst, Floats
from learners.extraction.clusters import SEPARATE, Clusters
from learners.extraction.explorer import FAINT, NONE
from learners.extraction.refusals import LEAST_MARGIN

# The reach of a centre, in tolerances, is half of how far clusters are apart: two never reach a vector, (23).
REACH = SEPARATE / 2
# Engines round distances of unit vectors by some 1e-5: what is nearer than this to a border is left out.
ENGINES = 2e-5


def snapped_clusters(dfst: Dfst, clusters: Clusters) -> Clusters:
    """The clusters whose graph is what snapped inference does, whether or not a run has shown it.

    No rule is a guess: each is the product that (24) checks. A centre that is not sure on a symbol, or whose
    step leads out of the codebook or between two states, gets none. States that are then out of reach are
    left out, with their points.
    """
    points, home = clusters.codebook.centres, clusters.home
    centres, reach = points[clusters.firsts], REACH * clusters.codebook.tolerance
    actions = [_sure_actions(dfst, centres, symbol) for symbol in range(len(dfst.symbols))]
    seen = clusters.graph.write >= 0
    tops = np.array([action.top for action in actions]).T  # (states, symbols)
    sure = (tops > FAINT * tops.max(initial=0.0, where=seen)) & np.array([a.sure for a in actions]).T
    write, move, after = (np.full(seen.shape, NONE, np.int32) for _ in range(3))
    stay = dfst.moves.index("S") if "S" in dfst.moves else NONE
    for symbol, action in enumerate(actions):
        with np.errstate(all="ignore"):  # What overflows has no direction, and leads nowhere.
            following = _following(centres @ dfst.A[symbol].T, points, home, reach)
        idle = (action.write == symbol) & (action.move == stay)
        known = sure[:, symbol] & (idle | (following >= 0))
        write[known, symbol], move[known, symbol] = action.write[known], action.move[known]
        after[known & ~idle, symbol] = following[known & ~idle]
    return reachable_part(clusters, MealyGraph(write, move, after))


class _Actions(NamedTuple):
    """What each centre does on a symbol: its outputs, the smaller of both that win, and if they lead."""

    write: npt.NDArray[np.int64]
    move: npt.NDArray[np.int64]
    top: Floats
    sure: npt.NDArray[np.bool_]


def _sure_actions(dfst: Dfst, centres: Floats, symbol: int) -> _Actions:
    with np.errstate(all="ignore"):
        outputs = [centres @ tensor[symbol].T for tensor in (dfst.B, dfst.C)]  # (states, writes or moves)
    tops = [part.max(1) for part in outputs]
    leads = np.ones(len(centres), np.bool_)
    for part, top in zip(outputs, tops, strict=True):
        if part.shape[1] > 1:
            second = np.partition(part, -2, axis=1)[:, -2]
            leads &= top - second >= LEAST_MARGIN * np.abs(top)
    top = np.minimum(*tops)
    return _Actions(outputs[0].argmax(1), outputs[1].argmax(1), top, leads & (top > 0))


def _following(
    vectors: Floats, points: Floats, home: npt.NDArray[np.int64], reach: float
) -> npt.NDArray[np.int64]:
    """The states that vectors snap to on every engine, (26); -1 where there is none."""
    lengths = np.linalg.norm(vectors, axis=1)
    finite = (lengths > 0) & np.isfinite(lengths)
    directions = (
        np.where(finite[:, None], vectors, 0).astype(np.float64) / np.where(finite, lengths, 1)[:, None]
    )
    distances = np.sqrt(np.maximum(2 - 2 * directions @ points.T.astype(np.float64), 0))
    nearest = distances.argmin(1)
    near = distances[np.arange(len(vectors)), nearest]
    other = np.where(home[None] == home[nearest][:, None], np.inf, distances).min(1, initial=np.inf)
    clear = finite & (near + ENGINES <= reach) & (other - near >= ENGINES)
    return np.where(clear, home[nearest], NONE)


def reachable_part(clusters: Clusters, graph: MealyGraph) -> Clusters:
    """The part of a graph that its start leads to, with the points of these states alone."""
    order, known = [0], {0}
    for state in order:
        fresh = sorted({after for after in graph.next[state].tolist() if after >= 0} - known)
        order += fresh
        known |= set(fresh)
    kept = np.array(sorted(known))
    place = np.full(graph.size + 1, NONE)  # The last place is that of -1.
    place[kept] = np.arange(len(kept))
    book, mine = clusters.codebook, np.isin(clusters.home, kept)
    number = np.append(np.where(mine, np.cumsum(mine) - 1, NONE), NONE)
    edges = book.edges[mine[book.edges["point"]]].copy()
    edges["point"], edges["next"] = number[edges["point"]], number[edges["next"]]
    return replace(
        clusters,
        codebook=replace(book, centres=book.centres[mine], radius=book.radius[mine], edges=edges),
        graph=MealyGraph(graph.write[kept], graph.move[kept], place[graph.next[kept]].astype(np.int32)),
        home=place[clusters.home[mine]],
        undecided=clusters.undecided[kept] & (graph.write[kept] < 0),
    )
