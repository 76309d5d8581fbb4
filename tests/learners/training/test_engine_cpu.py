"""Training on the CPU: the gradients, Adam and the trajectories of float64, whatever the threads and the calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlang.compiler.simulation.batch import trace_batch
from gridlang.compiler.simulation.native import build
from gridlang.compiler.simulation.native.build import CannotBuild
from gridlang.compiler.traces.dataset import Traces
from gridlang.learners.training.engine import Shape, State, TrainingJob, batches
from gridlang.learners.training.engine_cpu import CpuEngine
from gridlang.learners.training.recipes import AdamSchedule, Floats, Recipe
from gridlang.outcomes import Outcome
from tests.programs import EXAMPLES, load
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


def traces_of(x: Any, s: Any, m: Any, length: Any, symbols: int) -> Traces:
    count, names = len(length), ("_", *"abcdefghijklmnopqrstuvwxyz"[: symbols - 1])
    return Traces(x, s, m, length, (Outcome.BUDGET,) * count, ("",) * count, names, "t")


def random_traces(rng: np.random.Generator, symbols: int, count: int, steps: int) -> Traces:
    length = rng.integers(1, steps + 1, count).astype(np.int32)
    padding = np.arange(steps) >= length[:, None]
    x, s, m = (
        np.where(padding, -1, rng.integers(0, bound, (count, steps))).astype(np.int16)
        for bound in (symbols, symbols, 5)
    )
    return traces_of(x, s, m, length, symbols)


def add2_traces(inputs: str) -> Traces:
    table = load(EXAMPLES / "add2.grid").table
    rows = trace_batch(table, inputs.split())
    return traces_of(rows.x, rows.s, rows.m, rows.length.astype(np.int32), len(table.symbols))


ADD2 = "0+0 0+1 1+0 1+1 000+000 000+111 111+000 111+111 10+1 1+10 11+01 101+1 110+11 01+011"


def random_weights(rng: np.random.Generator, symbols: int, dim: int) -> npt.NDArray[np.float32]:
    """Small enough that hidden vectors neither explode nor fade within a short trace."""
    size = symbols * (dim + symbols + 5) * dim + dim
    return (rng.normal(size=size) / np.sqrt(dim)).astype(np.float32)


def paper_start(symbols: int, dim: int, seed: int = 0) -> npt.NDArray[np.float32]:
    matrices = np.zeros((symbols, dim + symbols + 5, dim))
    matrices[:, :dim] = np.eye(dim)
    h0 = np.random.default_rng(seed).random(dim)
    return np.concatenate([matrices.ravel(), h0 / np.linalg.norm(h0)]).astype(np.float32)


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


def plain_training(
    traces: Traces,
    seed: int,
    flat: npt.NDArray[np.float32],
    dim: int,
    batch: int,
    clip: float,
    rate: float,
    n: int,
) -> tuple[list[float], Vector]:
    w, m, v = flat.astype(np.float64), np.zeros(len(flat)), np.zeros(len(flat))
    losses = []
    for i, rows in enumerate(batches(seed, len(traces.length), 0, n, batch), 1):
        loss, gradient = plain_gradient(traces, rows, w, dim)
        g = clipped(gradient, clip)
        m = BETA1 * m + (1 - BETA1) * g
        v = BETA2 * v + (1 - BETA2) * g * g
        w = w - rate / (1 - BETA1**i) * m / (np.sqrt(v) / np.sqrt(1 - BETA2**i) + EPS)
        losses.append(loss)
    return losses, w


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


@pytest.mark.parametrize("clip", [0.0, 0.1])
def test_200_iterations_follow_the_trajectory_of_float64(clip: float) -> None:
    """At a rate where trajectories of float64 that start 1e-7 apart stay together too."""
    traces, dim, batch, seed = add2_traces("1+0 0+1 1+1 11+1 10+01 1+111"), 12, 4, 7
    start = random_weights(np.random.default_rng(3), 4, dim) * np.float32(0.5)
    expected, last = plain_training(traces, seed, start, dim, batch, clip, 1e-3, 200)
    weights, m, v = start.copy(), np.zeros_like(start), np.zeros_like(start)
    losses, _ = trainer(traces, dim, batch, clip).advance(
        seed, weights, m, v, 0, *adam_steps(1e-3, 0, 200), -1
    )
    assert expected[-1] < expected[0] / 2
    np.testing.assert_allclose(losses, expected, rtol=1e-4)
    np.testing.assert_allclose(weights, last, atol=1e-4)


def test_gradients_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch")
    traces, dim, batch = add2_traces(ADD2), 12, 14
    weights = random_weights(np.random.default_rng(5), 4, dim)
    flat = torch.tensor(weights.astype(np.float64), requires_grad=True)
    O, total = flat[:-dim].reshape(4, dim + 9, dim), torch.zeros((), dtype=torch.float64)  # noqa: E741
    for row, length in enumerate(traces.length.tolist()):
        h = flat[-dim:]
        for t in range(length):
            out = O[int(traces.x[row, t])] @ h
            target = torch.zeros(9, dtype=torch.float64)
            target[int(traces.s[row, t])] = target[4 + int(traces.m[row, t])] = 1
            total = total + ((out[dim:] - target) ** 2).sum() / (2 * length * batch)
            h = out[:dim]
    total.backward()
    m, v = np.zeros_like(weights), np.zeros_like(weights)
    losses, _ = trainer(traces, dim, batch).advance(0, weights, m, v, 0, *adam_steps(1e-3, 0, 1), -1)
    gradient = flat.grad.numpy()
    assert losses[0] == pytest.approx(total.item(), rel=1e-4)
    np.testing.assert_allclose(m / (1 - BETA1), gradient, rtol=1e-3, atol=1e-5 * np.abs(gradient).max())


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


@pytest.mark.parametrize("threads", [1, 2])
def test_divergence_is_told_and_the_weights_stay_finite(threads: int) -> None:
    traces, dim = add2_traces(ADD2), 12
    engine = trainer(traces, dim, 14, threads=threads)
    w, m, v = paper_start(4, dim), np.zeros(1020, np.float32), np.zeros(1020, np.float32)
    losses, diverged = engine.advance(0, w, m, v, 100, *adam_steps(1e3, 0, 50), -1)
    at = diverged - 100
    assert 0 < at < 50
    assert np.isfinite(losses[:at]).all() and np.isnan(losses[at:]).all()
    assert all(np.isfinite(vector).all() for vector in (w, m, v))
    held = w.tobytes(), m.tobytes(), v.tobytes()
    losses, again = engine.advance(0, w, m, v, 150, *adam_steps(1e3, 50, 3), diverged)
    assert again == diverged and np.isnan(losses).all()
    assert (w.tobytes(), m.tobytes(), v.tobytes()) == held


def test_add2_is_learnt_to_a_small_loss() -> None:
    traces, dim = add2_traces(ADD2), 12
    w, m, v = paper_start(4, dim), np.zeros(1020, np.float32), np.zeros(1020, np.float32)
    losses, diverged = trainer(traces, dim, 14, clip=0.1, threads=2).advance(
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


def test_without_a_compiler_there_is_no_trainer(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setenv("GRIDLANG_CACHE", str(tmp_path))
    with pytest.raises(CannotBuild):
        traces, w = random_traces(np.random.default_rng(0), 2, 3, 6), paper_start(2, 7)
        trainer(traces, 7, 3).advance(0, w, w, w, 0, *adam_steps(1e-3, 0, 1), -1)
