"""`World`: what stands on the grid, and pictures of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from gridlang.diagnostics import Diagnostic, GridError, did_you_mean
from gridlang.source import Source, Span
from gridlang.table import BLANK
from gridlang.vocabulary import quote

Cell = tuple[int, int]
MOST_DRAWN = 10_000  # A picture of more cells helps no reader.
LONGEST_LINE = 60  # A picture in one line is read at a glance up to so many characters.


@dataclass(frozen=True, slots=True)
class World:
    """Symbols at finitely many cells, blank elsewhere, and the cell where the head starts.

    x grows to the right, y downwards.

    >>> import gridlang as gl
    >>> gl.run("examples/increment.grid", gl.World({(0, 0): "1", (1, 0): "1"})).result
    '100'
    >>> gl.World({(0, 0): "1", (1, 0): "1"})
    World([1]1, start (0, 0))
    """

    cells: Mapping[Cell, str]
    start: Cell = (0, 0)

    def __post_init__(self) -> None:
        cells = dict(self.cells)
        if BLANK in cells.values():
            cells = {cell: symbol for cell, symbol in cells.items() if symbol != BLANK}
        object.__setattr__(self, "cells", MappingProxyType(cells))

    def __repr__(self) -> str:
        return f"World({world_line(self)}, start {self.start})"


def string_world(text: str) -> World:
    """A string on row 0 from column 0, the head on its first cell.

    >>> import gridlang as gl
    >>> gl.string_world("11").start
    (0, 0)
    """
    return World({(x, 0): symbol for x, symbol in enumerate(text)})


class Box(NamedTuple):
    """The smallest rectangle around some cells, both corners included."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def area(self) -> int:
        return (self.right - self.left + 1) * (self.bottom - self.top + 1)


def box_of(cells: Iterable[Cell]) -> Box | None:
    """The box around cells; None if there are none."""
    full = list(cells)
    if not full:
        return None
    xs, ys = [x for x, _ in full], [y for _, y in full]
    return Box(min(xs), min(ys), max(xs), max(ys))


def result(cells: Mapping[Cell, str]) -> tuple[str, Cell | None]:
    """The bounding box of the non-blank cells as text, and its upper left corner."""
    box = box_of(cell for cell, symbol in cells.items() if symbol != BLANK)
    if box is None:
        return "", None
    width = box.right - box.left + 1
    rows = [[BLANK] * width for _ in range(box.top, box.bottom + 1)]
    for (x, y), symbol in cells.items():
        if symbol != BLANK:
            rows[y - box.top][x - box.left] = symbol
    return "\n".join(map("".join, rows)), (box.left, box.top)


def picture_world(block: Span, symbols: Iterable[str]) -> World:
    """A picture with its start cell in brackets, as `_[a]_`; GridError where it is unclear."""
    cells, marked = _drawn(block, symbols)
    if len(marked) != 1:
        what = "no start cell" if not marked else "more than one start cell"
        where = marked[1][1] if marked else _first_line(block)
        hint = "put brackets around the one cell where the head starts, as in `_[_]_`"
        raise GridError([Diagnostic("G072", f"this picture has {what}", where, "", hint)])
    return World(cells, marked[0][0])


def _drawn(block: Span, symbols: Iterable[str]) -> tuple[dict[Cell, str], list[tuple[Cell, Span]]]:
    """The cells of a picture, and those of them in brackets with their places."""
    known = tuple(symbols)
    cells: dict[Cell, str] = {}
    marked = []
    for y, (offset, row) in enumerate(_rows(block)):
        for x, (symbol, at, is_marked) in enumerate(_cells(row)):
            span = Span(block.source, offset + at, offset + at + 1)
            if symbol not in known:
                raise GridError([unknown_symbol(symbol, span, known)])
            cells[x, y] = symbol
            if is_marked:
                marked.append(((x, y), span))
    return cells, marked


def source_world(source: Source, symbols: Iterable[str]) -> World:
    """The world that a whole text is a picture of."""
    return picture_world(Span(source, 0, len(source.text)), symbols)


