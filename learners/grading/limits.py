"""What a process that judges a submission may take: seconds and memory; and what it prints goes nowhere."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# Bytes beyond what the process has at first: a world takes 64 MB and a proof some hundred, but a model is
# read into room for the largest one, 2 GB, most of which is never touched.
MEMORY = 3_000_000_000


class OutOfTime(BaseException):
    """The seconds are over; no `except Exception` on the way takes it for something else."""


@contextmanager
def at_most_seconds(seconds: float) -> Iterator[None]:
    """Raises OutOfTime in what takes longer, in the main thread of a process."""

    def ring(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def limit_memory() -> None:
    """No more than so much beyond what this process has; where systems do not count it, there is no limit."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        wanted = taken + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most < 0 else min(wanted, most), most))


def silence() -> None:
    """Notes of one submission among many would only be confusing."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
