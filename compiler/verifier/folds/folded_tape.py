"""The part of `verify` that folds a strip between two numbers, and runs LEFT on it.

The strip of (V8) is cut in three: the columns to the left of one, that one, and the columns to the right of
it. The folded tape has two tracks. Its column i has, in the first track, the column of the left part that lay
i + 1 to the left of the sign at the start, and in the second the one of the right part that lay i to the left
of the last digit; a track is absent where its part has no such column. The higher i, the further to the left;
the column between is not on the tape. So the folded tape with the column between is the world, told
otherwise.

A control is (p, phase, y, between): LEFT's state, a phase, the row of LEFT's head, and the cells of the
column between. The folded machine steps by control and column:
  phase 0, 1   LEFT's head is in that track of the column: LEFT acts there, and the folded head goes where
               LEFT's goes. Where the track is absent, the head has come to the column between: phase 2.
  phase 2      LEFT acts on the column between. If it goes to the right, phase 5; to the left, phase 3, or
               phase 7 if the column between is blank now and the tape *shifts*.
  phases 3, 4  to the last column of the left part, then phase 0; phases 5, 6 to the first one of the right
               part, then phase 1: the folded head walks past the end of the part, and back to it (`LEGS`).
  phases 7, 8  to where the right part has no column any more: there the column between becomes one. Then
  phases 9, 10 to the last column of the left part, which becomes the column between: phase 2.
What LEFT does in a step, the folded machine does in finitely many: the first track is there from some column
on to the left, and the second from some column on to the right. What is at the end of both lies beside the
column between, before and after a shift.

A column is (cells of the first track, cells of the second, wanted, where); an absent track has -1 in all
cells. The last two never change.
"""

from __future__ import annotations

from gridlang.compiler.verifier.tables import MOVES, Differs, LeavesRows, Rules

Cells = tuple[int, ...]
LEGS = {  # The phase is held while this track is there or not, with this step; then the next, with that one.
    3: (0, True, 1, 4, -1),
    4: (0, False, -1, 0, 0),
    5: (1, True, -1, 6, 1),
    6: (1, False, 1, 1, 0),
    7: (1, False, 1, 8, -1),
    8: (1, True, -1, 9, 0),
    9: (0, True, 1, 10, -1),
    10: (0, False, -1, 2, 0),
}


class FoldedTape:
    """LEFT on a folded strip of some rows."""

    def __init__(self, left: Rules, low: int, high: int, shifts: bool) -> None:
        self.left, self.low, self.high, self.shifts = left, low, high, shifts
        self.height = high - low + 1
        self.blank, self.absent = (0,) * self.height, (-1,) * self.height

    def on_row_0(self, symbol: int) -> Cells:
        return tuple(symbol if row == 0 else 0 for row in range(self.low, self.high + 1))

    def first_track(self, column: Cells) -> Cells:
        return column[: self.height]

    def step(self, control: Cells, column: Cells) -> tuple[Cells, Cells, int] | None:
        """The control and the column after a step, and where the folded head goes; None where LEFT halts."""
        p, phase, row, *rest = control
        between = tuple(rest)
        tracks = [column[: self.height], column[self.height : -2]]
        dx = 0
        if phase in LEGS:
            track, there, walk, later, step = LEGS[phase]
            if (tracks[track] != self.absent) == there:
                return control, column, walk
            if phase == 8:
                tracks[1], between = between, self.blank
            elif phase == 10:
                between, tracks[0] = tracks[0], self.absent
            phase, dx = later, step
        elif phase < 2 and tracks[phase] == self.absent:
            phase = 2
        else:
            acted = self.act(p, row, between if phase == 2 else tracks[phase])
            if acted is None:
                return None
            p, row, cells, dx = acted
            if phase < 2:
                tracks[phase] = cells
            else:
                phase = 2 if dx == 0 else 5 if dx > 0 else 7 if self.shifts and cells == self.blank else 3
                between, dx = cells, 0
        return (p, phase, row, *between), (*tracks[0], *tracks[1], *column[-2:]), dx

    def act(self, p: int, row: int, cells: Cells) -> tuple[int, int, Cells, int] | None:
        """LEFT's state and row after it has acted on a column, the column, and where it goes."""
        symbol = cells[row - self.low]
        if (p, symbol) not in self.left.does:
            raise Differs("evidence", "LEFT may be stuck", (p, p, symbol))
        write, move, after = self.left.does[p, symbol]
        if (write, move) == (symbol, "S"):
            return None
        dx, dy = MOVES[move]
        if not self.low <= row + dy <= self.high:
            raise LeavesRows("evidence", "LEFT may leave the strip", row + dy)
        at = row - self.low
        return after, row + dy, (*cells[:at], write, *cells[at + 1 :]), dx
