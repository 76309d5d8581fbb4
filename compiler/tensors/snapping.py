"""Checks a certificate's claims about snapped weights, from the weights alone, with no code that wrote it.

A certificate about a snapped model has a table and a codebook: for each state a unit vector, its centre b,
and a reach. Snapped inference holds the centre of a state. On a symbol x it puts out B[x] b and C[x] b, whose
largest entries decide, and goes on to the state whose centre is nearest to A[x] b, scaled to length one, if
that is within the reach of the state. This module shows that it then does what the table does, on any engine,
for every rule of the table. Where the table has no rule, snapped inference stops.

It shows too that snapping overrules no decision: every vector within reach of a centre decides as the centre
does. So nothing that acts otherwise can pass for a state.

Let u = 2⁻²⁴, d the dimensions, γ = d u / (1 - d u). Every engine that multiplies in float32, in any order of
summation, fused or not, also where tiny numbers are flushed to zero, is off by no more than
    e = γ abs M abs b + 4 d (1 + m) 2⁻¹²⁶,  m the largest weight,
number by number (Higham, Accuracy and Stability of Numerical Algorithms, 3.5). M b itself is known in float64
up to 2 d 2⁻⁵³ abs M abs b: products of float32 are exact there.

- Decisions: the output of the rule exceeds every other by more than both errors, and one of the two outputs
  that decide is surely positive, so that no engine takes the model for stuck.
- Reach: a vector h of length one that is off b by r has (Mᵢ - Mⱼ) h ≥ (Mᵢ - Mⱼ) b - r |Mᵢ - Mⱼ|, and errors
  of γ |Mᵢ| and γ |Mⱼ| at most. The least r at which an output j could catch up with that of a rule, or both
  outputs that decide could vanish, is how far the decisions of a state hold; its reach is at most that.
- Snapping: scaling a vector v that is off by |e| gives a direction that is off by 2 |e| / |v| at most. What
  float32 adds when it takes a length, divides, and measures a distance is below (d + 16) 2⁻²³: |v| passes
  through d / 2 + 2 roundings, a quotient through one more, a distance of at most 2 through d / 2 + 3. With
  the sum δ of both,
      near + δ ≤ reach  and  near + δ < far - δ,
  where `near` is the distance to the centre of the state that the rule leads to, `far` to any other.
- Stray: A takes h, off b by r, to a direction that is off that of A b by 2 s r / (2 |A b| - s r) at most, s
  the norm of A. While this is below what holds at the next centre, less near + δ, the decision after the next
  step is as it should be too.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.stray import Stray

FORMAT = "gridlang-snapping/2"
UNIT = 2.0**-24  # unit roundoff of float32
SLACK = 1e-11  # all roundings of float64 on distances of unit vectors of up to 2,000 dimensions
MOST_DIMENSIONS = 2_000  # for which the bounds above hold
RANGE = 2.0**40  # lengths of vectors lie between its inverse and this: no square leaves float32
LARGEST = 2.0**120  # sum of outputs, far from the end of float32
FARTHEST = 2.0  # distance of opposite unit vectors
LEAST_NORM = 1e-30  # in place of zero where it would divide
# errors of reading a damaged snapping
BADLY_BUILT = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, binascii.Error)

Doubles = npt.NDArray[np.float64]


class CheckedSnapping(NamedTuple):
    """The problems; without any, how far vectors may stray, and the least of each margin."""

    problems: list[str]
    stray: Stray | None = None
    margins: Mapping[str, float] = {}


class _Book(NamedTuple):
    centres: Doubles  # (states, d)
    reach: Doubles  # (states,)
    margins: dict[str, float]


class _Step(NamedTuple):
    """A step that snaps as its rule says, by numbers of the symbol and of the next state."""

    symbol: int
    after: int
    near: float  # to the centre, at most
    length: float  # of the vector, at least


class _Bad(Exception):
    """A problem, in words."""


def check_snapping(right: Mapping[str, Any], dfst: Dfst) -> CheckedSnapping:
    """Holds the `snapping` of a certificate's side against weights."""
    try:
        table, snapping = right["table"], right["snapping"]
        book = _book(snapping, len(table["states"]), len(dfst.h0))
        check = _Check(table, dfst, book)
        problems = list(check.problems())
        return CheckedSnapping(problems, None if problems else check.stray(), check.least)
    except _Bad as bad:
        return CheckedSnapping([str(bad)])
    except BADLY_BUILT as error:
        what = f"{type(error).__name__} {str(error)[:80]}"
        return CheckedSnapping([f"the snapping is not built like one: {what}"])


