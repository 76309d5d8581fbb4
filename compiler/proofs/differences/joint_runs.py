"""Many runs of two tables together, in C where there is a compiler: what each was the first to do."""

from __future__ import annotations

import ctypes
import struct
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from compiler.proofs.joint_step import NEVER, STRICT, UNASKED, Ending, Stuck, joint_step
from compiler.simulation.native.build import CannotBuild, load_library
from compiler.simulation.native.codegen import source_on_worlds
from compiler.simulation.simulate import Machine
from gridlang.table import Row, Table
from gridlang.world import Cell, World, string_world

Case = World | str  # A text is a declared input.
SOURCE = Path(__file__).parent / "joint_runs.c"
MOST_EDGES = 50_000_000  # Each takes a byte; larger tables are run in Python, which remembers what it meets.
ENDINGS = {1: Ending.LEFT_STUCK, 2: Ending.RIGHT_DIFFERS, 3: Ending.BOTH_HALT, 4: None}
CLAIMS = {UNASKED: 0, STRICT: 1, NEVER: 2}
NO_RULE = (-1, -1, -1)
EDGE = struct.Struct("=iiiiqq")  # The fields are those of `struct edge` in C.


class Edge(NamedTuple):
    """A step of both tables: their states, the symbol that both read, and the cell where that stands."""

    left: int
    right: int
    symbol: int
    cell: Cell


class JointRun(NamedTuple):
    """What one run has shown: the edges that none before it took, in their order; its end and the edge of
    that, None where it goes on; and its steps, that of the end among them.
    """

    fresh: list[Edge]
    ending: Ending | None
    last: Edge | None
    steps: int


class JointRuns:
    """Runs of two tables on worlds; `rows` are RIGHT's in LEFT's symbols."""

    def __init__(self, left: Table, rows: Sequence[Row], stuck: Stuck = UNASKED) -> None:
        self.left, self.rows, self.stuck = left, rows, stuck
        self._taken: set[tuple[int, int, int]] = set()  # These are the edges of runs in Python.
        self._native: _NativeRuns | None = None
        if len(left.states) * len(rows) * len(left.symbols) <= MOST_EDGES:
            try:
                self._native = _NativeRuns(left, rows, stuck)
            except CannotBuild:
                self._native = None  # Only the time that it takes is another.

    def run(self, case: Case, steps: int) -> JointRun:
        """Both tables on a world for at least one step, and at most so many."""
        done = self._native.run(case, steps) if self._native else None
        return self._in_python(case, steps) if done is None else done

    def _in_python(self, case: Case, steps: int) -> JointRun:
        machine, right = Machine(self.left, string_world(case) if isinstance(case, str) else case), 0
        fresh: list[Edge] = []
        while True:
            edge = Edge(machine.state, right, machine.symbol, machine.head)
            if edge[:3] not in self._taken:
                self._taken.add(edge[:3])
                fresh.append(edge)
            entry, other = self.left.rows[edge.left][edge.symbol], self.rows[right][edge.symbol]
            step = joint_step(entry, other, edge.symbol, self.stuck)
            if isinstance(step, Ending):
                return JointRun(fresh, step, edge, machine.steps + 1)
            machine.step()
            right = step[1]
            if machine.steps == steps:
                return JointRun(fresh, None, None, steps)


class _Joint(ctypes.Structure):
    """As `struct joint` in C."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("left", "right")),
        *((name, ctypes.c_int64) for name in ("symbols", "right_states", "claim")),
        *((name, ctypes.c_void_p) for name in ("taken", "fresh")),
        *((name, ctypes.c_int64) for name in ("found", "steps")),
    ]


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    """The library; CannotBuild without a compiler."""
    library = load_library(source_on_worlds(SOURCE), ("-O2",), ("joint_run",))
    pointer, long = ctypes.c_void_p, ctypes.c_int64
    library.joint_run.argtypes = [*[pointer] * 4, *[long] * 4]
    return library


class _NativeRuns:
    """Both tables in native memory."""

    def __init__(self, left: Table, rows: Sequence[Row], stuck: Stuck) -> None:
        self.library, self.place = _library(), {symbol: x for x, symbol in enumerate(left.symbols)}
        self.tables = rules_array(left.rows), rules_array(rows)
        taken = ctypes.c_uint8 * (len(left.states) * len(rows) * len(left.symbols))
        self.taken = taken()
        self.joint = _Joint(
            *(table.buffer_info()[0] for table in self.tables),
            len(left.symbols),
            len(rows),
            CLAIMS[stuck],
            ctypes.addressof(self.taken),
        )
        self.room = ctypes.create_string_buffer(0)

    def run(self, case: Case, steps: int) -> JointRun | None:
        """As `JointRuns.run`; None where a world takes too much memory here."""
        if len(self.room) < (steps + 1) * EDGE.size:
            self.room = ctypes.create_string_buffer((steps + 1) * EDGE.size)
            self.joint.fresh = ctypes.addressof(self.room)
        cells = world_arrays(case, self.place)
        head = (0, 0) if isinstance(case, str) else case.start
        places = (numbers.buffer_info()[0] for numbers in cells)
        ended = self.library.joint_run(ctypes.byref(self.joint), *places, len(cells[0]), *head, steps)
        if ended not in ENDINGS:
            return None
        edges = memoryview(self.room)[: (self.joint.found + 1) * EDGE.size]
        *fresh, last = (Edge(p, q, symbol, (x, y)) for p, q, symbol, _, x, y in EDGE.iter_unpack(edges))
        return JointRun(fresh, ENDINGS[ended], last if ENDINGS[ended] else None, self.joint.steps)


def world_arrays(case: Case, place: Mapping[str, int]) -> tuple[array[int], array[int], array[int]]:
    """Columns, rows and the numbers of the symbols of what stands on the grid at the start."""
    if isinstance(case, str):
        symbols = array("i", [place[symbol] for symbol in case])
        return array("q", range(len(case))), array("q", bytes(8 * len(case))), symbols
    columns, lines = array("q", [x for x, _ in case.cells]), array("q", [y for _, y in case.cells])
    return columns, lines, array("i", [place[symbol] for symbol in case.cells.values()])


def rules_array(rows: Sequence[Row]) -> array[int]:
    """What is written, the move and the next state of all pairs, -1 where there is no rule."""
    return array("i", [number for row in rows for entry in row for number in entry or NO_RULE])
