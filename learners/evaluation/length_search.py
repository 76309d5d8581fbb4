"""The search for the largest length that a model passes: lengths double, then the gap is halved."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gridlang.display import Shown
from learners.evaluation.evaluate import Evaluation, Evaluator, SuiteListener
from learners.evaluation.limits import LIMITS
from learners.evaluation.lockstep import NO_LIMIT, nobody

# lengths of which each must pass before the next is tried, each longer by about half
LADDER = (1, 2, 3, 5, 7, 10, 14, 20, 30, 40, 60, 100)
# what ends a search
ENDED_FOUND, ENDED_TIME, ENDED_MEMORY, ENDED_LONGEST = "found", "time", "memory", "longest"


@dataclass(frozen=True, slots=True)
class LengthSearch(Shown):
    """The largest length passed (0 for none), all that was tried, and what ended the search.

    Every length tried below `largest` passed too.

    >>> import gridlang as gl
    >>> search = gl.evaluate("examples/models/add2.safetensors", largest=True, seconds=0.5)
    >>> search.largest == max(each.digits for each in search.tried if each.passed)
    True
    """

    largest: int
    tried: tuple[Evaluation, ...]
    ended: str

    def __repr__(self) -> str:
        return f"LengthSearch(largest length passed {self.largest:,}, {len(self.tried)} tried; {self.ended})"


def search_length(
    evaluator: Evaluator,
    seconds: float,
    known: Evaluation | None = None,
    watch: SuiteListener = nobody,
) -> LengthSearch:
    """Doubles the length until one fails, then halves the gap, as long as time lasts.

    `known` is a length tried before. When the next doubling would take too long, the longest length that
    fits the time left is tried instead.
    """
    deadline = time.monotonic() + seconds
    tried = [known] if known is not None else []
    ended = ""
    while not ended:
        low, high = bounds(tried)
        digits = next_length(tried, deadline - time.monotonic())
        if digits is None:
            ended = ENDED_FOUND if high - low <= 1 else ENDED_TIME
        elif tried and digits > evaluator.largest:
            ended = ENDED_LONGEST
        else:
            tried.append(evaluator.at(digits, deadline, watch))
            if tried[-1].passed is None:
                ended = ENDED_MEMORY if tried[-1].out_of_memory else ENDED_TIME
    return LengthSearch(bounds(tried)[0], tuple(tried), ended)


def measure(
    evaluator: Evaluator,
    digits: int | None,
    largest: bool,
    seconds: float | None = None,
    watch: SuiteListener = nobody,
) -> Evaluation | LengthSearch:
    """One length, or a search for the largest that begins with it; a search has a minute unless given."""
    begun, limit = time.monotonic(), seconds or (LIMITS.search_seconds if largest else math.inf)
    one = evaluator.at(digits, begun + limit, watch) if digits is not None else None
    if one is not None and not largest:
        return one
    return search_length(evaluator, limit - (time.monotonic() - begun), one, watch)


def next_length(tried: Sequence[Evaluation], left: float) -> int | None:
    """The length to try next in the seconds left; None to stop."""
    low, high = bounds(tried)
    if high - low <= 1 or (left <= 0 and tried):
        return None
    wanted = 2 * low or LIMITS.first_length
    if wanted >= high:
        return (low + high) // 2
    passed = sorted((e for e in tried if e.passed), key=lambda e: e.digits)
    if not passed:
        return wanted
    power, last = _growth(passed), max(passed[-1].seconds, 1e-6)
    if last * (wanted / low) ** power > left:
        wanted = int(low * (LIMITS.safety * left / last) ** (1 / power))
    return wanted if wanted >= LIMITS.least_gain * low else None


def bounds(tried: Iterable[Evaluation]) -> tuple[int, int]:
    """The largest length below the first that failed, and that one; a huge number if none has."""
    results = [(e.digits, e.passed) for e in tried if e.passed is not None]
    high = min((digits for digits, passed in results if not passed), default=NO_LIMIT)
    return max((digits for digits, passed in results if passed and digits < high), default=0), high


def _growth(passed: Sequence[Evaluation]) -> float:
    """The power of the length with which steps grow, by the two longest that passed."""
    if len(passed) < 2 or not passed[-2].steps:
        return 2.0
    longer, shorter = passed[-1], passed[-2]
    power = math.log(longer.steps / shorter.steps) / math.log(longer.digits / shorter.digits)
    return min(max(power, 1.0), 4.0)
