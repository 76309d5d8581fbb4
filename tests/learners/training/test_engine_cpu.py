"""Training on the CPU: the gradients, Adam and the trajectories of float64, whatever the threads and the calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.native import build
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.traces.recording import record
from gridlang.learners.training.engine import Shape, State, TrainingJob, batches
from gridlang.learners.training.engine_cpu import CpuEngine
from gridlang.learners.training.recipes import AdamSchedule, Floats, Recipe
from tests.programs import EXAMPLES, load
from tests.support.random_traces import random_traces
from tests.support.searches import searched

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="there is no C compiler")

SIZES = ((1, 1), (3, 5), (4, 12), (12, 20), (2, 51))  # symbols, dimension
BETA1, BETA2, EPS = 0.9, 0.999, 1e-8

Vector = npt.NDArray[np.float64]


class Job(TrainingJob[Shape]):
    @property
    def batch(self) -> int:
        return self.recipe.batch  # more than there are traces, too


class Trainer:
    """Trains vectors in place."""

    def __init__(self, traces: Traces, dim: int, recipe: Recipe, threads: int) -> None:
        self.traces, self.recipe, self.threads = traces, recipe, threads
        self.shape = Shape(len(traces.symbols), dim)

    def advance(
        self, seed: int, w: Floats, m: Floats, v: Floats, first: int, *given: Any
    ) -> tuple[Floats, int]:
        *schedule, diverged = given
        state = State(first, w[None], m[None], v[None], np.array([diverged]))
        engine = CpuEngine(Job(self.traces, self.shape, self.recipe, (seed,), state), self.threads)
        losses = engine.advance(AdamSchedule(*schedule))[0]
        after = engine.state()
        w[:], m[:], v[:] = after.weights[0], after.mean[0], after.variance[0]
        return losses, int(after.diverged[0])


def trainer(
    traces: Traces,
    dim: int,
    batch: int,
    clip: float = 0.0,
    threads: int = 1,
    beta1: float = BETA1,
    bands: int = 1,
) -> Trainer:
    recipe = Recipe("r", batch=batch, bands=bands, clip=clip, beta1=beta1, beta2=BETA2, epsilon=EPS)
    return Trainer(traces, dim, recipe, threads)


ADD2 = "0+0 0+1 1+0 1+1 000+000 000+111 111+000 111+111 10+1 1+10 11+01 101+1 110+11 01+011"


def random_weights(rng: np.random.Generator, symbols: int, dim: int) -> npt.NDArray[np.float32]:
    """Small enough that hidden vectors neither explode nor fade within a short trace."""
    size = symbols * (dim + symbols + 5) * dim + dim
    return (rng.normal(size=size) / np.sqrt(dim)).astype(np.float32)


def adam_steps(rate: float, first: int, count: int) -> tuple[npt.NDArray[np.float32], ...]:
    i = np.arange(first + 1, first + count + 1)
    step, root = (rate / (1 - BETA1**i)).astype(np.float32), np.sqrt(1 - BETA2**i).astype(np.float32)
    return step, root, np.ones(count, np.float32)


def plain_gradient(
    traces: Traces, rows: npt.NDArray[np.int64], flat: Vector, dim: int
) -> tuple[float, Vector]:
    """Loss and gradient of a batch, in the precision of `flat`."""
    k = len(traces.symbols)
    O = flat[:-dim].reshape(k, dim + k + 5, dim)  # noqa: E741
    dO, dh0, loss = np.zeros_like(O), np.zeros(dim), 0.0
    for row in rows:
        length = int(traces.length[row])
        h, hidden, residual = flat[-dim:], [], []
        for t in range(length):
            out = O[traces.x[row, t]] @ h
            e = out[dim:].copy()
            e[traces.s[row, t]] -= 1
            e[k + traces.m[row, t]] -= 1
            hidden.append(h)
            residual.append(e)
            loss += float(e @ e) / (2 * length * len(rows))
            h = out[:dim]
        g = np.zeros(dim)
        for t in reversed(range(length)):
            q = np.concatenate([g, residual[t] / (length * len(rows))])
            dO[traces.x[row, t]] += np.outer(q, hidden[t])
            g = O[traces.x[row, t]].T @ q
        dh0 += g
    return loss, np.concatenate([dO.ravel(), dh0])


def clipped(gradient: Vector, clip: float) -> Vector:
    norm = float(np.linalg.norm(gradient))
    return gradient * min(1.0, clip / (norm + 1e-6)) if clip > 0 else gradient


@searched(20)
@given(
    st.sampled_from(SIZES),
    st.integers(0, 2**32 - 1),
    st.integers(1, 12),
    st.integers(1, 12),
    st.integers(1, 11),
    st.sampled_from((0.0, 1e-3, 1e6)),
    st.integers(1, 4),
    st.integers(0, 10**9),
)
def test_one_iteration_is_the_gradient_of_float64_and_adam(
    size: tuple[int, int],
    seed: int,
    count: int,
    steps: int,
    batch: int,
    clip: float,
    threads: int,
    first: int,
) -> None:
    symbols, dim = size
    rng = np.random.default_rng(seed)
    traces, weights = random_traces(rng, symbols, count, steps), random_weights(rng, symbols, dim)
    rows = batches(seed, count, first, 1, batch)[0]
    loss, gradient = plain_gradient(traces, rows, weights.astype(np.float64), dim)
    expected = clipped(gradient, clip)
    before, m, v = weights.copy(), np.zeros_like(weights), np.zeros_like(weights)
    step, root, keep = np.float32([0.25]), np.float32([0.5]), np.float32([0.75])
    engine = trainer(traces, dim, batch, clip, threads, beta1=0.5)
    losses, diverged = engine.advance(seed, weights, m, v, first, step, root, keep, -1)
    assert diverged == -1 and losses[0] == pytest.approx(loss, rel=1e-4)
    largest = np.abs(expected).max()
    np.testing.assert_allclose(m / 0.5, expected, rtol=1e-4, atol=3e-5 * largest)
    np.testing.assert_allclose(v, (1 - BETA2) * (m / 0.5) ** 2, rtol=1e-5, atol=1e-37)
    moved = 0.25 * m.astype(np.float64) / (np.sqrt(v.astype(np.float64)) / 0.5 + EPS)
    np.testing.assert_allclose(weights, 0.75 * before - moved, rtol=1e-5, atol=1e-6)


@searched(7)
@given(
    st.sampled_from(SIZES[:4]),
    st.integers(0, 2**32 - 1),
    st.integers(1, 70),
    st.integers(2, 4),
    st.integers(1, 29),
)
def test_threads_and_splits_change_no_bit(
    size: tuple[int, int], seed: int, batch: int, threads: int, split: int
) -> None:
    symbols, dim = size
    rng = np.random.default_rng(seed)
    traces, start = random_traces(rng, symbols, 20, 40), random_weights(rng, symbols, dim)

    def trained(workers: int, pieces: list[int]) -> tuple[bytes, ...]:
        engine, first, losses = trainer(traces, dim, batch, 0.1, workers), 0, b""
        w, m, v = start.copy(), np.zeros_like(start), np.zeros_like(start)
        for piece in pieces:
            answer, diverged = engine.advance(seed, w, m, v, first, *adam_steps(1e-4, first, piece), -1)
            assert diverged == -1
            first, losses = first + piece, losses + answer.tobytes()
        return w.tobytes(), m.tobytes(), v.tobytes(), losses

    once = trained(1, [30])
    assert trained(threads, [30]) == once
    assert trained(threads, [split, 30 - split]) == once


def test_traces_longer_than_what_is_kept_train_alike() -> None:
    """Steps are kept up to a number of bytes; a long trace alone passes it, and so do many short ones."""
    rng = np.random.default_rng(11)
    traces = random_traces(rng, 3, 12, 900)
    weights = (random_weights(rng, 3, 5) * np.float32(0.5)).astype(np.float32)
    rows = batches(2, 12, 0, 1, 12)[0]
    loss, gradient = plain_gradient(traces, rows, weights.astype(np.float64), 5)
    m, v = np.zeros_like(weights), np.zeros_like(weights)
    losses, _ = trainer(traces, 5, 12).advance(2, weights, m, v, 0, *adam_steps(1e-3, 0, 1), -1)
    assert losses[0] == pytest.approx(loss, rel=1e-5)
    np.testing.assert_allclose(m / (1 - BETA1), gradient, rtol=1e-3, atol=1e-5 * np.abs(gradient).max())


def test_add2_is_learnt_to_a_small_loss() -> None:
    traces = record(load(EXAMPLES / "add2.grid"), ADD2.split(), 1000)
    w, m, v = Shape(4, 12).initial(0), np.zeros(1020, np.float32), np.zeros(1020, np.float32)
    losses, diverged = trainer(traces, 12, 14, clip=0.1, threads=2).advance(
        0, w, m, v, 0, *adam_steps(3e-3, 0, 6000), -1
    )
    assert diverged == -1 and losses[0] > 0.5 and losses[-100:].mean() < 0.005


@searched(10)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5000), st.integers(0, 10**11), st.integers(1, 50))
def test_the_order_in_c_is_the_order(seed: int, count: int, first: int, bands: int) -> None:
    """Weights that do not change show by their loss which trace it was."""
    rng = np.random.default_rng(seed)
    traces, weights = random_traces(rng, 4, count, 8), random_weights(rng, 4, 3)
    rows = batches(seed, count, first, 5, 2, bands)
    if bands > 1:
        rows = np.argsort(traces.length, kind="stable")[rows]
    expected = [plain_gradient(traces, row, weights.astype(np.float64), 3)[0] for row in rows]
    still = np.zeros(5, np.float32), np.ones(5, np.float32), np.ones(5, np.float32)
    m, v = np.zeros_like(weights), np.zeros_like(weights)
    losses, _ = trainer(traces, 3, 2, bands=bands).advance(seed, weights, m, v, first, *still, -1)
    np.testing.assert_allclose(losses, expected, rtol=1e-4)
