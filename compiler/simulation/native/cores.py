"""How many threads may compute at once."""

from __future__ import annotations

import os


def cores() -> int:
    """Cores that this process may use: those it is bound to, and no more than OMP_NUM_THREADS."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(bound, int(asked)) if asked.isdecimal() and int(asked) else bound
