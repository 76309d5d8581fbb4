"""Ctrl-C and SIGTERM as requests, honoured where stopping is safe."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stop_requests() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set; a second Ctrl-C raises KeyboardInterrupt at once."""
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return

    def ask(number: int, _: object) -> None:
        if stopped.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stopped.set()

    old = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
