"""Readings: transducers over the columns of an input, which say what an `output` clause wants in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

NOTHING = -2  # A column where no symbol is wanted.
LEADING = -1  # A column to the left of a number, where a 0 may stand.
LARGEST = 1_000  # of the numbers in a clause; a carry or a remainder is a state each
State = Any


class Unsaid(Exception):
    """The clause cannot be said column by column, and why."""


class Reading(NamedTuple):
    """A transducer over the columns of an input; what is wanted is a symbol, LEADING or NOTHING.

    `starts` has states, each with what is wanted to the left of the input, the nearest column first; `left`
    is what is wanted beyond that.
    """

    starts: tuple[tuple[State, tuple[int, ...]], ...]
    step: Callable[[State, int, str], Iterable[tuple[State, int]]]  # state, part, symbol: next, wanted
    ended: Callable[[State], tuple[int, ...] | None]  # what is wanted after the end; None if it cannot end
    left: int
    numeric: bool