def picture_result(block: Span, symbols: Iterable[str]) -> tuple[Mapping[Cell, str], Cell | None]:
    """The cells of an expected result, and the one in brackets, where the head ends, if there is one."""
    cells, marked = _drawn(block, symbols)
    if len(marked) > 1:
        hint = "the head ends on one cell: put brackets around one, or around none"
        message = "this picture has more than one cell where the head ends"
        raise GridError([Diagnostic("G072", message, marked[1][1], "", hint)])
    return cells, marked[0][0] if marked else None


def unknown_symbol(symbol: str, span: Span, known: Iterable[str]) -> Diagnostic:
    """The complaint about a character that the alphabet does not have."""
    names = list(known)
    shown = symbol if symbol.isprintable() else f"U+{ord(symbol):04X}"
    typed = span.source.path.startswith("<")
    label = f"character {span.start + 1}" if typed else ""
    hint = f"the alphabet is {' '.join(names[:40])}{' …' if len(names) > 40 else ''}"
    if symbol in "[]":
        hint = "brackets around one symbol mark the start cell of a picture: `[x]`, without spaces"
    elif symbol.isspace():
        hint = f"the blank is written `{BLANK}`; " + hint
    elif did_you_mean(symbol, names):
        hint = did_you_mean(symbol, names)
    return Diagnostic("G070", f"`{shown}` is not in the alphabet", span, label, hint)


def _first_line(block: Span) -> Span:
    for offset, row in _rows(block):
        return Span(block.source, offset, offset + max(len(row), 1))
    return Span(block.source, block.start, block.start)


def picture_rows(world: World) -> list[str]:
    """The rows of a picture that `picture_world` reads back, the start cell in brackets."""
    box = box_of([*world.cells, world.start])
    assert box is not None
    gap = " " if "[" in world.cells.values() else ""  # Without it `[x]` could be three cells.
    lines = []
    for y in range(box.top, box.bottom + 1):
        row = [world.cells.get((x, y), BLANK) for x in range(box.left, box.right + 1)]
        if y == world.start[1]:
            row[world.start[0] - box.left] = f"[{row[world.start[0] - box.left]}]"
        lines.append(gap.join(row))
    return lines


def _rows(block: Span) -> list[tuple[int, str]]:
    """(offset, text) of the rows, without outer white space."""
    rows = []
    offset = block.start
    for line in block.text.split("\n"):
        text = line.strip()
        rows.append((offset + len(line) - len(line.lstrip()), text))
        offset += len(line) + 1
    while rows and not rows[0][1]:
        rows.pop(0)
    while rows and not rows[-1][1]:
        rows.pop()
    return rows


def _cells(row: str) -> list[tuple[str, int, bool]]:
    """(symbol, offset, is start) of the cells of a row.

    Spaces between cells mean nothing, so `[ ( ]` is three cells and `[(]` is a marked one.
    """
    cells = []
    at = 0
    while at < len(row):
        mark = row[at] == "[" and row[at + 2 : at + 3] == "]" and not row[at + 1].isspace()
        if mark:
            cells.append((row[at + 1], at + 1, True))
            at += 3
        else:
            if not row[at].isspace():
                cells.append((row[at], at, False))
            at += 1
    return cells


def quoted(symbols: Iterable[str]) -> str:
    """Symbols as written in source, joined by `|`."""
    return " | ".join(quote(symbol) for symbol in symbols)


def world_picture(world: World) -> str | None:
    """The world as `run --world` reads it, its start cell in brackets; None if it is too large to draw."""
    box = box_of([*world.cells, world.start])
    if box is None or box.area > MOST_DRAWN:
        return None
    return "\n".join(picture_rows(world))


def world_line(world: World) -> str:
    """The picture with its rows side by side, as `[1]0 / _1`; of a larger world its size."""
    box = box_of([*world.cells, world.start])
    assert box is not None
    if box.area <= LONGEST_LINE:
        line = " / ".join(picture_rows(world))
        if len(line) <= LONGEST_LINE:
            return line
    return f"{box.right - box.left + 1:,} x {box.bottom - box.top + 1:,} cells"
