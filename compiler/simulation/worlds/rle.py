"""Worlds as Golly's extended RLE: runs of states, row by row. A state is the number of a symbol.

Of two symbols they are `b` and `o`; of more `.`, `A` to `X`, then `pA` to `yO`, 255 in all beside the blank.
Comments hold what Golly has no word for: the symbols in the order of their states, and the start cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gridlang.compiler.simulation.limits import LIMITS
from gridlang.diagnostics import Diagnostic, GridError, fail
from gridlang.source import Source, Span
from gridlang.table import BLANK
from gridlang.tiles import (
    AREA,
    EMPTY,
    FARTHEST,
    HIGH,
    MID_X,
    MID_Y,
    WIDE,
    Box,
    TileLayer,
    Tiles,
    blank_first,
    tiles_of,
)
from gridlang.world import Cell, World, unknown_symbol

MOST_STATES = 256  # in all, as Golly has them
LINE = 70  # characters of a line of the format, at most
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWX"  # 24 states, then the same after each of p to y
NAMES = (
    ".",
    *LETTERS,
    *(first + second for first in "pqrstuvwxy" for second in LETTERS),
)[:MOST_STATES]
SAME = re.compile(r"(.)\1+", re.DOTALL)
RUN = re.compile(r"(.)\1*", re.DOTALL)
TOKEN = re.compile(r"(\d*)([p-y]?[A-X]|[bo.])")
MANY = re.compile(r"(\d+)([p-y]?[A-X]|[bo.])")
LONG_RUN = re.compile(r"\d{5}")  # a row with such a run is laid run by run: it may be blank, or a bomb
POSITION = re.compile(r"Pos\s*=\s*(-?\d{1,19})\s*,\s*(-?\d{1,19})")
HEADER = re.compile(r"\s*x\s*=")
STRANGE = re.compile(r"[^\sA-Xbo.$!p-y\d]|[p-y](?![A-X])")
OWN = "#C gridlang "
START = re.compile(OWN + r"start (-?\d{1,19}) (-?\d{1,19})\s*$")


def write_rle(world: World, symbols: Sequence[str], steps: int = 0) -> Iterator[bytes]:
    """The file of a world, in pieces; `steps` is Golly's generation. GridError for too many symbols."""
    known = _states(world, symbols)
    tiles = tiles_of(world.cells, known)
    x, y = world.start
    box = tiles.box() or Box(x, y, x, y)
    # Golly opens what a rule has states for; these rules give birth to nothing.
    rule = "B/S012345678" if len(known) <= 2 else f"012345678//{len(known)}"
    yield (
        f"#CXRLE Pos={box.left},{box.top} Gen={steps}\n"
        f"{OWN}start {x} {y}\n{OWN}symbols {' '.join(known)}\n"
        f"x = {box.width}, y = {box.height}, rule = {rule}\n"
    ).encode()
    kept = ""
    for row in _rows(tiles, box):
        kept += row
        if len(kept) > LIMITS.written_at_once:
            lines, kept = _wrapped(kept)
            yield lines.encode()
    yield "".join(_wrapped(kept + "!", last=True)).encode()


def _states(world: World, symbols: Sequence[str]) -> Sequence[str]:
    """The symbols in the order of their states; of a large alphabet those that stand somewhere."""
    if len(symbols) <= MOST_STATES:
        return symbols
    used = world.used()
    if len(used) >= MOST_STATES:
        message = (
            f"this world has {len(used):,} symbols, and RLE has {MOST_STATES - 1} states beside the blank"
        )
        raise fail("G074", message, "write it as .npy or .txt")
    return [symbol for symbol in symbols if symbol == BLANK or symbol in used]


def _rows(tiles: Tiles, box: Box) -> Iterator[str]:
    """The rows that are not blank as runs, each after the line ends that lead to it."""
    above = box.top
    for band, row in tiles.bands.items():
        for inside in range(HIGH):
            line = "".join(_runs(row, inside * WIDE, box.left, len(tiles.symbols)))
            if line:
                y = band * HIGH - MID_Y + inside
                yield _many(y - above, "$") + line
                above = y


