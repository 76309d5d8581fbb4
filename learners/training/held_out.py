"""Traces that are held out of learning, to see whether a model predicts what it was not shown."""

from __future__ import annotations

from random import Random

import numpy as np

from learners.traces.dataset import Traces
from learners.traces.joining import chosen
from learners.training.limits import LIMITS

KEPT = "held-out.npz"  # their file in the folder of a run


def has_expert(traces: Traces) -> bool:
    """Whether it is known what agent made the traces, so that a model can be compared with that."""
    return bool(traces.source) or traces.states is not None


def default_share(traces: Traces) -> float:
    """What is held out unless somebody says otherwise."""
    return 0.0 if has_expert(traces) else LIMITS.held_out


def split(traces: Traces, share: float, seed: int) -> tuple[Traces, Traces | None]:
    """The traces to learn from, and a share of them held out; None if that is none.

    Equal traces stay together, so that nothing that is held out has been shown. The empty word, which was
    added to the log of a Mealy machine, is never held out.
    """
    rows = np.concatenate([traces.x, traces.s, traces.m], 1)
    _, group = np.unique(rows, axis=0, return_inverse=True)
    kinds = sorted(set(group[traces.length > 1].tolist()))
    if len(kinds) < LIMITS.fewest_held_from or not share:
        return traces, None
    count = min(max(1, round(share * len(kinds))), len(kinds) - 1)
    held = np.isin(group, Random(f"{seed} held out").sample(kinds, count))
    return chosen(traces, np.flatnonzero(~held)), chosen(traces, np.flatnonzero(held))
