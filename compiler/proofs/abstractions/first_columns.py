"""How the worlds of an input clause begin, as a strip sees them: labels, grams and abstract states.

None of it depends on the rows of the strip, or on more of its detail than the depth, so it is had once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from compiler.proofs.abstractions.columns import BEFORE, LEFT_SIDE, RIGHT_SIDE, Columns, ExpectedColumns

Word = tuple[int, ...]  # coarse numbers of columns, going outwards


class FirstColumns:
    """Labels are numbered here as `StripLabels` numbers them if it is given them in this order."""

    def __init__(self, places: Columns | ExpectedColumns, classes: Sequence[int], depth: int) -> None:
        expected = places if isinstance(places, ExpectedColumns) else None
        self.columns = places.columns if isinstance(places, ExpectedColumns) else places
        self.before = (
            expected.before if expected else ((0,),)
        )  # what may lie left of places left of the input
        self.classes = classes
        self.labels: dict[tuple[int, int], int] = {}  # a symbol on row 0 and a place, else blank
        self.grams: dict[tuple[int, tuple[int, ...]], None] = {}  # a side, a label and the word beyond it
        self.heads: dict[
            tuple[Word, int, Word], None
        ] = {}  # what lies left, the head's label, what lies right
        self._coarse: list[int] = []
        self._coarse_number: dict[tuple[int, int], int] = {}
        self._words_of: dict[tuple[int, int], dict[Word, None]] = {}
        self._first: dict[int, list[tuple[int, int]]] = {}
        self._begin(expected.beside if expected else ((0,),) * len(self.columns.starts), depth)

    def _begin(self, beside: Sequence[Sequence[int]], depth: int) -> None:
        lefts = range(BEFORE, BEFORE - len(self.before), -1)
        for place in (*range(len(self.columns.steps)), *lefts):
            side = LEFT_SIDE if place < 0 else RIGHT_SIDE
            for label, after in self._at(place):
                self.grams.update({(side, (label, *word)): None for word in self._words(after, depth)})
        for place, near in zip(self.columns.starts, beside, strict=True):
            others = dict.fromkeys(word for left in near for word in self._words(BEFORE - left, depth))
            for label, after in self._at(place):
                rights = self._words(after, depth)
                self.heads.update({(left, label, right): None for left in others for right in rights})

    def _words(self, place: int, length: int) -> dict[Word, None]:
        """The coarse numbers of columns from a place on: those of an input, or those left of it."""
        if length == 0:
            return {(): None}
        key = place, length
        if key not in self._words_of:
            self._words_of[key] = {
                (self._coarse[label], *word): None
                for label, after in self._at(place)
                for word in self._words(after, length - 1)
            }
        return self._words_of[key]

    def _at(self, place: int) -> list[tuple[int, int]]:
        """The labels that a place may have before the first step, each with the place after it."""
        if place not in self._first:
            if place < 0:
                columns = [(self._label(0, place), BEFORE - after) for after in self.before[BEFORE - place]]
            else:
                steps = enumerate(self.columns.steps[place])
                columns = [(self._label(s, place), after) for s, afters in steps for after in afters]
            self._first[place] = columns
        return self._first[place]

    def _label(self, symbol: int, place: int) -> int:
        key = symbol, place
        if key not in self.labels:
            self.labels[key] = len(self.labels)
            rough = self.classes[symbol], place
            self._coarse.append(self._coarse_number.setdefault(rough, len(self._coarse_number)))
        return self.labels[key]


@lru_cache(maxsize=16)
def first_columns(places: Columns | ExpectedColumns, classes: tuple[int, ...], depth: int) -> FirstColumns:
    """How these worlds begin."""
    return FirstColumns(places, classes, depth)
