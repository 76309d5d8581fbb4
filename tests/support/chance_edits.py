"""What chance makes of a file: bytes, words, and values in JSON become others, are gone, or stand elsewhere."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from tests.forgeries.edits import signed
from tests.forgeries.genuine import copied

# Bytes that mean something to some reader: ends of texts and lines, quotes, brackets, signs of numbers, no UTF-8.
TELLING = b"\0\x01\x1b\n\r\t \"#'(){}[],:-+*0129Nn_\x7f\x80\xc3\xff"
GONE = object()
STRANGE: tuple[Any, ...] = (
    *(GONE, GONE, GONE, GONE, 1, 2, 2**31, 2**63, 10**400, 0.5, -0.0, 1e308, float("nan"), float("-inf")),
    *(" ", "x", "_", "0", "-1", "1e999", "NaN", "\0", "\n", "\x1b[2J\x1b[1mvalid", "\u202e", "\ud800", "é"),
    *("../../x", "/etc/passwd", "x" * 10_000, [[]], [None], {"": None}, ["_", "_"], [0] * 1_000),
)
WORDS = [
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
]
ODD_CLAUSES: tuple[Any, ...] = (
    *(*WORDS, ["+", "01"], ["*", "_"], ["?", "0"], [",", "0", "1"], ["|", "0", ["+", "1"]], ["part", 0]),
    *(["part", 1], ["number", ["part", 0]], ["+", ["number", ["part", 0]], 1], ["count", ["part", 0], "1"]),
    ["mod", 1, 2],
)


def changed_bytes(data: bytes, chance: random.Random) -> bytes:
    """One to four changes: bits, bytes and pieces that are lost, doubled, moved or put in."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        at = chance.randrange(len(data) + 1)
        before, piece, after = data[:at], data[at : (end := at + chance.choice((1, 1, 2, 8)))], data[end:]
        flipped = bytes(byte ^ (1 << chance.randrange(8)) for byte in piece)
        new = bytes(chance.choice(TELLING) for _ in piece)
        insides = (b"", flipped, new, new + piece, piece * chance.choice((2, 3, 100)))
        data = chance.choice((before, *(before + inside + after for inside in insides)))
    return data


def changed_text(text: str, others: str, chance: random.Random) -> str:
    """One to four changes of tokens and lines; what is put in comes from `others`."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        pieces = re.compile(r"[^\n]*\n" if chance.random() < 0.3 else r"\w+|[^\w\s]|\s+")
        parts, pool = pieces.findall(text) or [text], pieces.findall(others) or [others]
        at, inside = (
            chance.randrange(len(parts)),
            chance.choice(("", chance.choice(parts), chance.choice(pool))),
        )
        parts[at : at + chance.randrange(2)] = [inside]
        text = "".join(parts)
    return text


def changed_json(value: Any, chance: random.Random) -> Any:
    """The value with some of its parts lost, doubled, swapped or strange; the value given is left alone."""
    around = {"": copied(value)}
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        mutate(around, chance, STRANGE)
    return around.get("")


def mutate(part: Any, chance: random.Random, strange: Sequence[Any] = ()) -> None:
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
        return
    instead = chance.choice(list(_others(inner, part, strange)))
    if instead is GONE:
        del part[key]
    else:
        part[key] = copied(instead)


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


def _others(value: Any, around: Any, strange: Sequence[Any]) -> Iterator[Any]:
    """Values that might stand in place of one."""
    yield from (None, True, False, 0, -1, [], "", {}, 2**40, 2**41, 2**62 - 1, 2**62, *strange)
    yield from around.values() if isinstance(around, dict) else around
    if isinstance(value, int):
        yield from (value + 1, value - 1, value + 1, value - 1, -value, 10**6, str(value))
    elif isinstance(value, str):
        yield from (value + value, value[:-1], value[::-1], value.upper(), f"{value} ", *ODD_CLAUSES)
    elif isinstance(value, list):
        yield from (value[1:], value[::-1], [*value, 0], [*value, []], *ODD_CLAUSES, ["?", value])


def mutant(data: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """A certificate with other values, some of them gone, or standing elsewhere; counts and digests are made to fit."""
    data = copied(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        part = chance.choice(("evidence", "evidence", "evidence", "claim", "left", "right", "tables"))
        if part == "tables":
            seed = chance.random()
            for side in ("left", "right"):
                mutate(data[side].get("table"), random.Random(seed))
        else:
            mutate(data[part], chance)
    return signed(data)
