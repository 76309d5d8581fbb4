"""The position automaton of a regular expression, by Glushkov's construction: one position a cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from gridlang.syntax import tree as s


class Expression(NamedTuple):
    """A position automaton; positions are numbered within the whole clause."""

    first: frozenset[int]
    last: frozenset[int]
    follow: Mapping[int, frozenset[int]]
    nullable: bool


class PositionBuilder:
    """Builds the position automaton of a clause, given the symbols of each cell."""

    def __init__(self, resolve: Callable[[s.One], str]) -> None:
        self.resolve = resolve
        self.cells: list[str] = []
        self.follow: dict[int, frozenset[int]] = {}

    def piece(self, piece: s.Piece) -> Expression:
        if isinstance(piece, s.One):
            position = len(self.cells)
            self.cells.append(self.resolve(piece))
            self.follow[position] = frozenset()
            return Expression(frozenset([position]), frozenset([position]), self.follow, False)
        if isinstance(piece, s.Repeat):
            body = self.piece(piece.piece)
            if piece.quantifier != "?":
                self._link(body.last, body.first)
            return Expression(body.first, body.last, self.follow, body.nullable or piece.quantifier != "+")
        if isinstance(piece, s.Choice):
            options = [self.piece(option) for option in piece.options]
            first = frozenset().union(*(o.first for o in options))
            last = frozenset().union(*(o.last for o in options))
            return Expression(first, last, self.follow, any(o.nullable for o in options))
        return self.sequence([self.piece(part.piece) for part in piece.parts])

    def sequence(self, parts: list[Expression]) -> Expression:
        whole = Expression(frozenset(), frozenset(), self.follow, True)
        for part in parts:
            self._link(whole.last, part.first)
            first = whole.first | part.first if whole.nullable else whole.first
            last = whole.last | part.last if part.nullable else part.last
            whole = Expression(first, last, self.follow, whole.nullable and part.nullable)
        return whole

    def _link(self, sources: frozenset[int], targets: frozenset[int]) -> None:
        for position in sources:
            self.follow[position] = self.follow[position] | targets


def cells_of(piece: s.Piece) -> Iterator[s.One]:
    """The cells of a piece, from left to right."""
    if isinstance(piece, s.One):
        yield piece
    elif isinstance(piece, s.Repeat):
        yield from cells_of(piece.piece)
    elif isinstance(piece, s.Choice):
        for option in piece.options:
            yield from cells_of(option)
    else:
        for part in piece.parts:
            yield from cells_of(part.piece)
