"""Records as JSON objects, checked when read, since the file may have been changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

Record = TypeVar("Record")
# What JSON may hold where a field has this type; types that are not listed are the caller's to check.
HELD: Mapping[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "bool": (bool,),
    "None": (type(None),),
}


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
