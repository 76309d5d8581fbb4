"""How long the random searches of the tests are: short ones always, longer ones where they are asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import settings

Thing = TypeVar("Thing")
ASKED = os.environ.get("GRIDLANG_LONG", "")
LONG = bool(ASKED)
FEW = 25  # examples of a property that sets no number itself: the usual cases and the edges, in a second or less
TIMES = 2  # A long search tries this many times as much.
if ASKED.isdecimal():
    TIMES = max(TIMES, int(ASKED))  # GRIDLANG_LONG=10 tries ten times as much.


def searching(test: Any) -> Any:
    """A test that does more with GRIDLANG_LONG set; then `-m long` selects it."""
    return pytest.mark.long(test) if LONG else test


def examples(few: int = FEW) -> int:
    """How many examples a property is tried on: a third of `few` in a short search, twice as many in a long one."""
    return few * TIMES if LONG else max(3, few // 3)


def spread(things: Sequence[Thing], few: int = FEW) -> Sequence[Thing]:
    """At most `few` of them, or more with GRIDLANG_LONG set, from the first to the last at even distances."""
    return things[:: -(-len(things) // examples(few)) or 1]


def searched(few: int, **other: Any) -> Callable[[Any], Any]:
    """A property is tried on a few examples, or on more with GRIDLANG_LONG set; `other` settings are hypothesis's."""
    return settings(max_examples=examples(few), **other)
