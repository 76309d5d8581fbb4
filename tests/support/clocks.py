"""Time that other work on the machine does not lengthen."""

from __future__ import annotations

import resource


def processor_seconds() -> float:
    """Spent by this process and those that it started and waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)
