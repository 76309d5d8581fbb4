"""How the worlds of an input clause begin, as a strip sees them: grams and abstract states."""

from __future__ import annotations

from collections.abc import Iterator

from gridlang.compiler.proofs.abstractions.columns import (
    BEFORE,
    LEFT_SIDE,
    RIGHT_SIDE,
    Columns,
    ExpectedColumns,
)
from gridlang.compiler.proofs.abstractions.strip_labels import StripLabels

Word = tuple[int, ...]  # coarse numbers of columns, going outwards


class FirstColumns:
    """The columns of a strip before the first step; they get their labels when they are asked for."""

    def __init__(self, places: Columns | ExpectedColumns, labels: StripLabels, depth: int) -> None:
        expected = places if isinstance(places, ExpectedColumns) else None
        self.labels, self.depth = labels, depth
        self.columns = places.columns if isinstance(places, ExpectedColumns) else places
        self.before = expected.before if expected else ((0,),)  # what may lie left of what is left of it
        self.beside = expected.beside if expected else ((0,),) * len(self.columns.starts)
        self._words_of: dict[tuple[int, int], dict[Word, None]] = {}

    def grams(self) -> Iterator[tuple[int, Word]]:
        """A side, a label and the word beyond it."""
        lefts = range(BEFORE, BEFORE - len(self.before), -1)
        for place in (*range(len(self.columns.steps)), *lefts):
            side = LEFT_SIDE if place < 0 else RIGHT_SIDE
            for label, after in self._at(place):
                yield from ((side, (label, *word)) for word in self._words(after, self.depth))

    def heads(self) -> Iterator[tuple[Word, int, Word]]:
        """What lies left, the head's label, and what lies right."""
        for place, near in zip(self.columns.starts, self.beside, strict=True):
            lefts = dict.fromkeys(word for left in near for word in self._words(BEFORE - left, self.depth))
            for label, after in self._at(place):
                rights = self._words(after, self.depth)
                yield from ((left, label, right) for left in lefts for right in rights)

    def _words(self, place: int, length: int) -> dict[Word, None]:
        """The coarse numbers of columns from a place on: those of an input, or those left of it."""
        if length == 0:
            return {(): None}
        if (place, length) not in self._words_of:
            self._words_of[place, length] = {
                (self.labels.coarse[label], *word): None
                for label, after in self._at(place)
                for word in self._words(after, length - 1)
            }
        return self._words_of[place, length]

    def _at(self, place: int) -> list[tuple[int, int]]:
        """The labels that a place may have, each with the place after it."""
        if place < 0:
            return [(self.labels.on_row_0(0, place), BEFORE - after) for after in self.before[BEFORE - place]]
        steps = enumerate(self.columns.steps[place])
        return [(self.labels.on_row_0(s, place), after) for s, afters in steps for after in afters]
