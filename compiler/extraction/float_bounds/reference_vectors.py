"""Reference vectors: what the model reaches along its graph, in double precision, merged where it is near.

(9) References. Reference 0 is h₀. A reference x of state p and an edge p → q with the matrix A lead to a
    reference of q:
        A x / |A x|,
    or one that q has already whose z, by (4) and (6), is no farther than `near` from that of A x.

There are finitely many, so runs of any length are followed by a finite graph. Nothing here is proven: a
reference is an exact vector, whatever it was rounded from, and how far a step leads from the next reference
is bounded afterwards, by (14).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.extraction.float_bounds.error_norms import Edges, StateNorms
from gridlang.compiler.extraction.float_bounds.interval_matrices import Doubles
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.tensors.dfst import Dfst

LEAST_LENGTH = 1e-30  # divisor of a shorter vector, so that zero stays zero

Indices = npt.NDArray[np.int64]


class ReferenceGraph(NamedTuple):
    """Vectors, each with its state, and the steps between them; reference 0 is the start."""

    vector: Doubles  # (references, d)
    state: Indices  # (references,)
    source: Indices  # (steps,): references
    symbol: Indices
    target: Indices


def reference_graph(dfst: Dfst, edges: Edges, norms: StateNorms, near: float) -> ReferenceGraph:
    """All references, merged where they are as near as this: (9)."""
    return _Exploration(dfst, edges, norms, near).explored()


class _Exploration:
    """References are explored breadth first; those of a state are kept with their coordinates."""

    def __init__(self, dfst: Dfst, edges: Edges, norms: StateNorms, near: float) -> None:
        states, d = norms.direction.shape
        self.A, self.h0, self.near = dfst.A.astype(np.float64), dfst.h0.astype(np.float64), near
        self.direction = norms.direction
        self.to_coordinates = np.linalg.pinv(norms.basis)  # (states, d - 1, d)
        self.most = int(min(LIMITS.references, max(states, LIMITS.reference_numbers / d**3)))
        self.successors: list[list[tuple[int, int]]] = [[] for _ in range(states)]
        for source, symbol, target in zip(*edges, strict=True):
            self.successors[source].append((int(symbol), int(target)))
        self.vectors: list[Doubles] = []
        self.states: list[int] = []
        self.of_state: list[list[int]] = [[] for _ in range(states)]
        # The coordinates of the references in `of_state`, with room for more.
        self.coordinates = [np.empty((4, d - 1)) for _ in range(states)]

    def explored(self) -> ReferenceGraph:
        steps: list[tuple[int, int, int]] = []
        self._add(0, self.h0, self._coordinates(0, self.h0))
        reference = 0
        while reference < len(self.vectors):
            for symbol, target in self.successors[self.states[reference]]:
                reached = self._reached(target, self.A[symbol] @ self.vectors[reference])
                steps.append((reference, symbol, reached))
            reference += 1
        source, symbols, targets = np.array(steps, np.int64).reshape(-1, 3).T
        return ReferenceGraph(np.stack(self.vectors), np.array(self.states), source, symbols, targets)

    def _coordinates(self, state: int, vector: Doubles) -> Doubles:
        """The vector as L e in the chart (4) of a state, which does not see its scale."""
        along = float(vector @ self.direction[state])
        return np.asarray(self.to_coordinates[state] @ (vector / (along or 1.0) - self.direction[state]))

    def _reached(self, state: int, vector: Doubles) -> int:
        coordinates, known = self._coordinates(state, vector), self.of_state[state]
        if known:
            squares = np.square(self.coordinates[state][: len(known)] - coordinates).sum(1)
            nearest = int(squares.argmin())
            if squares[nearest] <= self.near**2 or len(self.vectors) >= self.most:
                return known[nearest]
        return self._add(state, vector / max(float(np.linalg.norm(vector)), LEAST_LENGTH), coordinates)

    def _add(self, state: int, vector: Doubles, coordinates: Doubles) -> int:
        number, count = len(self.vectors), len(self.of_state[state])
        if count == len(self.coordinates[state]):
            self.coordinates[state] = np.concatenate(
                [self.coordinates[state], np.empty_like(self.coordinates[state])]
            )
        self.coordinates[state][count] = coordinates
        self.of_state[state].append(number)
        self.vectors.append(vector)
        self.states.append(state)
        return number
