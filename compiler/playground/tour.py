"""The tour of the playground: its steps, each with the source that it puts into the editor."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def tour() -> list[dict[str, Any]]:
    """The steps in their order; `source` is the agent as the step changes it."""
    data = tomllib.loads((files("compiler.playground") / "tour.toml").read_text(encoding="utf-8"))
    whole = data["source"].lstrip()
    return [{**step, "source": whole.replace(*step.pop("change", ("", "")))} for step in data["steps"]]
