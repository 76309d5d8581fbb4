"""The part of `verify` that checks results: where LEFT halts, the world holds what its output clause says.

The strip is that of (V8), on inputs, and its places tell what is *wanted* in their columns, by the reading of
the output clause (`readings`): a symbol, -1 to the left of a number, -2 for nothing.

(V9) Theorem, results. Let LEFT and RIGHT be the same table. Let the conditions of (V8) hold, and
       (a) let the row of each declared input be a path of places on which is wanted what the output clause
           says of it: (V7);
       (b) at each element in which LEFT halts, and for each chain of grams to its left and to its right that
           begins with what the element knows, let every column hold what is wanted: all cells blank but the
           one in the row of the result, and that one blank for -2 (B); the symbol, or 0 for -1 (D); or blank
           for -1, or where a 0 of a number is wanted (Z). The columns of a number must be Z … Z D … D B … B
           from left to right, with a D.
     Then, on every declared input, if LEFT halts, the result is what the clause says: in the row of the
     result stand the wanted symbols, for a number perhaps with zeros before it or without zeros at its
     beginning, and nothing else in the world.
     The places of (a) label the columns of the first world, and no step changes a place; by (V8) an element
     stands for the world at the halt with these places, so its columns are such chains: each is a gram of the
     kind of LEFT's state, and begins as the one nearer to the head goes on. Outside of the strip all is
     blank.

A run that has left the strip in a descent may halt there: so there must be no descents.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gridlang.compiler.verifier.clauses.readings import check_chains, held, reading_of
from gridlang.compiler.verifier.limits import LIMITS
from gridlang.compiler.verifier.places import Places, check_no_blank
from gridlang.compiler.verifier.strips import STRIP_PARTS, Strip, Word, clause_of, read_grain
from gridlang.compiler.verifier.tables import Rules, check

RESULT_PARTS = {*STRIP_PARTS, "row", "anchor"}


def results_strip(left: Rules, part: dict[str, Any], limit: int = LIMITS.elements) -> Strip:
    """The strip, where all that is wanted stands in it at each halt."""
    check(left.output is not None, "claim", "there is no output clause")
    grain, row = read_grain(left, part, "evidence"), part["row"]
    in_it = type(row) is int and grain.low <= row <= grain.high
    check(in_it, "evidence, result", "its row is not of the strip")
    clause = clause_of(left, grain)
    check_no_blank(clause)
    reading = reading_of(left, clause, _anchor(part["anchor"]))
    places = Places(left, clause, reading, grain.ahead, agree=True)
    strip = Strip(left, left, grain, places, "never", limit)
    check(not strip.descents, "evidence, descents", "there must be none where results are claimed")

    def column(_: int, label: int) -> str:
        cells, place, _ = strip.labels[label]
        others = [cell for y, cell in zip(strip.rows, cells, strict=True) if y != row]
        check(not any(others), "evidence", "LEFT may halt where more stands than a result")
        return held(cells[row - grain.low], places.told[place], reading.zero)

    def ends() -> Iterator[tuple[int, int, list[tuple[int, Word]]]]:
        for element in strip.elements:
            if any(strip.halts(element[0], symbol) for symbol in strip.reads(element)):
                yield grain.kinds[element[0]], element[4], [(-1, element[3]), (1, element[5])]

    check_chains(ends(), column, lambda kind, side, word: strip.beyond(side, kind, word), reading.zero)
    return strip


def _anchor(anchor: Any) -> tuple[str, int] | None:
    """Where a text stands: columns from the first one of the input, or from the first one after it."""
    if anchor is None:
        return None
    side, offset = anchor
    known = side in ("start", "end") and type(offset) is int and abs(offset) <= LIMITS.anchor
    check(known, "evidence, result", "it does not say where the text stands")
    return side, offset
