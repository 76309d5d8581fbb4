"""Networks in lockstep: many cases at once, some hundred steps of each at a time.

The expert walks on its own, and the network is asked what it would have done on each symbol that was read:
one that does as the expert does reads the same.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridlang.compiler.engines import execute
from gridlang.compiler.lockstep.lockstep import (
    WORLD_BYTES,
    Action,
    Backend,
    BatchListener,
    BatchProgress,
    Case,
    LockstepOutcome,
    Margin,
    Match,
    Mistake,
    Until,
    mistake_at,
)
from gridlang.compiler.native.build import CannotBuild
from gridlang.compiler.simulation.native.engine import NativeWorld
from gridlang.compiler.simulation.simulate import Machine, Moment
from gridlang.compiler.tensors.model import Floats, Follower
from gridlang.outcomes import End, Outcome, Reason
from gridlang.table import BLANK, DELTAS, Table
from gridlang.terminal.notes import tell_once
from gridlang.world import Cell, string_world

Column = npt.NDArray[np.int16]
TOGETHER = 64  # cases; each has a world in the memory of the host


def batches(match: Match, follower: Follower) -> Backend:
    """The backend for a model that follows many cases at once."""

    def backend(cases: Iterable[Case], limits: Until, watch: BatchListener) -> list[LockstepOutcome | None]:
        outcomes: list[LockstepOutcome | None] = []
        left, steps = iter(cases), 0
        while group := list(islice(left, TOGETHER)):
            with ExitStack() as open_walks:
                walks = [open_walks.enter_context(ExpertWalk(match.table, case)) for case in group]
                some = _Group(match, follower, walks, limits)
                while some.going:
                    some.advance()
                    ended = sum(outcome is not None for outcome in (*outcomes, *some.outcomes))
                    watch(BatchProgress(ended, steps + sum(some.steps)))
            outcomes += some.outcomes
            steps += sum(some.steps)
            mistaken = any(outcome is not None and outcome.mistake for outcome in some.outcomes)
            if (limits.stop_early and mistaken) or time.monotonic() >= limits.deadline:
                break
        return outcomes

    return backend


class _Group:
    """Cases that run together; ended ones are left out of the computation."""

    def __init__(self, match: Match, follower: Follower, walks: list[ExpertWalk], limits: Until) -> None:
        self.match, self.follower, self.walks, self.limits = match, follower, walks, limits
        self.going = list(range(len(walks)))  # cases that have not ended
        self.heads: list[Cell] = [walk.world.start for walk in walks]
        self.steps = [0] * len(walks)
        self.margins: list[list[Margin | None]] = [[None, None] for _ in walks]
        self.outcomes: list[LockstepOutcome | None] = [None] * len(walks)
        self.state: Any = None
        self.numbers = np.array(match.wanted_writes, np.int64)

    def advance(self) -> None:
        """Runs all cases for some more steps, within limits."""
        if time.monotonic() >= self.limits.deadline:
            self.going = []
            return
        most = self.follower.steps
        allowed = max(1, min(most, *(self.limits.steps - self.steps[case] for case in self.going)))
        walked = [self.walks[case].go(allowed) for case in self.going]
        longest = max(1, *(len(each.reads) for each in walked))
        reads = np.zeros((len(walked), longest), np.int64)
        for row, each in enumerate(walked):
            reads[row, : len(each.reads)] = self.numbers[each.reads]
        said, self.state = self.follower.follow(reads, self.state)
        keep = [row for row, each in enumerate(walked) if self._goes_on(row, each, said[row])]
        if len(keep) < len(walked):
            self.state = self.follower.chosen(self.state, keep)
        self.going = [self.going[row] for row in keep]

    def _goes_on(self, row: int, walked: Walked, said: Floats) -> bool:
        """Whether a case has not ended: where the network would have done all that the expert did."""
        case, count = self.going[row], len(walked.reads)
        write, move = np.split(said[:count], [len(self.numbers)], 1)  # (steps, symbols), (steps, moves)
        with np.errstate(invalid="ignore"):
            wrong = (write.argmax(1) != self.numbers[walked.writes]) | (move.argmax(1) != walked.moves)
        wrong |= ~(np.isfinite(write).all(1) & np.isfinite(move).all(1))
        first = int(wrong.argmax()) if wrong.any() else count
        self._note_margins(case, walked, (write[: first + 1], move[: first + 1]))
        self.steps[case] += first
        if first < count:
            mistake = self._mistake(case, write[first], move[first])
            self._end(case, Reason.DIFFERS, mistake)
            return False
        self.heads[case] = _walked_from(self.heads[case], walked.moves)
        if walked.ending != Outcome.BUDGET or self.steps[case] >= self.limits.steps:
            self._end(case, walked.ending)
            return False
        return True

    def _note_margins(self, case: int, walked: Walked, parts: tuple[Any, Any]) -> None:
        for which, part in enumerate(parts):
            if not len(part) or part.shape[1] < 2:
                continue
            second, top = np.partition(part, -2, axis=1)[:, -2:].T
            lead = np.where(np.isfinite(top - second), top - second, np.inf)
            at, seen = int(lead.argmin()), self.margins[case][which]
            if np.isfinite(lead[at]) and (seen is None or lead[at] < seen.value):
                cell = _walked_from(self.heads[case], walked.moves[:at])
                self.margins[case][which] = Margin(float(lead[at]), self.steps[case] + at + 1, cell)

    def _mistake(self, case: int, write: Any, move: Any) -> Mistake:
        match = self.match
        finite = np.isfinite(write).all() and np.isfinite(move).all()
        got = Action(match.writes[int(write.argmax())], match.moves[int(move.argmax())]) if finite else None
        moment, look = self.walks[case].moment_after(self.steps[case])
        return mistake_at(match, moment, got, None if finite else Reason.NOT_FINITE, look)

    def _end(self, case: int, ending: End, mistake: Mistake | None = None) -> None:
        self.outcomes[case] = LockstepOutcome(ending, self.steps[case], mistake, *self.margins[case])


def _walked_from(head: Cell, moves: Any) -> Cell:
    """Where the head is after these moves."""
    counts = np.bincount(moves, minlength=len(DELTAS)).tolist()
    x, y = (sum(count * delta[axis] for count, delta in zip(counts, DELTAS, strict=True)) for axis in (0, 1))
    return head[0] + x, head[1] + y


class Walked(NamedTuple):
    """Some steps of an expert by the table's numbers, and how it ended; budget if it goes on."""

    reads: Column
    writes: Column
    moves: Column
    ending: End


