"""Notes to the user: one line on stderr, each said once."""

from __future__ import annotations

import sys

_told: set[str] = set()


def tell_once(message: str) -> None:
    """Says something the first time, and never again in this process."""
    if message not in _told:
        _told.add(message)
        print(f"note: {message}", file=sys.stderr)
