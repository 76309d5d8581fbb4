"""The order of the data: a permutation for each epoch, the same wherever it is asked for."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from learners.training.engine import batches

SEEDS = st.integers(0, 2**32 - 1)
WORD = 0xFFFFFFFF


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


@given(SEEDS, st.integers(1, 5000), st.integers(0, 2**40))
def test_the_order_is_the_network_written_plainly(seed: int, count: int, position: int) -> None:
    assert batches(seed, count, position, 1, 1)[0, 0] == _plainly(
        seed, position // count, position % count, count
    )


def test_epochs_and_seeds_have_orders_of_their_own() -> None:
    rows = {tuple(batches(seed, 50, epoch, 1, 50)[0]) for seed in range(20) for epoch in range(20)}
    assert len(rows) == 400


def _plainly(seed: int, epoch: int, place: int, count: int) -> int:
    half = next(h for h in range(1, 17) if 4**h >= count)
    mask = 2**half - 1
    key = _mixed(_mixed(seed) + _mixed(epoch + 0x9E3779B9))
    while True:
        left, right = place >> half, place & mask
        for turn in range(6):
            left, right = right, left ^ _mixed(right + key + turn * 0x85EBCA6B) & mask
        place = left << half | right
        if place < count:
            return place


def _mixed(a: int) -> int:
    a &= WORD
    a = (a ^ a >> 16) * 0x85EBCA6B & WORD
    a = (a ^ a >> 13) * 0xC2B2AE35 & WORD
    return a ^ a >> 16
