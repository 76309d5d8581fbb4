"""How large a model may be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    weights: int = 50_000_000  # 200 MB; the paper's largest model has 160,000

    @property
    def file_bytes(self) -> int:
        """Bytes of a file; one of doubles holds no more of them."""
        return 8 * self.weights


LIMITS = Limits()
