"""The reference simulator: slow, obvious, and the definition of what a table means."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from gridlang.compiler.simulation.limits import LIMITS
from gridlang.display import Shown
from gridlang.outcomes import End, Outcome, Reason, outcome_of
from gridlang.table import DELTAS, MOVES, STAY, Table
from gridlang.world import Cell, World, is_far

MAX_STEPS = 2**63 - 1  # counted in 64 bits, with a sign


def moved(cell: Cell, move: int) -> Cell:
    """The cell after a move."""
    (x, y), (dx, dy) = cell, DELTAS[move]
    return x + dx, y + dy


class Action(NamedTuple):
    """One step as an observer sees it: symbol read, symbol written, move."""

    read: str
    write: str
    move: str


Column: TypeAlias = "array[int]"  # of 16-bit numbers, one a step
Record: TypeAlias = Callable[[Column, Column, Column], None]  # told what is read, what is written, the moves


class StepBuffer:
    """Gathers steps as numbers of symbols and moves, and hands them on, many at a time."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.reads, self.writes, self.moves = array("h"), array("h"), array("h")

    def add(self, read: int, write: int, move: int) -> None:
        self.reads.append(read)
        self.writes.append(write)
        self.moves.append(move)
        if len(self.reads) == LIMITS.steps_at_once:
            self.flush()

    def flush(self) -> None:
        if self.reads:
            self.record(self.reads, self.writes, self.moves)
        self.reads, self.writes, self.moves = array("h"), array("h"), array("h")


def kept_in(
    actions: list[Action], symbols: Sequence[str], moves: Sequence[str], record: Record | None
) -> Record:
    """Keeps all steps as actions, and hands them on to whoever else wants them."""

    def keep(*columns: Column) -> None:
        steps = zip(*columns, strict=True)
        actions.extend(Action(symbols[read], symbols[write], moves[move]) for read, write, move in steps)
        if record:
            record(*columns)

    return keep


class Step(Action):
    """An action of an agent, with the state and the cell it is done in."""

    state: str
    cell: Cell


def with_places(table: Table, start: Cell, actions: Iterable[Action]) -> Iterator[Step]:
    """Adds state and cell to the actions of a run."""
    symbols = {symbol: number for number, symbol in enumerate(table.symbols)}
    state, (x, y) = 0, start
    for action in actions:
        step = Step(*action)
        step.state, step.cell = table.states[state], (x, y)
        yield step
        entry = table.rows[state][symbols[action.read]]
        state, (x, y) = entry.next if entry else state, moved((x, y), MOVES.index(action.move))


class Moment(NamedTuple):
    """The moment before a step: where the head is, in which state, and what it will do."""

    step: int
    state: int
    cell: Cell
    symbol: int


@dataclass(frozen=True, slots=True)
class Run(Shown):
    """How a run ended.

    `steps` is the length of the trace, the idle step included. `state`, `cell` and `symbol`
    tell where it stood at the end; for a stuck run they are the pair that is undefined. `reason` says
    more where the outcome alone does not, and `why` says it in words.

    >>> import gridlang as gl
    >>> gl.run("examples/add10.grid", "47+85")
    Run(halted after 39 steps in state 'finish': result '132')
    """

    outcome: Outcome
    steps: int
    state: str
    cell: Cell
    symbol: str
    world: World
    trace: tuple[Action, ...] | None = None
    profile: Counter[tuple[int, int]] | None = None
    reason: Reason | None = None

    @property
    def result(self) -> str:
        """The bounding box of the result, rows joined by newlines."""
        return self.world.text

    @property
    def origin(self) -> Cell | None:
        """The upper left corner of the result."""
        return self.world.origin

    @property
    def why(self) -> str:
        """The reason in words; empty without one."""
        return in_words(self.reason, self.symbol)

    def __repr__(self) -> str:
        box = self.world.box
        small = box is None or (box.top == box.bottom and box.area <= LIMITS.row_shown)
        left = f"result {self.result!r}" if small else f"{len(self.world.cells):,} cells are left"
        return f"Run({self.outcome} after {self.steps:,} steps in state {self.state!r}: {left})"


