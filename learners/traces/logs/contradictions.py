"""Steps of traces that contradict each other: the same was read up to there, and something else is done."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gridlang.table import MOVES
from learners.traces.dataset import Traces


class Place(NamedTuple):
    """A step of a trace, both counted from 0."""

    trace: int
    step: int


class Contradictions(NamedTuple):
    """How many steps are not what the first trace with the same reads does, and the first of these pairs.

    `tree` is how many different pasts there are: the edges of the tree of all that was read.
    """

    steps: int
    first: tuple[Place, Place] | None
    tree: int


def contradictions(traces: Traces) -> Contradictions:
    """Follows all traces at once through the tree of what they read, a step at a time."""
    symbols = len(traces.symbols)
    node = np.zeros(len(traces), np.int64)
    wrong_steps = tree = 0
    first: tuple[Place, Place] | None = None
    for step in range(traces.x.shape[1]):
        going = np.flatnonzero(traces.length > step)
        if not len(going):
            break
        edge = node[going] * symbols + traces.x[going, step]
        _, leader, after = np.unique(edge, return_index=True, return_inverse=True)
        act = traces.s[going, step].astype(np.int64) * len(MOVES) + traces.m[going, step]
        wrong = act != act[leader][after]
        wrong_steps += int(wrong.sum())
        if first is None and wrong.any():
            at = int(wrong.argmax())
            first = Place(int(going[leader[after[at]]]), step), Place(int(going[at]), step)
        node[going] = after
        tree += len(leader)
    return Contradictions(wrong_steps, first, tree)
