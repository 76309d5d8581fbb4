"""The part of `verify` that knows what is true of all worlds that an element of the strip stands for: (V12).

A group is what a sum of values is taken over: the cells of a row and class in the columns of a part of the
input, or before or after it, that are fresh, or that were acted on. On each side of the head, only groups of
labels can be there that a chain of grams leads to. Where the head's column lies is told by its place, and by
the parts of its neighbours.
"""

from __future__ import annotations

from typing import NamedTuple

from gridlang.compiler.verifier.values.strips import FRESH, Element, ValueStrip

Group = tuple[bool, int, int, int]  # whether fresh, the part, the row, the class
Weight = tuple[int, int]  # (k, n): base ^ n times the weight of the first column of part k
Around = tuple[int, int, tuple[Weight, ...], int]  # groups to the left and right, weights, the head's part


class Facts(NamedTuple):
    """What is known at an element."""

    groups: tuple[frozenset[Group], frozenset[Group]]  # that may be to the left, and to the right
    cells: tuple[int, ...]  # of the head's column: symbols, or -1 - class
    weights: tuple[Weight, ...]  # of the head's column, all of them the same
    part: int  # of the head's column


class Surroundings:
    """Facts, element by element."""

    def __init__(self, strip: ValueStrip) -> None:
        self.strip = strip
        self._bits: dict[Group, int] = {}
        self._own = [self._groups(label) for label in range(len(strip.rough))]
        self._chains: dict[tuple[int, int], dict[int, int]] = {}
        self._sets: dict[int, frozenset[Group]] = {}
        self._around: dict[Element, Around] = {}
        self._known: dict[tuple[Around, tuple[int, ...]], int] = {}
        self.facts: list[Facts] = []

    def at(self, element: Element, symbol: int | None = None) -> int:
        """The number of its facts; of those where it reads a symbol, if one is given."""
        if element not in self._around:
            self._around[element] = self._beside_head(element)
        around, cells = self._around[element], self.strip.labels[element[4]].cells
        if symbol is not None:
            row = element[2] - self.strip.grain.low
            cells = (*cells[:row], symbol, *cells[row + 1 :])
        if (around, cells) not in self._known:
            self._known[around, cells] = len(self.facts)
            left, right, weights, part = around
            self.facts.append(Facts((self._set(left), self._set(right)), cells, weights, part))
        return self._known[around, cells]

    def _beside_head(self, element: Element) -> Around:
        p, _, _, (left,), label, (right,) = element
        kind, place, places = self.strip.grain.kinds[p], self.strip.labels[label].place, self.strip.places
        part = places.told[place].part if self.strip.words else 0
        weights = self.weights(left, self.strip.coarse[label], right)
        return self._beside(-1, kind, left), self._beside(1, kind, right), weights, part

    def weights(self, left: int | None, label: int, right: int | None) -> tuple[Weight, ...]:
        """Of a column by its coarse number, and by those of its neighbours that are given."""
        told, rough = self.strip.places.told, self.strip.rough
        part, from_first, from_end = told[rough[label].place]
        weights: list[Weight] = []
        if left is not None:
            weights += [(k, 0) for k in range(told[rough[left].place].part + 1, part + 1)]
        if right is not None:
            weights += [(k, 1) for k in range(part + 1, told[rough[right].place].part + 1)]
        if from_first is not None:
            weights.append((0, -from_first))
        if from_end is not None:
            weights.append((self.strip.places.parts, -from_end))
        return tuple(dict.fromkeys(weights))

    def _groups(self, label: int) -> int:
        """The groups of a column, as a set of bits."""
        cells, place, mark = self.strip.rough[label]
        part = self.strip.places.told[place].part
        blank, bits = self.strip.grain.classes[0], 0
        for row, cell in zip(self.strip.rows, cells, strict=True):
            if cell != blank or self.strip.words:
                group = (mark == FRESH, part, row, cell)
                bits |= 1 << self._bits.setdefault(group, len(self._bits))
        return bits

    def _beside(self, side: int, kind: int, first: int) -> int:
        """The groups of all labels on the chains that begin with one."""
        if (side, kind) not in self._chains:
            self._chains[side, kind] = self._reached(side, kind)
        return self._chains[side, kind].get(first, self._own[first])

    def _reached(self, side: int, kind: int) -> dict[int, int]:
        before: dict[int, set[int]] = {}
        groups: dict[int, int] = {}
        for (label,), grams in self.strip.grams.get((side, kind), {}).items():
            groups[label] = self._own[label]
            for _, beyond in grams:
                before.setdefault(beyond, set()).add(label)
                groups[beyond] = self._own[beyond]
        work = list(groups)
        while work:
            label = work.pop()
            for nearer in before.get(label, ()):
                if groups[label] & ~groups[nearer]:
                    groups[nearer] |= groups[label]
                    work.append(nearer)
        return groups

    def _set(self, bits: int) -> frozenset[Group]:
        if bits not in self._sets:
            self._sets[bits] = frozenset(group for group, bit in self._bits.items() if bits >> bit & 1)
        return self._sets[bits]
