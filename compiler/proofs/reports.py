"""Who is told how far a proof or a search has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[int], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def telling(listener: Listener | None) -> Iterator[None]:
    """While this lasts, `report` tells a listener; without one, whoever was told before."""
    token = _listener.set(listener or _listener.get())
    try:
        yield
    finally:
        _listener.reset(token)


def report(count: int) -> None:
    """Tells how many steps or abstract states there are by now."""
    listener = _listener.get()
    if listener is not None:
        listener(count)
