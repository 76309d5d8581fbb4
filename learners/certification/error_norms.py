"""Shapes in which errors grow slowly: for each state a basis of deviations from its vector.

Nothing here is proven: a bad shape gives a weak bound, never a wrong one. Deviations of a state are measured
by a norm of its own; the norms are changed step by step so that the edge that stretches most stretches less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from compiler.dfst import Dfst
from learners.certification.interval_matrices import Doubles
from learners.extraction.explorer import NONE, Rules

WORK = 1.5e10  # numbers multiplied in the search, about
MOST_ROUNDS = 1_500
RATE, COOLING = 0.02, 400
SQUARINGS, LOOK = 5, 25


class Shapes(NamedTuple):
    """Of each state a vector in its middle, and a basis (d, d - 1) of what may be added to it."""

    middle: Doubles  # (states, d)
    basis: Doubles  # (states, d, d - 1)
    stretch: float  # of the worst edge, about


class Edges(NamedTuple):
    """Steps that lead on: where from, on what symbol, where to."""

    source: npt.NDArray[np.int64]
    symbol: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]


def edges_of(dfst: Dfst, rules: Rules) -> Edges:
    """The edges of a graph but for idle steps, by the model's numbers."""
    states, symbols = np.nonzero(rules["write"] != NONE)
    stay = dfst.moves.index("S") if "S" in dfst.moves else NONE
    rule = rules[states, symbols]
    on = ~((rule["write"] == symbols) & (rule["move"] == stay))
    return Edges(states[on], symbols[on], rule["next"][on].astype(np.int64))


def shapes_of(dfst: Dfst, edges: Edges, middle: Doubles) -> Shapes:
    """Shapes for vectors near those in the middle."""
    middle = _settled(dfst, edges, middle)
    states, d = middle.shape
    across = np.linalg.svd(middle[:, None, :])[2][:, 1:].transpose(0, 2, 1)  # (states, d, d - 1)
    if d == 1 or not len(edges.source):
        return Shapes(middle, across, 0.0)
    A = dfst.A.astype(np.float64)[edges.symbol]
    after = np.einsum("eij,ej->ei", A, middle[edges.source])
    scale = np.einsum("ei,ei->e", after, middle[edges.target])
    scale = np.where(np.abs(scale) > 1e-6, scale, 1.0)
    moved = A @ across[edges.source]
    along = np.einsum("ei,eij->ej", middle[edges.target], moved)
    bent = moved - after[:, :, None] * (along / scale[:, None])[:, None, :]
    maps = across[edges.target].transpose(0, 2, 1) @ bent / scale[:, None, None]
    norms, stretch = _slowest(edges, maps, states)
    return Shapes(middle, across @ np.linalg.inv(norms), stretch)


def _settled(dfst: Dfst, edges: Edges, middle: Doubles) -> Doubles:
    """Each middle moved to the mean of what leads to it, again and again."""
    A = dfst.A.astype(np.float64)[edges.symbol]
    for _ in range(60):
        after = np.einsum("eij,ej->ei", A, middle[edges.source])
        after /= np.maximum(np.linalg.norm(after, axis=1, keepdims=True), 1e-12)
        mean = middle.copy()
        np.add.at(mean, edges.target, after)
        middle = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)
    return middle


def _slowest(edges: Edges, maps: Doubles, states: int) -> tuple[Doubles, float]:
    """A norm |L e| for each state, such that no map stretches much; and how much the worst one does.

    Adam on the largest stretch, made smooth; where it began is the best so far, and the best is kept.
    """
    size = maps.shape[1]
    rounds = int(min(MOST_ROUNDS, WORK / (12 * len(maps) * size**3)))
    norms = np.tile(np.eye(size), (states, 1, 1))
    first, second = np.zeros_like(norms), np.zeros_like(norms)
    best, least = norms, np.inf
    for number in range(rounds + 1):
        back: Doubles = np.linalg.inv(norms).astype(np.float64)
        stretched = norms[edges.target] @ maps @ back[edges.source]
        if number % LOOK == 0 or number == rounds:
            worst = float(np.linalg.svd(stretched, compute_uv=False)[:, 0].max())
            best, least = (norms, worst) if worst < least else (best, least)
        slope = _slope(edges, maps, back, stretched, 20 + 0.2 * number)
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        step = first / (1 - 0.9 ** (number + 1)) / (np.sqrt(second / (1 - 0.999 ** (number + 1))) + 1e-12)
        norms = norms - RATE / (1 + number / COOLING) * step
    return best, least


def _slope(edges: Edges, maps: Doubles, back: Doubles, stretched: Doubles, sharp: float) -> Doubles:
    """How the largest stretch changes with the norms."""
    gram = stretched.transpose(0, 2, 1) @ stretched
    for _ in range(SQUARINGS):
        gram = gram @ gram / np.maximum(np.abs(gram).max((1, 2), keepdims=True) ** 2, 1e-300)
    longest = np.square(gram).sum(1).argmax(1)
    v = gram[np.arange(len(gram)), :, longest][:, :, None]
    v /= np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-300)
    u = stretched @ v
    s = np.maximum(np.linalg.norm(u, axis=1, keepdims=True), 1e-12)  # (edges, 1, 1), as all that follows
    weight = np.exp(sharp * (np.log(s) - np.log(s.max())))
    weight /= weight.sum()
    behind = back[edges.source] @ v
    slope = np.zeros_like(back)
    np.add.at(slope, edges.target, weight / s**2 * u @ (maps @ behind).transpose(0, 2, 1))
    np.add.at(slope, edges.source, -weight * v @ behind.transpose(0, 2, 1))
    return slope
