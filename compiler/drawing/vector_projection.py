"""The hidden vectors of a model in the plane."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gridlang.compiler.drawing.page import Vectors
from gridlang.compiler.extraction.extract import EXACT, Extraction
from gridlang.diagnostics import counted

VECTOR_POINTS = 3_000  # more could not be told apart, and would slow the page


def vectors_of(extraction: Extraction) -> Vectors:
    """The centres of all clusters by their two main directions."""
    assert extraction.table is not None
    plane = projected(extraction.centres)
    places = list(zip(plane, extraction.merged, strict=True))[:VECTOR_POINTS]
    points = [(float(x), float(y), int(state)) for (x, y), state in places]
    states = range(len(extraction.table.states))
    clusters = [counted(extraction.merged.count(state), "cluster") for state in states]
    return Vectors(points, clusters, _about(extraction))


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
