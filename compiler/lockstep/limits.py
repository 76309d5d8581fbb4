"""How lockstep cuts its work, and what it shows of a mistake."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    world_bytes: int = 500_000_000  # world of one case
    first_slice: int = 1 << 10  # initial steps per clock check
    slice_seconds: float = 0.1  # a slice grows to this: soon enough for a deadline
    poll_seconds: float = 0.1  # between two looks at the threads, for progress and interrupts
    shown: tuple[int, int] = (9, 3)  # cells on either side of the head, and above and below it


LIMITS = Limits()
