"""What leads to an end, for the parts of `verify` that leave out what no input comes through."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def leading_to(ends: Iterable[T], steps: Mapping[T, Iterable[T]]) -> set[T]:
    """The ends, and all from which some of them is come to."""
    before: dict[T, list[T]] = {}
    for here, afters in steps.items():
        for after in afters:
            before.setdefault(after, []).append(here)
    work = list(ends)
    live = set(work)
    for after in work:
        new = set(before.get(after, ())) - live
        live |= new
        work += new
    return live
