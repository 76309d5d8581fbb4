"""An expert on its own, and what it reads: a model that does as it does reads the same.

So a model in lockstep needs no world: it is asked what it would have done on each symbol that was read.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from compiler.engines import execute
from compiler.simulation.native.agents import OBSERVING
from compiler.simulation.native.build import CannotBuild
from compiler.simulation.native.engine import NativeWorld
from compiler.simulation.simulate import BUDGET, HALTED, STUCK, Machine, Moment
from gridlang.table import BLANK, Table
from gridlang.terminal.notes import tell_once
from gridlang.world import Cell, string_world
from learners.evaluation.limits import LIMITS
from learners.evaluation.lockstep import MEMORY, Case

Column = npt.NDArray[np.int16]


class Walked(NamedTuple):
    """Some steps of an expert by the table's numbers, and how it ended; budget if it goes on."""

    reads: Column
    writes: Column
    moves: Column
    ending: str


class ExpertWalk:
    """A run of an expert, some steps at a time; free it by leaving its `with`."""

    def __init__(self, table: Table, case: Case) -> None:
        self.table, self.world = table, string_world(case) if isinstance(case, str) else case
        self._native: NativeWorld | None = None
        self._machine: Machine | None = None
        try:
            self._native = NativeWorld(table, self.world, LIMITS.world_bytes, OBSERVING)
        except CannotBuild as error:
            tell_once(f"{error}; the expert runs in Python, which is slower")
            self._machine = Machine(table, self.world)

    def __enter__(self) -> ExpertWalk:
        return self

    def __exit__(self, *_: object) -> None:
        if self._native is not None:
            self._native.__exit__()

    def go(self, steps: int) -> Walked:
        """The next steps, at most this many."""
        if self._native is None:
            return self._go_slowly(steps)
        columns = [array("h", bytes(2 * steps)) for _ in range(3)]
        before = self._native.where()[0]
        self._native.library.grid_observe(self._native.handle, *columns, None)
        ending = self._native.go(steps)
        done = self._native.where()[0] - before
        if ending == BUDGET and done < steps:
            ending = MEMORY
        reads, writes, moves = (np.frombuffer(column, np.int16)[:done] for column in columns)
        return Walked(reads, writes, moves, ending)

    def _go_slowly(self, steps: int) -> Walked:
        machine = self._machine
        assert machine is not None
        taken, ending = [], BUDGET
        for _ in range(steps):
            symbol = machine.symbol
            entry = self.table.rows[machine.state][symbol]
            if entry is None:
                ending = STUCK
                break
            taken.append((symbol, entry.write, entry.move))
            if machine.step():
                ending = HALTED
                break
        columns = np.array(taken, np.int16).reshape(-1, 3).T
        return Walked(columns[0], columns[1], columns[2], ending)

    def moment_after(self, steps: int) -> tuple[Moment, Callable[[Cell], str]]:
        """Where the expert is after this many steps from the start, and what stands on the grid."""
        done = execute(self.table, self.world, steps)
        state, symbol = self.table.states.index(done.state), self.table.symbols.index(done.symbol)
        return Moment(steps, state, done.cell, symbol), lambda cell: done.world.cells.get(cell, BLANK)
