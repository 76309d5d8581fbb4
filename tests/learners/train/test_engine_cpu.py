"""Training on the CPU: it follows plain PyTorch in float64, and no bit depends on threads and calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gridlang.compiler.native import build
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.train.engine import Shape, State, TrainingJob, fresh
from gridlang.learners.train.engine_cpu import CpuEngine
from gridlang.learners.train.recipes import Recipe
from tests.support.random_traces import random_traces
from tests.support.searches import searched

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="there is no C compiler")

SIZES = st.sampled_from([Shape(1, 1), Shape(3, 5), Shape(4, 12), Shape(12, 20), Shape(2, 51)])
SEEDS = st.integers(0, 2**32 - 3)
GENTLE = st.builds(
    Recipe,
    name=st.just("gentle"),
    lr=st.floats(1e-5, 1e-3),
    schedule=st.sampled_from(("cosine", "constant")),
    warmup=st.integers(0, 8),
    clip=st.sampled_from((0.0, 0.05, 1.0)),
    decay=st.floats(0, 0.5),
    batch=st.integers(1, 9),
    bands=st.integers(1, 50),
    iterations=st.integers(12, 100),
    beta1=st.floats(0, 0.95),
    beta2=st.floats(0.5, 0.999),
    epsilon=st.floats(1e-4, 1e-2),
)


def random_state(shape: Shape, seeds: tuple[int, ...], scale: float) -> State:
    """Not far from where training starts, so that hidden vectors do not explode within a short trace."""
    state = fresh(shape, seeds)
    noise = np.random.default_rng(seeds[0]).normal(size=state.weights.shape) * scale / np.sqrt(shape.dim)
    return replace(state, weights=(state.weights + noise).astype(np.float32))


def by_pytorch(job: TrainingJob) -> Any:
    torch = pytest.importorskip("torch")
    from gridlang.learners.train.engine_torch import TorchEngine

    return TorchEngine(job, dtype=torch.float64)


@searched(20)
@given(
    SIZES, SEEDS, st.integers(1, 5_000), st.integers(1, 12), st.booleans(), GENTLE,
    st.integers(1, 4), st.integers(0, 10**11),
)  # fmt: skip
@example(Shape(3, 5), 1, 4_321, 9, True, Recipe("far", batch=7, bands=5, epsilon=1e-3), 2, 10**11)
@example(Shape(2, 251), 1, 9, 9, True, Recipe("wide", batch=4, epsilon=1e-3), 2, 0)
def test_native_code_follows_float64_on_any_traces_and_recipe(
    shape: Shape, seed: int, count: int, steps: int, strict: bool, recipe: Recipe, threads: int, first: int
) -> None:
    """The same traces in the same order, from any iteration on; the same losses, gradients and Adam."""
    traces = random_traces(np.random.default_rng(seed), shape.symbols, count, steps, strict)
    seeds = (seed, seed + 2)
    state = replace(random_state(shape, seeds, 0.2), iteration=first)
    job = TrainingJob(traces, shape, recipe, seeds, state)
    fast, plain = CpuEngine(job, threads), by_pytorch(job)
    for begin, many in ((0, 1), (1, 7), (8, 4)):
        schedule = recipe.adam_schedule(begin, many)
        np.testing.assert_allclose(fast.advance(schedule), plain.advance(schedule), rtol=1e-4, atol=1e-6)
    ours, exact = fast.state(), plain.state()
    assert ours.iteration == exact.iteration == first + 12
    np.testing.assert_allclose(ours.weights, exact.weights, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(ours.mean, exact.mean, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(ours.variance, exact.variance, rtol=1e-3, atol=1e-6)


def test_traces_longer_than_what_is_kept_train_alike() -> None:
    """Steps are kept up to a number of bytes; a long trace alone passes it, and so do many short ones."""
    shape, recipe = Shape(3, 5), Recipe("r", lr=1e-3, batch=12, beta1=0.0)
    weights = np.random.default_rng(11).normal(size=(1, shape.parameters)) * 0.5 / np.sqrt(shape.dim)
    state = replace(fresh(shape, (2,)), weights=weights.astype(np.float32))
    traces = random_traces(np.random.default_rng(11), 3, 12, 900)
    job = TrainingJob(traces, shape, recipe, (2,), state)
    fast, plain = CpuEngine(job, 1), by_pytorch(job)
    schedule = recipe.adam_schedule(0, 1)
    np.testing.assert_allclose(fast.advance(schedule), plain.advance(schedule), rtol=1e-5)
    gradient = plain.state().mean
    np.testing.assert_allclose(fast.state().mean, gradient, rtol=1e-3, atol=1e-5 * np.abs(gradient).max())


def trained(
    traces: Traces, state: State, shape: Shape, batch: int, threads: int, *pieces: int
) -> list[bytes]:
    """Losses and state, bit by bit, after iterations that are done in pieces."""
    recipe = Recipe("r", lr=1e-4, clip=0.1, batch=batch, iterations=30)
    engine = CpuEngine(TrainingJob(traces, shape, recipe, (7,), state), threads)
    losses, at = [], 0
    for piece in pieces:
        losses.append(engine.advance(recipe.adam_schedule(at, piece)))
        at += piece
    last = engine.state()
    assert (last.diverged == -1).all()
    arrays = (last.weights, last.mean, last.variance, np.concatenate(losses, 1))
    return [array.tobytes() for array in arrays]


@searched(7)
@given(SIZES, SEEDS, st.integers(1, 20), st.integers(2, 4), st.integers(1, 29))
def test_threads_and_splits_change_no_bit(
    shape: Shape, seed: int, batch: int, threads: int, split: int
) -> None:
    traces = random_traces(np.random.default_rng(seed), shape.symbols, 20, 40)
    given = traces, random_state(shape, (seed,), 0.3), shape, batch
    once = trained(*given, 1, 30)
    assert trained(*given, threads, 30) == once
    assert trained(*given, threads, split, 30 - split) == once
