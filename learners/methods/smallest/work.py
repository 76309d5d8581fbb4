"""Work that is counted, as a search that looks at the clock would find less on a busy machine."""

from __future__ import annotations

from typing import Any

from learners.methods.smallest.limits import LIMITS


class OutOfWork(Exception):
    """What was allowed is spent, and nothing is known."""


class Work:
    """Counts up, in propagations of the solver; `seconds` is what a usual core takes for them."""

    def __init__(self, seconds: float) -> None:
        self.spent = 0
        self.end = seconds * LIMITS.propagations_a_second

    @property
    def is_left(self) -> bool:
        return self.spent < self.end

    def after(self, share: float) -> float:
        """Where the count stands once this part of what is left is spent."""
        return self.spent + (self.end - self.spent) * share

    def spend(self, work: int, until: float) -> None:
        """OutOfWork once the count stands at `until`."""
        self.spent += work
        if self.spent > until:
            raise OutOfWork


def propagations(solver: Any) -> int:
    """What a solver has done so far."""
    return int((solver.accum_stats() or {}).get("propagations", 0))
