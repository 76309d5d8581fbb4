"""Repetitions of an input clause: how often a piece may stand, and what counts in braces are short for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from gridlang.clauses.limits import LIMITS
from gridlang.diagnostics import Diagnostic, GridError
from gridlang.source import Span
from gridlang.syntax import tree as s

ONCE_MORE = "write what repeats with `+` or `*`"


class Bounds(NamedTuple):
    """How often a piece stands, at least and at most; None is without limit."""

    least: int
    most: int | None


_MARKS = {"+": Bounds(1, None), "*": Bounds(0, None), "?": Bounds(0, 1)}


def bounds_of(node: s.Repeat | s.Times) -> Bounds:
    """How often the piece may stand; GridError for counts that are no numbers, or make no sense."""
    if isinstance(node, s.Repeat):
        return _MARKS[node.quantifier]
    counts = [count for count in (node.least, node.most) if count is not None]
    for count in counts:
        if not isinstance(count, s.Number):
            raise _error("G030", "how often a piece stands is not said by a number", count.span)
    least, most = (count.value if isinstance(count, s.Number) else None for count in (node.least, node.most))
    bounds = Bounds(least or 0, most)
    if most is not None and most < bounds.least:
        raise _error("G030", f"a piece cannot stand at least {least} and at most {most} times", node.span)
    if most == 0:
        raise _error("G030", "this piece never stands there", node.span, "leave it out")
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


def pieces_in(piece: s.Piece) -> Iterator[s.Piece]:
    """A piece and all pieces inside it, from left to right."""
    yield piece
    inner: tuple[s.Piece, ...] = ()
    if isinstance(piece, s.Repeat | s.Times):
        inner = (piece.piece,)
    elif isinstance(piece, s.Choice):
        inner = piece.options
    elif isinstance(piece, s.Sequence):
        inner = tuple(part.piece for part in piece.parts)
    for one in inner:
        yield from pieces_in(one)


def counts_of(piece: s.Piece) -> Iterator[s.Expr]:
    """All expressions that say how often something stands in a piece."""
    for inner in pieces_in(piece):
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
    """GridError if a clause has too many cells."""
    if sum(cells_in(part.piece) for part in clause.parts) > LIMITS.most_cells:
        raise _error(
            "G033", f"this input clause has more than {LIMITS.most_cells:,} cells", clause.span, ONCE_MORE
        )


def _error(code: str, message: str, span: Span, hint: str = "") -> GridError:
    return GridError([Diagnostic(code, message, span, "", hint)])


def counted_by(clause: s.InputClause, value: Callable[[s.Expr], int]) -> s.InputClause:
    """The clause with the value of every count in its place."""

    def number(count: s.Expr) -> s.Expr:
        return s.Number(count.span, value(count))

    def counts(node: s.Times) -> s.Piece:
        return node._replace(least=number(node.least), most=node.most and number(node.most))

    return with_times(clause, counts)


def with_times(clause: s.InputClause, change: Callable[[s.Times], s.Piece]) -> s.InputClause:
    """The clause with every piece that has counts changed, from the inside out."""

    def changed(piece: s.Piece) -> s.Piece:
        if isinstance(piece, s.Times):
            return change(piece._replace(piece=changed(piece.piece)))
        if isinstance(piece, s.Repeat):
            return piece._replace(piece=changed(piece.piece))
        if isinstance(piece, s.Choice):
            return piece._replace(options=tuple(map(changed, piece.options)))
        return piece._replace(parts=tuple(map(part, piece.parts))) if isinstance(piece, s.Sequence) else piece

    def part(node: s.Part) -> s.Part:
        return node._replace(piece=changed(node.piece))

    return clause._replace(parts=tuple(map(part, clause.parts)))


def separating_pattern(parts: Sequence[tuple[str, bool]]) -> re.Pattern[str] | None:
    """A pattern that splits every text of a clause; parts are given by their symbols, and whether one may be
    empty. None where a part could go on with the symbols of a later one that may come next.

    Otherwise each part ends where its symbols do, so the first way in which the pattern matches is the only
    one.
    """
    for i, j in combinations(range(len(parts)), 2):
        if all(nullable for _, nullable in parts[i + 1 : j]) and set(parts[i][0]) & set(parts[j][0]):
            return None
    return re.compile("".join(f"([{re.escape(symbols)}]*)" for symbols, _ in parts))
