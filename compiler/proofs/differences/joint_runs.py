"""Many runs of two tables together, in C where there is a compiler: what each was the first to do.

The plain runs serve where there is no compiler or no memory, and tests compare with them.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from gridlang.compiler.native.c_library import CLibrary, passed
from gridlang.compiler.proofs.joint_step import NEVER, STRICT, UNASKED, Ending, Stuck, joint_run
from gridlang.compiler.proofs.limits import LIMITS
from gridlang.compiler.simulation.native.sources import source_on_worlds
from gridlang.table import Table
from gridlang.world import Cell, World, string_world

Case = World | str  # A text is a declared input.
SOURCE = Path(__file__).parent / "joint_runs.c"
LIBRARY = CLibrary(lambda: source_on_worlds(SOURCE), "-O2")
ENDINGS = {1: Ending.LEFT_STUCK, 2: Ending.RIGHT_DIFFERS, 3: Ending.BOTH_HALT, 4: None}
CLAIMS = (UNASKED, STRICT, NEVER)  # by their numbers in C


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
    """Runs of two tables on worlds, RIGHT in LEFT's symbols."""

    def __init__(self, left: Table, right: Table, stuck: Stuck = UNASKED) -> None:
        self.left, self.right, self.stuck = left, right, stuck
        self._taken: set[tuple[int, int, int]] = set()  # the edges of runs in Python

    @cached_property
    def _native(self) -> _NativeRuns | None:
        edges = len(self.left.states) * len(self.right.states) * len(self.left.symbols)
        fits = edges <= LIMITS.most_edges and LIBRARY.builds()
        return _NativeRuns(self.left, self.right, self.stuck) if fits else None

    def run(self, case: Case, steps: int) -> JointRun:
        """Both tables on a world, for at least one step."""
        done = self._native.run(case, steps) if self._native else None
        return self._in_python(case, steps) if done is None else done

    def _in_python(self, case: Case, steps: int) -> JointRun:
        world, fresh = string_world(case) if isinstance(case, str) else case, list[Edge]()
        run = joint_run(self.left, self.right.rows, world, steps, self.stuck)
        for done, (left, right, symbol, step, cell) in enumerate(run, 1):
            edge = Edge(left, right, symbol, cell)
            if edge[:3] not in self._taken:
                self._taken.add(edge[:3])
                fresh.append(edge)
            if isinstance(step, Ending):
                return JointRun(fresh, step, edge, done)
        return JointRun(fresh, None, None, steps)


class _NativeRuns:
    """Both tables in native memory."""

    def __init__(self, left: Table, right: Table, stuck: Stuck) -> None:
        self.place = {symbol: x for x, symbol in enumerate(left.symbols)}
        self.taken = array("B", bytes(len(left.states) * len(right.states) * len(left.symbols)))
        self.joint: Any = LIBRARY.structs["joint"](
            left.flat, right.flat, len(left.symbols), len(right.states), CLAIMS.index(stuck), self.taken
        )
        self.address, self.edge = passed(self.joint), LIBRARY.structs["edge"]
        self.fresh: Any = ()

    def run(self, case: Case, steps: int) -> JointRun | None:
        """As `JointRuns.run`; None where a world takes too much memory here."""
        if len(self.fresh) <= steps:
            self.fresh = (self.edge * (steps + 1))()
            self.joint.fresh = ctypes.addressof(self.fresh)
        cells = world_arrays(case, self.place)
        places = (numbers.buffer_info()[0] for numbers in cells)
        head = (0, 0) if isinstance(case, str) else case.start
        ended = LIBRARY.joint_run(self.address, *places, len(cells[0]), *head, steps)
        if ended not in ENDINGS:
            return None
        edges = self.fresh[: self.joint.found + 1]
        *fresh, last = (Edge(edge.left, edge.right, edge.symbol, (edge.x, edge.y)) for edge in edges)
        return JointRun(fresh, ENDINGS[ended], last if ENDINGS[ended] else None, self.joint.steps)


def world_arrays(case: Case, place: Mapping[str, int]) -> tuple[array[int], array[int], array[int]]:
    """Columns, rows and the numbers of the symbols of what stands on the grid at the start."""
    if isinstance(case, str):
        symbols = array("i", [place[symbol] for symbol in case])
        return array("q", range(len(case))), array("q", bytes(8 * len(case))), symbols
    columns, lines = array("q", [x for x, _ in case.cells]), array("q", [y for _, y in case.cells])
    return columns, lines, array("i", [place[symbol] for symbol in case.cells.values()])
