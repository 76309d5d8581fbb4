"""Worlds as numpy arrays: the numbers of symbols, row by row, and a second array that says what they mean.

    with open("world.npy", "rb") as file:
        cells = numpy.load(file)                     # (rows, columns); 0 is the blank
        about = json.loads(numpy.load(file).item())  # symbols, origin, start

Written without numpy; `numpy.load("world.npy")` gives the first array alone.
"""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from gridlang.compiler.simulation.worlds.png import checked_area
from gridlang.diagnostics import GridError, fail
from gridlang.table import BLANK
from gridlang.tiles import FARTHEST, NARROW, Box, TileLayer, blank_first, tiles_of
from gridlang.world import World

FORMAT = "gridlang-world/1"
ALIGNED = 64  # Bytes that the header of an array is a multiple of.


def write_npy(world: World, symbols: Sequence[str]) -> Iterator[bytes]:
    """The file of a world, in pieces; GridError if its box is too large."""
    tiles = tiles_of(world.cells, symbols)
    box = tiles.box()
    if box:
        checked_area(box, ".npy")
    narrow = len(symbols) <= NARROW
    yield _header("|u1" if narrow else "<u2", (box.height, box.width) if box else (0, 0))
    for row in tiles.rows(box) if box else ():
        yield row.encode("latin-1" if narrow else "utf-16-le")
    about = {
        "format": FORMAT,
        "symbols": list(symbols),
        "origin": [box.left, box.top] if box else list(world.start),
        "start": list(world.start),
    }
    text = json.dumps(about).encode()
    yield _header(f"|S{len(text)}", ()) + text


def _header(kind: str, shape: tuple[int, ...]) -> bytes:
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    padding = -(10 + len(text) + 1) % ALIGNED
    line = f"{text}{' ' * padding}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(line).to_bytes(2, "little") + line


def read_npy(path: str, symbols: tuple[str, ...]) -> World:
    """The world in a file. An array alone has the numbers of the alphabet, and the head starts at (0, 0)."""
    import numpy as np

    try:
        with warnings.catch_warnings(action="ignore"), open(path, "rb") as file:
            _check_size(file)
            cells = np.load(file, allow_pickle=False)
            rest = file.read(1)
            file.seek(-len(rest), os.SEEK_CUR)
            about = json.loads(np.load(file, allow_pickle=False).item()) if rest else {}
    except FileNotFoundError:
        raise fail("G001", "there is no such file", "check the path", path) from None
    except OSError as error:
        raise fail("G001", f"this file cannot be read: {error.strerror or error}", file=path) from None
    except GridError:
        raise
    except Exception as error:  # numpy reads a header as Python, and lets all pass that is raised on the way.
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise fail("G073", f"this is not a numpy array: {reason}", file=path) from None
    if cells.dtype.kind not in "uib" or cells.ndim not in (1, 2):
        raise fail("G073", "a world is an array of whole numbers, of one or two dimensions", file=path)
    names, (left, top), start = _told(about, symbols, path)
    rows = cells.reshape(-1, cells.shape[-1]) if cells.size else cells.reshape(0, 1)
    if rows.size and not 0 <= int(rows.min()) <= int(rows.max()) < len(names):
        hint = f"they are 0 to {len(names) - 1}, symbols in the order of the alphabet"
        raise fail("G073", "some numbers of this array are not symbols", hint, path)
    layer = TileLayer(names)
    for number, row in enumerate(rows):
        layer.lay(left, top + number, row.astype("<u2").tobytes().decode("utf-16-le"))
    world = World(layer.tiles(), start)
    if strange := sorted(world.used() - set(symbols)):
        raise fail("G070", f"`{strange[0]}` is not in the alphabet", f"it is {' '.join(symbols[:40])}", path)
    return world


def _check_size(file: BinaryIO) -> None:
    """ValueError if a file is smaller than its header says: numpy would make room for all of it first."""
    import numpy as np

    old = np.lib.format.read_magic(file) == (1, 0)
    read = np.lib.format.read_array_header_1_0 if old else np.lib.format.read_array_header_2_0
    shape, _, kind = read(file)
    count = math.prod(list[int](shape))
    if count * kind.itemsize > os.fstat(file.fileno()).st_size:
        raise ValueError("it is cut off")
    checked_area(Box(0, 0, count - 1, 0), ".npy")
    file.seek(0)


def _told(
    about: Any, symbols: tuple[str, ...], path: str
) -> tuple[tuple[str, ...], tuple[int, int], tuple[int, int]]:
    """The symbols, the upper left corner and the start cell that the second array tells of."""
    if not about:
        return blank_first(symbols), (0, 0), (0, 0)
    try:
        names = tuple(about["symbols"])
        (left, top), (x, y) = about["origin"], about["start"]
        right = about["format"] == FORMAT and names[0] == BLANK and all(len(name) == 1 for name in names)
        if right and all(isinstance(at, int) and abs(at) <= FARTHEST for at in (left, top, x, y)):
            return names, (left, top), (x, y)
    except (KeyError, TypeError, ValueError, IndexError):
        pass
    raise fail("G073", f"its second array does not tell of a world as {FORMAT} does", file=path)
