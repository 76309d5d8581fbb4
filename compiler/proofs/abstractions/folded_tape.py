"""The folded tape: two numbers and what stands between them, their digits of equal weight in one column.

What its tracks and phases are, and why nothing is lost: `compiler/verifier/folds/folded_tape`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from gridlang.table import DELTAS, Row

Cells = tuple[int, ...]  # of a column of the strip, from the top row down
ABSENT = -1  # in all cells of a track that has no column there
FIRST, SECOND, BETWEEN = 0, 1, 2  # The head is in a track, or in the column between.
TO_FIRST, TO_SECOND, PUT_DOWN, PICK_UP = 3, 5, 7, 9  # Each walk has two legs, there and back to the end.


class Leg(NamedTuple):
    """The folded head walks while a track is there, or is absent; then it takes a step in another phase."""

    track: int
    there: bool
    walk: int
    next: int
    step: int


# From wherever the folded head is, the first leg leads past the end of the part, and the second back to it.
LEGS = {
    TO_FIRST: Leg(0, True, 1, TO_FIRST + 1, -1),
    TO_FIRST + 1: Leg(0, False, -1, FIRST, 0),
    TO_SECOND: Leg(1, True, -1, TO_SECOND + 1, 1),
    TO_SECOND + 1: Leg(1, False, 1, SECOND, 0),
    PUT_DOWN: Leg(1, False, 1, PUT_DOWN + 1, -1),
    PUT_DOWN + 1: Leg(1, True, -1, PICK_UP, 0),
    PICK_UP: Leg(0, True, 1, PICK_UP + 1, -1),
    PICK_UP + 1: Leg(0, False, -1, BETWEEN, 0),
}


class Control(NamedTuple):
    """LEFT's state, what the folded head is about, LEFT's row, and the column between the parts."""

    state: int
    phase: int
    row: int
    between: Cells


class FoldedColumn(NamedTuple):
    """Both tracks, and what never changes: what is wanted, and where in the input it lies."""

    tracks: tuple[Cells, Cells]
    wanted: int
    where: int


class LeftRows(Exception):
    """The head may come to a row outside of the strip."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class MayBeStuck(Exception):
    """LEFT may come to a symbol that it has no rule for."""

    def __init__(self, state: int, symbol: int) -> None:
        super().__init__(state, symbol)
        self.state, self.symbol = state, symbol


Step = tuple[Control, FoldedColumn, int]  # both after it, and where the folded head goes


class FoldedTape:
    """LEFT on a folded tape; `shifts` are the columns between with which the fold moves to the left."""

    def __init__(self, rows: tuple[Row, ...], low: int, high: int) -> None:
        self.rows, self.low, self.high = rows, low, high
        self.blank, self.absent = (0,) * (high - low + 1), (ABSENT,) * (high - low + 1)

    def on_row_0(self, symbol: int) -> Cells:
        return self._written(self.blank, 0, symbol)

    def step(self, control: Control, column: FoldedColumn, shifts: Collection[Cells]) -> Step | None:
        """One step; None where LEFT halts. LeftRows or MayBeStuck where it cannot be made."""
        if control.phase in LEGS:
            return self._walk(control, column, LEGS[control.phase])
        if control.phase == BETWEEN:
            return self._between(control, column, shifts)
        cells = column.tracks[control.phase]
        if cells == self.absent:
            return Control(control.state, BETWEEN, control.row, control.between), column, 0
        acted = self._act(control.state, control.row, cells)
        if acted is None:
            return None
        state, row, cells, dx = acted
        after = Control(state, control.phase, row, control.between)
        return after, _with_track(column, control.phase, cells), dx

    def _act(self, state: int, row: int, cells: Cells) -> tuple[int, int, Cells, int] | None:
        """What LEFT does in a column of the strip: its state, its row, the column, and where it goes."""
        symbol = cells[row - self.low]
        entry = self.rows[state][symbol]
        if entry is None:
            raise MayBeStuck(state, symbol)
        if entry.is_idle(symbol):
            return None
        dx, dy = DELTAS[entry.move]
        if not self.low <= row + dy <= self.high:
            raise LeftRows(row + dy)
        return entry.next, row + dy, self._written(cells, row, entry.write), dx

    def _between(self, control: Control, column: FoldedColumn, shifts: Collection[Cells]) -> Step | None:
        acted = self._act(control.state, control.row, control.between)
        if acted is None:
            return None
        state, row, cells, dx = acted
        leftwards = PUT_DOWN if cells in shifts else TO_FIRST
        phase = BETWEEN if dx == 0 else TO_SECOND if dx > 0 else leftwards
        return Control(state, phase, row, cells), column, 0

    def _walk(self, control: Control, column: FoldedColumn, leg: Leg) -> Step:
        if (column.tracks[leg.track] != self.absent) == leg.there:
            return control, column, leg.walk
        state, phase, row, between = control
        if phase == PUT_DOWN + 1:
            column, between = _with_track(column, 1, between), self.blank
        elif phase == PICK_UP + 1:
            column, between = _with_track(column, 0, self.absent), column.tracks[0]
        return Control(state, leg.next, row, between), column, leg.step

    def _written(self, cells: Cells, row: int, symbol: int) -> Cells:
        at = row - self.low
        return (*cells[:at], symbol, *cells[at + 1 :])


def _with_track(column: FoldedColumn, track: int, cells: Cells) -> FoldedColumn:
    (first, second), wanted, where = column
    return FoldedColumn((cells, second) if track == 0 else (first, cells), wanted, where)
