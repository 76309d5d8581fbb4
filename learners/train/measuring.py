"""How good models are while they are trained: their RLG and their margin, some dozens of times a run.

What is measured takes one or two hundredths of the work of the training, counted in steps and not by a clock,
and is done by a thread of its own, on weights that were copied.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from typing import Any

from gridlang.compiler.native.build import CannotBuild
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.diagnostics import GridError
from gridlang.learners.evaluation.quick_measures import LengthMeasure, MarginMeasure
from gridlang.learners.train.engine import State, TrainingJob
from gridlang.learners.train.journal import line_around
from gridlang.learners.train.limits import LIMITS
from gridlang.learners.train.recipes import Floats
from gridlang.loading import load_source
from gridlang.source import Source
from gridlang.terminal.notes import tell_once

Line = dict[str, Any]


def measured_iterations(total: int) -> frozenset[int]:
    """The iterations after which models are measured, each at the end of a line of metrics."""
    early = (total * 1000 ** (i / LIMITS.early_points - 1) for i in range(LIMITS.early_points + 1))
    evenly = (total * i / LIMITS.even_points for i in range(1, LIMITS.even_points + 1))
    wanted = (min(total, max(1, round(at))) for at in (*early, *evenly))
    return frozenset(line_around(total, at - 1)[1] for at in wanted)


class Measuring:
    """Measures the models of a run beside its training, and hands each line of numbers on.

    A point is left out while the one before is still being measured; the last one never is.
    """

    def __init__(
        self,
        job: TrainingJob,
        as_model: Callable[[Floats], Dfst],
        keep: Callable[[Line], None],
        anything: bool,
    ) -> None:
        self.job, self.as_model, self.keep = job, as_model, keep
        self.points = measured_iterations(job.recipe.iterations) if anything else frozenset[int]()
        self.thread = ThreadPoolExecutor(1)  # More would take turns, and keep the training waiting.
        self.running: Future[None] | None = None

    def at(self, iteration: int, seconds: float, state: Callable[[], State], *, last: bool) -> None:
        """Begins to measure if this iteration is a point; the last one always is."""
        if not self.points or not (last or iteration in self.points):
            return
        if self.running is not None:
            if not self.running.done() and not last:
                return
            self.running.result()
        self.running = self.thread.submit(self._measure, iteration, seconds, state())

    def close(self) -> None:
        """Ends when the last line is handed on."""
        self.thread.shutdown()
        if self.running is not None:
            self.running.result()

    def _measure(self, iteration: int, seconds: float, state: State) -> None:
        alive = [model for model, lost in enumerate(state.diverged) if lost < 0]
        try:
            numbers = {model: self._of(state.weights[model]) for model in alive}
        except (GridError, CannotBuild, MemoryError) as error:
            self.points = frozenset()
            reason = error.diagnostics[0].message if isinstance(error, GridError) else error
            tell_once(f"RLG and margins are not recorded: {reason}")
            return
        columns = zip(*(numbers.get(i, (None, None, None)) for i in range(len(state.diverged))), strict=True)
        margins, lengths, beyond = map(list, columns)
        line: Line = {"iteration": iteration, "seconds": round(seconds, 3), "margin": margins}
        if self._lengths is not None:
            line |= {"rlg": lengths, "beyond": beyond}
        self.keep(line)

    def _of(self, weights: Floats) -> tuple[float | None, int | None, bool | None]:
        """The margin of a model, its RLG, and whether that may be more."""
        model = self.as_model(weights)
        reach = self._lengths.of(model) if self._lengths is not None else (None, None)
        return self._margins.of(model), *reach

    @cached_property
    def _margins(self) -> MarginMeasure:
        return MarginMeasure(self.job.traces, LIMITS.margin_steps)

    @cached_property
    def _lengths(self) -> LengthMeasure | None:
        """Against the agent that the traces name, if it declares inputs."""
        traces, recipe = self.job.traces, self.job.recipe
        if not (traces.source and traces.input):
            return None
        table = load_source(Source("<source of the traces>", traces.source)).table
        trained = recipe.iterations * self.job.batch * float(traces.length.mean())
        share = LIMITS.measuring_share * LIMITS.step_cost * trained / len(self.points)
        return LengthMeasure(table, max(LIMITS.least_steps, int(share)))
