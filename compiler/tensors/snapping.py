"""Checks what a certificate says of snapped weights, from the weights alone, with no code that wrote it.

A certificate about a snapped model has a table and a codebook: unit vectors (points), each at home in a
state, and for each state one of its points, its centre b. Snapped inference holds the centre of a state. On a
symbol x it puts out B[x] b and C[x] b, whose largest entries decide, and goes on to the state at whose point
A[x] b, scaled to length one, is nearest, if that is within `reach`. This module shows that it then does what
the table does, on any engine, for every rule of the table. Where the table has no rule, snapped inference
stops.

Let u = 2⁻²⁴, d the dimensions, γ = d u / (1 - d u). Every engine that multiplies in float32, in any order of
summation, fused or not, also where tiny numbers are flushed to zero, is off by no more than
    e = γ abs M abs b + 4 d (1 + m) 2⁻¹²⁶,  m the largest weight,
number by number (Higham, Accuracy and Stability of Numerical Algorithms, 3.5). M b itself is known in float64
up to 2 d 2⁻⁵³ abs M abs b: products of float32 are exact there.

- Decisions: the output of the rule exceeds every other by more than both errors, and one of the two outputs
  that decide is surely positive, so that no engine takes the model for stuck.
- Snapping: scaling a vector v that is off by |e| gives a direction that is off by 2 |e| / |v| at most. What
  float32 adds when it takes a length, divides, and measures a distance is below (d + 16) 2⁻²³: |v| passes
  through d / 2 + 2 roundings, a quotient through one more, a distance of at most 2 through d / 2 + 3. With
  the sum δ of both,
      near + δ ≤ reach  and  near + δ < far - δ,
  where `near` is the distance to a point of the state that the rule leads to, `far` to any of another one.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from compiler.tensors.dfst import Dfst

FORMAT = "gridlang-snapping/1"
UNIT = 2.0**-24  # unit roundoff of float32
SLACK = 1e-11  # all roundings of float64 on distances of unit vectors of up to 2,000 dimensions
MOST_DIMENSIONS = 2_000  # for which the bounds above hold
RANGE = 2.0**40  # lengths of vectors lie between its inverse and this: no square leaves float32
LARGEST = 2.0**120  # sum of outputs, far from the end of float32
# What reading a damaged snapping raises.
BADLY_BUILT = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, binascii.Error)

Doubles = npt.NDArray[np.float64]


class _Book(NamedTuple):
    points: Doubles  # (points, d)
    homes: npt.NDArray[np.int64]
    centres: npt.NDArray[np.int64]  # (states,): a point each
    reach: float
    margins: dict[str, float]


class _Bad(Exception):
    """What is wrong, in words."""


def check_snapping(right: Mapping[str, Any], dfst: Dfst) -> list[str]:
    """What is wrong with the `snapping` of a certificate's side, held against weights; empty for nothing."""
    try:
        table, snapping = right["table"], right["snapping"]
        book = _book(snapping, len(table["states"]), len(dfst.h0))
        return list(_Check(table, dfst, book).problems())
    except _Bad as bad:
        return [str(bad)]
    except BADLY_BUILT as error:
        return [f"the snapping is not built like one: {type(error).__name__} {str(error)[:80]}"]


def _book(data: Mapping[str, Any], states: int, d: int) -> _Book:
    if data["format"] != FORMAT or data["dimensions"] != d or not 0 < d <= MOST_DIMENSIONS:
        raise _Bad("the snapping is of another format, or for weights of another size")
    points = np.frombuffer(base64.b64decode(data["points"], validate=True), "<f4").astype(np.float64)
    homes, centres = (np.array(data[name], np.int64) for name in ("homes", "centres"))
    if points.size != len(homes) * d or homes.ndim != 1 or centres.shape != (states,):
        raise _Bad("points, homes and centres do not belong together")
    points = points.reshape(-1, d)
    if not (np.abs(np.linalg.norm(points, axis=1) - 1) < 1e-3).all():
        raise _Bad("a point of the codebook is no unit vector")
    if not ((homes >= 0) & (homes < states)).all() or not ((centres >= 0) & (centres < len(homes))).all():
        raise _Bad("a point is at home in no state, or a centre is no point")
    if (homes[centres] != np.arange(states)).any():
        raise _Bad("the centre of a state is at home in another one")
    margins = {name: float.fromhex(data["margins"][name]) for name in ("lead", "within", "apart")}
    return _Book(points, homes, centres, float.fromhex(data["reach"]), margins)


