"""Notes to the user, each said once; and words about a long computation, not too often."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Protocol

from gridlang.printable import printable

_told: set[str] = set()


def tell_once(message: str) -> None:
    """Says something the first time, and never again in this process."""
    if message not in _told:
        _told.add(message)
        print(f"note: {printable(message)}", file=sys.stderr)


class Paced(Protocol):
    """Told of every step; makes a text, and says it, only when it is time or for the last one."""

    def __call__(self, text: Callable[[], str], last: bool = False) -> None: ...


def paced(say: Callable[[str], object] | None, seconds: float) -> Paced:
    """Waits so many seconds before it says something, and again after that; nobody listening is fine."""
    said = time.monotonic()

    def tell(text: Callable[[], str], last: bool = False) -> None:
        nonlocal said
        if say and (last or time.monotonic() - said > seconds):
            said = time.monotonic()
            say(text())

    return tell
