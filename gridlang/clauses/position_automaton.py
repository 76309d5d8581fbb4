"""Repetitions of an input clause, and its position automaton by Glushkov's construction: one position a cell.

A set of positions is a number with a bit for each: a hostile clause has many large sets that are much
alike, and as numbers they take a hundredth of the time and memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from gridlang.diagnostics import Fault
from gridlang.evaluator import Evaluator
from gridlang.source import Span
from gridlang.syntax import tree as s

MOST_CELLS = 1_000  # of a clause: links between them grow with the square


class Bounds(NamedTuple):
    """How often a piece stands, at least and at most; None is without limit."""

    least: int
    most: int | None


_MARKS = {"+": Bounds(1, None), "*": Bounds(0, None), "?": Bounds(0, 1)}


def bounds_of(node: s.Repeat | s.Times) -> Bounds:
    """The bounds of a repetition; GridError for counts that are not numbers or make no sense."""
    if isinstance(node, s.Repeat):
        return _MARKS[node.quantifier]
    counts = [count for count in (node.least, node.most) if count is not None]
    for count in counts:
        if not isinstance(count, s.Number):
            raise Fault("G030", "how often a piece stands is not said by a number", count.span)
    least, most = (count.value if isinstance(count, s.Number) else None for count in (node.least, node.most))
    bounds = Bounds(least or 0, most)
    if most is not None and most < bounds.least:
        raise Fault("G030", f"a piece cannot repeat at least {least} and at most {most} times", node.span)
    if most == 0:
        raise Fault("G030", "this piece never stands there", node.span, "", "leave it out")
    return bounds


def unrolled(node: s.Times) -> s.Piece:
    """The same without counts: `bit{1,3}` is `(bit, bit?, bit?)`, and `bit{2,}` is `(bit, bit+)`.

    Many optional pieces are halved, `(bit, bit)?, bit?` for up to three: a text can be read in few ways then,
    where as many as there are pieces would make every reader of the clause slow.
    """
    (least, most), body, span = bounds_of(node), node.piece, node.span
    if most is None and least <= 1:
        return s.Repeat(span, body, "+" if least else "*")
    pieces: list[s.Piece] = [body] * least
    if most is None:
        pieces[-1] = s.Repeat(span, body, "+")
    else:
        optional = most - least
        while optional:
            half = (optional + 1) // 2
            pieces.append(s.Repeat(span, body if half == 1 else _row([body] * half, span), "?"))
            optional -= half
    return _row(pieces, span)


def _row(pieces: list[s.Piece], span: Span) -> s.Sequence:
    return s.Sequence(span, tuple(s.Part(span, None, piece) for piece in pieces))


def counts_of(piece: s.Piece) -> Iterator[s.Expr]:
    """All expressions that say how often something stands in a piece."""
    for inner in s.inside(piece):
        if isinstance(inner, s.Times):
            yield inner.least
            if inner.most is not None:
                yield inner.most


def cells_in(piece: s.Piece) -> int:
    """How many cells a piece has once its counts are written out."""
    if isinstance(piece, s.Times):
        least, most = bounds_of(piece)
        return cells_in(piece.piece) * (max(least, 1) if most is None else most)
    if isinstance(piece, s.Repeat):
        return cells_in(piece.piece)
    if isinstance(piece, s.Choice):
        return sum(map(cells_in, piece.options))
    return sum(cells_in(part.piece) for part in piece.parts) if isinstance(piece, s.Sequence) else 1


def check_size(clause: s.InputClause) -> None:
    if sum(cells_in(part.piece) for part in clause.parts) > MOST_CELLS:
        message = f"this input clause has more than {MOST_CELLS:,} cells"
        raise Fault("G033", message, clause.span, "", "write what repeats with `+` or `*`")


def counted_by(clause: s.InputClause, value: Callable[[s.Expr], int]) -> s.InputClause:
    """The clause with the value of every count in its place."""

    def number(count: s.Expr) -> s.Expr:
        return s.Number(count.span, value(count))

    def counts(node: Any) -> Any:
        if not isinstance(node, s.Times):
            return node
        return node._replace(least=number(node.least), most=node.most and number(node.most))

    counted: s.InputClause = s.rebuilt(clause, counts)
    return counted


def separating_pattern(parts: Sequence[tuple[str, bool]]) -> re.Pattern[str] | None:
    """A pattern that splits every text of a clause in the only way there is; None where a part could go on
    with the symbols of a later one that may come next. Parts are given by their symbols, and whether one
    may be empty.
    """
    for i, j in combinations(range(len(parts)), 2):
        if all(nullable for _, nullable in parts[i + 1 : j]) and set(parts[i][0]) & set(parts[j][0]):
            return None
    return re.compile("".join(f"([{re.escape(symbols)}]*)" for symbols, _ in parts))


class Expression(NamedTuple):
    """A position automaton: sets of positions, which are numbered within the whole clause."""

    first: int
    last: int
    follow: list[int]
    nullable: bool


class PositionBuilder:
    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.cells: list[str] = []
        self.follow: list[int] = []

    def piece(self, piece: s.Piece) -> Expression:
        if isinstance(piece, s.One):
            position = 1 << len(self.cells)
            self.cells.append(self.evaluator.cell(piece.members))
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
    return (inner for inner in s.inside(piece) if isinstance(inner, s.One))
