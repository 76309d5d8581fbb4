"""Small changes to bytes, texts and JSON, as a careless or a hostile hand makes them."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

# Bytes that mean something to some reader: ends of texts and lines, quotes, brackets, signs of numbers, no UTF-8.
TELLING = b"\0\x01\x1b\n\r\t \"#'(){}[],:-+*0129Nn_\x7f\x80\xc3\xff"
STRANGE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 2**31, 2**63, -(2**63) - 1, 10**400, 0.5, -0.0, 1e308),
    *(float("nan"), float("inf"), float("-inf"), "", " ", "x", "_", "0", "-1", "1e999", "NaN"),
    *("\0", "\n", "\x1b[2J\x1b[1mvalid", "\u202e", "\ud800", "../../x", "/etc/passwd", "é", "x" * 10_000),
    *([], {}, [[]], [None], {"": None}, ["_", "_"], [0] * 1_000),
)


def changed_bytes(data: bytes, random: Random) -> bytes:
    """One to four changes: bits, bytes and pieces that are lost, doubled, moved or put in."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        data = _changed_once(data, random)
    return data


def _changed_once(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    end = min(len(data), at + random.choice((1, 1, 2, 8, 64)))
    before, piece, after = data[:at], data[at:end], data[end:]
    flipped = bytes(byte ^ (1 << random.randrange(8)) for byte in piece)
    new = bytes(random.choice(TELLING) for _ in piece)
    doubled = piece * random.choice((2, 3, 100))
    return random.choice(
        (before, before + after, *(before + each + after for each in (flipped, new, new + piece, doubled)))
    )


def changed_text(text: str, others: str, random: Random) -> str:
    """One to four changes of tokens and lines; what is put in comes from `others`."""
    for _ in range(random.choice((1, 1, 2, 4))):
        by_line = random.random() < 0.3
        parts = text.splitlines(keepends=True) if by_line else tokens(text)
        pool = others.splitlines(keepends=True) if by_line else tokens(others)
        if not parts:
            return random.choice(pool)
        at, other = random.randrange(len(parts)), random.randrange(len(parts))
        change = random.randrange(5)
        if change == 0:
            del parts[at]
        elif change == 1:
            parts.insert(at, parts[other])
        elif change == 2:
            parts[at], parts[other] = parts[other], parts[at]
        else:
            parts[at : at + (change == 3)] = [random.choice(pool)]
        text = "".join(parts)
    return text


def tokens(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]|\s+", text)


def changed_json(value: Any, random: Random) -> Any:
    """The value with some of its parts lost, doubled, swapped or strange; the value given is left alone."""
    value = json.loads(json.dumps(value))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        value = _changed_somewhere(value, random)
    return value


def _changed_somewhere(value: Any, random: Random) -> Any:
    if not isinstance(value, dict | list) or not value or random.random() < 0.02:
        return _instead(value, random)
    place = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
    if random.random() < 0.5 and isinstance(value[place], dict | list) and value[place]:
        value[place] = _changed_somewhere(value[place], random)
        return value
    change = random.randrange(4)
    if change == 0:
        del value[place]
    elif change == 1 and isinstance(value, list):
        value.insert(random.randrange(len(value) + 1), value[place])
    elif change == 1:
        value[str(random.choice(("extra", "", "\0", f"{place} ")))] = value[place]
    else:
        value[place] = _instead(value[place], random)
    return value


def _instead(value: Any, random: Random) -> Any:
    """Something near a value, or something else altogether."""
    if isinstance(value, bool) or random.random() < 0.4:
        return random.choice(STRANGE)
    if isinstance(value, int):
        return value + random.choice((-1, 1, 1, 2, 10, -value, 2**40))
    if isinstance(value, float):
        return value * random.choice((-1, 0.5, 1e300, 0))
    if isinstance(value, str):
        return changed_text(value, "a 1 + ( ' \0 \x1b", random) if value else "x"
    return random.choice(STRANGE)
