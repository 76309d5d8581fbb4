"""Folded tapes that are whole worlds, cell by cell: what the abstraction stands for, run step by step."""

from __future__ import annotations

from collections.abc import Callable

from gridlang.world import Cell

Column = tuple[tuple[int, ...], tuple[int, ...]]
# A control, both tracks of a column: the control and the tracks after it, and where the head goes; None at a halt.
Step = Callable[[tuple[int, ...], Column], tuple[tuple[int, ...], Column, int] | None]
ABSENT, BLANK = (-1, -1, -1), (0, 0, 0)  # columns of the rows -1, 0 and 1
MARGIN = 310  # columns to each side; no run here takes more steps


class FoldedWorld:
    """An input on a folded tape; column i is `MARGIN - i` in the list, so that the left is on the left."""

    def __init__(self, first: list[int], sign: int, second: list[int]) -> None:
        self.sign, self.last = len(first), len(first) + len(second)
        self.columns: list[Column] = []
        for i in range(MARGIN, -MARGIN, -1):
            left = (0, first[-1 - i], 0) if 0 <= i < len(first) else BLANK if i >= 0 else ABSENT
            right = (0, second[-1 - i], 0) if 0 <= i < len(second) else BLANK if i < 0 else ABSENT
            self.columns.append((left, right))
        self.head = MARGIN - len(first) + 1
        self.between: tuple[int, ...] = (0, sign, 0)

    def run(self, control: tuple[int, ...], step: Step) -> None:
        """Steps up to the halt."""
        while (after := step(control, self.columns[self.head])) is not None:
            control, self.columns[self.head], dx = after
            self.head += dx
        self.between = control[3:]

    def unfolded(self) -> dict[Cell, int]:
        """The world that this is, by what each column was at first, and by how far the fold has moved."""
        cells: dict[Cell, int] = {}
        ends = [
            i for i, (left, _) in zip(range(MARGIN, -MARGIN, -1), self.columns, strict=True) if left != ABSENT
        ]
        placed: dict[int, tuple[int, ...]] = {self.sign - min(ends): self.between}
        for i, (left, right) in zip(range(MARGIN, -MARGIN, -1), self.columns, strict=True):
            for x, column in ((self.sign - 1 - i, left), (self.last - i, right)):
                if column != ABSENT:
                    assert x not in placed, "a column stands in both parts"
                    placed[x] = column
        for x, column in placed.items():
            cells.update({(x, row - 1): symbol for row, symbol in enumerate(column) if symbol})
        return cells
