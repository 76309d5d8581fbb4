"""The position automaton of an input clause, by Glushkov's construction: one position a cell.

A set of positions is a number with a bit for each: sets are many, large and much alike where a clause is
hostile, and as numbers they take a hundredth of the time and memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from gridlang.clauses.limits import LIMITS
from gridlang.clauses.repetitions import pieces_in, unrolled
from gridlang.diagnostics import Diagnostic, GridError
from gridlang.syntax import tree as s
from gridlang.table import MAX_SYMBOLS
from gridlang.vocabulary import quote


class Expression(NamedTuple):
    """A position automaton: sets of positions, which are numbered within the whole clause."""

    first: int
    last: int
    follow: list[int]
    nullable: bool


class PositionBuilder:
    """Builds the position automaton of a clause over an alphabet with its classes."""

    def __init__(self, classes: Mapping[str, str], everything: str) -> None:
        self.classes, self.everything = classes, everything
        self.cells: list[str] = []
        self.follow: list[int] = []

    def piece(self, piece: s.Piece) -> Expression:
        if isinstance(piece, s.One):
            position = 1 << len(self.cells)
            self.cells.append(symbols_of(piece.members, self.classes, self.everything))
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


def symbols_of(node: s.Expr, classes: Mapping[str, str], everything: str) -> str:
    """The symbols of a cell of a clause, which are never none."""
    if isinstance(node, s.AnySymbol):
        return everything
    if isinstance(node, s.Name):
        if node.name not in classes:
            message = f"the input clause names a class `{node.name}` that does not exist"
            raise GridError([Diagnostic("G021", message, node.span)])
        return classes[node.name]
    if isinstance(node, s.Number | s.Symbol):
        return _known(_symbol(node), node, everything)
    assert isinstance(node, s.Binary)
    if node.op == "except":
        without = symbols_of(node.right, classes, everything)
        chars = "".join(c for c in everything if c not in without)
    else:
        codes = range(ord(_symbol(node.left)), ord(_symbol(node.right)) + 1)
        if len(codes) > MAX_SYMBOLS:
            message = f"this range has {len(codes):,} symbols"
            raise GridError([Diagnostic("G033", message, node.span, f"at most {MAX_SYMBOLS:,}")])
        chars = _known("".join(map(chr, codes)), node, everything)
    if not chars:
        raise GridError([Diagnostic("G033", "no symbol can stand here", node.span, "this is empty")])
    return chars


def _known(chars: str, node: s.Expr, everything: str) -> str:
    """The symbols, if the alphabet has them: no input that needs another could be put on the grid."""
    strange = next((c for c in chars if c not in everything), "")
    if strange:
        hint = "declare it below `alphabet`"
        raise GridError(
            [Diagnostic("G031", f"{quote(strange)} is not in the alphabet", node.span, hint=hint)]
        )
    return chars


def _symbol(node: s.Expr) -> str:
    """The one symbol that is written here."""
    if isinstance(node, s.Symbol):
        return node.char
    if not isinstance(node, s.Number):
        message = "a range goes from number to number or from symbol to symbol"
        raise GridError([Diagnostic("G025", message, node.span)])
    if node.value > 9:
        hint = "numbers are symbols only from 0 to 9; name others, as in 'a'..'z'"
        raise GridError([Diagnostic("G031", f"{node.value} is not a symbol", node.span, hint=hint)])
    return str(node.value)


class Leaves(Exception):
    """A symbol that cannot come next."""


class Row(dict[str, "Row"]):
    """What is read after some symbols, by the next one; `state` is a set of positions, None at first."""

    __slots__ = ("_rows", "_step", "state")

    def __init__(
        self, step: Callable[[int | None, str], int], state: int | None, rows: dict[int, Row]
    ) -> None:
        super().__init__()
        self.state, self._step, self._rows = state, step, rows

    def __missing__(self, symbol: str) -> Row:
        after = self._step(self.state, symbol)
        if not after:
            raise Leaves
        row = self._rows.get(after)
        if row is None:
            row = Row(self._step, after, self._rows)
            if len(self._rows) >= LIMITS.most_rows:
                return row
            self._rows[after] = row
        self[symbol] = row
        return row


def read(first: Row, text: str) -> int | None:
    """The state after a text; Leaves if it is not of the form."""
    row = first
    for symbol in text:
        row = row[symbol]
    return row.state
