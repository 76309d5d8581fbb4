"""Limits of a folder with other numbers, for a test."""

from copy import copy
from typing import Any, TypeVar

L = TypeVar("L")


def limits_with(limits: L, **numbers: Any) -> L:
    """These limits, some of them changed."""
    others = copy(limits)
    vars(others).update(numbers)
    return others
