"""How a run ends, and why: the same in Python, C (by numbers) and JavaScript."""

from __future__ import annotations

from enum import Enum, StrEnum


class Outcome(StrEnum):
    """How a run ended; running if it has not."""

    RUNNING = "running"
    HALTED = "halted"
    STUCK = "stuck"
    BUDGET = "budget"
    LOOPING = "looping"

    __repr__ = str.__repr__

    @property
    def ended(self) -> bool:
        return self is not Outcome.RUNNING


class Reason(Enum):
    """Why a run is stuck though no pair is undefined, or was stopped before its steps were spent."""

    MEMORY = "its memory budget of {megabytes} MB is spent"
    WALKS_OFF = "it walks off over blank cells and never turns"
    ALL_ZERO = "all its outputs are zero"
    NOT_FINITE = "its outputs are not finite"
    NONE_POSITIVE = "none of its outputs is positive"
    OFF_CODEBOOK = "it leaves its codebook: on `{symbol}` it was never seen here"
    DIFFERS = "it acts otherwise"
    FAR = "its head would leave the coordinates that are counted, 2**62 on either side"


End = Outcome | Reason  # of a walk: how it ended, or why it was broken off

ENDS: tuple[End, ...] = (*Outcome, *Reason)  # by their numbers in C


def outcome_of(end: End) -> tuple[Outcome, Reason | None]:
    """How a run ended, and why; what breaks it off is a budget, or else the model is stuck."""
    if isinstance(end, Outcome):
        return end, None
    return (Outcome.BUDGET if end in (Reason.MEMORY, Reason.FAR) else Outcome.STUCK), end
