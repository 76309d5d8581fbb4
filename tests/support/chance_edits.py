"""What chance makes of a certificate: one value becomes another, is gone, or stands elsewhere."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.forgeries.genuine import copied


def mutate(part: Any, chance: random.Random) -> None:
    """Changes one value inside of a part, however deep."""
    if not isinstance(part, dict | list) or not part:
        return  # It has been changed before.
    while True:
        key = chance.choice(list(part) if isinstance(part, dict) else range(len(part)))
        inner = part[key]
        if not isinstance(inner, dict | list) or not inner or chance.random() < 0.15:
            break
        part = inner
    if isinstance(part, list) and chance.random() < 0.5:
        _mutate_list(part, key, chance)
    else:
        part[key] = copied(chance.choice(list(_others(inner, part))))


def _mutate_list(part: list[Any], key: int, chance: random.Random) -> None:
    other = chance.randrange(len(part))
    what = chance.choice(("remove", "repeat", "swap", "copy"))
    if what == "remove":
        del part[key]
    elif what == "repeat":
        part.insert(other, copied(part[key]))
    elif what == "swap":
        part[key], part[other] = part[other], part[key]
    else:
        part[key] = copied(part[other])


def _others(value: Any, around: Any) -> Iterator[Any]:
    """Values that might stand in place of one."""
    yield from (None, True, False, 0, -1, [], "", {}, 2**40, 2**41, 2**62 - 1, 2**62)
    yield from around.values() if isinstance(around, dict) else around
    if isinstance(value, int):
        yield from (value + 1, value - 1, value + 1, value - 1, -value, 10**6, str(value))
    elif isinstance(value, str):
        yield from (value + value, value[:-1], value[::-1], value.upper(), f"{value} ", *ODD_CLAUSES)
    elif isinstance(value, list):
        yield from (value[1:], value[::-1], [*value, 0], [*value, []], *ODD_CLAUSES, ["?", value])


ODD_CLAUSES = (
    *(
        "01",
        "_",
        "any*",
        "+",
        "*",
        "?",
        ",",
        "|",
        "part",
        "number",
        "length",
        "count",
        "text",
        "mod",
        "if",
        "not",
    ),
    *(["+", "01"], ["*", "_"], ["?", "0"], [",", "0", "1"], ["|", "0", ["+", "1"]], ["part", 0], ["part", 1]),
    *(["number", ["part", 0]], ["+", ["number", ["part", 0]], 1], ["count", ["part", 0], "1"], ["mod", 1, 2]),
)
