"""Results on a folded tape: where LEFT halts, all columns hold what the `output` clause wants.

What can be said of an input `a = digit+, sign, b = digit+`, digits of equal weight beside each other: (V10).
"""

from __future__ import annotations

from typing import Any

from gridlang.compiler.proofs.abstractions.grains import symbol_classes
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.reports import report
from gridlang.compiler.verifier.folds.folded_readings import FoldedReading
from gridlang.compiler.verifier.folds.folds import CONDITIONED, STANDS, Fold, fold_of
from gridlang.compiler.verifier.tables import Differs, LeavesRows, Rules, Wrong
from gridlang.table import Table


def fold_result(
    table: Table, left: Rules, reading: FoldedReading, row: int, shifts: bool
) -> tuple[dict[str, Any] | None, str]:
    """A proof, or why there is none; if it `shifts`, that is tried first."""
    reason = ""
    for shifting in (shifts, not shifts):
        part = {
            "kind": CONDITIONED if reading.compares else "folds",
            "rows": [min(row, 0), max(row, 0)],
            "row": row,
            "shifts": shifting,
            "classes": symbol_classes(table),
        }
        try:
            fold = _fold(left, part)
        except Differs as stuck:
            state, _, symbol = stuck.at
            names = table.states[state], table.symbols[symbol]
            reason = reason or "state `{}` may read `{}`, for which it has no rule".format(*names)
            continue
        except LeavesRows:
            reason = reason or "the agent goes too far above or below its input"
            continue
        except Wrong as wrong:
            reason = reason or str(wrong)
            continue
        report(fold.size)
        for stands in reversed(STANDS) if reading.sum else ("between",):
            try:
                fold.check_ends(row, stands)
            except Wrong as wrong:
                reason = reason or str(wrong).replace("LEFT", "the agent")
            else:
                return {**part, "stands": stands}, ""
    return None, reason


def _fold(left: Rules, part: dict[str, Any]) -> Fold:
    """On as few rows as the head stays in; LeavesRows if these are too many."""
    while True:
        try:
            return fold_of(left, part)
        except LeavesRows as outside:
            low, high = part["rows"]
            part["rows"] = [min(low, outside.at), max(high, outside.at)]
            if part["rows"][1] - part["rows"][0] >= LIMITS.most_strip_rows:
                raise
