"""Parts of a clause that their symbols tell apart, such as two numbers with a sign between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations


def separating_pattern(parts: Sequence[tuple[str, bool]]) -> re.Pattern[str] | None:
    """A pattern that splits every text of a clause; parts are given by their symbols, and whether one may be
    empty. None where a part could go on with the symbols of a later one that may come next.

    Otherwise each part ends where its symbols do, so the first way in which the pattern matches is the only
    one.
    """
    for i, j in combinations(range(len(parts)), 2):
        if all(nullable for _, nullable in parts[i + 1 : j]) and set(parts[i][0]) & set(parts[j][0]):
            return None
    return re.compile("".join(f"([{re.escape(symbols)}]*)" for symbols, _ in parts))
