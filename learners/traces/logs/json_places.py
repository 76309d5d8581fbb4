"""Where a part of a JSON text stands: looked for only when something is wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from gridlang.source import Source, Span
from learners.traces.logs.observed import misread

_SPACE = re.compile(r"[\s,:]*")
_DECODER = json.JSONDecoder()


def parsed(source: Source, start: int, end: int) -> object:
    """The value of a part of a text that is JSON; GridError where it is none."""
    try:
        return json.loads(source.text[start:end], parse_constant=_no_number)
    except json.JSONDecodeError as error:
        at = min(start + error.pos, end)
        raise misread(
            f"this is no JSON: {error.msg[0].lower()}{error.msg[1:]}", Span(source, at, at)
        ) from None
    except (ValueError, RecursionError) as error:
        raise misread(f"this is no JSON: {str(error)[:80]}", Span(source, start, end)) from None


def _no_number(text: str) -> object:
    raise ValueError(f"{text} is no number")


def place_of(source: Source, start: int, path: Sequence[int | str]) -> Span:
    """The span of the value at a path, in the JSON value that begins at an offset.

    In what is no JSON, such as a Python literal, it is the rest of the line.
    """
    at = _skip(source.text, start)
    try:
        for key in path:
            at = _member(source.text, at + 1, key)
        return Span(source, at, _DECODER.raw_decode(source.text, at)[1])
    except ValueError:
        end = source.text.find("\n", start)
        return Span(source, start, end if end >= 0 else len(source.text))


def listed(source: Source) -> Iterator[tuple[int, object]]:
    """The offsets and values of the members of a text that is one JSON list; ValueError where it is none."""
    text, at = source.text, _skip(source.text, 0) + 1
    while text[(at := _skip(text, at)) : at + 1] != "]":
        value, end = _DECODER.raw_decode(text, at)
        yield at, value
        at = end
    if text[at + 1 :].strip():
        raise ValueError("there is more behind the list")


def _member(text: str, at: int, key: int | str) -> int:
    """Where a member of the list or object stands that opens right before an offset."""
    number = 0
    while True:
        at = _skip(text, at)
        name: object = number
        if isinstance(key, str):
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, at)
        if name == key:
            return at
        number, at = number + 1, _DECODER.raw_decode(text, at)[1]


def _skip(text: str, at: int) -> int:
    blank = _SPACE.match(text, at)
    return blank.end() if blank else at
