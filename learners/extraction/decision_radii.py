"""How far hidden vectors may be from centres and still decide as these do.

A vector h that is off a centre b by r has (Mᵢ - Mⱼ) h ≥ (Mᵢ - Mⱼ) b - r |Mᵢ - Mⱼ|: the output i leads j as
long as r is below their lead at b over |Mᵢ - Mⱼ|.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from compiler.tensors.dfst import Dfst, Floats

Doubles = npt.NDArray[np.float64]
SAID = 0.99  # the part that is relied on: a checker bounds it by other means, and must find no less
ENGINE = 2.0**-23  # twice what a product of float32 is off by, for each dimension and unit of length
LEAST_NORM = 1e-30  # in place of zero where it would divide


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
