"""Results on a strip: what stands in all columns when LEFT halts is what its `output` clause wants.

A label tells the place of a column, and so what is wanted there. At a halt, the columns on either side of the
head are those of a chain of grams, each of which begins as the one before it goes on. So it is enough that
every label which such a chain can have is right, and stands beside its neighbour as it may.

A column is right if all its cells are blank but the one in the row of the result, and that one
  (B) is blank, where nothing is wanted;
  (D) holds the symbol that is wanted, or a 0 to the left of a number;
  (Z) is blank, to the left of a number or where a 0 is wanted in one.
From left to right, the columns of a number must be Z … Z D … D B … B, with a D at least: no Z or D after a B,
no Z after a D, and no B after a Z. Then the digits read the number, perhaps with zeros before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from compiler.proofs.abstractions.initial_worlds import ExpectedColumns
from compiler.proofs.abstractions.strips import LEFT_SIDE, RIGHT_SIDE, Gram, StripAnalysis, StripProof
from compiler.proofs.results.readings import LEADING, NOTHING

ORDERED = {("Z", "Z"), ("Z", "D"), ("D", "D"), ("D", "B"), ("B", "B")}


class ResultProof(NamedTuple):
    """Why an agent leaves what its output clause says: a strip, what is wanted in it, and the row of that."""

    strip: StripProof
    expected: ExpectedColumns
    row: int


def wrong_result(analysis: StripAnalysis, row: int) -> str | None:
    """Where a result may be wrong, in words; None if it never is. The results stand in a row of the strip."""
    expected = analysis.expected
    assert expected is not None
    zero = analysis.left.symbols.index("0") if "0" in analysis.left.symbols else None

    @cache
    def kind_of(label: int) -> str | None:
        return _column_kind(analysis, expected, label, row, zero)

    def beside(side: int, near: str, far: str) -> bool:
        pair = (far, near) if side == LEFT_SIDE else (near, far)
        return not expected.numeric or pair in ORDERED

    seen: set[tuple[int, int, Gram, str]] = set()
    for p, _, _, left, label, right in analysis.halting:
        here = kind_of(label)
        if here is None:
            return _words(analysis, label)
        work = [
            (LEFT_SIDE, analysis.detail.kinds[p], left, here),
            (RIGHT_SIDE, analysis.detail.kinds[p], right, here),
        ]
        while work:
            chain = work.pop()
            if chain in seen:
                continue
            seen.add(chain)
            side, kind, near, before = chain
            for x, *beyond in _grams_like(analysis, side, kind, near):
                there = kind_of(x)
                if there is None or not beside(side, before, there):
                    return _words(analysis, x)
                work.append((side, kind, tuple(beyond), there))
    return None


def _grams_like(analysis: StripAnalysis, side: int, kind: int, near: Gram) -> Iterator[Gram]:
    """The grams that begin with coarse numbers that are known."""
    for label, last in analysis.grams[side][kind].get(near, ()):
        yield (label, *near[1:], last)


def _column_kind(
    analysis: StripAnalysis, expected: ExpectedColumns, label: int, row: int, zero: int | None
) -> str | None:
    """B, D or Z; None if the column may be wrong."""
    cells, place, _ = analysis.labels.labels[label]
    at = row - analysis.rows[0]
    if any(cell != 0 for index, cell in enumerate(cells) if index != at):
        return None
    wanted = expected.expects[place] if place >= 0 else expected.expects_before[-1 - place]
    cell = cells[at]
    if wanted == NOTHING:
        return "B" if cell == 0 else None
    if wanted == LEADING:
        return "Z" if cell == 0 else "D" if cell == zero else None
    if cell == wanted:
        return "D"
    return "Z" if expected.numeric and cell == 0 and wanted == zero else None


def _words(analysis: StripAnalysis, label: int) -> str:
    """A column that may be wrong."""
    symbols = analysis.left.symbols
    cells = analysis.labels.labels[label][0]
    shown = [symbols[cell] if cell >= 0 else "one of several symbols" for cell in cells]
    return f"it may halt with {' above '.join(shown)} in a column where something else is wanted"
