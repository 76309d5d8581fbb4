"""The examples of the playground, with their stories and exercises, and the steps of its tour."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

FIRST = "increment"  # on screen first: small enough to be understood at once
# From the simplest to the hardest; what is not named here comes behind them.
ORDER = (
    "increment", "beaver", "ant", "sort", "flood", "palindrome", "brackets", "reverse", "twice", "compare",
    "add", "add2", "add10", "subtract", "mult", "mult2", "mult10", "tag", "walks",
)  # fmt: skip


def examples(folder: Path) -> list[dict[str, Any]]:
    """Every agent in a folder, the easiest first, each with its source, its story and its exercises."""
    exercises = tomllib.loads((files("compiler.playground") / "exercises.toml").read_text(encoding="utf-8"))
    paths = {path.stem: path for path in sorted(folder.glob("*.grid"))}
    names = [name for name in ORDER if name in paths] + [name for name in paths if name not in ORDER]
    sources = {name: paths[name].read_text(encoding="utf-8") for name in names}
    return [
        {
            "name": name,
            "story": story_of(sources[name]),
            "source": sources[name],
            "exercises": exercises.get(name, []),
        }
        for name in names
    ]


def story_of(source: str) -> str:
    """The comment in a file's first line."""
    first = source.split("\n", 1)[0]
    return first.removeprefix("#").strip() if first.startswith("#") else ""


def tour() -> list[dict[str, Any]]:
    """The steps in their order; `source` is the agent as the step changes it."""
    data = tomllib.loads((files("compiler.playground") / "tour.toml").read_text(encoding="utf-8"))
    whole = data["source"].lstrip()
    return [{**step, "source": whole.replace(*step.pop("change", ("", "")))} for step in data["steps"]]
