"""Notes to the user, each said once; and progress in words, at a readable pace."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Protocol

from gridlang.printable import printable

SECONDS = 1.0  # between two words about a long computation
_told: set[str] = set()


def tell_once(message: str) -> None:
    if message not in _told:
        _told.add(message)
        print(f"note: {printable(message)}", file=sys.stderr)


class Paced(Protocol):
    """Called at every step; makes and says a text only when it is time, or for the last step."""

    def __call__(self, text: Callable[[], str], last: bool = False) -> None: ...


def paced(say: Callable[[str], object] | None, seconds: float) -> Paced:
    """Speaks after the given seconds, and at most that often; without a listener, never."""
    said = time.monotonic()

    def tell(text: Callable[[], str], last: bool = False) -> None:
        nonlocal said
        if say and (last or time.monotonic() - said > seconds):
            said = time.monotonic()
            say(text())

    return tell


def counting(say: Callable[[str], object] | None, what: str) -> Callable[[int], None]:
    """Tells a growing number in words, about once a second, or at the listener's own pace."""
    tell = paced(say, getattr(say, "seconds", SECONDS))
    return lambda done: tell(lambda: f"{done:,} {what}")
