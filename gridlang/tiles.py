"""`Tiles`: what stands on a large grid, at about a byte a cell."""

from __future__ import annotations

import codecs
import sys
from array import array
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gridlang.table import BLANK

Cell = tuple[int, int]
EMPTY = "\0"
NARROW = 256  # symbols in a byte; a C codec decodes bytes
UTF16 = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"


class Box(NamedTuple):
    """The smallest rectangle around some cells, both corners included."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left + 1

    @property
    def height(self) -> int:
        return self.bottom - self.top + 1

    @property
    def area(self) -> int:
        return self.width * self.height

    def around(self, cell: Cell) -> Box:
        x, y = cell
        return Box(min(self.left, x), min(self.top, y), max(self.right, x), max(self.bottom, y))


class Shape(NamedTuple):
    """The cells of a tile; those of a tape lie in rows, so that each holds much of it."""

    wide: int
    high: int

    @property
    def area(self) -> int:
        return self.wide * self.high

    @property
    def middle(self) -> Cell:
        """Where cell (0, 0) lies in tile (0, 0)."""
        return self.wide // 2, self.high // 2

    def full_rows(self, tile: str) -> list[tuple[int, str]]:
        """Those that are not blank, with their numbers; to compare a row is quicker than to strip a tile."""
        wide, empty = self.wide, EMPTY * self.wide
        rows = [tile[at : at + wide] for at in range(0, len(tile), wide)]
        return [(y, row) for y, row in enumerate(rows) if row != empty]


PLANE = Shape(64, 16)
Bands = dict[int, dict[int, str]]


class Tiles(Mapping[Cell, str]):
    """The symbols at the cells that are not blank. It is never changed, and equals any map of the same cells.

    `bands[y][x]` is a tile of one shape, row by row; a character is the number of a symbol, 0 the
    blank. Bands, and the tiles of a band, are in order, and no tile is all blank.
    """

    __slots__ = ("_box", "_count", "bands", "shape", "symbols")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, symbols: Sequence[str], bands: Bands, shape: Shape = PLANE) -> None:
        self.symbols = "".join(symbols)
        self.shape = shape
        self.bands = {y: dict(sorted(bands[y].items())) for y in sorted(bands)}
        self._count: int | None = None
        self._box: Box | None = None

    def tiles(self) -> Iterator[tuple[int, int, str]]:
        """(x, y, characters) of each tile; x and y count tiles."""
        for y, band in self.bands.items():
            for x, tile in band.items():
                yield x, y, tile

    def __len__(self) -> int:
        if self._count is None:
            self._count = sum(self.shape.area - tile.count(EMPTY) for _, _, tile in self.tiles())
        return self._count

    def __bool__(self) -> bool:
        return bool(self.bands)

    def __iter__(self) -> Iterator[Cell]:
        return (cell for cell, _ in self.entries())

    def __getitem__(self, cell: Cell) -> str:
        (wide, high), (mid_x, mid_y) = self.shape, self.shape.middle
        x, y = cell[0] + mid_x, cell[1] + mid_y
        tile = self.bands.get(y // high, {}).get(x // wide)
        number = tile[y % high * wide + x % wide] if tile else EMPTY
        if number == EMPTY:
            raise KeyError(cell)
        return self.symbols[ord(number)]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Tiles) and self.shape == other.shape:
            return self.bands == _renumbered(other, self.symbols).bands and self.used() == other.used()
        if isinstance(other, Mapping):
            return len(self) == len(other) and all(other.get(cell) == symbol for cell, symbol in self.items())
        return NotImplemented

    def __repr__(self) -> str:
        return f"Tiles({len(self):,} cells)"

    def items(self) -> ItemsView[Cell, str]:
        return _Items(self)

    def entries(self) -> Iterator[tuple[Cell, str]]:
        symbols = {chr(number): symbol for number, symbol in enumerate(self.symbols)}
        (wide, high), (mid_x, mid_y) = self.shape, self.shape.middle
        for left, top, tile in self.tiles():
            for y, row in self.shape.full_rows(tile):
                y += top * high - mid_y
                for x, number in enumerate(row, left * wide - mid_x):
                    if number != EMPTY:
                        yield (x, y), symbols[number]

    def used(self) -> set[str]:
        unseen = {chr(number): symbol for number, symbol in enumerate(self.symbols) if number}
        used = set()
        for _, _, tile in self.tiles():
            for number in [number for number in unseen if number in tile]:
                used.add(unseen.pop(number))
        return used

    def text(self, numbers: str) -> str:
        if len(self.symbols) > NARROW:
            return numbers.translate(self.symbols)
        return codecs.charmap_decode(numbers.encode("latin-1"), "strict", self.symbols)[0]

    def box(self) -> Box | None:
        if self._box is None and self.bands:
            self._box = _box_around(self.bands, self.shape)
        return self._box

    def rows(self, box: Box, spelt: Callable[[str], str] = str) -> Iterator[str]:
        """The numbers in a box, a row at a time, as `spelt`."""
        (wide, high), (mid_x, mid_y) = self.shape, self.shape.middle
        left, top, right, bottom = box.left + mid_x, box.top + mid_y, box.right + mid_x, box.bottom + mid_y
        first, last = left // wide, right // wide
        start, end = left - first * wide, right - first * wide + 1
        blank, empty = spelt(EMPTY) * box.width, spelt(EMPTY * self.shape.area)
        for y in range(top // high, bottom // high + 1):
            ends = range(max(top - y * high, 0), min(bottom - y * high, high - 1) + 1)
            band = self.bands.get(y)
            line = [spelt(band[x]) if x in band else empty for x in range(first, last + 1)] if band else []
            if len(line) == 1:
                yield from [line[0][row * wide + start : row * wide + end] for row in ends]
                continue
            for at in (row * wide for row in ends):
                yield "".join([tile[at : at + wide] for tile in line])[start:end] if line else blank

    def lines(self, box: Box) -> Iterator[str]:
        """The symbols in a box, a row at a time, the blank among them."""
        return self.rows(box, self.text)


class _Items(ItemsView[Cell, str]):
    _mapping: Tiles

    def __iter__(self) -> Iterator[tuple[Cell, str]]:
        return self._mapping.entries()


def _box_around(bands: Bands, shape: Shape) -> Box:
    """The box ends in the outermost tiles of the four sides."""
    (wide, high), (mid_x, mid_y) = shape, shape.middle
    top, bottom = next(iter(bands)), next(reversed(bands))
    left = min([next(iter(band)) for band in bands.values()])
    right = max([next(reversed(band)) for band in bands.values()])
    leftmost, rightmost = (
        shape.full_rows(_overlaid([band[x] for band in bands.values() if x in band])) for x in (left, right)
    )
    upper, lower = (shape.full_rows(_overlaid(bands[y].values())) for y in (top, bottom))
    return Box(
        (left + 1) * wide - mid_x - max([len(row.lstrip(EMPTY)) for _, row in leftmost]),
        top * high - mid_y + upper[0][0],
        right * wide - mid_x + max([len(row.rstrip(EMPTY)) for _, row in rightmost]) - 1,
        bottom * high - mid_y + lower[-1][0],
    )


def _overlaid(tiles: Iterable[str]) -> str:
    """A tile that is empty where all of these are: there may be hundreds of thousands."""
    whole = size = 0
    for tile in set(tiles):
        numbers = tile.encode("utf-32-le", "surrogatepass")
        whole, size = whole | int.from_bytes(numbers, "little"), len(numbers)
    return whole.to_bytes(size, "little").decode("utf-32-le", "surrogatepass")


def blank_first(symbols: Iterable[str]) -> tuple[str, ...]:
    """The symbols in an order that tiles can have; models made elsewhere may have another."""
    return (BLANK, *(symbol for symbol in symbols if symbol != BLANK))


class TileLayer:
    """Lays rows of numbers into tiles, from the top down, one band at a time."""

    def __init__(self, symbols: Sequence[str]) -> None:
        self._symbols = symbols
        self._bands: Bands = {}
        self._band = 0
        self._open: dict[int, list[str]] = {}

    def lay(self, x: int, y: int, numbers: str) -> None:
        """Numbers from a cell to the right; rows come from the top down."""
        (wide, high), (mid_x, mid_y) = PLANE, PLANE.middle
        x, y = x + mid_x, y + mid_y
        if y // high != self._band:
            self._close()
            self._band = y // high
        end, at = x + len(numbers), x
        while at < end:
            size = min(wide - at % wide, end - at)
            piece = numbers[at - x : at - x + size]
            if piece.strip(EMPTY):
                rows = self._open.get(at // wide)
                if rows is None:
                    rows = self._open[at // wide] = [EMPTY * wide] * high
                row, left = rows[y % high], at % wide
                rows[y % high] = row[:left] + piece + row[left + size :] if size < wide else piece
            at += size

    def _close(self) -> None:
        if self._open:
            self._bands[self._band] = {x: "".join(rows) for x, rows in self._open.items()}
        self._open = {}

    def tiles(self) -> Tiles:
        self._close()
        return Tiles(self._symbols, self._bands)


def tiles_of(cells: Mapping[Cell, str], symbols: Sequence[str] = ()) -> Tiles:
    """The same cells, in tiles, where symbols have these numbers; without them in the order of characters."""
    if isinstance(cells, Tiles):
        return _renumbered(cells, "".join(symbols) or cells.symbols)
    symbols = symbols or (BLANK, *sorted(set(cells.values()) - {BLANK}))
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    (wide, high), (mid_x, mid_y) = PLANE, PLANE.middle
    open_tiles: dict[int, dict[int, array[int]]] = {}
    for cell, symbol in cells.items():
        if symbol != BLANK:
            x, y = cell[0] + mid_x, cell[1] + mid_y
            band = open_tiles.setdefault(y // high, {})
            tile = band.get(x // wide)
            if tile is None:
                tile = band[x // wide] = array("H", bytes(2 * PLANE.area))
            tile[y % high * wide + x % wide] = numbers[symbol]
    bands = {
        y: {x: tile.tobytes().decode(UTF16) for x, tile in band.items()} for y, band in open_tiles.items()
    }
    return Tiles(symbols, bands)


def _renumbered(tiles: Tiles, symbols: str) -> Tiles:
    if tiles.symbols == symbols:
        return tiles
    numbers = {old: symbols.index(symbol) for old, symbol in enumerate(tiles.symbols) if symbol in symbols}
    bands = {y: {x: tile.translate(numbers) for x, tile in band.items()} for y, band in tiles.bands.items()}
    return Tiles(symbols, bands, tiles.shape)