def _book(data: Mapping[str, Any], states: int, d: int) -> _Book:
    if data["format"] != FORMAT or data["dimensions"] != d or not 0 < d <= MOST_DIMENSIONS:
        raise _Bad("the snapping is of another format, or for weights of another size")
    centres = np.frombuffer(base64.b64decode(data["centres"], validate=True), "<f4").astype(np.float64)
    reach = np.array([float.fromhex(value) for value in data["reach"]])
    if centres.size != states * d or reach.shape != (states,):
        raise _Bad("there is not one centre and one reach for each state")
    centres = centres.reshape(-1, d)
    if not (np.abs(np.linalg.norm(centres, axis=1) - 1) < 1e-3).all():
        raise _Bad("a centre is no unit vector")
    margins = {name: float.fromhex(data["margins"][name]) for name in ("lead", "within", "apart")}
    return _Book(centres, reach, margins)


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
        self.held = np.full(len(self.states), FARTHEST)  # how far the decisions of a state hold
        self.steps: list[_Step] = []

    def problems(self) -> list[str]:
        """Every rule that does not hold, and every claimed margin that is missing."""
        wrong = []
        if self._snap(self.dfst.h0.astype(np.float64), np.zeros(len(self.dfst.h0)), 0) is None:
            wrong.append("the first vector of the weights does not snap to the first state")
        for state, read, write, move, after in self.rules:
            p, x, q = self.states[state], self.symbols[read], self.states[after]
            centre = self.book.centres[p]
            where = f"in state {state!r} on {read!r}"
            if not self._decides(p, x, self.symbols[write], self.moves[move]):
                wrong.append(f"{where} the weights do not surely decide as the table does")
            if write == read and move == "S":
                if p != q:
                    wrong.append(f"{where} an idle step leads to another state")
                continue
            snapped = self._snap(self.A[x] @ centre, self._error(self.A[x], centre), q)
            if snapped is None:
                wrong.append(f"{where} the vector does not surely snap to state {after!r}")
            else:
                self.steps.append(_Step(x, q, *snapped))
        for name, p in self.states.items():
            if not self.book.reach[p] <= self.held[p]:
                wrong.append(f"within the reach of state {name!r} vectors may decide otherwise than it does")
        for name, claimed in self.book.margins.items():
            if not claimed <= self.least[name]:
                there = f"and is {self.least[name]:.3g}"
                wrong.append(f"the margin {name!r} is claimed to be {claimed:.3g}, {there}")
        return wrong

    def stray(self) -> Stray:
        """How far vectors may be from centres and still decide alike; after `problems`."""
        norms = np.linalg.norm(self.A, 2, axis=(1, 2)) * (1 + 1e-9)
        following = float(self.held.min())
        for x, q, near, length in self.steps:
            room = float(self.held[q]) - near
            following = min(following, 2 * room * length / (float(norms[x]) * (2 + room)))
        return Stray(float(self.held.min()), following)

    def _error(self, matrix: Doubles, vector: Doubles) -> Doubles:
        """How far an engine's product may be from ours, number by number."""
        error: Doubles = self.gamma * (np.abs(matrix) @ np.abs(vector)) + self.flushed
        return error

    def _decides(self, state: int, x: int, write: int, move: int) -> bool:
        """Whether a centre surely decides so; notes how far that holds."""
        centre, remains = self.book.centres[state], -np.inf
        for matrix, wanted in ((self.B[x], write), (self.C[x], move)):
            outputs, error = matrix @ centre, self._error(matrix, centre)
            if not (np.abs(outputs) + error < LARGEST).all():
                return False
            others = np.arange(len(outputs)) != wanted
            leads = (outputs[wanted] - error[wanted]) - (outputs + error)[others]
            lead = float(leads.min(initial=np.inf))
            if not lead > 0:
                return False
            self.least["lead"] = min(self.least["lead"], lead)
            lengths = np.linalg.norm(matrix, axis=1)
            leading = self._positive_within(
                matrix[wanted] - matrix[others], lengths[wanted] + lengths[others], centre
            )
            remains = max(remains, self._positive_within(matrix[[wanted]], lengths[[wanted]], centre))
            self.held[state] = min(self.held[state], leading)
        self.held[state] = min(self.held[state], remains)
        return remains > 0

    def _positive_within(self, rows: Doubles, lengths: Doubles, centre: Doubles) -> float:
        """How far from a centre all products with rows, made of weights of such lengths, are positive."""
        surely = rows @ centre - self.gamma * lengths - 2 * self.flushed
        radii = surely / np.maximum(np.linalg.norm(rows, axis=1), LEAST_NORM)
        return float(radii.min(initial=FARTHEST)) - SLACK

    def _snap(self, vector: Doubles, error: Doubles, state: int) -> tuple[float, float] | None:
        """How near to its centre a vector snaps, and how long it is at least; None if it may not."""
        length, off = float(np.linalg.norm(vector)), float(np.linalg.norm(error))
        if not 1 / RANGE < length - off <= length + off < RANGE:
            return None
        delta = 2 * off / (length - off) + self.measuring
        distances = np.linalg.norm(self.book.centres - vector / length, axis=1)
        near = float(distances[state]) + delta
        far = float(np.delete(distances, state).min(initial=np.inf)) - delta
        within = float(self.book.reach[state]) - near
        if not (within >= 0 and near < far):
            return None
        self.least["within"] = min(self.least["within"], within)
        self.least["apart"] = min(self.least["apart"], far - near)
        return near, length - off
