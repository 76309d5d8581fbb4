"""How the benchmarks repeat what they time, and how they end when they are stopped."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from typing import NoReturn

DOUBLINGS = 40  # a piece that is so often doubled would outlast anybody


class OutOfTime(KeyboardInterrupt):
    """The seconds given are spent; what is done is kept."""


def seconds_an_iteration(
    advance: Callable[[int], object], seconds: float, first: int, clock: Callable[[], float]
) -> float:
    """Of the first piece that takes half of `seconds` or more; each does twice the iterations of the last.

    All pieces together take less than twice as long as the one that counts.
    """
    count, spent = first, 0.0
    for doubling in range(DOUBLINGS):
        count = first << doubling
        begun = clock()
        advance(count)
        spent = clock() - begun
        if spent >= seconds / 2:
            break
    return spent / count


def timed(work: Callable[[], int]) -> tuple[int, float]:
    """The steps that some work did, and its seconds of CPU time: others on the machine do not count."""
    begun = time.thread_time()
    steps = work()
    return steps, time.thread_time() - begun


def ends_with(main: Callable[[], int | None], told: str = "") -> NoReturn:
    """Ends the process with the status of `main`; Ctrl-C and SIGTERM end it with a line that tells it."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        status = main()
    except KeyboardInterrupt:
        print(f"\nstopped{told}", file=sys.stderr)
        status = 130
    sys.exit(status)
