"""Short traces of many worlds in one call of C; a trace of each in a thread takes ten times as long."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from compiler.simulation.native.c_library import CLibrary
from compiler.simulation.native.codegen import source_on_worlds
from compiler.simulation.simulate import BUDGET, HALTED, STUCK
from gridlang.table import Table
from gridlang.world import World, string_world

SOURCE = Path(__file__).parent / "batch_traces.c"
OUTCOMES = {1: HALTED, 2: STUCK, 3: BUDGET}
NO_RULE = (-1, -1, -1)


class ShortTraces(NamedTuple):
    """Traces of N worlds as rows padded with -1, and the rule of each step, state * symbols + symbol."""

    rows: npt.NDArray[np.int16]  # (3, N, T): symbols read, symbols written, moves
    fired: npt.NDArray[np.int32]  # (N, T)
    length: npt.NDArray[np.int64]  # (N,)
    outcome: list[str]


LIBRARY = CLibrary(partial(source_on_worlds, SOURCE), "-O2")


class _Cells(NamedTuple):
    """Where the cells of each world end, then their columns, rows and symbols, and where the heads start."""

    ends: npt.NDArray[np.int64]
    xs: npt.NDArray[np.int64]
    ys: npt.NDArray[np.int64]
    held: npt.NDArray[np.int32]
    heads: npt.NDArray[np.int64]


def _cells(table: Table, inputs: Sequence[str | World]) -> _Cells:
    place = {symbol: number for number, symbol in enumerate(table.symbols)}
    texts = [item for item in inputs if isinstance(item, str)]
    if len(texts) == len(inputs):  # on row 0 they need no worlds
        lengths = np.array([len(text) for text in texts], np.int64)
        ends = np.cumsum(lengths)
        held = np.array([place[symbol] for symbol in "".join(texts)], np.int32)
        xs = np.arange(len(held), dtype=np.int64) - np.repeat(ends - lengths, lengths)
        return _Cells(ends, xs, np.zeros_like(xs), held, np.zeros((len(texts), 2), np.int64))
    worlds = [string_world(item) if isinstance(item, str) else item for item in inputs]
    cells = np.array(list(chain.from_iterable(world.cells for world in worlds)), np.int64).reshape(-1, 2)
    xs, ys = np.ascontiguousarray(cells[:, 0]), np.ascontiguousarray(cells[:, 1])
    held = np.array([place[symbol] for world in worlds for symbol in world.cells.values()], np.int32)
    ends = np.cumsum([len(world.cells) for world in worlds], dtype=np.int64)
    return _Cells(ends, xs, ys, held, np.array([world.start for world in worlds], np.int64))


def short_traces(table: Table, inputs: Sequence[str | World], steps: int) -> ShortTraces | None:
    """The traces of the inputs, each cut after `steps` steps; None where one needs too much memory."""
    rules = np.array([[entry or NO_RULE for entry in row] for row in table.rows], np.int32)
    cells, worlds = _cells(table, inputs), len(inputs)
    length, outcome = np.zeros(worlds, np.int64), np.zeros(worlds, np.int32)
    about = (rules, len(table.symbols), worlds, steps, *cells, length, outcome)
    if not LIBRARY.batch_traces(LIBRARY.structs["batch"](*about)):
        return None
    wide = int(length.max(initial=0))
    rows, fired = np.full((3, worlds, wide), -1, np.int16), np.full((worlds, wide), -1, np.int32)
    if not LIBRARY.batch_traces(LIBRARY.structs["batch"](*about, wide, *rows, fired)):
        return None
    return ShortTraces(rows, fired, length, [OUTCOMES[number] for number in outcome.tolist()])
