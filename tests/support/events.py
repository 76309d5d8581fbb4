"""Listening to a run of `learn`: only to the events of one kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gridlang.learners.learning.settings import Event, OnEvent


def on(kind: type, listener: Callable[[Any], object]) -> OnEvent:
    def told(event: Event) -> None:
        if isinstance(event, kind):
            listener(event)

    return told
