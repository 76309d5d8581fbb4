"""Which labels may be neighbours: sets of pairs that only grow, and the list of what grew."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from gridlang.table import STAY

UP, DOWN, LEFTWARDS, RIGHTWARDS = range(STAY)  # They are the first four moves.
OPPOSITE = (DOWN, UP, RIGHTWARDS, LEFTWARDS)

Label = tuple[int, int, int, int]  # A cell has a symbol, a row, a column and a mark.
Side = tuple[int, int, int]  # For a kind of state, a direction and a label, others may stand on that side.


class Adjacency:
    """Which labels may be neighbours, for each kind of state.

    `neighbours[kind][direction][label]` are the labels that may stand on that side, as bits of a number: a
    union or an intersection of many labels is one operation. What may stand right of a label has it on its
    left, always.
    """

    def __init__(self, kinds: int) -> None:
        self.labels: list[Label] = []
        self.neighbours: list[list[list[int]]] = [[[] for _ in OPPOSITE] for _ in range(kinds)]
        self.changed: deque[Side] = deque()
        self._waiting: set[Side] = set()
        self._numbers: dict[Label, int] = {}

    def number(self, label: Label) -> int:
        """The number of a label, which begins without neighbours."""
        number = self._numbers.get(label)
        if number is None:
            number = self._numbers[label] = len(self.labels)
            self.labels.append(label)
            for directions in self.neighbours:
                for masks in directions:
                    masks.append(0)
        return number

    def add(self, kind: int, direction: int, label: int, others: int) -> None:
        """These others may stand on that side of a label, and it on the other side of each."""
        neighbours = self.neighbours[kind]
        new = others & ~neighbours[direction][label]
        if not new:
            return
        neighbours[direction][label] |= new
        self._grew((kind, direction, label))
        back = OPPOSITE[direction]
        for other in bits(new):
            neighbours[back][other] |= 1 << label
            self._grew((kind, back, other))

    def next_change(self) -> Side:
        """The side that has waited longest since it grew."""
        side = self.changed.popleft()
        self._waiting.discard(side)
        return side

    def _grew(self, side: Side) -> None:
        if side not in self._waiting:
            self._waiting.add(side)
            self.changed.append(side)


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, the lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
