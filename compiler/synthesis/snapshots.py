"""`Snapshots`: grids that were seen while an agent ran, every few steps, with or without its head.

A file has JSON lines. The first says what is the same for all runs, `{"agent": "reverse", "alphabet": "_ab",
"every": 5}`; every further line is a run, `{"corner": [-1, 0], "grids": ["_ab_", "_a_b", …]}`, and with
`"heads": [[0, 0], …]` shows its head too. All pictures of a run show the same window, whose upper left corner
is `corner`; the head begins at [0, 0], and y grows downward. The last grid is the one that the run left.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

from gridlang.diagnostics import Diagnostic, GridError
from gridlang.source import Source, Span
from gridlang.table import BLANK, MAX_SYMBOLS
from gridlang.vocabulary import is_name
from gridlang.world import Cell

LAST = "last"
LAST_ALONE = 1 << 28  # steps between two grids where only the last one is shown


class Grid(NamedTuple):
    """The cells that are not blank, and the place of the head, if it was seen."""

    cells: Mapping[Cell, str]
    head: Cell | None = None

    def renamed(self, names: Mapping[str, str]) -> Grid:
        """The same with other symbols."""
        return self._replace(cells={at: names.get(symbol, symbol) for at, symbol in self.cells.items()})


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Runs of one agent as the grids that were seen; `every` is `LAST_ALONE` if only the last one was."""

    name: str
    symbols: tuple[str, ...]
    every: int
    runs: tuple[tuple[Grid, ...], ...]

    @property
    def flat(self) -> bool:
        """Whether all was seen in the row in which heads begin."""
        grids = (grid for run in self.runs for grid in run)
        return all(y == 0 for grid in grids for _, y in (*grid.cells, *([grid.head] if grid.head else [])))

    def to_text(self) -> str:
        """The content of a file."""
        every = LAST if self.every == LAST_ALONE else self.every
        head = {"agent": self.name, "alphabet": "".join(self.symbols), "every": every}
        lines = (head, *map(_run_data, self.runs))
        return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def _run_data(run: tuple[Grid, ...]) -> dict[str, Any]:
    cells = [cell for grid in run for cell in grid.cells] or [(0, 0)]
    (left, right), (top, bottom) = ((min(axis), max(axis)) for axis in zip(*cells, strict=True))

    def picture(grid: Grid) -> str:
        rows = range(top, bottom + 1)
        return "\n".join("".join(grid.cells.get((x, y), BLANK) for x in range(left, right + 1)) for y in rows)

    heads = {"heads": [grid.head for grid in run]} if run[0].head else {}
    return {"corner": [left, top], "grids": [picture(grid) for grid in run], **heads}


def is_snapshots(source: Source) -> bool:
    """Whether a text begins as a file of snapshots does."""
    first = source.text.lstrip()[:1000].partition("\n")[0]
    return first.startswith("{") and '"every"' in first and '"alphabet"' in first


def read_snapshots(source: Source) -> Snapshots:
    """The snapshots in a text; GridError with the place of what is wrong."""
    lines = [number for number in range(1, len(source.starts) + 1) if source.line(number).strip()]
    head = _parsed(source, lines[0]) if lines else {}
    span = _line(source, lines[0] if lines else 1)
    name, alphabet, every = (head.get(key) for key in ("agent", "alphabet", "every"))
    if not isinstance(name, str) or not is_name(name):
        raise _wrong("the first line has no `agent`", span, 'it is a name, as in {"agent": "sort", …}')
    symbols = tuple(alphabet) if isinstance(alphabet, str) else ()
    if symbols[:1] != (BLANK,) or not 1 < len(set(symbols)) == len(symbols) <= MAX_SYMBOLS:
        hint = f'it is all symbols, the blank `{BLANK}` first, as in "alphabet": "{BLANK}01"'
        raise _wrong("the first line has no `alphabet`", span, hint)
    if every != LAST and (not isinstance(every, int) or isinstance(every, bool) or not 0 < every < 1 << 20):
        hint = f'a number of steps, or "{LAST}" where only the grid at the end is shown'
        raise _wrong("the first line does not say how often a grid was seen, `every`", span, hint)
    runs = tuple(_run(source, number, symbols) for number in lines[1:])
    if not runs:
        raise _wrong("no run follows", span, 'a run is a line such as {"grids": ["10", "01"]}')
    only_last = every == LAST
    for number, run in zip(lines[1:], runs, strict=True):
        if only_last and len(run) != 2:
            raise _wrong("this run shows other grids than its first and its last", _line(source, number))
    return Snapshots(name, symbols, LAST_ALONE if only_last else int(str(every)), runs)


def _run(source: Source, number: int, symbols: tuple[str, ...]) -> tuple[Grid, ...]:
    data, span = _parsed(source, number), _line(source, number)
    pictures, heads = data.get("grids"), data.get("heads")
    if not _is_texts(pictures) or len(pictures) < 2:
        raise _wrong("this run has no `grids`", span, "it shows at least its first and its last")
    corner = data.get("corner", [0, 0])
    if not _is_place(corner):
        raise _wrong("`corner` is not a place", span, "it is [x, y], from where the head begins")
    if heads is not None and (
        not isinstance(heads, list) or len(heads) != len(pictures) or not all(map(_is_place, heads))
    ):
        raise _wrong("`heads` are not places, one a grid", span, "a place is [x, y]")
    places = [None] * len(pictures) if heads is None else [(x, y) for x, y in heads]
    return tuple(
        Grid(dict(_cells(text, corner, symbols, span)), place)
        for text, place in zip(pictures, places, strict=True)
    )


def _cells(text: str, corner: list[int], symbols: tuple[str, ...], span: Span) -> Iterator[tuple[Cell, str]]:
    for y, row in enumerate(text.split("\n"), corner[1]):
        for x, symbol in enumerate(row, corner[0]):
            if symbol not in symbols:
                raise _wrong(f"`{symbol}` is not in the alphabet", span, "add it to the first line")
            if symbol != BLANK:
                yield (x, y), symbol


def _is_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_place(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(each, int) and abs(each) < 1 << 20 for each in value)
    )


def _parsed(source: Source, number: int) -> dict[str, Any]:
    span = _line(source, number)
    try:
        data = json.loads(source.line(number))
    except (ValueError, RecursionError):
        raise _wrong("this line is not JSON", span) from None
    if not isinstance(data, dict):
        raise _wrong("this line is not an object", span, 'a run is a line such as {"grids": ["10", "01"]}')
    return data


def _line(source: Source, number: int) -> Span:
    start = source.starts[number - 1]
    return Span(source, start, start + len(source.line(number)))


def _wrong(message: str, span: Span, hint: str = "") -> GridError:
    return GridError([Diagnostic("G175", message, span, "", hint)])
