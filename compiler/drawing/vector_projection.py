"""The hidden vectors of a model in the plane, and how sure the model is in each of its states."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gridlang.compiler.automata.state_graph import Pair
from gridlang.compiler.drawing.page import Vectors
from gridlang.compiler.extraction.extract import EXACT, Extraction
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.model import Model, symbols_of
from gridlang.diagnostics import counted

VECTOR_POINTS = 3_000  # more could not be told apart, and would slow the page


def vectors_of(dfst: Model, extraction: Extraction) -> Vectors:
    """The centres of all clusters by their two main directions, and the least margin of each rule."""
    assert extraction.table is not None and extraction.raw is not None
    plane = projected(extraction.centres)
    # What a network puts out is known at states that it was in, and a point is not one.
    margins = rule_margins(dfst, extraction) if isinstance(dfst, Dfst) else {}
    places = list(zip(plane, extraction.merged, strict=True))[:VECTOR_POINTS]
    points = [(float(x), float(y), int(state)) for (x, y), state in places]
    clusters = [_sentence(extraction, margins, state) for state in range(len(extraction.table.states))]
    return Vectors(points, margins, clusters, _about(extraction))


def _about(extraction: Extraction) -> str:
    if extraction.scope == EXACT:
        return "Exact weights: each state is a direction of its own."
    spread, gap, margin = extraction.spread, extraction.gap, extraction.margin
    return (
        f"The centres of {counted(extraction.clusters, 'cluster')}, by their two main directions. Spread "
        f"within a cluster {spread:.2g}, gap between states that differ {gap:.2g}, least margin {margin:.2g}."
    )


def projected(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Vectors by their two main directions, within the unit square."""
    centred = vectors.astype(np.float64) - vectors.mean(0, dtype=np.float64)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    plane = np.zeros((len(vectors), 2))
    count = min(2, len(directions))
    plane[:, :count] = centred @ directions[:count].T
    low, high = plane.min(0), plane.max(0)
    unit: npt.NDArray[np.float64] = (plane - low) / np.where(high > low, high - low, 1.0)
    return unit


def rule_margins(dfst: Dfst, extraction: Extraction) -> dict[Pair, float]:
    """For each rule, the least lead of the model's choice over the next, as a part of it, at its points."""
    assert extraction.table is not None and extraction.raw is not None
    table, raw = extraction.table, extraction.raw
    symbols = symbols_of(dfst)
    places = [symbols.index(symbol) for symbol in table.symbols]
    margins: dict[Pair, float] = {}
    for symbol, place in enumerate(places):
        lead = np.minimum(_lead(dfst.B[place], extraction.centres), _lead(dfst.C[place], extraction.centres))
        for state, merged in enumerate(extraction.merged):
            if raw.rows[state][symbol] is not None:
                pair = (merged, symbol)
                margins[pair] = min(margins.get(pair, np.inf), float(lead[state]))
    return margins


def _lead(weights: npt.NDArray[np.float32], centres: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """How far the largest output is ahead of the second, as a part of it, at each point."""
    out = np.sort((centres @ weights.T).astype(np.float64), axis=1)
    top = out[:, -1]
    second = out[:, -2] if out.shape[1] > 1 else np.zeros_like(top)
    lead: npt.NDArray[np.float64] = np.where(top > 0, (top - second) / np.where(top > 0, top, 1.0), 0.0)
    return lead


def _sentence(extraction: Extraction, margins: dict[Pair, float], state: int) -> str:
    least = min((margin for (q, _), margin in margins.items() if q == state), default=None)
    clusters = counted(extraction.merged.count(state), "cluster")
    return clusters + (f"; least margin {least:.3f}" if least is not None else "")
