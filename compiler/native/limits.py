"""What bounds a compiler."""

from __future__ import annotations


class Limits:
    compiler_seconds: int = 120  # of a processor: what runs does not depend on how busy the machine is
    compiler_patience: float = 1_200  # by the clock: a compiler that only waits must not hang its caller
    compiler_message: int = 100_000  # characters of its errors; the first of them says it


LIMITS = Limits()
