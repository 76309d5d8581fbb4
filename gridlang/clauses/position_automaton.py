"""The position automaton of a regular expression, by Glushkov's construction: one position a cell.

A set of positions is a number with a bit for each: sets are many, large and much alike where a clause is
hostile, and as numbers they take a hundredth of the time and memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from gridlang.clauses.repetitions import pieces_in, unrolled
from gridlang.syntax import tree as s


class Expression(NamedTuple):
    """A position automaton: sets of positions, which are numbered within the whole clause."""

    first: int
    last: int
    follow: list[int]
    nullable: bool


class PositionBuilder:
    """Builds the position automaton of a clause, given the symbols of each cell."""

    def __init__(self, resolve: Callable[[s.One], str]) -> None:
        self.resolve = resolve
        self.cells: list[str] = []
        self.follow: list[int] = []

    def piece(self, piece: s.Piece) -> Expression:
        if isinstance(piece, s.One):
            position = 1 << len(self.cells)
            self.cells.append(self.resolve(piece))
            self.follow.append(0)
            return Expression(position, position, self.follow, False)
        if isinstance(piece, s.Repeat):
            body = self.piece(piece.piece)
            if piece.quantifier != "?":
                self._link(body.last, body.first)
            return Expression(body.first, body.last, self.follow, body.nullable or piece.quantifier != "+")
        if isinstance(piece, s.Times):
            return self.piece(unrolled(piece))
        if isinstance(piece, s.Choice):
            options = [self.piece(option) for option in piece.options]
            first, last = (union(sets) for sets in zip(*((o.first, o.last) for o in options), strict=True))
            return Expression(first, last, self.follow, any(o.nullable for o in options))
        return self.sequence([self.piece(part.piece) for part in piece.parts])

    def sequence(self, parts: list[Expression]) -> Expression:
        whole = Expression(0, 0, self.follow, True)
        for part in parts:
            self._link(whole.last, part.first)
            first = whole.first | part.first if whole.nullable else whole.first
            last = whole.last | part.last if part.nullable else part.last
            whole = Expression(first, last, self.follow, whole.nullable and part.nullable)
        return whole

    def _link(self, sources: int, targets: int) -> None:
        for position in members(sources):
            self.follow[position] |= targets


def members(positions: int) -> Iterator[int]:
    """The positions of a set, in their order."""
    while positions:
        lowest = positions & -positions
        yield lowest.bit_length() - 1
        positions ^= lowest


def union(sets: Iterable[int]) -> int:
    whole = 0
    for positions in sets:
        whole |= positions
    return whole


def cells_of(piece: s.Piece) -> Iterator[s.One]:
    """The cells of a piece as it is written, from left to right."""
    return (inner for inner in pieces_in(piece) if isinstance(inner, s.One))
