"""The order of the traces in training: every epoch is a permutation of them, given by the seed alone.

A position in the stream of traces is mapped by a Feistel network, so that any iteration of a run can be
computed without those before it. The GPU and CPU kernels hold the same function.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

ROUNDS = 6  # A Feistel network of four rounds looks random already; two more cost little.
WORDS = npt.NDArray[np.uint32]


def batches(seed: int, count: int, first: int, iterations: int, batch: int) -> npt.NDArray[np.int64]:
    """The traces (iterations, batch) of the iterations from `first` on, out of `count`."""
    positions = np.uint64(first * batch) + np.arange(iterations * batch, dtype=np.uint64)
    epoch = (positions // np.uint64(count)).astype(np.uint32)
    place = (positions % np.uint64(count)).astype(np.uint32)
    key = _mixed(_mixed(np.array([seed & 0xFFFFFFFF], np.uint32)) + _mixed(epoch + np.uint32(0x9E3779B9)))
    return _shuffled(place, key, count).astype(np.int64).reshape(iterations, batch)


def _shuffled(place: WORDS, key: WORDS, count: int) -> WORDS:
    """Each place walks the network's cycle until it is below `count` again."""
    half = max(1, ((count - 1).bit_length() + 1) // 2)
    at, outside = place.copy(), np.arange(len(place))
    while len(outside):
        at[outside] = _network(at[outside], key[outside], half)
        outside = outside[at[outside] >= count]
    return at


def _network(value: WORDS, key: WORDS, half: int) -> WORDS:
    """A permutation of the numbers of 2 * half bits."""
    mask = np.uint32((1 << half) - 1)
    left, right = value >> np.uint32(half), value & mask
    for turn in range(ROUNDS):
        salt = np.uint32(turn * 0x85EBCA6B & 0xFFFFFFFF)
        left, right = right, left ^ (_mixed(right + key + salt) & mask)
    return left << np.uint32(half) | right


def _mixed(word: WORDS) -> WORDS:
    """Spreads every bit over the whole word (the end of murmur3)."""
    word = (word ^ word >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    word = (word ^ word >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return word ^ word >> np.uint32(16)
