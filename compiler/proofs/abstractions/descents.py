"""Descents: agents that leave the rows of their input for good: (V8) (g) in `compiler/verifier/strips`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gridlang.compiler.proofs.joint_step import LEFT_STUCK, RIGHT_DIFFERS, Stuck, joint_step
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.table import DELTAS, Row

Descent = tuple[int, int, int]  # both states, and the side: -1 upwards, 1 downwards


class Leg(NamedTuple):
    """How a descent goes on: after some steps with the next one, or to an end, stuck or not.

    `pairs` has LEFT's states and what they read on the way, at least as far as that.
    """

    steps: int  # 0 if it ends
    after: Descent | None
    pairs: frozenset[tuple[int, int]]
    stuck: bool = False


def descents(
    left: Sequence[Row], right: Sequence[Row], first: Descent, stuck: Stuck
) -> dict[Descent, Leg] | None:
    """All descents that follow one; None where the head may come back, RIGHT fails, or nothing is known."""
    legs: dict[Descent, Leg] = {}
    here: Descent | None = first
    while here is not None and here not in legs:
        leg = _leg(left, right, here, stuck)
        if leg is None:
            return None
        legs[here] = leg
        here = leg.after
    return legs


def _leg(left: Sequence[Row], right: Sequence[Row], descent: Descent, stuck: Stuck) -> Leg | None:
    """The way to the outermost row from which the head does not come back behind it, as far as is seen."""
    p, q, side = descent
    cells: dict[tuple[int, int], int] = {}
    pairs: set[tuple[int, int]] = set()
    x = depth = deepest = 0
    records: list[tuple[int, int, int, int]] = []  # steps, both states and depth at each new outermost row
    for steps in range(1, LIMITS.most_descent_steps + 1):
        symbol = cells.get((x, depth), 0)
        pairs.add((p, symbol))
        step = joint_step(left[p][symbol], right[q][symbol], symbol, stuck)
        if not isinstance(step, tuple):
            return None if step is RIGHT_DIFFERS else Leg(0, None, frozenset(pairs), step is LEFT_STUCK)
        entry, q = step
        p, cells[x, depth] = entry.next, entry.write
        dx, dy = DELTAS[entry.move]
        x, depth = x + dx, depth + side * dy
        if depth < 0:
            return None
        while records and depth < records[-1][3]:
            records.pop()
        if depth > deepest:
            deepest = depth
            records.append((steps, p, q, depth))
    if not records:
        return None
    steps, p, q, _ = records[0]
    return Leg(steps, (p, q, side), frozenset(pairs))
