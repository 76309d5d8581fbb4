"""Columns of inputs that know their part, and near the ends how far these are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from gridlang.clauses.inputs import InputLanguage
from gridlang.compiler.proofs.abstractions.columns import Anchor, ExpectedColumns
from gridlang.compiler.proofs.results.expected_columns import places_of
from gridlang.compiler.proofs.results.readings import NOTHING, Reading, State, Unsaid
from gridlang.table import BLANK


class Distances(NamedTuple):
    """How far from the first and from the last column of an input columns are told apart."""

    near: int
    far: int

    @property
    def size(self) -> int:
        """As many columns of a part are told apart."""
        return (self.near + 1) * (self.far + 1)


class PartColumns(NamedTuple):
    """Places, and the part of each: before the input -1, after it the number of parts."""

    places: ExpectedColumns
    parts: int
    distances: Distances

    def part(self, place: int) -> int:
        if place < 0:
            return -1
        told = self.places.expects[place]
        return self.parts if told == NOTHING else told // self.distances.size

    def from_start(self, place: int) -> int | None:
        """The column, if it is known; the first of the input is 0."""
        near, far = self.distances
        if place < 0:
            told = self.places.expects_before[-1 - place]
            return None if told == NOTHING else NOTHING - near - told - 1
        if self.part(place) == self.parts:
            return None
        column = self.places.expects[place] % self.distances.size // (far + 1)
        return column if column < near else None

    def from_end(self, place: int) -> int | None:
        """The column, if it is known; the first after the input is 0."""
        _, far = self.distances
        if place < 0 or self.places.expects[place] == NOTHING:
            return None
        told = self.places.expects[place] % self.distances.size
        if self.part(place) == self.parts:
            return told
        return -1 - told % (far + 1) if told % (far + 1) < far else None


def part_columns(
    language: InputLanguage,
    symbols: tuple[str, ...],
    distances: Distances,
    restricted: Callable[[Reading], Reading] = lambda reading: reading,
) -> PartColumns:
    """The columns of a clause, or of some of its inputs; Unsaid if too many, or if a part cannot be told."""
    if any(BLANK in cell for cell in language.cells):
        raise Unsaid("a blank may stand in an input, so its end cannot be seen")
    near, far = distances
    size, parts = distances.size, len(language.parts)

    def step(state: State, part: int, _: str) -> Iterator[tuple[State, int]]:
        """A state is how many columns there have been, and how many are to come: guessed."""
        before, left = state
        told = part * size + before * (far + 1) + min(left - 1, far)
        for later in {left - 1, left} if left > far else {left - 1}:
            if later >= 0:
                yield (min(before + 1, near), later), told

    def ended(state: State) -> tuple[int, ...] | None:
        return tuple(parts * size + column for column in range(far)) if state[1] == 0 else None

    lefts = tuple(range(NOTHING - near, NOTHING))
    starts = tuple(((0, left), lefts) for left in range(far + 2))
    reading = restricted(Reading(starts, step, ended, NOTHING, False))
    places = places_of(language, symbols, reading, Anchor(False, 0))
    return PartColumns(places, parts, distances)
