"""`World`: the symbols on the grid, and pictures of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gridlang.diagnostics import Diagnostic, Fault, Fix, GridError, respelt
from gridlang.source import Source, Span
from gridlang.table import BLANK
from gridlang.tiles import Box as Box
from gridlang.tiles import Cell as Cell
from gridlang.tiles import TileLayer, Tiles, blank_first, tiles_of

MOST_DRAWN = 10_000  # cells of a picture
LARGE = 20_000  # characters; a larger picture is laid into tiles, since a dictionary takes megabytes
LONG = 1_000  # characters; tiles of a longer text are made, and run natively, sooner than a dictionary
LONGEST_LINE = 60  # characters of a picture in one line
MOST_TEXT = 1_000_000_000  # cells of a result as text
FARTHEST = 2**62  # coordinate: runs count cells in 64 bits


def is_far(cell: Cell) -> bool:
    return max(cell) > FARTHEST or min(cell) < -FARTHEST


@dataclass(frozen=True, slots=True)
class World:
    """Symbols at finitely many cells, blank elsewhere, and the cell where the head starts.

    x grows to the right, y downwards. The cells of a large world are `Tiles`, a map like any other.

    >>> import gridlang as gl
    >>> gl.run("examples/increment.grid", gl.World({(0, 0): "1", (1, 0): "1"})).result
    '100'
    >>> gl.World({(0, 0): "1", (1, 0): "1"})
    World([1]1, start (0, 0))
    """

    cells: Mapping[Cell, str]
    start: Cell = (0, 0)

    def __post_init__(self) -> None:
        if isinstance(self.cells, Tiles):
            self._refuse_far()
            return
        if isinstance(self.cells, str):
            raise TypeError("a world is a map from cells to symbols; `gridlang.string_world` takes a text")
        cells = dict(self.cells)
        if BLANK in cells.values():
            cells = {cell: symbol for cell, symbol in cells.items() if symbol != BLANK}
        object.__setattr__(self, "cells", MappingProxyType(cells))
        self._refuse_far()

    def _refuse_far(self) -> None:
        box = self.box or Box(0, 0, 0, 0)
        if is_far(self.start) or is_far((box.left, box.top)) or is_far((box.right, box.bottom)):
            raise ValueError("coordinates of a world lie within -2**62 and 2**62")

    @property
    def box(self) -> Box | None:
        if isinstance(self.cells, Tiles):
            return self.cells.box()
        if not self.cells:
            return None
        xs, ys = [x for x, _ in self.cells], [y for _, y in self.cells]
        return Box(min(xs), min(ys), max(xs), max(ys))

    @property
    def origin(self) -> Cell | None:
        return self.box and (self.box.left, self.box.top)

    @property
    def frame(self) -> Box:
        """The smallest box around the non-blank cells and the start cell."""
        x, y = self.start
        return (self.box or Box(x, y, x, y)).around(self.start)

    @property
    def text(self) -> str:
        """The rows of its box, joined by newlines: the result of a run that left it."""
        box = self.box
        if box and box.area > MOST_TEXT:
            size = f"{box.width:,} x {box.height:,} cells"
            raise ValueError(f"a result of {size} is too large for a text: its cells are in `world.cells`")
        return "\n".join(self.lines(box)) if box else ""

    def used(self) -> set[str]:
        return self.cells.used() if isinstance(self.cells, Tiles) else set(self.cells.values())

    def lines(self, box: Box) -> Iterator[str]:
        return tiles_of(self.cells).lines(box)

    def __repr__(self) -> str:
        return f"World({world_line(self)}, start {self.start})"


def string_world(text: str) -> World:
    """A string on row 0 from column 0, the head on its first cell.

    >>> import gridlang as gl
    >>> gl.string_world("11").start
    (0, 0)
    """
    if len(text) <= LONG:
        return World({(x, 0): symbol for x, symbol in enumerate(text)})
    layer = TileLayer(symbols := blank_first(sorted(set(text))))
    layer.lay(0, 0, text.translate({ord(symbol): number for number, symbol in enumerate(symbols)}))
    return World(layer.tiles())


def picture_world(block: Span, symbols: Iterable[str]) -> World:
    """A picture with its start cell in brackets, as `_[a]_`; GridError where it is unclear."""
    cells, marked = _drawn(block, symbols)
    if len(marked) != 1:
        what = "no start cell" if not marked else "more than one start cell"
        offset, row = next(iter(_rows(block)), (block.start, ""))
        first = Span(block.source, offset, offset + max(len(row), 1)) if row else block.before()
        where = marked[1][1] if marked else first
        hint = "put brackets around the one cell where the head starts, as in `_[_]_`"
        raise Fault("G072", f"this picture has {what}", where, "", hint)
    return World(cells, marked[0][0])


def _drawn(block: Span, symbols: Iterable[str]) -> tuple[Mapping[Cell, str], list[tuple[Cell, Span]]]:
    """The cells of a picture, and those of them in brackets with their places."""
    known = tuple(symbols)
    ordered, cells = blank_first(known), dict[Cell, str]()
    layer = TileLayer(ordered) if block.end - block.start > LARGE else None
    numbers = {ord(symbol): number for number, symbol in enumerate(ordered)}
    bracketed: list[tuple[Cell, Span]] = []
    for y, (offset, row) in enumerate(_rows(block)):
        bare, marked = _cells(row)
        if strange := set(bare) - set(known):
            brackets = {at for mark in MARK.finditer(row) for at in (mark.start(), mark.end() - 1)}
            at = next(at for at, char in enumerate(row) if char in strange and at not in brackets)
            raise GridError(
                [unknown_symbol(row[at], Span(block.source, offset + at, offset + at + 1), known)]
            )
        bracketed += [((x, y), Span(block.source, offset + at, offset + at + 1)) for x, at in marked]
        if layer:
            layer.lay(0, y, bare.translate(numbers))
        else:
            cells.update(((x, y), symbol) for x, symbol in enumerate(bare))
    return layer.tiles() if layer else cells, bracketed


def source_world(source: Source, symbols: Iterable[str]) -> World:
    """The world that a whole text is a picture of."""
    return picture_world(Span(source, 0, len(source.text)), symbols)


def picture_result(block: Span, symbols: Iterable[str]) -> tuple[Mapping[Cell, str], Cell | None]:
    """The cells of an expected result, and the one in brackets, where the head ends, if there is one."""
    cells, marked = _drawn(block, symbols)
    if len(marked) > 1:
        hint = "the head ends on one cell: put brackets around one, or around none"
        message = "this picture has more than one cell where the head ends"
        raise Fault("G072", message, marked[1][1], "", hint)
    return cells, marked[0][0] if marked else None


def out_of_line(block: Span) -> Diagnostic | None:
    """The warning that a cell is drawn below another than it stands below, as spaces do not count."""
    rows = _rows(block) if block.end - block.start <= LARGE else []
    leads = [block.source.position(offset)[1] - 1 for offset, _ in rows]
    if block.start and rows and "\n" not in block.source.text[block.start : rows[0][0]]:
        leads[:1] = leads[1:2]  # behind the quotes
    lines = [lead * " " + row for lead, (_, row) in zip(leads, rows, strict=False)]
    wrong = [_first_aside([MARK.sub(shape, line) for line in lines]) for shape in (r"\1", r" \1 ")]
    if not all(wrong):
        return None
    offset, row = rows[wrong[0]]
    hint = f"spaces do not count: draw a blank as `{BLANK}`, and begin all rows in one column"
    span = Span(block.source, offset, offset + len(row))
    return Diagnostic("G068", "the rows of this picture do not line up", span, "", hint, severity="warning")


def _first_aside(lines: list[str]) -> int:
    """The first line with a cell in another column than that of the lines above; 0 if there is none."""
    columns: list[int] = []
    for number, line in enumerate(lines):
        here = [at for at, char in enumerate(line) if not char.isspace()]
        if here[: len(columns)] != columns[: len(here)]:
            return number
        columns = max(columns, here, key=len)
    return 0


def unknown_symbol(symbol: str, span: Span, known: Iterable[str]) -> Diagnostic:
    """The complaint about a character that the alphabet does not have."""
    names = list(known)
    shown = symbol if symbol.isprintable() else f"U+{ord(symbol):04X}"
    message = (
        f"`{shown}` is not in the alphabet, which is {' '.join(names[:40])}{' …' if len(names) > 40 else ''}"
    )
    typed = span.source.path.startswith("<")
    label, hint, fixes = f"character {span.start + 1}" if typed else "", "", tuple[Fix, ...]()
    if symbol in "[]" and typed:
        hint = _typed_picture(span.source.text)
    elif symbol in "[]":
        hint = "brackets around one symbol mark the start cell of a picture: `[x]`, without spaces"
    elif symbol.isspace():
        hint = f"the blank is written `{BLANK}`"
    else:
        hint, fixes = respelt(symbol, names, span)
    return Diagnostic("G070", message, span, label, hint, fixes=() if typed else fixes)


def _typed_picture(text: str) -> str:
    """A hint for brackets in an input, which is a row of symbols, not a picture."""
    if MARK.match(text) and len(MARK.findall(text)) == 1:
        bare = MARK.sub(r"\1", text)
        return f"leave out the brackets: the head starts on the first symbol of an input anyway: `{bare}`"
    return "a start cell in brackets belongs to a picture: write it to a file, for --world FILE"


def picture_rows(world: World) -> Iterator[str]:
    """The rows of a picture that `picture_world` reads back, the start cell in brackets."""
    gap = " " if "[" in world.used() else ""  # else `[x]` could be three cells
    frame = world.frame
    x, y = world.start[0] - frame.left, world.start[1] - frame.top
    for number, row in enumerate(world.lines(frame)):
        if number == y:
            yield gap.join((*row[:x], f"[{row[x]}]", *row[x + 1 :]))
        else:
            yield gap.join(row) if gap else row


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


MARK = re.compile(r"\[(\S)\]")


def _cells(row: str) -> tuple[str, list[tuple[int, int]]]:
    """The symbols of a row, and (column, offset) of those in brackets.

    Spaces between cells mean nothing, so `[ ( ]` is three cells and `[(]` is a marked one.
    """
    marks = list(MARK.finditer(row)) if "[" in row else []
    bare, marked, done = "", [], 0
    for mark in marks:
        bare += "".join(row[done : mark.start()].split())
        marked.append((len(bare), mark.start() + 1))
        bare += mark[1]
        done = mark.end()
    return bare + "".join(row[done:].split()), marked


def world_picture(world: World) -> str | None:
    """The world as `run --world` reads it, its start cell in brackets; None if it is too large to draw."""
    return "\n".join(picture_rows(world)) if world.frame.area <= MOST_DRAWN else None


def world_line(world: World) -> str:
    """The picture with its rows side by side, as `[1]0 / _1`; of a larger world its size."""
    frame = world.frame
    if frame.area <= LONGEST_LINE:
        line = " / ".join(picture_rows(world))
        if len(line) <= LONGEST_LINE:
            return line
    return f"{frame.width:,} x {frame.height:,} cells"
