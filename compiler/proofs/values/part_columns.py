"""Columns of inputs that know their part, and near the ends how far these are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gridlang.compiler.proofs.abstractions.columns import Anchor, ExpectedColumns
from gridlang.compiler.proofs.results.expected_columns import places_of
from gridlang.compiler.proofs.results.readings import Unsaid
from gridlang.compiler.verifier.clauses.conditions import declared
from gridlang.compiler.verifier.clauses.readings import Reading
from gridlang.compiler.verifier.clauses.verdicts import NOTHING
from gridlang.compiler.verifier.tables import Rules, Wrong


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


State = tuple[int, int]  # how many columns there have been, and how many are to come: guessed


def part_columns(left: Rules, distances: Distances) -> PartColumns:
    """The columns of LEFT's inputs; Unsaid if too many, or if a part cannot be told."""
    clause = declared(left)
    near, far = distances
    size, parts = distances.size, len(clause.ends)

    def step(state: State, part: int, _: str) -> Iterator[tuple[State, int]]:
        before, ahead = state
        told = part * size + before * (far + 1) + min(ahead - 1, far)
        for later in {ahead - 1, ahead} if ahead > far else {ahead - 1}:
            if later >= 0:
                yield (min(before + 1, near), later), told

    def ended(state: State) -> tuple[int, ...] | None:
        return tuple(parts * size + column for column in range(far)) if state[1] == 0 else None

    lefts = tuple(range(NOTHING - near, NOTHING))
    reading = Reading([((0, columns), lefts) for columns in range(far + 2)], NOTHING, None, step, ended)
    try:
        places = places_of(clause, left.symbols, reading, Anchor(False, 0))
    except Wrong as wrong:
        raise Unsaid(str(wrong)) from None
    return PartColumns(places, parts, distances)
