"""Results on a folded tape: where LEFT halts, all columns hold what the `output` clause wants.

What can be said of an input `a = digit+, sign, b = digit+`, digits of equal weight beside each other: (F1)
and (F2) in `compiler/verifier/folds/folded_readings`. A number stands in one track, and is read as on a strip
(`strip_results`); a verdict stands in the column between. What must be blank then: (V10) (e).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from gridlang.compiler.automata.explore import TooLarge
from gridlang.compiler.proofs.abstractions.columns import LEFT_SIDE, RIGHT_SIDE
from gridlang.compiler.proofs.abstractions.folded_tape import FoldedTape, LeftRows, MayBeStuck
from gridlang.compiler.proofs.abstractions.folds import (
    Beside,
    FoldAnalysis,
    FoldedInputs,
    bits,
    fold_evidence,
)
from gridlang.compiler.proofs.abstractions.strip_labels import symbol_classes
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.proofs.results.strip_results import Halt, kind_held, wrong_label
from gridlang.compiler.verifier.folds.folded_readings import FoldedReading, Line, lines
from gridlang.compiler.verifier.folds.folded_tape import Cells
from gridlang.compiler.verifier.tables import Rules
from gridlang.table import Table

RIGHT, LEFT = 0, 3  # right of both numbers, left of both


def folded_inputs(reading: FoldedReading, tape: FoldedTape) -> FoldedInputs:
    """The grams of all inputs, with the head on the first digit of the first number."""
    onward = lines(reading, tape)
    right_of: dict[Line, dict[Cells, None]] = {line: {} for line in onward}
    for columns in onward.values():
        for column, later in columns:
            right_of[later][column] = None
    rights = {line: tuple(columns) for line, columns in right_of.items()}
    blanks = {
        line: tuple(left for left, _ in columns if tape.first_track(left) == tape.blank)
        for line, columns in onward.items()
    }
    heads: list[tuple[int, Cells, Beside]] = []
    others: list[tuple[int, Cells, Beside]] = []
    for line, columns in onward.items():
        for column, later in columns:
            if tape.first_track(column) == tape.blank:
                others.append((LEFT_SIDE, column, blanks[later]))
                continue
            others.append((RIGHT_SIDE, column, rights[line]))
            if column[-1] != RIGHT and blanks[later]:
                heads += ((RIGHT_SIDE, column, rights[line]), (LEFT_SIDE, column, blanks[later]))
    between = tuple(tape.on_row_0(sign) for sign in reading.signs)
    return FoldedInputs(between, tuple(heads), tuple(others))


STANDS = ("first", "second")  # the tracks, as a certificate names them; a verdict stands "between"


def fold_result(
    table: Table, left: Rules, reading: FoldedReading, row: int, shifts: bool
) -> tuple[dict[str, Any] | None, int, str]:
    """A proof with the number of its states, or why there is none; if it `shifts`, that is tried first."""
    reason = ""
    for shifting in (shifts, not shifts):
        try:
            analysis = _analysis(table, left, reading, row, shifting)
        except TooLarge as outgrown:
            reason = reason or f"more than {outgrown.size:,} states would have to be told apart"
            continue
        except MayBeStuck as stuck:
            symbol, state = table.symbols[stuck.symbol], table.states[stuck.state]
            reason = reason or f"state `{state}` may read `{symbol}`, for which it has no rule"
            continue
        except LeftRows:
            reason = reason or "the agent goes too far above or below its input"
            continue
        wrongs = {}
        for stands in ("between",) if reading.sum is None else reversed(STANDS):
            wrongs[stands] = _wrong(analysis, reading, table, row, stands)
            if wrongs[stands] is None:
                proof = fold_evidence(analysis, row, stands, reading.compares)
                return proof, analysis.size, ""
        reason = reason or next(wrong for wrong in wrongs.values() if wrong is not None)
    return None, 0, reason


def _analysis(table: Table, left: Rules, reading: FoldedReading, row: int, shifting: bool) -> FoldAnalysis:
    """The fixpoint on as few rows as the head stays in; LeftRows if these are too many."""
    low, high = min(row, 0), max(row, 0)
    while True:
        shifts = {(0,) * (high - low + 1)} if shifting else set[Cells]()
        tape = FoldedTape(left, low, high, shifts)
        try:
            rough = _coarse(table, reading, tape)
            return FoldAnalysis(tape, folded_inputs(reading, tape), rough, LIMITS.most_fold_grams)
        except LeftRows as outside:
            low, high = min(low, outside.row), max(high, outside.row)
            if high - low >= LIMITS.most_strip_rows:
                raise


def _coarse(table: Table, reading: FoldedReading, tape: FoldedTape) -> Callable[[Cells], Hashable]:
    """What neighbours know of a column: classes of its symbols, and how its digits make what is wanted.

    Of a sum that is what they leave to be added by carries: then the carry that comes into a column and the
    one that goes out of it are both known, whatever digits it has.
    """
    classes, values = symbol_classes(table), {symbol: value for value, symbol in enumerate(reading.digits)}
    at, other = -tape.low, tape.height - tape.low  # row 0 in both tracks

    def rough(column: Cells) -> Hashable:
        *cells, wanted, where = column
        seen = tuple(classes[s] if s >= 0 else s for s in cells)
        a, b = values.get(cells[at]), values.get(cells[other])
        zero = (a == 0, b == 0) if a is None or b is None else None
        if reading.sum is None:
            return seen, where, wanted, ((a or 0) > (b or 0)) - ((a or 0) < (b or 0))
        rest = values.get(wanted, 0) - reading.sum[0] * (a or 0) - reading.sum[1] * (b or 0)
        return seen, where, min(wanted, 0), rest, zero

    return rough


def _wrong(analysis: FoldAnalysis, reading: FoldedReading, table: Table, row: int, stands: str) -> str | None:
    """A column that may be wrong at a halt if results stand in one place, in words; None if there is none."""
    at, height = row - analysis.tape.low, analysis.tape.height

    def verdict_kind(control: int, label: int) -> str | None:
        """B for all columns of a verdict; None if the column may be wrong."""
        *cells, wanted, where = analysis.labels[label]
        between = [*analysis.controls[control][3:]]
        told = between.pop(at)
        right = where != LEFT or told == reading.verdicts[wanted]
        return "B" if right and not any(symbol > 0 for symbol in (*cells, *between)) else None

    def number_kind(control: int, label: int) -> str | None:
        *cells, wanted, _ = analysis.labels[label]
        cell = cells.pop(at + height * STANDS.index(stands))
        if any(symbol > 0 for symbol in (*cells, *analysis.controls[control][3:])):
            return None
        return kind_held(max(cell, 0), wanted, reading.digits[0])

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
    column = analysis.labels[wrong]
    shown = [
        " above ".join(table.symbols[symbol] for symbol in cells) if cells[0] >= 0 else "nothing"
        for cells in (column[:height], column[height:-2])
    ]
    return f"the agent may halt with {shown[0]} for a digit of one number, {shown[1]} for the other's"
