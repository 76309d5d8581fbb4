"""A model in lockstep with an expert's table: the definition, in plain Python.

While both do the same they share one world and one head, so one world is enough: the expert walks, and
the model is asked at each step what it would have done. Nothing of the past is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from gridlang.compiler.simulation.simulate import Machine, Moment
from gridlang.compiler.tensors.closed_loop import decide, why_stuck
from gridlang.compiler.tensors.dfst import Dfst, Floats
from gridlang.compiler.tensors.model import Model, Stepper, symbols_of
from gridlang.diagnostics import fail
from gridlang.outcomes import End, Outcome, Reason
from gridlang.table import MOVES, Entry, Table, refuse_other_symbols
from gridlang.world import Cell, World, string_world

NO_LIMIT = 1 << 60  # more steps than any run does
WORLD_BYTES = 500_000_000  # world of one case
SHOWN = (9, 3)  # cells on either side of the head, and above and below it

Case = str | World


class Action(NamedTuple):
    """The action of one step."""

    write: str
    move: str


@dataclass(frozen=True, slots=True)
class Mistake:
    """The first step at which a model does not do what the expert does.

    `step` counts from 1; `got` is None where the model is stuck, and `reason` says why. `expected` is None
    where the expert is stuck, and a strict model is not. `around` shows the world before the step, with the
    head in brackets.
    """

    step: int
    cell: Cell
    state: str
    read: str
    expected: Action | None
    got: Action | None
    reason: Reason | None
    around: str


@dataclass(frozen=True, slots=True)
class Margin:
    """The least lead of the largest output over the second largest, and its place."""

    value: float
    step: int
    cell: Cell


@dataclass(frozen=True, slots=True)
class LockstepOutcome:
    """How a lockstep run ended: as the expert did, at the step limit, when memory was spent, or at a mistake.

    `steps` are those that both did alike.
    """

    ending: End
    steps: int
    mistake: Mistake | None = None
    write_margin: Margin | None = None
    move_margin: Margin | None = None

    @property
    def passed(self) -> bool:
        return isinstance(self.ending, Outcome)

    @property
    def margin(self) -> Margin | None:
        """The smaller margin of the two; None if nothing was decided."""
        return least_margin((self.write_margin, self.move_margin))


def least_margin(margins: Iterable[Margin | None]) -> Margin | None:
    """The smallest of some margins, the first of equal ones."""
    return min((m for m in margins if m is not None), key=lambda m: m.value, default=None)


class Until(NamedTuple):
    """When to stop: the steps of one case, the moment (`time.monotonic`) when all ends, the first mistake."""

    steps: int = NO_LIMIT
    deadline: float = float("inf")
    stop_early: bool = False


class BatchProgress(NamedTuple):
    """Cases that have ended, and steps done in all of them."""

    cases: int
    steps: int


BatchListener = Callable[[BatchProgress], None]  # told now and then about progress


class Backend(Protocol):
    """Runs a batch of cases, and answers their outcomes in order; None for one that was given up.

    With `stop_early`, every case before the first with a mistake is run to its end: which one is the first
    does not depend on chance. Cases are drawn only when they are needed.
    """

    def __call__(
        self, cases: Iterable[Case], limits: Until, watch: BatchListener
    ) -> list[LockstepOutcome | None]: ...


def nobody(*_: object) -> None:
    """The watch that does nothing."""


@dataclass(frozen=True, eq=False)
class Match:
    """A model and the table it is held against, with the symbols read in the table's order.

    What the model puts out keeps its own order, which decides ties; `wanted_writes` and `wanted_moves` lead
    there from the table's numbers. A move that the model does not have leads past its last one.
    """

    table: Table
    model: Model
    writes: tuple[str, ...]
    moves: tuple[str, ...]
    wanted_writes: tuple[int, ...]
    wanted_moves: tuple[int, ...]
    strict: bool  # the model must be stuck where the table is

    @cached_property
    def _stepper(self) -> Stepper:
        return self.model.stepper()

    def start(self) -> Any:
        """What the model keeps before its first step."""
        return self._stepper.start()

    def step(self, state: Any, symbol: int) -> tuple[Floats, Any]:
        """What the model puts out on one of the table's symbols, and what it keeps then."""
        return self._stepper.step(state, self.wanted_writes[symbol])

    @cached_property
    def tensors(self) -> tuple[Floats, Floats, Floats, Floats]:
        """A, B and C of a DFST by the table's symbols, rows of B and C in the model's order; h0."""
        dfst = self.model
        assert isinstance(dfst, Dfst)
        order = list(self.wanted_writes)
        A, B, C = (np.ascontiguousarray(tensor[order], np.float32) for tensor in (dfst.A, dfst.B, dfst.C))
        return A, B, C, np.ascontiguousarray(dfst.h0, np.float32)


