"""The codebook of a snapped model and its margins, as they stand in a certificate.

(26) Any engine. (24) is checked with the products of one engine. With the error e of (11) for the product
     M b, d dimensions, an output leads every other on every engine if it does by more than both errors:
         lead = o - e of the output taken, less the largest o + e of any other, is positive.
     A b, off by |e|, gives a direction that is off by 2 |e| / |A b|, and measuring distances in float32 adds
     less than (d + 16) 2⁻²³. With δ the sum of these, near the distance to the state that follows, far that
     to the nearest point of any other, all engines snap alike if
         within = reach - (near + δ) ≥ 0  and  apart = (far - δ) - (near + δ) > 0.
     The least of each over all rules is recorded, and checked by `snapping_check`, which shares no code.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from compiler.tensors.dfst import Dfst
from compiler.tensors.model import symbols_of
from gridlang.diagnostics import GridError
from learners.extraction.explorer import rules_for
from learners.extraction.float_bounds.interval_matrices import FLUSHED, HALF_ULP, Doubles, product, raised
from learners.extraction.float_bounds.snapped_inference import StateCodebook, snapped_table

FORMAT = "gridlang-snapping/1"
SAID = 0.99  # the part of a margin that is said: a checker bounds it by other means, and must find no less
SLACK = 1e-10  # far above the errors of float64 on distances of unit vectors


def snapping_of(dfst: Dfst, book: StateCodebook) -> dict[str, Any] | None:
    """The codebook with its margins; None where it is not closed, or where engines may not agree."""
    try:
        snapped_table(dfst, book)
    except GridError:
        return None
    margins = _Margins(dfst, book).least()
    if not (margins["lead"] > 0 and margins["within"] >= 0 and margins["apart"] > 0):
        return None
    centres = [int(np.flatnonzero((book.points == centre).all(1))[0]) for centre in book.centre]
    return {
        "format": FORMAT,
        "dimensions": len(dfst.h0),
        "reach": float(book.reach).hex(),
        "points": base64.b64encode(np.ascontiguousarray(book.points, "<f4").tobytes()).decode(),
        "homes": book.home.tolist(),
        "centres": centres,
        "margins": {name: float(SAID * value).hex() for name, value in margins.items()},
    }


class _Margins:
    """The least of each margin of (26)."""

    def __init__(self, dfst: Dfst, book: StateCodebook) -> None:
        self.dfst, self.book = dfst, book
        self.A, self.B, self.C = (tensor.astype(np.float64) for tensor in (dfst.A, dfst.B, dfst.C))
        d = len(dfst.h0)
        largest = max(float(np.abs(tensor).max(initial=0.0)) for tensor in (self.A, self.B, self.C))
        self.gamma = d * HALF_ULP / (1 - d * HALF_ULP)
        self.flushed = 4 * d * (1 + largest) * FLUSHED
        self.measuring = (d + 16) * 2 * HALF_ULP + SLACK
        self.points = book.points.astype(np.float64)

    def least(self) -> dict[str, float]:
        table, symbols = self.book.table, symbols_of(self.dfst)
        rules = rules_for(self.dfst, table)
        leads: list[float] = []
        snaps = [self._snap(self.dfst.h0.astype(np.float64)[:, None], None, 0)]
        for state, number, entry in table.entries():
            x = symbols.index(table.symbols[number])
            centre = self.book.centre[state].astype(np.float64)[:, None]  # (d, 1)
            write, move, _ = rules[state, x]
            leads += [self._lead(self.B[x], centre, write), self._lead(self.C[x], centre, move)]
            if not table.is_halt(state, number):
                snaps.append(self._snap(centre, self.A[x], entry.next))
        within, apart = zip(*snaps, strict=True)
        return {"lead": min(leads, default=np.inf), "within": min(within), "apart": min(apart)}

    def _enclosed(self, matrix: Doubles, vector: Doubles) -> tuple[Doubles, Doubles]:
        """A product, and how far that of any engine may be from it."""
        exact = product(matrix, vector)
        error = raised(exact.rad + self.gamma * (np.abs(matrix) @ np.abs(vector)) + self.flushed)
        return exact.mid[:, 0], error[:, 0]

    def _lead(self, matrix: Doubles, centre: Doubles, wanted: int) -> float:
        outputs, error = self._enclosed(matrix, centre)
        others = np.arange(len(outputs)) != wanted
        return float((outputs[wanted] - error[wanted] - (outputs + error)[others]).min(initial=np.inf))

    def _snap(self, vector: Doubles, matrix: Doubles | None, state: int) -> tuple[float, float]:
        """`within` and `apart` of one step, or of the first vector."""
        after, off = vector[:, 0], 0.0
        if matrix is not None:
            after, error = self._enclosed(matrix, vector)
            off = float(raised(np.linalg.norm(error)))
        length = float(np.linalg.norm(after))
        if not length > 2 * off:
            return -np.inf, -np.inf
        delta = 2 * off / (length - off) + self.measuring
        distances = np.linalg.norm(self.points - after / length, axis=1)
        own = self.book.home == state
        near = float(distances[own].min(initial=np.inf)) + delta
        far = float(distances[~own].min(initial=np.inf)) - delta
        return self.book.reach - near, far - near
