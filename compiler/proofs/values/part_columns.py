"""Columns of inputs that know their part, and near the ends how far these are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from compiler.proofs.abstractions.columns import Anchor, ExpectedColumns
from compiler.proofs.results.expected_columns import places_of
from compiler.proofs.results.readings import NOTHING, Reading, State, Unsaid
from gridlang.clauses.inputs import InputLanguage
from gridlang.table import BLANK


class Distances(NamedTuple):
    """How far from the first and from the last column of an input columns are told apart."""

    near: int
    far: int

    @property
    def size(self) -> int:
        """As many columns of a part are told apart."""
        return (self.near + 1) * (self.far + 1)


class Turns(NamedTuple):
    """A part whose columns are counted modulo k; behind it, the turn is its length modulo k."""

    part: int
    modulus: int


NO_TURNS = Turns(-2, 1)


class PartColumns(NamedTuple):
    """Places, and the part of each: before the input -1, after it the number of parts."""

    places: ExpectedColumns
    parts: int
    distances: Distances
    turns: Turns

    def part(self, place: int) -> int:
        if place < 0:
            return -1
        told = self._told(place)
        return self.parts if told == NOTHING else told // self.distances.size

    def _told(self, place: int) -> int:
        """What is told of a place in the input or behind it, without its turn."""
        told = self.places.expects[place]
        return told if told == NOTHING else told // self.turns.modulus

    def _turn(self, place: int) -> int | None:
        told = self.places.expects[place] if place >= 0 else NOTHING
        return None if told == NOTHING else told % self.turns.modulus

    def taken(self, place: int) -> int | None:
        """The turn of a column of the part that is counted."""
        return self._turn(place) if self.part(place) == self.turns.part else None

    def length(self, place: int) -> int | None:
        """The length of that part modulo k, as columns behind it tell it."""
        behind = self.turns != NO_TURNS and self.part(place) > self.turns.part
        return self._turn(place) if behind else None

    def from_start(self, place: int) -> int | None:
        """The column, if it is known; the first of the input is 0."""
        near, far = self.distances
        if place < 0:
            told = self.places.expects_before[-1 - place]
            return None if told == NOTHING else NOTHING - near - told - 1
        if self.part(place) == self.parts:
            return None
        column = self._told(place) % self.distances.size // (far + 1)
        return column if column < near else None

    def from_end(self, place: int) -> int | None:
        """The column, if it is known; the first after the input is 0."""
        _, far = self.distances
        if place < 0 or self.places.expects[place] == NOTHING:
            return None
        told = self._told(place) % self.distances.size
        if self.part(place) == self.parts:
            return told
        return -1 - told % (far + 1) if told % (far + 1) < far else None


def part_columns(
    language: InputLanguage,
    symbols: tuple[str, ...],
    distances: Distances,
    restricted: Callable[[Reading], Reading] = lambda reading: reading,
    turns: Turns = NO_TURNS,
) -> PartColumns:
    """The columns of a clause, or of some of its inputs; Unsaid if too many, or if a part cannot be told."""
    if any(BLANK in cell for cell in language.cells):
        raise Unsaid("a blank may stand in an input, so its end cannot be seen")
    near, far = distances
    size, parts = distances.size, len(language.parts)

    def step(state: State, part: int, _: str) -> Iterator[tuple[State, int]]:
        """A state is how many columns there have been, how many are to come, guessed, and a turn."""
        before, left, turn = state
        told = (part * size + before * (far + 1) + min(left - 1, far)) * turns.modulus + turn
        turned = (turn + (part == turns.part)) % turns.modulus
        for later in {left - 1, left} if left > far else {left - 1}:
            if later >= 0:
                yield (min(before + 1, near), later, turned), told

    def ended(state: State) -> tuple[int, ...] | None:
        _, left, turn = state
        told = tuple((parts * size + column) * turns.modulus + turn for column in range(far))
        return told if left == 0 else None

    lefts = tuple(range(NOTHING - near, NOTHING))
    starts = tuple(((0, left, 0), lefts) for left in range(far + 2))
    reading = restricted(Reading(starts, step, ended, NOTHING, False))
    places = places_of(language, symbols, reading, Anchor(False, 0))
    return PartColumns(places, parts, distances, turns)
