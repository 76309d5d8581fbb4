"""Certificates in which one thing is another, at random."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from tests.forgeries.genuine import copied

Path = tuple[Any, ...]


def leaves(part: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(part, dict | list) and part:
        for key in part if isinstance(part, dict) else range(len(part)):
            yield from leaves(part[key], (*path, key))
    else:
        yield path


def at(data: Any, path: Path) -> Any:
    for key in path:
        data = data[key]
    return data


def edit(data: dict[str, Any], path: Path, chance: random.Random) -> dict[str, Any]:
    """A copy in which one leaf is another, or something around it is gone or stands twice."""
    edited = copied(data)
    what = chance.choice(("change", "change", "remove", "repeat"))
    depth = len(path) if what == "change" else chance.randint(1, len(path))
    *before, key = path[:depth]
    parent = at(edited, tuple(before))
    if what == "change" or not isinstance(parent, list):
        old = parent[key]
        others: list[Any] = [None, True, 0, 1, -1, 2, "", "0", "worlds", [], 0.5]
        if isinstance(old, int) and not isinstance(old, bool):
            others += [old + 1, old - 1]
        parent[key] = chance.choice([new for new in others if json.dumps(new) != json.dumps(old)])
    elif what == "remove":
        del parent[key]
    else:
        parent.insert(key, copied(parent[key]))
    return edited