class _Check:
    """One codebook beside a table and weights."""

    def __init__(self, table: Mapping[str, Any], dfst: Dfst, book: _Book) -> None:
        self.book, self.dfst = book, dfst
        self.states = {name: number for number, name in enumerate(table["states"])}
        blank = dfst.metadata.get("blank", table["blank"])
        names = [table["blank"] if symbol == blank else symbol for symbol in dfst.symbols]
        self.symbols = {name: number for number, name in enumerate(names)}
        self.moves = {name: number for number, name in enumerate(dfst.moves)}
        if set(self.symbols) != set(table["symbols"]) or len(self.symbols) != len(names):
            raise _Bad("the weights have another alphabet than the table")
        if len(self.states) != len(table["states"]) or table["start"] != table["states"][0]:
            raise _Bad("the states of the table are not distinct, or it starts in another than its first")
        self.rules = table["rules"]
        self.A, self.B, self.C = (tensor.astype(np.float64) for tensor in (dfst.A, dfst.B, dfst.C))
        d = len(dfst.h0)
        largest = max(float(np.abs(tensor).max(initial=0.0)) for tensor in (self.A, self.B, self.C))
        self.gamma = d * UNIT / (1 - d * UNIT) * (1 + 2.0**-20)  # What is added pays for float64.
        self.flushed = 4 * d * (1 + largest) * 2.0**-126
        self.measuring = (d + 16) * 2 * UNIT + SLACK
        self.least = dict.fromkeys(book.margins, np.inf)

    def problems(self) -> list[str]:
        """Every rule that does not hold, and every margin that is claimed and not there."""
        wrong = []
        if not self._snaps(self.dfst.h0.astype(np.float64), np.zeros(len(self.dfst.h0)), 0):
            wrong.append("the first vector of the weights does not snap to the first state")
        for state, read, write, move, after in self.rules:
            p, x, q = self.states[state], self.symbols[read], self.states[after]
            centre = self.book.points[self.book.centres[p]]
            where = f"in state {state!r} on {read!r}"
            if not self._decides(centre, x, self.symbols[write], self.moves[move]):
                wrong.append(f"{where} the weights do not surely decide as the table does")
            if write == read and move == "S":
                if p != q:
                    wrong.append(f"{where} an idle step leads to another state")
            elif not self._snaps(self.A[x] @ centre, self._error(self.A[x], centre), q):
                wrong.append(f"{where} the vector does not surely snap to state {after!r}")
        for name, claimed in self.book.margins.items():
            if not claimed <= self.least[name]:
                there = f"and is {self.least[name]:.3g}"
                wrong.append(f"the margin {name!r} is claimed to be {claimed:.3g}, {there}")
        return wrong

    def _error(self, matrix: Doubles, vector: Doubles) -> Doubles:
        """How far an engine's product may be from ours, number by number."""
        error: Doubles = self.gamma * (np.abs(matrix) @ np.abs(vector)) + self.flushed
        return error

    def _decides(self, centre: Doubles, x: int, write: int, move: int) -> bool:
        positive = False
        for matrix, wanted in ((self.B[x], write), (self.C[x], move)):
            outputs, error = matrix @ centre, self._error(matrix, centre)
            if not (np.abs(outputs) + error < LARGEST).all():
                return False
            others = np.arange(len(outputs)) != wanted
            leads = (outputs[wanted] - error[wanted]) - (outputs + error)[others]
            lead = float(leads.min(initial=np.inf))
            if not lead > 0:
                return False
            positive |= bool(outputs[wanted] > error[wanted])
            self.least["lead"] = min(self.least["lead"], lead)
        return positive

    def _snaps(self, vector: Doubles, error: Doubles, state: int) -> bool:
        length, off = float(np.linalg.norm(vector)), float(np.linalg.norm(error))
        if not 1 / RANGE < length - off <= length + off < RANGE:
            return False
        delta = 2 * off / (length - off) + self.measuring
        distances = np.linalg.norm(self.book.points - vector / length, axis=1)
        own = self.book.homes == state
        near = float(distances[own].min(initial=np.inf)) + delta
        far = float(distances[~own].min(initial=np.inf)) - delta
        if not (near <= self.book.reach and near < far):
            return False
        self.least["within"] = min(self.least["within"], self.book.reach - near)
        self.least["apart"] = min(self.least["apart"], far - near)
        return True