def _runs(row: dict[int, str], at: int, left: int, states: int) -> Iterator[str]:
    """One row of a band as runs; what is blank between two tiles costs nothing, nor does what follows."""
    end = left
    for x, numbers in _stretches(row, at):
        bare = numbers.lstrip(EMPTY)
        start = x + len(numbers) - len(bare)
        yield _many(start - end, "b" if states <= 2 else ".") + _runs_of(bare, states)
        end = x + len(numbers)


def _stretches(row: dict[int, str], at: int) -> Iterator[tuple[int, str]]:
    """The numbers of neighbouring tiles in a row of a band, and where they begin; the last is not blank."""
    begin, pieces = 0, list[str]()
    for x, tile in row.items():
        piece = tile[at : at + WIDE]
        if pieces and (x != begin + len(pieces) or not piece.strip(EMPTY)):
            yield begin * WIDE - MID_X, "".join(pieces).rstrip(EMPTY)
            pieces = []
        if piece.strip(EMPTY):
            begin = begin if pieces else x
            pieces.append(piece)
    if pieces:
        yield begin * WIDE - MID_X, "".join(pieces).rstrip(EMPTY)


def _runs_of(numbers: str, states: int) -> str:
    """Runs of numbers. Where each state has one letter, only runs of two and more cost time."""
    if states > len(LETTERS) + 1:
        return "".join(_many(len(run[0]), NAMES[ord(run[1])]) for run in RUN.finditer(numbers))
    letters = numbers.translate("bo" if states <= 2 else NAMES)
    return SAME.sub(lambda run: f"{len(run[0])}{run[1]}", letters)


def _many(count: int, name: str) -> str:
    return "" if not count else name if count == 1 else f"{count}{name}"


def _wrapped(text: str, last: bool = False) -> tuple[str, str]:
    """Full lines, and what is left for the next one; a run is never torn."""
    lines, at = [], 0
    while len(text) - at > LINE:
        line = text[at : at + LINE].rstrip("0123456789pqrstuvwxy")
        lines.append(line + "\n")
        at += len(line)
    return "".join(lines), text[at:] + "\n" if last else text[at:]


def read_rle(source: Source, symbols: tuple[str, ...]) -> World:
    """The world in a file of Golly, or in one that `write_rle` has made; GridError where it is none.

    Without comments of ours a state is a symbol by its number, and the head starts at (0, 0).
    """
    comments = [line for line in source.text.split("\n") if line.startswith("#")]
    states, (left, top), start = _told(source, comments, symbols)
    body = "".join(
        line for line in source.text.split("\n") if not line.startswith("#") and not HEADER.match(line)
    )
    rows = "".join(body.partition("!")[0].split()).split("$")
    layer = TileLayer(states)
    y, cells = top, 0
    for number, row in enumerate(rows):
        runs = row.rstrip("0123456789") if number < len(rows) - 1 else row
        if STRANGE.search(runs) or runs[-1:].isdigit():
            raise _damaged(source)
        cells += _lay(layer, left, y, runs, source, states)
        if cells > LIMITS.rle_cells:
            raise fail("G073", f"this world has more than {LIMITS.rle_cells:,} cells", file=source.path)
        y += _count(row[len(runs) :])
        if y > FARTHEST:
            raise fail("G073", "this world is too large: its rows cannot be counted", file=source.path)
    return World(_known(layer.tiles(), source, symbols), start)


