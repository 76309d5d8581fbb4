"""A window that forgets nothing is refused before it takes all memory."""

from __future__ import annotations

import pytest

from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.tables import Rules, TooMuch
from gridlang.compiler.verifier.windows import Windows


def test_a_window_without_end_is_refused_by_the_cells_that_it_knows() -> None:
    forth = Rules(1, ("_", "1"), {(0, 0): (1, "R", 0), (0, 1): (1, "R", 0)}, None)
    assert len(Windows(forth, forth, 5, "unasked").elements) < 100
    with pytest.raises(TooMuch, match=f"{LIMITS.window_cells:,} known cells"):
        Windows(forth, forth, 2**62, "unasked")
