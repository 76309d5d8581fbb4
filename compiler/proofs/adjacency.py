"""Which labels may be neighbours: sets of pairs that only grow, and the list of what grew."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from compiler.proofs.initial_worlds import BACK, Label
from gridlang.table import DELTAS, STAY

Spot = tuple[int, int, int]  # kind of state, direction, label: the labels that may stand there


class Beside:
    """Which labels may be neighbours, for each kind of state; sets are bits of a number."""

    def __init__(self, kinds: int) -> None:
        self.labels: list[Label] = []
        self.masks: list[list[list[int]]] = [[[] for _ in DELTAS[:STAY]] for _ in range(kinds)]
        self.changed: deque[Spot] = deque()
        self._waiting: set[Spot] = set()
        self._numbers: dict[Label, int] = {}

    def number(self, label: Label) -> int:
        found = self._numbers.get(label)
        if found is None:
            found = self._numbers[label] = len(self.labels)
            self.labels.append(label)
            for directions in self.masks:
                for masks in directions:
                    masks.append(0)
        return found

    def add(self, kind: int, direction: int, label: int, others: int) -> None:
        """These others may stand on that side of a label, and it on the other side of each."""
        masks = self.masks[kind]
        new = others & ~masks[direction][label]
        if not new:
            return
        masks[direction][label] |= new
        self._tell((kind, direction, label))
        back = BACK[direction]
        for other in bits(new):
            masks[back][other] |= 1 << label
            self._tell((kind, back, other))

    def pop(self) -> Spot:
        spot = self.changed.popleft()
        self._waiting.discard(spot)
        return spot

    def _tell(self, spot: Spot) -> None:
        if spot not in self._waiting:
            self._waiting.add(spot)
            self.changed.append(spot)


def bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
