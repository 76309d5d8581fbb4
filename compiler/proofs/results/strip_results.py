"""Results on a strip: a label tells the place of a column, and so what is wanted there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from compiler.proofs.abstractions.columns import LEFT_SIDE, RIGHT_SIDE
from compiler.proofs.abstractions.strips import Gram, StripAnalysis, strip_evidence
from compiler.proofs.results.halting_columns import Halt, digit_kind, wrong_label


def result_evidence(analysis: StripAnalysis, row: int) -> dict[str, Any]:
    """Why an agent leaves what its output clause says: a strip, what is wanted in it, and the row of that."""
    expected = analysis.expected
    assert expected is not None
    result = {
        "row": row,
        "anchor": ["end" if expected.anchor.end else "start", expected.anchor.offset],
        "before": expected.before,
        "beside": expected.beside,
        "expects": expected.expects,
        "expects_before": expected.expects_before,
    }
    return {**strip_evidence(analysis), "kind": "results", "result": result}


def wrong_result(analysis: StripAnalysis, row: int) -> str | None:
    """Where a result may be wrong, in words; None if it never is. The results stand in a row of the strip."""
    expected, symbols = analysis.expected, analysis.left.symbols
    assert expected is not None
    zero, at = symbols.index("0") if "0" in symbols else None, row - analysis.rows[0]

    @cache
    def kind_of(_: int, label: int) -> str | None:
        cells, place, _ = analysis.labels.labels[label]
        if any(cell != 0 for index, cell in enumerate(cells) if index != at):
            return None
        wanted = expected.expects[place] if place >= 0 else expected.expects_before[-1 - place]
        return digit_kind(cells[at], wanted, zero, expected.numeric)

    def grams(kind: int, side: int, near: Gram) -> Iterator[tuple[int, Gram]]:
        for label, last in analysis.grams[side][kind].get(near, ()):
            yield label, (*near[1:], last)

    kinds = analysis.detail.kinds
    halts = (
        Halt(label, kinds[p], ((LEFT_SIDE, left), (RIGHT_SIDE, right)))
        for p, _, _, left, label, right in analysis.halting
    )
    wrong = wrong_label(halts, kind_of, grams, expected.numeric)
    if wrong is None:
        return None
    cells = analysis.labels.labels[wrong][0]
    shown = [symbols[cell] if cell >= 0 else "one of several symbols" for cell in cells]
    return f"it may halt with {' above '.join(shown)} in a column where something else is wanted"
