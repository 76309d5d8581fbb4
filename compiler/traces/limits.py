"""How much of a file of traces is read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    most_bytes: int = 2_000_000_000  # a checkpoint, or any other archive of a run
    most_unpacked: int = 250_000_000  # bytes: 40 million steps; checked, they fit into a gigabyte
    most_text: int = 20_000_000  # bytes: parsed JSON takes up to thirty times as many
    unpacked_at_once: int = 1 << 20  # bytes


LIMITS = Limits()
