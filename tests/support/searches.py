"""How long the random searches of the tests are: short ones always, long ones where they are asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

LONG = bool(os.environ.get("GRIDLANG_LONG"))


def searching(test: Any) -> Any:
    """A test that does more with GRIDLANG_LONG set; then `-m long` selects it."""
    return pytest.mark.long(test) if LONG else test


def searched(few: int, many: int, **other: Any) -> Callable[[Any], Any]:
    """A property is tried on a few examples, or on many with GRIDLANG_LONG set; `other` settings are hypothesis's."""
    return settings(max_examples=many if LONG else few, **other)
