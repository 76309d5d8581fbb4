"""Results on a folded tape: where LEFT halts, all columns hold what the `output` clause wants.

At a halt the columns on either side of the head are a chain of grams. A number stands in one track, and is
read as on a strip (`halting_columns`): an absent column of that track is as good as a blank one, since there
the other part begins, which must be blank, with the column between. A verdict stands in the column between:
both tracks are blank, and a column to the left of both numbers knows how they compare.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from compiler.automata.explore import TooLarge
from compiler.proofs.abstractions.columns import LEFT_SIDE, RIGHT_SIDE
from compiler.proofs.abstractions.folded_tape import FoldedColumn, FoldedTape, LeftRows, MayBeStuck
from compiler.proofs.abstractions.folds import FoldAnalysis, bits, fold_evidence
from compiler.proofs.abstractions.strip_labels import symbol_classes
from compiler.proofs.limits import LIMITS
from compiler.proofs.results.folded_readings import LEFT, FoldedReading, folded_inputs
from compiler.proofs.results.halting_columns import Halt, digit_kind, wrong_label
from gridlang.table import Table

STANDS = ("first", "second")  # the tracks, as a certificate names them; a verdict stands "between"


def fold_result(
    table: Table, reading: FoldedReading, row: int, shifts: bool, progress: Callable[[int], None]
) -> tuple[dict[str, Any] | None, int, str]:
    """A proof with the number of its states, or why there is none; if it `shifts`, that is tried first."""
    reason = ""
    for shifting in (shifts, not shifts):
        try:
            analysis = _analysis(table, reading, row, shifting, progress)
        except TooLarge as outgrown:
            reason = reason or f"there were more than {outgrown.size:,} states"
            continue
        except MayBeStuck as stuck:
            symbol, state = table.symbols[stuck.symbol], table.states[stuck.state]
            reason = reason or f"`{state}` may come to `{symbol}`, on a folded tape"
            continue
        except LeftRows:
            reason = reason or "it leaves the rows of its input too far"
            continue
        wrongs = {}
        for stands in ("between",) if reading.sum is None else reversed(STANDS):
            wrongs[stands] = _wrong(analysis, reading, table, row, stands)
            if wrongs[stands] is None:
                proof = fold_evidence(analysis, row, stands, reading.orders is not None)
                return proof, analysis.size, ""
        reason = reason or next(wrong for wrong in wrongs.values() if wrong is not None)
    return None, 0, reason


def _analysis(
    table: Table, reading: FoldedReading, row: int, shifting: bool, progress: Callable[[int], None]
) -> FoldAnalysis:
    """The fixpoint on as few rows as the head stays in; LeftRows if these are too many."""
    low, high = min(row, 0), max(row, 0)
    while True:
        tape = FoldedTape(table.rows, low, high)
        shifts = (tape.blank,) if shifting else ()
        rough = _coarse(table, reading, -low)
        try:
            inputs = folded_inputs(reading, tape)
            return FoldAnalysis(tape, inputs, shifts, rough, LIMITS.most_fold_grams, progress)
        except LeftRows as outside:
            low, high = min(low, outside.row), max(high, outside.row)
            if high - low >= LIMITS.most_strip_rows:
                raise


def _coarse(table: Table, reading: FoldedReading, at: int) -> Callable[[FoldedColumn], Hashable]:
    """What neighbours know of a column: classes of its symbols, and how its digits make what is wanted.

    Of a sum that is what they leave to be added by carries: then the carry that comes into a column and the
    one that goes out of it are both known, whatever digits it has. `at` is the index of row 0.
    """
    classes, values = symbol_classes(table), {symbol: value for value, symbol in enumerate(reading.digits)}

    def rough(column: FoldedColumn) -> Hashable:
        seen = tuple(tuple(classes[s] if s >= 0 else s for s in cells) for cells in column.tracks)
        a, b = (values.get(cells[at]) for cells in column.tracks)
        zero = (a == 0, b == 0) if a is None or b is None else None
        if reading.sum is None:
            return seen, column.where, column.wanted, ((a or 0) > (b or 0)) - ((a or 0) < (b or 0))
        known = values.get(column.wanted, 0)
        rest = known - reading.sum.first * (a or 0) - reading.sum.second * (b or 0)
        return seen, column.where, min(column.wanted, 0), rest, zero

    return rough


def _wrong(analysis: FoldAnalysis, reading: FoldedReading, table: Table, row: int, stands: str) -> str | None:
    """A column that may be wrong at a halt if results stand in one place, in words; None if there is none."""
    at = row - analysis.tape.low

    def verdict_kind(control: int, label: int) -> str | None:
        """B for all columns of a verdict; None if the column may be wrong."""
        column, between = analysis.labels[label], analysis.controls[control].between
        wanted = reading.verdicts[column.wanted] if column.where == LEFT else between[at]
        text = (*between[:at], *between[at + 1 :])
        blank = not any(symbol > 0 for cells in column.tracks for symbol in cells)
        return "B" if blank and not any(text) and between[at] == wanted else None

    def number_kind(control: int, label: int) -> str | None:
        """B, D or Z as on a strip; None if the column may be wrong."""
        column, track = analysis.labels[label], STANDS.index(stands)
        cells = column.tracks[track]
        rest = (*cells[:at], *cells[at + 1 :], *column.tracks[1 - track], *analysis.controls[control].between)
        if any(symbol > 0 for symbol in rest):
            return None
        return digit_kind(max(cells[at], 0), column.wanted, reading.digits[0], True)

    halts = (
        Halt(
            label,
            control,
            [
                (side, near)
                for side in (LEFT_SIDE, RIGHT_SIDE)
                for near in bits(analysis.heads[control][side].get(label, 0))
            ],
        )
        for control, label in analysis.halting
    )
    numeric = reading.sum is not None
    wrong = wrong_label(halts, number_kind if numeric else verdict_kind, analysis.beginning, numeric)
    if wrong is None:
        return None
    shown = [
        " above ".join(table.symbols[symbol] for symbol in cells) if cells[0] >= 0 else "nothing"
        for cells in analysis.labels[wrong].tracks
    ]
    return f"it may halt with {shown[0]} for a digit of one number and {shown[1]} for that of the other"
