"""How well traces are predicted, step by step: the model reads what the traces read, whatever it would write.

This needs no expert, so it is what can be claimed of a model that was learned from traces alone: that it is
consistent with those it has seen, and how many of others it predicts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from gridlang.compiler.lockstep.lockstep import Case
from gridlang.compiler.simulation.random_inputs import text_world
from gridlang.compiler.tensors.model import Model, symbols_of
from gridlang.compiler.traces.dataset import Shorts, Traces
from gridlang.diagnostics import counted
from gridlang.display import Shown
from gridlang.table import Table

STUCK = -1
UNKNOWN = -2  # a symbol that a model does not have; no answer is it
Answers = tuple[Shorts, Shorts]  # writes and moves, (traces, steps); -1 where a model is stuck


@dataclass(frozen=True, slots=True)
class Prediction(Shown):
    """How many traces, and steps of them, are predicted; `first` is a step that is not, by trace and step.

    >>> import gridlang as gl
    >>> gl.predict("examples/add2.grid", gl.trace("examples/add2.grid"))
    Prediction(20 of 20 traces, 896 of 896 steps)
    """

    traces: int
    predicted: int
    steps: int
    steps_predicted: int
    first: tuple[int, int] | None = None
    longest: int = 0  # steps of a trace

    @property
    def consistent(self) -> bool:
        """Whether every step of every trace is predicted."""
        return self.predicted == self.traces

    def __repr__(self) -> str:
        return f"Prediction({self.in_words()})"

    def in_words(self) -> str:
        """`9 of 10 traces, 133 of 134 steps`."""
        traces, steps = counted(self.traces, "trace"), counted(self.steps, "step")
        return f"{self.predicted:,} of {traces}, {self.steps_predicted:,} of {steps}"

    def claim(self) -> str:
        """`consistent with all 300 traces`, or how many are predicted."""
        if self.consistent:
            return f"consistent with all {counted(self.traces, 'trace')}"
        return f"not consistent with all traces: it predicts {self.in_words()}"

    def as_json(self) -> dict[str, Any]:
        data = {**asdict(self), "consistent": self.consistent}
        first = data.pop("first")
        return {**data, "first_error": None if first is None else {"trace": first[0], "step": first[1]}}


def predicted_by(
    symbols: tuple[str, ...], answers: Callable[[Shorts], Answers], traces: Traces
) -> Prediction:
    """How well answers on reads, both numbers of these symbols, predict traces.

    A symbol that is not among them is never predicted, and nothing is after it was read.
    """
    number = {symbol: at for at, symbol in enumerate(symbols)}
    numbers = [number.get(symbol, UNKNOWN) for symbol in traces.symbols]
    lookup = np.array([*numbers, -1], np.int16)  # the last: padding, and what is done where a run is stuck
    x, s = lookup[traces.x], lookup[traces.s]
    writes, moves = answers(x)
    inside = np.arange(x.shape[1]) < traces.length[:, None]  # (N, T)
    right = inside & (writes == s) & (moves == traces.m)
    lost = (right != inside).any(1)
    row = int(lost.argmax())
    return Prediction(
        traces=len(traces),
        predicted=int((~lost).sum()),
        steps=traces.steps,
        steps_predicted=int(right.sum()),
        first=(row, int((right != inside)[row].argmax())) if lost.any() else None,
        longest=int(traces.length.max()),
    )


def predicted(table: Table, traces: Traces) -> Prediction:
    """How well a table predicts traces."""
    return predicted_by(table.symbols, partial(table_answers, table), traces)


def table_answers(table: Table, x: Shorts) -> Answers:
    """What a table does at each step; after a pair without a rule it stays stuck."""
    lost = len(table.states)
    shape = lost + 1, len(table.symbols)
    after, write, move = (np.full(shape, fill, np.int32) for fill in (lost, STUCK, STUCK))
    for state, symbol, entry in table.entries():
        after[state, symbol], write[state, symbol], move[state, symbol] = entry.next, entry.write, entry.move
    now = np.zeros(len(x), np.int32)
    s, m = np.full_like(x, STUCK), np.full_like(x, STUCK)
    for step in range(x.shape[1]):
        rows = np.flatnonzero(x[:, step] != -1)
        now[x[:, step] == UNKNOWN] = lost
        read = np.maximum(x[rows, step], 0)
        s[rows, step], m[rows, step] = write[now[rows], read], move[now[rows], read]
        now[rows] = after[now[rows], read]
    return s, m


def cases_of(model: Model, traces: Traces) -> list[tuple[Case, int]]:
    """The inputs of traces whose symbols a model has, each with its steps."""
    known = set(symbols_of(model))
    cases: list[tuple[Case, int]] = []
    for text, steps in zip(traces.inputs, traces.length.tolist(), strict=True):
        world = text_world(text, traces.symbols)
        if set(world.cells.values()) <= known:
            cases.append((world, steps))
    return cases
