"""Notes to the user, each printed once, and progress in words, at a readable pace."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Protocol

from gridlang.printable import printable

SECONDS = 1.0  # between two reports of a long computation
_printed: set[str] = set()


def tell_once(message: str) -> None:
    if message not in _printed:
        _printed.add(message)
        print(f"note: {printable(message)}", file=sys.stderr)


class Paced(Protocol):
    """Called at every step; makes a text and passes it on when it is time, or at the last step."""

    def __call__(self, text: Callable[[], str], last: bool = False) -> None: ...


def paced(say: Callable[[str], object] | None, seconds: float) -> Paced:
    """Passes a text on at most once per `seconds`."""
    last_time = time.monotonic()

    def pass_on(text: Callable[[], str], last: bool = False) -> None:
        nonlocal last_time
        if say and (last or time.monotonic() - last_time > seconds):
            last_time = time.monotonic()
            say(text())

    return pass_on


def counting(say: Callable[[str], object] | None, what: str) -> Callable[[int], None]:
    """Reports a growing number about once a second, or at the listener's own pace."""
    report = paced(say, getattr(say, "seconds", SECONDS))
    return lambda done: report(lambda: f"{done:,} {what}")
