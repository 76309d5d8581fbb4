"""A contraction metric on the raw graph: for each state a norm in which no step stretches errors much.

Only directions matter, since argmax does not see scale. Near the direction m of a state, |m| = 1, they have
coordinates e, by an orthonormal basis Q (d, d - 1) of what is orthogonal to m.

(4) Chart.  h ∝ m + Q e.
(5) Jacobian. An edge p → q with the matrix A takes e to e'. With m', Q' of q, and J its derivative in e = 0,
        e' = Q'ᵀA(m + Q e) / m'ᵀA(m + Q e),
        J = Q'ᵀ(A Q - a ℓ / c) / c,  where a = A m, c = m'ᵀa, ℓ = m'ᵀA Q.
(6) Metric. Errors at a state are measured by |L e|, L an invertible matrix of its own: LᵀL is the metric,
    and an edge stretches errors by
        σ = ‖L' J L⁻¹‖₂.
    If σ < 1 on all edges it is a contraction metric, and errors die out; on the graphs of learned models
    the worst σ is some per cent above 1. A deviation from m is B z, with B = Q L⁻¹ and z = L e.
(7) Objective. The worst σ, made smooth, is brought down by Adam:
        F = (1/β) log Σ σ^β  over all edges.
(8) Gradient. Let S = L' J L⁻¹, v its first right singular vector, |v| = 1, and u = S v, so that |u| = σ.
    Then
        ∂ log σ / ∂L' = u (J L⁻¹ v)ᵀ / σ²  and  ∂ log σ / ∂L = - v (L⁻¹ v)ᵀ.

Such a metric, one matrix a node of a graph, is a multiple Lyapunov function, and the least worst σ bounds
the constrained joint spectral radius from above (Philippe, Essick, Dullerud, Jungers, Automatica 72, 2016).

Nothing here is proven, and nothing needs to be: a bad norm gives a weak bound, never a wrong one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.extraction.explorer import NONE, Rules
from gridlang.compiler.extraction.float_bounds.interval_matrices import Doubles
from gridlang.compiler.extraction.limits import LIMITS
from gridlang.compiler.tensors.dfst import Dfst

PRODUCTS = 12  # products of matrices for each edge that cost as much as a round
RATE, COOLING = 0.02, 400  # Adam's step, small beside L = I; rounds after which it is halved
MEAN, SQUARE = (0.9, 0.1), (0.999, 0.001)  # of Adam's two running means: what is kept, what is taken
SHARPNESS, SHARPENING = 20, 0.2  # β at first, and what a round adds to it: many edges count, later the worst
SQUARINGS = 5  # (SᵀS)³² v: 32 steps of the power method, enough for a gradient
ROUNDS_PER_CHECK = 25  # of the best L: all σ by SVD cost as much as a round
CENTRING_ROUNDS = 60  # The directions m of the examples then move by less than 1e-8 a round.
LEAST_SCALE = 1e-6  # of |c|: below it m' is orthogonal to what comes, and c = 1 keeps J finite
LEAST_NORM, LEAST_POWER = 1e-12, 1e-300  # in place of zero where it would divide


class StateNorms(NamedTuple):
    """For each state a direction m, and a basis B = Q L⁻¹ (d, d - 1) of what may be added to it: (4), (6)."""

    direction: Doubles  # (states, d)
    basis: Doubles  # (states, d, d - 1)


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


def state_norms(dfst: Dfst, edges: Edges, directions: Doubles) -> StateNorms:
    """Norms for vectors whose directions are near the given ones."""
    m = _centred(dfst, edges, directions)
    states, d = m.shape
    Q = np.linalg.svd(m[:, None, :])[2][:, 1:].transpose(0, 2, 1)  # (states, d, d - 1)
    if d == 1 or not len(edges.source):
        return StateNorms(m, Q)
    A = dfst.A.astype(np.float64)[edges.symbol]
    a = np.einsum("eij,ej->ei", A, m[edges.source])
    c = np.einsum("ei,ei->e", a, m[edges.target])
    c = np.where(np.abs(c) > LEAST_SCALE, c, 1.0)
    AQ = A @ Q[edges.source]
    ell = np.einsum("ei,eij->ej", m[edges.target], AQ)
    J = Q[edges.target].transpose(0, 2, 1) @ (AQ - a[:, :, None] * (ell / c[:, None])[:, None, :])  # (5)
    J /= c[:, None, None]
    return StateNorms(m, Q @ np.linalg.inv(_least_stretching(edges, J, states)))


def _centred(dfst: Dfst, edges: Edges, directions: Doubles) -> Doubles:
    """Each direction moved to the mean of what leads to it, again and again."""
    A = dfst.A.astype(np.float64)[edges.symbol]
    for _ in range(CENTRING_ROUNDS):
        after = np.einsum("eij,ej->ei", A, directions[edges.source])
        after /= np.maximum(np.linalg.norm(after, axis=1, keepdims=True), LEAST_NORM)
        mean = directions.copy()
        np.add.at(mean, edges.target, after)
        directions = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), LEAST_NORM)
    return directions


def _least_stretching(edges: Edges, jacobians: Doubles, states: int) -> Doubles:
    """L of each state, so that no edge stretches much: Adam on (7).

    L = I is where it begins, and the best L that was looked at is kept, so the result is never worse.
    """
    size = jacobians.shape[1]
    rounds = int(min(LIMITS.norm_rounds, LIMITS.norm_work / (PRODUCTS * len(jacobians) * size**3)))
    L = np.tile(np.eye(size), (states, 1, 1))
    mean, square = np.zeros_like(L), np.zeros_like(L)
    best, least = L, np.inf
    for number in range(rounds + 1):
        inverse: Doubles = np.linalg.inv(L).astype(np.float64)
        stretched = L[edges.target] @ jacobians @ inverse[edges.source]
        if number % ROUNDS_PER_CHECK == 0 or number == rounds:
            worst = float(np.linalg.svd(stretched, compute_uv=False)[:, 0].max())
            best, least = (L, worst) if worst < least else (best, least)
        slope = _gradient(edges, jacobians, inverse, stretched, SHARPNESS + SHARPENING * number)
        mean, square = MEAN[0] * mean + MEAN[1] * slope, SQUARE[0] * square + SQUARE[1] * slope**2
        unbiased = square / (1 - SQUARE[0] ** (number + 1))
        step = mean / (1 - MEAN[0] ** (number + 1)) / (np.sqrt(unbiased) + LEAST_NORM)
        L = L - RATE / (1 + number / COOLING) * step
    return best


def _gradient(edges: Edges, jacobians: Doubles, inverse: Doubles, stretched: Doubles, beta: float) -> Doubles:
    """The gradient of (7) by the L of every state, each edge weighted by its part in Σ σ^β: (8)."""
    power = stretched.transpose(0, 2, 1) @ stretched
    for _ in range(SQUARINGS):
        power = power @ power / np.maximum(np.abs(power).max((1, 2), keepdims=True) ** 2, LEAST_POWER)
    longest = np.square(power).sum(1).argmax(1)
    v = power[np.arange(len(power)), :, longest][:, :, None]
    v /= np.maximum(np.linalg.norm(v, axis=1, keepdims=True), LEAST_POWER)
    u = stretched @ v
    sigma = np.maximum(np.linalg.norm(u, axis=1, keepdims=True), LEAST_NORM)  # (edges, 1, 1), as all below
    weight = np.exp(beta * (np.log(sigma) - np.log(sigma.max())))
    weight /= weight.sum()
    behind = inverse[edges.source] @ v
    gradient = np.zeros_like(inverse)
    np.add.at(gradient, edges.target, weight / sigma**2 * u @ (jacobians @ behind).transpose(0, 2, 1))
    np.add.at(gradient, edges.source, -weight * v @ behind.transpose(0, 2, 1))
    return gradient
