"""Windows of a world: the rectangles that `lockstep_cuda` keeps in a GPU's memory, and how they grow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.world import Cell

FIRST_WINDOW = 1 << 21  # A first window has so many cells, unless the input needs more.
LARGEST_WINDOW = (1 << 31) - 1  # The kernel counts the cells of a window with 32 bits.
BESIDE, ABOVE = 64, 8  # The first window has at least so many cells beside the input, and above and below it.


class Frame(NamedTuple):
    """Where a window lies in the world, with the edge around it."""

    left: int
    top: int
    wide: int
    high: int

    @property
    def area(self) -> int:
        return self.wide * self.high

    def offset(self, cell: Cell) -> int:
        """The place of a cell in the window's memory."""
        return (cell[1] - self.top) * self.wide + cell[0] - self.left

    def cell(self, offset: int) -> Cell:
        return self.left + offset % self.wide, self.top + offset // self.wide


def first_frame(xs: npt.NDArray[Any], ys: npt.NDArray[Any], start: Cell) -> Frame:
    """The box of the input, and what fits around it."""
    columns, rows = np.append(xs, start[0]), np.append(ys, start[1])
    left, top = int(columns.min()) - BESIDE, int(rows.min())
    wide, high = int(columns.max()) + BESIDE + 1 - left, int(rows.max()) + 1 - top
    above = max(ABOVE, min(wide, (FIRST_WINDOW // wide - high) // 2))
    return Frame(left - 1, top - above - 1, wide + 2, high + 2 * above + 2)


def larger_frame(frame: Frame, head: Cell) -> Frame:
    """Twice as wide, or as high, on the side where the head stands on the edge."""
    left, top, wide, high = frame
    more_wide, more_high = wide - 2, high - 2
    if head[0] in (left, left + wide - 1):
        return Frame(left - more_wide if head[0] == left else left, top, wide + more_wide, high)
    return Frame(left, top - more_high if head[1] == top else top, wide, high + more_high)
