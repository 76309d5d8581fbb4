"""The order of the data: a permutation for each epoch, the same wherever it is asked for."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gridlang.learners.train.engine import batches

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.integers(1, 300), st.integers(0, 10**9))
def test_every_epoch_is_a_permutation(seed: int, count: int, epoch: int) -> None:
    assert sorted(batches(seed, count, epoch, 1, count)[0]) == list(range(count))


@given(SEEDS, st.integers(1, 300), st.integers(1, 40), st.integers(0, 10**10), st.integers(1, 5))
def test_iterations_do_not_depend_on_those_before(
    seed: int, count: int, batch: int, first: int, more: int
) -> None:
    rows = batches(seed, count, first, more, batch)
    assert rows.dtype == np.int64 and rows.shape == (more, batch)
    assert all((batches(seed, count, first + i, 1, batch)[0] == rows[i]).all() for i in range(more))


def test_epochs_and_seeds_have_orders_of_their_own() -> None:
    rows = {tuple(batches(seed, 50, epoch, 1, 50)[0]) for seed in range(20) for epoch in range(20)}
    assert len(rows) == 400


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 3000),
    st.integers(1, 64),
    st.integers(1, 40),
    st.integers(0, 10**6),
)
def test_an_epoch_of_bands_shows_a_trace_at_most_once_and_leaves_out_less_than_a_batch(
    seed: int, count: int, batch: int, bands: int, epoch: int
) -> None:
    every = max(count // batch, 1)
    rows = batches(seed, count, epoch * every, every, batch, bands)
    if bands > 1 and every > 1:
        assert len(set(rows.ravel().tolist())) == every * batch and 0 <= rows.min() <= rows.max() < count
        bound = -(-every // min(bands, every)) * batch  # places of a band
        assert (np.ptp(rows, axis=1) <= count * bound // (every * batch) + 1).all()
    else:
        assert (rows == batches(seed, count, epoch * every, every, batch)).all()


def test_every_trace_is_left_out_of_an_epoch_of_bands_at_times() -> None:
    epochs = [set(batches(1, 37, 2 * epoch, 2, 16, 2).ravel().tolist()) for epoch in range(400)]
    often = np.array([sum(row in epoch for epoch in epochs) for row in range(37)])
    assert (often > 400 * 32 / 37 - 50).all() and (often < 400).all()