def in_words(reason: Reason | None, symbol: str = "") -> str:
    """A reason as part of a sentence; empty for none."""
    return reason.value.format(symbol=symbol, megabytes=LIMITS.memory // 1_000_000) if reason else ""


def run(
    table: Table,
    world: World,
    steps: int = 10_000_000,
    *,
    trace: bool = False,
    profile: bool = False,
    detect_loops: bool = False,
    progress: Callable[[int], None] | None = None,
    record: Record | None = None,
) -> Run:
    """Runs a table on a world until it halts, is stuck, or has done `steps` steps.

    With `detect_loops` it also ends as soon as it is certain that a configuration (state, head
    and whole world) came twice. `progress` is told the steps done.
    `record` is given the steps in columns, many at a time; with `trace` the run keeps them all.
    """
    machine = Machine(table, world)
    actions: list[Action] = []
    keep = kept_in(actions, table.symbols, MOVES, record) if trace else record
    recorded = StepBuffer(keep) if keep else None
    counts = Counter[tuple[int, int]]() if profile else None
    snapshot = machine.configuration() if detect_loops else None
    at_once = 1 if keep or detect_loops else LIMITS.steps_per_report
    end: End = Outcome.BUDGET
    while end is Outcome.BUDGET and machine.steps < steps:
        done, read, entry = machine.steps, machine.symbol, table.rows[machine.state][machine.symbol]
        end = machine.run_on(min(done + at_once, steps), counts)
        if recorded and entry and machine.steps > done:
            recorded.add(read, entry.write, entry.move)
        if progress and machine.steps % LIMITS.steps_per_report == 0:
            progress(machine.steps)
        if snapshot is not None and end is Outcome.BUDGET:
            if machine.is_at(snapshot):
                end = Outcome.LOOPING
            elif machine.steps & done == 0:
                snapshot = machine.configuration()
    if recorded:
        recorded.flush()
    return machine.ended(end, tuple(actions) if trace else None, counts)


Configuration = tuple[int, Cell, dict[Cell, int]]


class Machine:
    """A table on a world, moving one step at a time."""

    __slots__ = ("cells", "head", "state", "steps", "table")

    def __init__(self, table: Table, world: World) -> None:
        place = {symbol: index for index, symbol in enumerate(table.symbols)}
        self.table = table
        self.cells = {cell: place[symbol] for cell, symbol in world.cells.items()}
        self.head = world.start
        self.state = 0
        self.steps = 0

    @property
    def symbol(self) -> int:
        return self.cells.get(self.head, 0)

    def moment(self) -> Moment:
        return Moment(self.steps, self.state, self.head, self.symbol)

    def step(self) -> bool:
        """Does one step; True if it was the idle step. The pair must be defined."""
        symbol = self.symbol
        entry = self.table.rows[self.state][symbol]
        assert entry is not None
        if entry.write:
            self.cells[self.head] = entry.write
        else:
            self.cells.pop(self.head, None)
        self.head = moved(self.head, entry.move)
        self.state = entry.next
        self.steps += 1
        return entry.is_idle(symbol)

    def run_on(self, steps: int, counts: Counter[tuple[int, int]] | None) -> End:
        """Does `step` after `step` until the run ends or has done `steps`; three times as fast."""
        rows, cells, (x, y), state, most = self.table.rows, self.cells, self.head, self.state, LIMITS.cells
        end: End = Outcome.BUDGET
        done = self.steps
        may_be_far = is_far((abs(x) + steps, abs(y) + steps))
        while done < steps:
            symbol = cells.get((x, y), 0)
            entry = rows[state][symbol]
            if len(cells) > most:
                end = Reason.MEMORY
                break
            if entry is None:
                end = Outcome.STUCK
                break
            if may_be_far and is_far(moved((x, y), entry.move)):
                end = Reason.FAR
                break
            if counts is not None:
                counts[state, symbol] += 1
            write, move, state = entry
            done += 1
            if write != symbol:
                if write:
                    cells[x, y] = write
                else:
                    del cells[x, y]
            elif move == STAY:
                end = Outcome.HALTED
                break
            dx, dy = DELTAS[move]
            x, y = x + dx, y + dy
        self.head, self.state, self.steps = (x, y), state, done
        return end

    def configuration(self) -> Configuration:
        return self.state, self.head, dict(self.cells)

    def is_at(self, configuration: Configuration) -> bool:
        state, head, cells = configuration
        return self.state == state and self.head == head and self.cells == cells

    def ended(
        self,
        end: End,
        trace: tuple[Action, ...] | None = None,
        profile: Counter[tuple[int, int]] | None = None,
    ) -> Run:
        outcome, reason = outcome_of(end)
        symbols = self.table.symbols
        world = World({cell: symbols[symbol] for cell, symbol in self.cells.items()}, self.head)
        state = self.table.states[self.state]
        return Run(outcome, self.steps, state, self.head, symbols[self.symbol], world, trace, profile, reason)
