"""Records as JSON objects, checked when read, since the file may have been changed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from gridlang.diagnostics import GridError, fail
from gridlang.files import read_bytes

FILE_BYTES = 500_000_000  # no run leaves a larger file of JSON
Record = TypeVar("Record")
# What JSON may hold where a field has this type; types that are not listed are the caller's to check.
HELD: Mapping[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "bool": (bool,),
    "None": (type(None),),
}


def object_in(path: str) -> dict[str, Any]:
    """The object in a file of a run, empty where there is none; GridError where it is damaged."""
    if not os.path.isfile(path):
        return {}
    try:
        data = json.loads(read_bytes(path, FILE_BYTES, path))
    except (ValueError, RecursionError) as error:
        raise damaged(path, str(error)) from None
    if not isinstance(data, dict):
        raise damaged(path, "it holds no object")
    return data


def objects_in(path: str) -> list[dict[str, Any]]:
    """Those of a `.jsonl` file, if there is one; the line that is being written is left out."""
    text = read_bytes(path, FILE_BYTES, path).decode() if os.path.exists(path) else ""
    return [json.loads(line) for line in text.split("\n")[:-1]]


def damaged(path: str, reason: str = "") -> GridError:
    """The error of a file of a run that was changed, or of its folder."""
    hint = "remove it, and its part of the run is done again"
    return fail("G161", f"a file of a run cannot be read{f': {reason:.80}' if reason else ''}", hint, path)


def record_from_json(kind: type[Record], data: object, **known: Any) -> Record:
    """The dataclass whose `asdict` this was, the fields of `known` aside; ValueError for anything else."""
    if not isinstance(data, dict):
        raise ValueError(f"there is no object, but {str(data)[:40]!r}")
    values = dict(known)
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name in known:
            continue
        if field.name in data:
            values[field.name] = _checked(field.name, data[field.name], str(field.type))
        elif field.default is MISSING:
            raise ValueError(f"`{field.name}` is missing")
    return kind(**values)


def _checked(name: str, value: Any, kind: str) -> Any:
    kinds = kind.split(" | ")
    if all(each in HELD for each in kinds):
        allowed = {held for each in kinds for held in HELD[each]}
        if type(value) not in allowed:
            raise ValueError(f"`{name}` is {str(value)[:40]!r}, not {kind}")
    return value
