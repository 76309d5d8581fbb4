"""The greedy choice in C is that of the definition."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gridlang.learners.traces.choosing.greedy_selection import NativeSelection, Selection
from tests.support.searches import searched


@st.composite
def rule_rows(draw: st.DrawFn) -> Any:
    """Rows of rules, padded with -1."""
    wide = draw(st.integers(1, 12))
    rows = draw(st.lists(st.lists(st.integers(0, 11), max_size=wide), min_size=1, max_size=12))
    return np.array([row + [-1] * (wide - len(row)) for row in rows], np.int32)


@searched(60)
@given(rules=rule_rows(), symbols=st.integers(1, 4), count=st.integers(0, 14), seen=st.integers(0, 3))
def test_native_choices_are_those_of_the_definition(rules: Any, symbols: int, count: int, seen: int) -> None:
    plain, native = Selection(symbols), NativeSelection(symbols)
    slow, fast = plain.shown(rules), native.shown(rules)
    assert [len(ids) for ids in slow] == [len(ids) for ids in fast]
    assert plain.spread(slow[seen:], count, slow[:seen]) == native.spread(fast[seen:], count, fast[:seen])
