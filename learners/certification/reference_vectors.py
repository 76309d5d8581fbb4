"""References: vectors that the model reaches along its graph, in exact numbers, as far as these are distinct.

Nothing here is proven: how far a step leads from the next reference is measured afterwards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from compiler.dfst import Dfst
from learners.certification.error_norms import Edges, Shapes
from learners.certification.interval_matrices import Doubles

MOST, WORK = 2_000, 2e8  # references, and fewer for models of many dimensions

Numbers = npt.NDArray[np.int64]


class References(NamedTuple):
    """Vectors, each with its state, and the steps between them; reference 0 is the start."""

    vector: Doubles  # (references, d)
    state: Numbers  # (references,)
    source: Numbers  # (steps,): references
    symbol: Numbers
    target: Numbers


def references_of(dfst: Dfst, edges: Edges, shapes: Shapes, near: float) -> References:
    """All references; one that is as near as this to another, by the norm of its state, is that one."""
    return _Exploration(dfst, edges, shapes, near).done()


class _Exploration:
    def __init__(self, dfst: Dfst, edges: Edges, shapes: Shapes, near: float) -> None:
        states, d = shapes.middle.shape
        self.A, self.h0, self.near = dfst.A.astype(np.float64), dfst.h0.astype(np.float64), near
        self.middle, self.flat = shapes.middle, np.linalg.pinv(shapes.basis)  # (states, d - 1, d)
        self.most = int(min(MOST, max(states, WORK / d**3)))
        self.out: list[list[tuple[int, int]]] = [[] for _ in range(states)]
        for source, symbol, target in zip(*edges, strict=True):
            self.out[source].append((int(symbol), int(target)))
        self.vectors: list[Doubles] = []
        self.states: list[int] = []
        self.known: list[list[int]] = [[] for _ in range(states)]
        self.places = [np.empty((4, d - 1)) for _ in range(states)]  # of what is known, with room for more

    def done(self) -> References:
        steps: list[tuple[int, int, int]] = []
        self._put(0, self.h0, self._place(0, self.h0))
        at = 0
        while at < len(self.vectors):
            for symbol, target in self.out[self.states[at]]:
                steps.append((at, symbol, self._reached(target, self.A[symbol] @ self.vectors[at])))
            at += 1
        source, symbols, targets = np.array(steps, np.int64).reshape(-1, 3).T
        return References(np.stack(self.vectors), np.array(self.states), source, symbols, targets)

    def _place(self, state: int, vector: Doubles) -> Doubles:
        """The vector in the coordinates of a state, without its scale."""
        along = float(vector @ self.middle[state])
        return np.asarray(self.flat[state] @ (vector / (along or 1.0) - self.middle[state]))

    def _reached(self, state: int, vector: Doubles) -> int:
        place, known = self._place(state, vector), self.known[state]
        if known:
            away = np.square(self.places[state][: len(known)] - place).sum(1)
            best = int(away.argmin())
            if away[best] <= self.near**2 or len(self.vectors) >= self.most:
                return known[best]
        return self._put(state, vector / max(float(np.linalg.norm(vector)), 1e-30), place)

    def _put(self, state: int, vector: Doubles, place: Doubles) -> int:
        number, count = len(self.vectors), len(self.known[state])
        if count == len(self.places[state]):
            self.places[state] = np.concatenate([self.places[state], np.empty_like(self.places[state])])
        self.places[state][count] = place
        self.known[state].append(number)
        self.vectors.append(vector)
        self.states.append(state)
        return number
