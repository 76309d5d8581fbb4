"""The induction: error bounds of all references, step by step, and how many steps they last.

(18) Hypothesis H(t). On every run of the raw graph, up to t steps long, the model has decided as the graph
     does, in float32 and from h₀. Its vector is s (x + B z), where x is the reference to which the symbols
     of the run lead, and the bounds of x hold:
         |z| ≤ u,  low ≤ log2 s ≤ high.
     H(0) holds with x = h₀ and u = low = high = 0; no other reference is reached.
(19) Step. Let u < room, -60 ≤ low and high ≤ 60 at every reference that is reached. Then the next decision
     is the graph's, by (15), nothing overflows, by (17), and (11) holds. By (14), H(t + 1) follows if each
     step x → x' between references replaces the bounds of x' by
         u'    = max(u of x', (rest + grow u) / (least - less u)),  infinite unless least - less u > 0,
         low'  = min(low of x', low + log2(least - less u)),
         high' = max(high of x', high + log2(most + less u)).
(20) Conclusion. If the condition of (19) holds after 0, 1, …, N - 1 steps, the first N decisions are the
     graph's.
(21) Closure. Let v ≥ u be below room everywhere, and let (19) lead from v to no more than v. Then u ≤ v
     from here on: no argmax changes at any length while the scale is in range. If u, low and high all stay,
     N is "all".
(22) Drift. Within v, let D be the most by which log2 s changes in a walk of 1000 steps, wherever it begins,
     and P the most in one of up to 1000. A walk of up to 1000 n steps changes it by n D + P at most, so the
     scale stays in range for 1000 n steps more, downwards and upwards, with
         n = (60 - abs(low or high so far) - P) / D.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.extraction.float_bounds.interval_matrices import Doubles, lowered, raised
from gridlang.compiler.extraction.float_bounds.reference_vectors import Indices, ReferenceGraph
from gridlang.compiler.extraction.limits import LIMITS

Flags = npt.NDArray[np.bool_]
ALL = "all"
ARGMAX, SCALE, LIMIT = "argmax", "scale", "limit"
RANGE = 60  # log2 s is in -60 .. 60, half of float32's exponents; weights have the rest, by (11) and (17)
STEPS_PER_CHECK = 50  # of whether the bound closes, which costs as much as a step
WIDENING = 1 + 1e-6  # v = u * WIDENING in (21): u tends to its limit from below and never gets there
DRIFT_STEPS = 1_000  # of the walks of (22), long enough for their ends to weigh little
LEAST_DRIFT = 1e-9  # of D, a divisor
LOG_ERROR = 1e-9  # far above the 1e-13 by which log2, added to a number below 60, errs
LEAST_FACTOR = 1e-200  # in place of zero or less: its log2 is out of every range


class StepBounds(NamedTuple):
    """What each step between references does, by (14).

    |c| ≤ rest + grow u, and c₀, by which the scale changes, is between least - less u and most + less u.
    """

    rest: Doubles
    grow: Doubles
    least: Doubles
    most: Doubles
    less: Doubles


class OutputLeads(NamedTuple):
    """By how much an output leads another at a reference, by (15), and how large it is, by (16)."""

    reference: Indices
    lead: Doubles  # The winner leads by lead - loss u at least.
    loss: Doubles
    top: Doubles  # The winner is top + more u at most.
    more: Doubles


class StepCount(NamedTuple):
    """N of (20), the bounds u that held, what ended the count, and whether (21) holds."""

    steps: int | str
    u: Doubles
    ended: str
    closed: bool = False


class _Sets(NamedTuple):
    """The u, low and high of each reference in (18)."""

    u: Doubles  # minus infinity where no run has come
    low: Doubles
    high: Doubles


def count_steps(
    references: ReferenceGraph,
    steps: StepBounds,
    leads: OutputLeads,
    room: Doubles,
    progress: Callable[[int], None],
) -> StepCount:
    """Counts the steps for which all outputs lead, u is below `room`, and the scale is in range: (20)."""
    room = room.copy()
    leading = np.where(leads.lead > 0, lowered(leads.lead / leads.loss), -1.0)
    np.minimum.at(room, leads.reference, leading)  # (15)
    sets = _Sets(*(np.full(len(references.vector), value) for value in (-np.inf, np.inf, -np.inf)))
    for values in sets:
        values[0] = 0.0  # H(0)
    done, good, closed = 0, sets.u, False
    while done < LIMITS.bounded_steps:
        if not _below(sets.u, room):
            return StepCount(done, good, ARGMAX)
        if not (sets.low.min() >= -RANGE and sets.high.max() <= RANGE):
            return StepCount(done, good, SCALE, closed)
        done, good = done + 1, sets.u
        after = _stepped(references, steps, sets)
        if all(np.array_equal(*pair) for pair in zip(sets, after, strict=True)):
            return StepCount(ALL, good, "", True)
        if done % STEPS_PER_CHECK == 0 and not closed:
            progress(done)
            wider = sets._replace(u=sets.u * WIDENING)
            closed = _below(wider.u, room) and bool((_stepped(references, steps, wider).u <= wider.u).all())
            more = _steps_in_range(references, steps, wider) if closed else 0
            if more:
                return StepCount(done + more, wider.u, SCALE, True)
        sets = after
    return StepCount(done, good, LIMIT, closed)


def _below(u: Doubles, room: Doubles) -> bool:
    """Whether every u that is reached is below its room; False if one is not a number."""
    return bool(((u < room) | (u == -np.inf)).all())


def _stepped(references: ReferenceGraph, steps: StepBounds, sets: _Sets) -> _Sets:
    """The sets after one more step, with what was in them: (19)."""
    u, low, high = sets.u[references.source], sets.low[references.source], sets.high[references.source]
    reached = u >= 0
    u = np.where(reached, u, 0.0)
    least = steps.least - raised(steps.less * u)
    grown = raised((steps.rest + raised(steps.grow * u)) / np.where(least > 0, lowered(least), 1.0))
    shrinking, growing = _scale_changes(steps, u)
    after = _Sets(*(values.copy() for values in sets))
    np.maximum.at(after.u, references.target, np.where(reached, np.where(least > 0, grown, np.inf), -np.inf))
    _reach(references, reached, low + shrinking, high + growing, after)
    return after


def _reach(references: ReferenceGraph, taken: Flags, low: Doubles, high: Doubles, after: _Sets) -> None:
    """Widens the scales at the targets of the steps that are taken."""
    np.minimum.at(after.low, references.target, np.where(taken, low, np.inf))
    np.maximum.at(after.high, references.target, np.where(taken, high, -np.inf))


def _scale_changes(steps: StepBounds, u: Doubles) -> tuple[Doubles, Doubles]:
    """What a step adds to log2 s: the least and the most."""
    least = np.maximum(steps.least - raised(steps.less * u), LEAST_FACTOR)
    return np.log2(least) - LOG_ERROR, np.log2(steps.most + steps.less * u) + LOG_ERROR


def _steps_in_range(references: ReferenceGraph, steps: StepBounds, sets: _Sets) -> int:
    """For how many steps more the scale stays in range, once u does not grow any more: (22)."""
    shrinking, growing = _scale_changes(steps, np.maximum(sets.u, 0)[references.source])
    reached = sets.u >= 0
    taken = reached[references.source]
    # The least and the greatest sum of a walk that ends at each reference.
    walks = sets._replace(low=np.zeros_like(sets.u), high=np.zeros_like(sets.u))
    lowest = highest = 0.0  # P is over all walks so far.
    for _ in range(DRIFT_STEPS):
        low, high = walks.low[references.source] + shrinking, walks.high[references.source] + growing
        walks = sets._replace(low=np.full_like(sets.u, np.inf), high=np.full_like(sets.u, -np.inf))
        _reach(references, taken, low, high, walks)
        lowest, highest = min(lowest, float(walks.low.min())), max(highest, float(walks.high.max()))
    down = (-float(walks.low.min()), -lowest, -float(sets.low[reached].min()))
    up = (float(walks.high.max()), highest, float(sets.high[reached].max()))
    times = [max(0.0, RANGE - so_far - P) / max(D, LEAST_DRIFT) for D, P, so_far in (down, up)]
    return DRIFT_STEPS * int(min(times))