def _lay(layer: TileLayer, left: int, y: int, runs: str, source: Source, states: Sequence[str]) -> int:
    """Lays one row; the number of its cells that are not blank."""
    if not LONG_RUN.search(runs):
        numbers = _numbers(MANY.sub(lambda run: run[2] * _count(run[1]), runs))
        if numbers and ord(max(numbers)) >= len(states):
            raise _no_state(source, ord(max(numbers)), states)
        layer.lay(left, y, numbers)
        return len(numbers) - numbers.count(EMPTY)
    x, cells = left, 0
    for run in TOKEN.finditer(runs):
        count, number = _count(run[1]), _numbers(run[2])
        if ord(number) >= len(states):
            raise _no_state(source, ord(number), states)
        cells += count if number != EMPTY else 0
        if x + count > FARTHEST or cells > LIMITS.rle_cells:
            message = f"this world has a row of more than {LIMITS.rle_cells:,} cells"
            raise fail("G073", message, file=source.path)
        if number != EMPTY:
            for at in range(0, count, AREA):
                layer.lay(x + at, y, number * min(AREA, count - at))
        x += count
    return cells


def _count(digits: str) -> int:
    return min(int(digits[:25]), 2 * FARTHEST) if digits else 1


PLAIN = str.maketrans({"b": EMPTY, ".": EMPTY, "o": "\1", **{c: chr(i) for i, c in enumerate(LETTERS, 1)}})
NUMBERS = {name: chr(number) for number, name in enumerate(NAMES)}
PREFIXED = re.compile(r"[p-y][A-X]|.")


def _numbers(names: str) -> str:
    """The states that have these names; names beyond the last state have its number."""
    if re.search("[p-y]", names):
        plain = {**NUMBERS, "b": EMPTY, "o": "\1"}
        return PREFIXED.sub(lambda name: plain.get(name[0], chr(MOST_STATES)), names)
    return names.translate(PLAIN)


def _told(
    source: Source, comments: list[str], symbols: tuple[str, ...]
) -> tuple[tuple[str, ...], Cell, Cell]:
    """What comments tell: the symbols of the states, the upper left corner, and the start cell."""
    states, corner, start = blank_first(symbols), (0, 0), (0, 0)
    for line in comments:
        if line.startswith("#CXRLE") and (told := POSITION.search(line)):
            corner = (int(told[1]), int(told[2]))
        elif told := START.match(line):
            start = (int(told[1]), int(told[2]))
        elif line.startswith(f"{OWN}symbols "):
            states = tuple(line.removeprefix(f"{OWN}symbols ").split())
    if not states or states[0] != BLANK or any(len(symbol) != 1 for symbol in states):
        raise fail("G073", f"its symbols are wrong: the first must be the blank `{BLANK}`", file=source.path)
    if max(map(abs, (*corner, *start))) > FARTHEST:
        raise fail("G073", "it stands too far away to be counted", file=source.path)
    return states, corner, start


def _known(tiles: Tiles, source: Source, symbols: tuple[str, ...]) -> Tiles:
    """The tiles, if the agent knows all that stands on them."""
    if strange := sorted(tiles.used() - set(symbols)):
        at = max(source.text.find(f"{OWN}symbols "), 0)
        place = source.text.find(strange[0], at + len(OWN) + 7)
        raise GridError([unknown_symbol(strange[0], Span(source, place, place + 1), symbols)])
    return tiles


def _no_state(source: Source, state: int, states: Sequence[str]) -> GridError:
    hint = (
        "states are symbols in the order of the alphabet; a comment `#C gridlang symbols _ a b` names others"
    )
    shown = f"{state}" if state < MOST_STATES else f"above {MOST_STATES - 1}"
    message = f"a cell has the state {shown}, and there are {len(states)} symbols"
    return fail("G073", message, hint, source.path)


def _damaged(source: Source) -> GridError:
    """The complaint about the first character that no RLE has, or else about the whole file."""
    at, hint = 0, "runs are as in `3b2o$`, with `.` and `A` to `yO` where there are more than two states"
    for line in source.text.split("\n"):
        strange = STRANGE.search(line) if not line.startswith("#") and not HEADER.match(line) else None
        if strange:
            span = Span(source, at + strange.start(), at + strange.start() + 1)
            return GridError([Diagnostic("G073", "this is not RLE", span, "", hint)])
        at += len(line) + 1
    return fail("G073", "this is not RLE: a number stands alone", hint, source.path)