def matched(model: Model, table: Table) -> Match:
    """A model beside a table with the same symbols in any order; GridError for other alphabets."""
    names = symbols_of(model)
    refuse_other_symbols(names, table.symbols, ("the model", "the expert"))
    if len(set(names)) != len(names):
        raise fail("G085", "the alphabets differ: the model has two blanks")
    order = [names.index(symbol) for symbol in table.symbols]
    moves = tuple(model.moves.index(move) if move in model.moves else len(model.moves) for move in MOVES)
    return Match(table, model, names, model.moves, tuple(order), moves, model.strict)


def mistake_at(
    match: Match, moment: Moment, got: Action | None, reason: Reason | None, look: Callable[[Cell], str]
) -> Mistake:
    """The mistake at a step, in names; `look` reads the world."""
    table = match.table
    entry = table.rows[moment.state][moment.symbol]
    return Mistake(
        step=moment.step + 1,
        cell=moment.cell,
        state=table.states[moment.state],
        read=table.symbols[moment.symbol],
        expected=entry and Action(table.symbols[entry.write], MOVES[entry.move]),
        got=got,
        reason=reason,
        around=picture(moment.cell, look),
    )


def picture(head: Cell, look: Callable[[Cell], str]) -> str:
    """The world around the head, which stands in brackets."""
    (x, y), (across, down) = head, SHOWN

    def row(at: int) -> str:
        left, right = range(x - across, x), range(x + 1, x + across + 1)
        middle = look((x, at))
        marked = f"[{middle}]" if at == y else f" {middle} "
        return f"{''.join(look((i, at)) for i in left)}{marked}{''.join(look((i, at)) for i in right)}"

    return "\n".join(row(at) for at in range(y - down, y + down + 1))


class PlainRun:
    """A lockstep run in plain Python: the definition, used where there is no C compiler.

    Sums are numpy's, so a margin may differ from the native one in its last digits.
    """

    def __init__(self, match: Match, case: Case) -> None:
        self.match = match
        self.machine = Machine(match.table, string_world(case) if isinstance(case, str) else case)
        self.hidden = match.start()
        self.margins: list[Margin | None] = [None, None]
        self.mistake: Mistake | None = None

    def __enter__(self) -> PlainRun:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held."""

    def go(self, steps: int) -> End:
        """At most this many steps: how the run ended, budget if it did not."""
        machine, rows = self.machine, self.match.table.rows
        for _ in range(steps):
            symbol = machine.symbol
            entry = rows[machine.state][symbol]
            if entry is None and not self.match.strict:
                return Outcome.STUCK
            with np.errstate(all="ignore"):
                out, after = self.match.step(self.hidden, symbol)
            if not self._agrees(entry, out):
                return Reason.DIFFERS
            if entry is None:
                return Outcome.STUCK
            self.hidden = after
            if machine.step():
                return Outcome.HALTED
        return Outcome.BUDGET

    def _agrees(self, entry: Entry | None, out: Floats) -> bool:
        match, k = self.match, len(self.match.writes)
        decision = decide(out, k, match.strict)
        if decision is None:
            if entry is not None:
                self._differs(None, why_stuck(out))
            return entry is None
        write, move = decision
        if entry is None:
            self._differs(Action(match.writes[write], match.moves[move]))
            return False
        for which, part in enumerate((out[:k], out[k:])):
            self._remember(which, part)
        if write == match.wanted_writes[entry.write] and move == match.wanted_moves[entry.move]:
            return True
        self._differs(Action(match.writes[write], match.moves[move]))
        return False

    def _remember(self, which: int, outputs: Floats) -> None:
        if len(outputs) < 2:
            return
        second, first = np.partition(outputs, -2)[-2:]
        seen = self.margins[which]
        if seen is None or first - second < seen.value:
            self.margins[which] = Margin(float(first - second), self.machine.steps + 1, self.machine.head)

    def _differs(self, got: Action | None, reason: Reason | None = None) -> None:
        cells, symbols = self.machine.cells, self.match.table.symbols
        self.mistake = mistake_at(
            self.match, self.machine.moment(), got, reason, lambda cell: symbols[cells.get(cell, 0)]
        )

    def steps(self) -> int:
        return self.machine.steps

    def pair(self) -> tuple[int, int]:
        """The state of the table, and the symbol that it reads."""
        return self.machine.state, self.machine.symbol

    def outcome(self, ending: End) -> LockstepOutcome:
        return LockstepOutcome(ending, self.machine.steps, self.mistake, *self.margins)
