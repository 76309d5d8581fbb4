"""Many short runs of one agent on texts: each is one call, and what it leaves is text at once."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from compiler.simulation.native.agents import OBSERVING, agent_of, runner
from compiler.simulation.native.engine import OUTCOMES, TILE_BYTES
from compiler.simulation.simulate import BUDGET, Run
from gridlang.table import Table
from gridlang.world import World

ROOM = 1 << 14  # cells of a result


@dataclass(frozen=True, slots=True)
class TextRun(Run):
    """A run whose result is known as text."""

    left: str = ""

    @property
    def result(self) -> str:
        return self.left


class TextRuns:
    """Runs a table on texts; uses of each rule are added to `counts`. CannotBuild without a compiler."""

    def __init__(self, table: Table, counts: array[int], memory: int) -> None:
        self.symbols, self.states, self.counts = table.symbols, table.states, counts
        self.place = {symbol: number for number, symbol in enumerate(table.symbols)}
        self.call = runner(table).grid_text
        self.agent = agent_of(table, OBSERVING).data
        self.tiles = memory // (2 * TILE_BYTES)
        self.numbers, self.left = array("q", bytes(64)), array("i", bytes(4 * ROOM))

    def run(self, text: str, steps: int) -> Run | None:
        """The run on an input; None where it takes much memory, or leaves much."""
        given = array("i", map(self.place.__getitem__, text))
        outcome = self.call(
            self.agent, len(given), given, steps, self.tiles, self.counts, self.numbers, ROOM, self.left
        )
        done, state, x, y, west, north, east, south = self.numbers
        wide, high = max(0, east - west + 1), max(0, south - north + 1)
        if wide * high > ROOM or (OUTCOMES[outcome] == BUDGET and done < steps):
            return None
        row = "".join(map(self.symbols.__getitem__, self.left[: wide * high]))
        lines = [row[at : at + wide] for at in range(0, len(row), wide)] if row else []
        cells = {
            (west + i, north + j): symbol for j, line in enumerate(lines) for i, symbol in enumerate(line)
        }
        world = World(cells, (x, y))
        symbol = world.cells.get((x, y), self.symbols[0])
        ended = OUTCOMES[outcome], done, self.states[state], (x, y), symbol, world
        return TextRun(*ended, left="\n".join(lines))
