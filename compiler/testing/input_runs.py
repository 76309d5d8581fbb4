"""Runs on declared inputs: on the reference while they are short, natively as soon as that pays."""

from __future__ import annotations

from array import array
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from gridlang.compiler.engines import execute
from gridlang.compiler.native.build import CannotBuild
from gridlang.compiler.simulation.limits import LIMITS as RUN_LIMITS
from gridlang.compiler.simulation.simulate import Run, run
from gridlang.compiler.testing.limits import LIMITS
from gridlang.outcomes import Outcome, Reason
from gridlang.table import DELTAS, MOVES, Table
from gridlang.terminal.notes import tell_once
from gridlang.world import string_world

if TYPE_CHECKING:
    from gridlang.compiler.simulation.native.engine import TextRuns


class InputRun(NamedTuple):
    done: Run
    cost: int


class InputRuns:
    """Runs one agent on many inputs. The engine is chosen by what was spent so far."""

    def __init__(self, table: Table, engine: str = "auto") -> None:
        self.table, self.engine = table, engine
        self.spent_on_reference = 0
        self.before_looking = LIMITS.steps_before_looking  # steps of a run
        self._seen: set[tuple[int, int]] = set()
        self._counts = array("Q", bytes(8 * len(table.states) * len(table.symbols)))
        self._in_c = self._short_runs()

    def used(self) -> set[tuple[int, int]]:
        """All pairs of a state and a symbol that some run came to."""
        k = len(self.table.symbols)
        return self._seen | {divmod(at, k) for at in compress(range(len(self._counts)), self._counts)}

    def run(self, text: str, steps: int, asked: bool = True) -> InputRun:
        """The run on an input; one that is certain never to end has the outcome LOOPING, or a reason.

        Where nothing is `asked` it is only begun, to see which rules it uses.
        """
        steps = steps if asked else min(steps, RUN_LIMITS.probe)
        # What is spent, and so what is tried, does not depend on the engine that is there.
        if self.engine == "auto" and self.spent_on_reference < LIMITS.reference_steps:
            probe = min(steps, RUN_LIMITS.probe)
            done = self._as_text(text, probe) or self._on_reference(text, probe)
            self.spent_on_reference += done.steps
            first = InputRun(done, done.steps * LIMITS.reference_cost)
        else:
            most = min(steps, self.before_looking)
            short = self._as_text(text, most)
            first = InputRun(short, short.steps) if short else self._fast(text, most)
        if not asked or first.done.outcome != Outcome.BUDGET or first.done.reason:
            return first
        if _walks_off(self.table, first.done):
            return InputRun(replace(first.done, reason=Reason.WALKS_OFF), first.cost)
        whole = self._fast(text, steps) if steps > first.done.steps else first
        if whole.done.outcome != Outcome.BUDGET:
            self.before_looking = max(self.before_looking, 2 * whole.done.steps)
        if whole.done.outcome != Outcome.BUDGET or whole.done.reason:
            return whole
        return InputRun(looping_run(self.table, text, steps) or whole.done, whole.cost)

    def _as_text(self, text: str, steps: int) -> Run | None:
        return self._in_c.run(text, steps) if self._in_c else None

    def _on_reference(self, text: str, steps: int) -> Run:
        done = run(self.table, string_world(text), steps, profile=True)
        self._seen.update(done.profile or ())
        return done

    def _short_runs(self) -> TextRuns | None:
        """Short runs in C where nobody has to wait for a compiler."""
        from gridlang.compiler.simulation.native.agents import is_built
        from gridlang.compiler.simulation.native.engine import TextRuns

        wanted = self.engine == "auto" and is_built(self.table)
        return TextRuns(self.table, self._counts, LIMITS.memory) if wanted else None

    def _fast(self, text: str, steps: int) -> InputRun:
        if self.engine in ("auto", "native"):
            from gridlang.compiler.simulation.native.engine import run_native

            try:
                world = string_world(text)
                done = run_native(self.table, world, steps, memory=LIMITS.memory, counts=self._counts)
                self._in_c = self._in_c or self._short_runs()
                return InputRun(done, done.steps)
            except CannotBuild as error:
                tell_once(f"{error}; running on the reference engine, which is slower")
                self.engine = "reference"
        if self.engine == "reference":
            done = self._on_reference(text, steps)
        else:
            done = execute(self.table, string_world(text), steps, self.engine)
        return InputRun(done, done.steps * LIMITS.reference_cost)


def looping_run(table: Table, text: str, steps: int) -> Run | None:
    """A run up to where it repeats a configuration; None if it does not within the limit."""
    again = run(table, string_world(text), min(steps, LIMITS.steps_around), detect_loops=True)
    return again if again.outcome == Outcome.LOOPING else None


def _walks_off(table: Table, done: Run) -> bool:
    """Whether the head goes over blank cells alone, in a state that goes on in the same direction."""
    state, (x, y) = table.states.index(done.state), done.cell
    entry = table.rows[state][0]
    if entry is None or entry.next != state or MOVES[entry.move] == "S":
        return False
    dx, dy = DELTAS[entry.move]
    ahead = ((cell[0] - x, cell[1] - y) for cell in done.world.cells)
    return not any(ax * dy == ay * dx and ax * dx + ay * dy >= 0 for ax, ay in ahead)
