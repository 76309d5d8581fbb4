"""Worlds grown in C: the same worlds as `random_worlds` grows in Python, with the same random numbers."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from compiler.proofs.differences.joint_runs import rules_array
from compiler.simulation.native.build import load_library
from compiler.simulation.native.codegen import source_on_worlds
from gridlang.table import Table
from gridlang.world import World

SOURCE = Path(__file__).parent / "grown_worlds.c"
FLAGS = ("-O2", "-ffp-contract=off")  # A fused sum would be another number than Python's.


class _Walk(ctypes.Structure):
    """As `struct walk` in C."""

    _fields_ = [
        ("rules", ctypes.c_void_p),
        ("symbols", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in ("uses", "preferred", "drawn", "sums", "xs", "ys", "chosen")),
        ("cells", ctypes.c_int64),
    ]


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    """The library; CannotBuild without a compiler."""
    library = load_library(source_on_worlds(SOURCE), FLAGS, ("grow",))
    library.grow.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    return library


class NativeGrowth:
    """Worlds of one table, of at most so many steps each; the uses of its rules are counted over all."""

    def __init__(self, table: Table, steps: int) -> None:
        self.library, self.symbols, self.steps = _library(), table.symbols, steps
        self.rules = rules_array(table.rows)
        self.uses = np.zeros((len(table.states), len(table.symbols)), np.int64)
        self.sums = np.zeros(len(table.symbols))
        self.places = np.zeros((2, steps), np.int64)
        self.chosen = np.zeros(steps, np.int32)

    def world(self, symbol_weights: list[float], random: Random) -> World:
        """The next world; of `random` as many numbers are taken as cells were chosen."""
        before = random.getstate()
        drawn = np.array([random.random() for _ in range(self.steps)])
        preferred = np.array(symbol_weights)
        arrays = (self.uses, preferred, drawn, self.sums, *self.places, self.chosen)
        places = (array.ctypes.data for array in arrays)
        walk = _Walk(self.rules.buffer_info()[0], len(self.symbols), *places)
        if not self.library.grow(ctypes.byref(walk), self.steps):
            raise MemoryError("there is no memory for a world")
        random.setstate(before)
        for _ in range(walk.cells):
            random.random()
        return self._world(walk.cells)

    def _world(self, cells: int) -> World:
        xs, ys = self.places[:, :cells].tolist()
        held: npt.NDArray[Any] = self.chosen[:cells]
        symbols = [self.symbols[symbol] for symbol in held.tolist()]
        return World(dict(zip(zip(xs, ys, strict=True), symbols, strict=True)), (0, 0))
