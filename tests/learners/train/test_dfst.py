"""The definition of the DFST: ways forward that agree, gradients that hold, the paper's sizes and its start."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gridlang.compiler.tensors.dfst import Dfst, table_to_dfst
from gridlang.learners.traces.recording import record
from gridlang.learners.train.engine import Shape, flatten
from gridlang.table import Table
from tests.programs import EXAMPLES, load

torch = pytest.importorskip("torch")

from gridlang.learners.train import dfst  # noqa: E402
from gridlang.learners.train.dfst import Batch, batch_of, hidden, scan  # noqa: E402
from gridlang.learners.train.engine_torch import gradients, in_turn, weights_of  # noqa: E402

WAYS = (hidden, scan, in_turn)

SHAPES = st.builds(Shape, st.integers(1, 7), st.integers(1, 10))
SEEDS = st.integers(0, 2**32 - 1)


def random_batch(rng: np.random.Generator, shape: Shape, count: int, steps: int) -> Batch:
    """Traces of 1 to `steps` steps, every other one ends stuck; their padding holds any symbol."""
    length = torch.tensor(rng.integers(1, steps + 1, count))
    bounds = (shape.symbols, shape.symbols, 5)
    x, s, m = (torch.tensor(rng.integers(0, bound, (count, steps))) for bound in bounds)
    s[range(0, count, 2), length[::2] - 1] = m[range(0, count, 2), length[::2] - 1] = -1
    return Batch(x, s, m, length)


def random_weights(rng: np.random.Generator, shape: Shape, dtype: Any = None) -> Any:
    """Products of these matrices neither explode nor fade."""
    weights = rng.normal(size=shape.parameters) / np.sqrt(shape.dim)
    return torch.tensor(weights, dtype=dtype or torch.float64)


def loss(shape: Shape, flat: Any, batch: Batch, how: Any = scan) -> Any:
    return dfst.loss(weights_of(shape, flat), batch, how)


def gradient(shape: Shape, flat: Any, batch: Batch, how: Any = scan) -> Any:
    flat = flat.clone().requires_grad_(True)
    return torch.autograd.grad(loss(shape, flat, batch, how), flat)[0]


@given(SHAPES, SEEDS, st.integers(1, 5), st.integers(1, 40))
@example(Shape(3, 251), 1, 2, 9)
def test_a_scan_and_steps_in_turn_give_the_losses_and_gradients_of_the_definition(
    shape: Shape, seed: int, count: int, steps: int
) -> None:
    rng = np.random.default_rng(seed)
    batch, flat = random_batch(rng, shape, count, steps), random_weights(rng, shape)
    value, slope = loss(shape, flat, batch, hidden), gradient(shape, flat, batch, hidden)
    for how in (scan, in_turn):
        torch.testing.assert_close(loss(shape, flat, batch, how), value)
        torch.testing.assert_close(gradient(shape, flat, batch, how), slope)


@given(SHAPES, SEEDS, st.sampled_from(WAYS[1:]))
def test_models_side_by_side_have_the_losses_and_gradients_of_each(shape: Shape, seed: int, how: Any) -> None:
    rng = np.random.default_rng(seed)
    each = [(random_weights(rng, shape), random_batch(rng, shape, 3, 9)) for _ in range(3)]
    weights, batches = (torch.stack([flat for flat, _ in each]), [batch for _, batch in each])
    together = Batch(*(torch.stack(parts) for parts in zip(*batches, strict=True)))
    losses, slopes = gradients(shape, weights, together, how, dfst.squares)
    for i, (flat, batch) in enumerate(each):
        torch.testing.assert_close(losses[i], loss(shape, flat, batch))
        torch.testing.assert_close(slopes[i], gradient(shape, flat, batch))


@pytest.mark.parametrize(
    ("symbols", "dim", "parameters"), [(4, 12, 1020), (12, 20, 8900), (4, 32, 5280), (12, 108, 162108)]
)
def test_the_papers_models_have_the_papers_number_of_weights(symbols: int, dim: int, parameters: int) -> None:
    shape = Shape(symbols, dim)
    assert shape.parameters == parameters == len(shape.initial(0))
    A, B, C, h0 = shape.tensors(shape.initial(0))
    assert A.size + B.size + C.size + h0.size == parameters


@given(st.builds(Shape, st.integers(1, 9), st.integers(2, 40)), SEEDS)
def test_training_starts_from_identities_zeros_and_a_positive_unit_vector(shape: Shape, seed: int) -> None:
    A, B, C, h0 = shape.tensors(shape.initial(seed))
    assert (
        np.array_equal(A, np.tile(np.eye(shape.dim), (shape.symbols, 1, 1))) and not B.any() and not C.any()
    )
    assert ((h0 > 0) & (h0 < 1)).all()
    assert np.linalg.norm(h0.astype(np.float64)) == pytest.approx(1, abs=1e-6)
    assert shape.initial(seed).dtype == np.float32
    assert (shape.initial(seed) == shape.initial(seed)).all()
    assert (shape.initial(seed) != shape.initial(seed + 1)).any()


@given(st.builds(Shape, st.integers(1, 9), st.integers(2, 40)), SEEDS)
def test_the_definition_and_the_engines_start_from_the_same_numbers(shape: Shape, seed: int) -> None:
    for ours, theirs in zip(dfst.initial(*shape, seed), shape.tensors(shape.initial(seed)), strict=True):
        assert (ours.numpy() == theirs).all()


@given(SHAPES, SEEDS)
def test_the_flat_vector_and_the_tensors_are_one_thing(shape: Shape, seed: int) -> None:
    flat = np.random.default_rng(seed).normal(size=shape.parameters).astype(np.float32)
    names = tuple(chr(ord("a") + i) for i in range(shape.symbols))
    assert (flatten(Dfst(*shape.tensors(flat), names)) == flat).all()


def test_the_loss_is_the_papers_formula() -> None:
    """Half the mean square of a trace, then the mean over traces, whatever their lengths."""
    rng = np.random.default_rng(0)
    shape = Shape(3, 4)
    batch, flat = random_batch(rng, shape, 5, 9), random_weights(rng, shape)
    A, B, C, h0 = shape.tensors(flat.numpy())
    total = 0.0
    for x, s, m, length in zip(*(array.numpy() for array in batch), strict=True):
        h, squares = h0, 0.0
        for t in range(length):
            wanted = [
                np.eye(size)[act] if act >= 0 else -np.ones(size) for act, size in ((s[t], 3), (m[t], 5))
            ]
            squares += np.sum((B[x[t]] @ h - wanted[0]) ** 2) + np.sum((C[x[t]] @ h - wanted[1]) ** 2)
            h = A[x[t]] @ h
        total += squares / (2 * length)
    assert float(loss(shape, flat, batch)) == pytest.approx(total / 5, rel=1e-12)


@given(SHAPES, SEEDS)
def test_padding_changes_neither_loss_nor_gradient(shape: Shape, seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch, flat = random_batch(rng, shape, 4, 8), random_weights(rng, shape)
    inside = torch.arange(8) < batch.length[:, None]
    rows = (torch.where(inside, array, -1) for array in (batch.x, batch.s, batch.m))
    other = Batch(*rows, batch.length)
    for how in WAYS:
        assert float(loss(shape, flat, other, how)) == float(loss(shape, flat, batch, how))
        assert torch.equal(gradient(shape, flat, other, how), gradient(shape, flat, batch, how))


def test_what_would_explode_in_the_padding_does_not() -> None:
    """A short trace beside a long one: its matrix, taken 300 times, passes what float32 can hold."""
    shape = Shape(2, 1)
    flat = torch.tensor([9.0, *[0.1] * 7, 0.5, *[0.1] * 7, 1.0])  # A[0] = 9, A[1] = 0.5
    x = torch.ones((2, 300), dtype=torch.long)
    x[0, :] = 0
    batch = Batch(x, torch.zeros_like(x), torch.zeros_like(x), torch.tensor([3, 300]))
    for how in WAYS:
        assert torch.isfinite(loss(shape, flat, batch, how))
        assert torch.isfinite(gradient(shape, flat, batch, how)).all()


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("add2", ["1+1", "101+11"]),
        ("mult2", ["10*11"]),
        ("palindrome", ["abcba", "", "ab"]),
        ("beaver", [""]),
    ],
)
def test_exact_tensors_lose_nothing_on_their_own_traces(name: str, inputs: list[str]) -> None:
    program = load(EXAMPLES / f"{name}.grid")
    table: Table = program.table
    batch = batch_of(record(program, inputs, 1000, {}))
    shape = Shape(len(table.symbols), len(table.states))
    flat = torch.tensor(flatten(table_to_dfst(table)))
    assert float(loss(shape, flat, batch)) == 0
    assert not gradient(shape, flat, batch).any()
    wrong = batch._replace(m=(batch.m + 1) % 5)
    assert float(loss(shape, flat, wrong)) == pytest.approx(1)
