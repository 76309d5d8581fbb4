"""The cells near the head: balls of an L1 radius, and how they shift when the head moves."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.proofs.abstractions.adjacency import DOWN, OPPOSITE, RIGHTWARDS
from gridlang.table import DELTAS, STAY
from gridlang.world import Cell


def ball(radius: int) -> tuple[Cell, ...]:
    """The cells within an L1 distance, nearest first: a smaller ball is the beginning of a larger one."""
    reach = range(-radius, radius + 1)
    cells = [(x, y) for x in reach for y in reach if abs(x) + abs(y) <= radius]
    return tuple(sorted(cells, key=lambda cell: (abs(cell[0]) + abs(cell[1]), cell)))


def sources(cells: Sequence[Cell]) -> list[list[int]]:
    """For each move, where a cell of the window after it was in the window before, or -1 for nowhere.

    A window that ends with one unknown more has just that at -1.
    """
    index = {cell: number for number, cell in enumerate(cells)}
    return [[index.get((x + dx, y + dy), -1) for x, y in cells] for dx, dy in DELTAS]


class Ball:
    """The neighbours within a ball of radius 1 or more; positions are indices into its cells."""

    def __init__(self, radius: int) -> None:
        self.cells = ball(radius)
        self.sources = sources(self.cells)
        index = {cell: number for number, cell in enumerate(self.cells)}
        # These are the four cells beside the head.
        self.beside_head = [index[delta] for delta in DELTAS[:STAY]]
        pairs = [
            (index[cell], index[there], direction)
            for cell in self.cells
            for direction in (DOWN, RIGHTWARDS)
            if (there := _step(cell, direction)) in index
        ]
        # For each move, these are the neighbours of which one leaves the ball.
        self.lost = [[pair for pair in pairs if not set(pair[:2]) <= set(kept)] for kept in self.sources]
        # For each move, these are the other cells beside the one moved to, with the way back from them.
        self.beside_target = [
            [
                (index[there], OPPOSITE[direction])
                for direction in range(STAY)
                if direction != OPPOSITE[move] and (there := _step(DELTAS[move], direction)) in index
            ]
            for move in range(STAY)
        ]


def _step(cell: Cell, direction: int) -> Cell:
    return cell[0] + DELTAS[direction][0], cell[1] + DELTAS[direction][1]
