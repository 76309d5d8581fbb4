"""Worlds as PNG images: a pixel a cell, or a square of pixels where a world is small."""

from __future__ import annotations

import colorsys
import struct
import zlib
from collections.abc import Iterator, Sequence

from gridlang.compiler.simulation.limits import LIMITS
from gridlang.diagnostics import fail
from gridlang.tiles import NARROW, Box, tiles_of
from gridlang.world import World


def checked_area(box: Box, ending: str) -> None:
    """GridError if a box has more cells than a file of this kind takes."""
    if box.area > LIMITS.area:
        size = f"{box.width:,} x {box.height:,} cells"
        hint = "`gridlang run --json` lists its cells"
        raise fail("G074", f"a box of {size} is too large for a {ending} file", hint)


# on light paper; drawings of agents share them
PAPER, INK, ACCENT = "#ffffff", "#1c2330", "#d6336c"
GREEN, BLUE, AMBER, GREY = "#2f8f4e", "#3b78c4", "#c98a1b", "#8a94a4"
CRIMSON, RED, PINK, VIOLET = "#b04a5a", "#c93434", "#b8548a", "#9a7ac7"
BORDERS = (GREEN, BLUE, AMBER, GREY, CRIMSON, RED, PINK, VIOLET)


LEVEL = 6  # zlib's own: a higher one takes twice the time for a few percent
GOLDEN = 0.618034  # of a turn: hues that follow each other by it stay far apart


def write_png(world: World, symbols: Sequence[str]) -> Iterator[bytes]:
    """The file of a world, in pieces; GridError if its box is too large.

    The blank is paper and the first symbol ink; a frame marks the head where it stands in the box.
    """
    tiles = tiles_of(world.cells, symbols)
    x, y = world.start
    box = tiles.box() or Box(x, y, x, y)
    checked_area(box, ".png")
    cell = max(1, min(LIMITS.image_cell, LIMITS.image_side // max(box.width, box.height)))
    count = min(len(symbols), NARROW - 1)  # the last colour is that of the head
    colours = [*symbol_colours(count), ACCENT]
    yield b"\x89PNG\r\n\x1a\n"
    yield chunk(b"IHDR", struct.pack(">IIBBBBB", box.width * cell, box.height * cell, 8, 3, 0, 0, 0))
    yield chunk(b"PLTE", b"".join(bytes.fromhex(colour[1:]) for colour in colours))
    legend = " ".join(f"{symbol} {colours[_colour(i, count)]}" for i, symbol in enumerate(symbols))
    yield chunk(b"iTXt", b"Comment\0\0\0\0\0" + legend.encode())
    numbers = [_colour(number, count) for number in range(len(symbols))]
    packer, packed = zlib.compressobj(LEVEL), b""
    for number, row in enumerate(tiles.rows(box)):
        line = (row.translate(numbers) if len(symbols) > count else row).encode("latin-1")
        head = x - box.left if number == y - box.top and box.left <= x <= box.right else None
        for scan in _scans(line, cell, head, count):
            packed += packer.compress(b"\0" + scan)
        if len(packed) > LIMITS.written_at_once:
            yield chunk(b"IDAT", packed)
            packed = b""
    yield chunk(b"IDAT", packed + packer.flush()) + chunk(b"IEND", b"")


def _scans(line: bytes, cell: int, head: int | None, accent: int) -> Iterator[bytes]:
    """The lines of pixels that a row of cells becomes."""
    if cell == 1:
        yield line
        return
    scan = b"".join(bytes([colour]) * cell for colour in line)
    if head is None or cell < LIMITS.framed_cell:
        yield from [scan] * cell
        return
    edge = max(1, cell // 8)
    before, after = scan[: head * cell], scan[(head + 1) * cell :]
    full = before + bytes([accent]) * cell + after
    sides = bytes([accent]) * edge
    framed = before + sides + line[head : head + 1] * (cell - 2 * edge) + sides + after
    yield from [*[full] * edge, *[framed] * (cell - 2 * edge), *[full] * edge]


def symbol_colours(count: int) -> list[str]:
    """A colour for each symbol: paper, ink, the borders of the drawings, then hues that are far apart."""
    colours = [PAPER, INK, *BORDERS]
    for number in range(count - len(colours)):
        parts = colorsys.hls_to_rgb(number * GOLDEN % 1, 0.35 + 0.15 * (number % 3), 0.6)
        colours.append("#" + "".join(f"{round(255 * part):02x}" for part in parts))
    return colours[:count]


def _colour(number: int, count: int) -> int:
    """The colour of a symbol; there are no more than a byte has numbers, so beyond they come again."""
    return number if number < count else 1 + (number - 1) % (count - 1)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
