"""`MethodChoice`: the method of a plan by its name, with its settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

DFST = "dfst"


@dataclass(frozen=True, slots=True)
class MethodChoice:
    """A method by its name, what it trains, and the settings that change its result."""

    name: str = DFST
    architecture: str = DFST  # dfst, a network's, or empty: models of another kind
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def network(self) -> bool:
        """Whether networks are trained."""
        return self.architecture not in ("", DFST)

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, **self.settings}


BY_DFST = MethodChoice()
