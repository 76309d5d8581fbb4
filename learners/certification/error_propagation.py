"""Bounds on the errors of all references, step by step, and how many steps they last."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from learners.certification.interval_matrices import Doubles, lowered, raised
from learners.certification.reference_vectors import Numbers, References

ALL = "all"
ARGMAX, SCALE, LIMIT = "argmax", "scale", "limit"
RANGE = 60  # a scale stays within 2**-60 .. 2**60, so that no number overflows
MOST_STEPS = 20_000
LOOK = 50  # steps between two looks whether the bound closes
DRIFT = 1_000  # steps by which the growth of the scale is measured once it does


class Effects(NamedTuple):
    """What each step does: u becomes (rest + grow u) / (least - less u) at most, and the scale changes by a
    factor between least - less u and most + less u.
    """

    rest: Doubles
    grow: Doubles
    least: Doubles
    most: Doubles
    less: Doubles


class Leads(NamedTuple):
    """By how much an output leads another at a reference: at least lead - loss u, of at most top + more u."""

    at: Numbers  # references
    lead: Doubles
    loss: Doubles
    top: Doubles
    more: Doubles


class Count(NamedTuple):
    """Steps, the bounds u that held, why there are no more, and whether u does not grow any more."""

    steps: int | str
    u: Doubles
    ended: str
    closed: bool = False


class _Sets(NamedTuple):
    """Of each reference: the bound u on |z|, and the least and the largest scale as powers of two."""

    u: Doubles  # minus infinity where no run has come
    low: Doubles
    high: Doubles


def followed(
    references: References, effects: Effects, leads: Leads, room: Doubles, progress: Callable[[int], None]
) -> Count:
    """Counts the steps for which every output leads, and every u is below `room`."""
    count, room = len(references.vector), room.copy()
    np.minimum.at(room, leads.at, np.where(leads.lead > 0, lowered(leads.lead / leads.loss), -1.0))
    sets = _Sets(*(np.full(count, value) for value in (-np.inf, np.inf, -np.inf)))
    for each in sets:
        each[0] = 0.0
    done, good, closed = 0, sets.u, False
    while done < MOST_STEPS:
        if not _below(sets.u, room):
            return Count(done, good, ARGMAX)
        if not (sets.low.min() >= -RANGE and sets.high.max() <= RANGE):
            return Count(done, good, SCALE, closed)
        done, good = done + 1, sets.u
        after = _stepped(references, effects, sets)
        if all(np.array_equal(*pair) for pair in zip(sets, after, strict=True)):
            return Count(ALL, good, "", True)
        if done % LOOK == 0 and not closed:
            progress(done)
            wider = sets._replace(u=sets.u * (1 + 1e-6))
            closed = _below(wider.u, room) and bool((_stepped(references, effects, wider).u <= wider.u).all())
            more = _drifting(references, effects, wider) if closed else 0
            if more:
                return Count(done + more, wider.u, SCALE, True)
        sets = after
    return Count(done, good, LIMIT, closed)


def _below(u: Doubles, room: Doubles) -> bool:
    """Whether every u that is reached is below its room; not so where one is no number."""
    return bool(((u < room) | (u == -np.inf)).all())


def _stepped(references: References, effects: Effects, sets: _Sets) -> _Sets:
    """The sets after one more step, with what was in them."""
    u, low, high = sets.u[references.source], sets.low[references.source], sets.high[references.source]
    come = u >= 0
    u = np.where(come, u, 0.0)
    least = effects.least - raised(effects.less * u)
    grown = raised((effects.rest + raised(effects.grow * u)) / np.where(least > 0, lowered(least), 1.0))
    shrunk, larger = _powers(effects, u)
    after = _Sets(*(each.copy() for each in sets))
    np.maximum.at(after.u, references.target, np.where(come, np.where(least > 0, grown, np.inf), -np.inf))
    np.minimum.at(after.low, references.target, np.where(come, low + shrunk, np.inf))
    np.maximum.at(after.high, references.target, np.where(come, high + larger, -np.inf))
    return after


def _powers(effects: Effects, u: Doubles) -> tuple[Doubles, Doubles]:
    """By which powers of two a step changes the scale: the least and the largest."""
    least = np.maximum(effects.least - raised(effects.less * u), 1e-200)
    return np.log2(least) - 1e-9, np.log2(effects.most + effects.less * u) + 1e-9


def _drifting(references: References, effects: Effects, sets: _Sets) -> int:
    """Steps for which the scale stays in range, once u does not grow any more.

    No run of DRIFT steps changes it by more than the worst one does, wherever that begins.
    """
    shrunk, larger = _powers(effects, np.maximum(sets.u, 0)[references.source])
    come = sets.u[references.source] >= 0
    low, high = np.zeros_like(sets.u), np.zeros_like(sets.u)
    lowest = highest = 0.0  # within these steps
    for _ in range(DRIFT):
        after = np.full_like(low, np.inf), np.full_like(high, -np.inf)
        np.minimum.at(after[0], references.target, np.where(come, low[references.source] + shrunk, np.inf))
        np.maximum.at(after[1], references.target, np.where(come, high[references.source] + larger, -np.inf))
        low, high = after
        lowest, highest = min(lowest, float(low.min())), max(highest, float(high.max()))
    reached = sets.u >= 0
    ends = [(-float(low.min()), -lowest, -float(sets.low[reached].min()))]
    ends.append((float(high.max()), highest, float(sets.high[reached].max())))
    rounds = [max(0.0, RANGE - so_far - between) / max(drift, 1e-9) for drift, between, so_far in ends]
    return DRIFT * int(min(rounds))
