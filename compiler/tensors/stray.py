"""How far hidden vectors may stray from their centres before plain inference can part from snapped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

FINEST = 0.005  # extraction takes nearer vectors for one


class Stray(NamedTuple):
    """The distances from its centre within which every hidden vector decides alike.

    `decision` is about what it does there, `following` also about what it does one step later. Both are the
    least of all states and symbols, and hold on every engine.
    """

    decision: float
    following: float

    @property
    def warning(self) -> str:
        """A warning if the distances are too small for extraction to see; else empty."""
        if self.following >= FINEST:
            return ""
        return (
            f"that is less than the {FINEST} at which extraction tells vectors apart: they may hold what no "
            "run has shown, and plain inference may do otherwise than snapped inference"
        )

    def lines(self) -> Iterator[str]:
        """The distances in words, and the warning."""
        yield (
            f"hidden vectors may stray {self.decision:.2g} from their centres before a decision can flip, "
            f"{self.following:.2g} before the one after it can"
        )
        if self.warning:
            yield f"warning: {self.warning}"

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "finest": FINEST, "warning": self.warning or None}