class ExpertWalk:
    """A run of an expert, some steps at a time; free it by leaving its `with`."""

    def __init__(self, table: Table, case: Case) -> None:
        self.table, self.world = table, string_world(case) if isinstance(case, str) else case
        self._going: NativeWorld | Machine
        try:
            self._going = NativeWorld(table, self.world, WORLD_BYTES, observed=True)
        except CannotBuild as error:
            tell_once(f"{error}; the expert runs in Python, which is slower")
            self._going = Machine(table, self.world)

    def __enter__(self) -> ExpertWalk:
        return self

    def __exit__(self, *_: object) -> None:
        if isinstance(self._going, NativeWorld):
            self._going.__exit__()

    def go(self, steps: int) -> Walked:
        """The next steps, at most this many."""
        going = self._going
        if isinstance(going, Machine):
            return self._go_slowly(going, steps)
        columns = [array("h", bytes(2 * steps)) for _ in range(3)]
        before = going.where()[0]
        going.observe(*columns, None)
        ending: End = going.go(steps)
        done = going.where()[0] - before
        if ending == Outcome.BUDGET and done < steps:
            ending = Reason.MEMORY
        reads, writes, moves = (np.frombuffer(column, np.int16)[:done] for column in columns)
        return Walked(reads, writes, moves, ending)

    def _go_slowly(self, machine: Machine, steps: int) -> Walked:
        taken, ending = [], Outcome.BUDGET
        for _ in range(steps):
            symbol = machine.symbol
            entry = self.table.rows[machine.state][symbol]
            if entry is None:
                ending = Outcome.STUCK
                break
            taken.append((symbol, entry.write, entry.move))
            if machine.step():
                ending = Outcome.HALTED
                break
        reads, writes, moves = np.array(taken, np.int16).reshape(-1, 3).T
        return Walked(reads, writes, moves, ending)

    def moment_after(self, steps: int) -> tuple[Moment, Callable[[Cell], str]]:
        """Where the expert is after this many steps from the start, and what stands on the grid."""
        done = execute(self.table, self.world, steps)
        state, symbol = self.table.states.index(done.state), self.table.symbols.index(done.symbol)
        return Moment(steps, state, done.cell, symbol), lambda cell: done.world.cells.get(cell, BLANK)
