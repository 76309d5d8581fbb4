"""Traces of steps that no agent need do, for what is true of any traces."""

from __future__ import annotations

import string

import numpy as np

from gridlang.learners.traces.dataset import Traces
from gridlang.outcomes import Outcome

LETTERS = "_" + "".join(c for c in string.printable.strip() if c != "_")


def random_traces(
    rng: np.random.Generator, symbols: int, count: int, steps: int, strict: bool = False
) -> Traces:
    """Random steps; if strict, every other trace ends where the agent is stuck."""
    length = rng.integers(1, steps + 1, count).astype(np.int32)
    length[0] = steps
    padding = np.arange(steps) >= length[:, None]
    x, s, m = (
        np.where(padding, -1, rng.integers(0, bound, (count, steps))).astype(np.int16)
        for bound in (symbols, symbols, 5)
    )
    if strict:
        stuck = np.arange(0, count, 2)
        s[stuck, length[stuck] - 1] = m[stuck, length[stuck] - 1] = -1
    words = tuple(Outcome.STUCK if strict and row % 2 == 0 else Outcome.BUDGET for row in range(count))
    return Traces(x, s, m, length, words, words, tuple(LETTERS[:symbols]), "random", states=3)
