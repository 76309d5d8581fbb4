"""Results on a strip: a label tells the place of a column, and so what is wanted there.

What stands in all columns when LEFT halts: is it what the `output` clause wants? (V9) (b) in
`compiler/verifier/results` says which columns are right, B, D or Z, and how they may stand beside each other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from gridlang.compiler.proofs.abstractions.columns import LEFT_SIDE, RIGHT_SIDE
from gridlang.compiler.proofs.abstractions.strips import Gram, StripAnalysis, strip_evidence
from gridlang.compiler.verifier.clauses.readings import ORDERED, held
from gridlang.compiler.verifier.tables import Wrong


def kind_held(cell: int, wanted: int, zero: int | None) -> str | None:
    """B, D or Z for the cell in the row of a result; None if it may be wrong."""
    try:
        return held(cell, wanted, zero)
    except Wrong:
        return None


class Halt(NamedTuple):
    """The label under the head, what LEFT is in, and the sides on which chains begin."""

    label: int
    control: int
    chains: Iterable[tuple[int, Hashable]]


def wrong_label(
    halts: Iterable[Halt],
    kind_of: Callable[[int, int], str | None],
    grams: Callable[[int, int, Any], Iterable[tuple[int, Hashable]]],
    numeric: bool,
) -> int | None:
    """A label that may be wrong at a halt; None if there is none.

    `kind_of` a control and a label is B, D or Z; `grams` of a control and a side are labels that may be next
    in a chain, each with what is known of the one after it.
    """
    seen: set[tuple[int, int, Hashable, str]] = set()
    for label, control, chains in halts:
        here = kind_of(control, label)
        if here is None:
            return label
        work = [(control, side, near, here) for side, near in chains]
        while work:
            chain = work.pop()
            if chain in seen:
                continue
            seen.add(chain)
            _, side, near, before = chain
            for x, beyond in grams(control, side, near):
                there = kind_of(control, x)
                if there is None or (
                    numeric and (there + before if side == LEFT_SIDE else before + there) not in ORDERED
                ):
                    return x
                work.append((control, side, beyond, there))
    return None


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
    at = row - analysis.rows[0]

    @cache
    def kind_of(_: int, label: int) -> str | None:
        cells, place, _ = analysis.labels.labels[label]
        if any(cell != 0 for index, cell in enumerate(cells) if index != at):
            return None
        wanted = expected.expects[place] if place >= 0 else expected.expects_before[-1 - place]
        return kind_held(cells[at], wanted, expected.zero)

    def grams(kind: int, side: int, near: Gram) -> Iterator[tuple[int, Gram]]:
        for label, last in analysis.grams[side][kind].get(near, ()):
            yield label, (*near[1:], last)

    kinds = analysis.detail.kinds
    halts = (
        Halt(label, kinds[p], ((LEFT_SIDE, left), (RIGHT_SIDE, right)))
        for p, _, _, left, label, right in analysis.halting
    )
    wrong = wrong_label(halts, kind_of, grams, expected.zero is not None)
    if wrong is None:
        return None
    cells = analysis.labels.labels[wrong][0]
    shown = [symbols[cell] if cell >= 0 else "one of several symbols" for cell in cells]
    return f"the agent may halt with {' above '.join(shown)} in a column where something else is wanted"
