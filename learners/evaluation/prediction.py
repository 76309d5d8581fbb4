"""How well a model, or any agent, predicts traces: it reads what they read, whatever it would write.

This needs no expert, so it is what can be claimed of a model that was learned from traces alone: that it is
consistent with those it has seen, and how many of others it predicts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from gridlang.compiler.extraction.states import decisions, stepped
from gridlang.compiler.given import NONE, AgentLike, as_any_model, as_program, is_weights
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.model import Model, symbols_of
from gridlang.diagnostics import counted
from gridlang.display import Shown
from gridlang.learners.traces.dataset import Shorts, Traces
from gridlang.table import MOVES, Table

STUCK = -1
UNKNOWN = -2  # a symbol that a model does not have; no answer is it
Answers = tuple[Shorts, Shorts]  # writes and moves, (traces, steps); -1 where a model is stuck
SHOWN = 40  # symbols of a trace's input: what is read at a glance


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


def prediction_of(model: AgentLike, traces: Traces, definitions: Mapping[str, str] = NONE) -> Prediction:
    """How well a model, learned or exact, or any agent predicts traces."""
    if is_weights(model):
        weights = as_any_model(model)
        return predicted_by(symbols_of(weights), partial(model_answers, weights), traces)
    return predicted(as_program(model, definitions).table, traces)


def model_answers(model: Model, x: Shorts) -> Answers:
    """What a model would do at each step of these reads, numbers of its own symbols; then it stays stuck."""
    moves = np.array([MOVES.index(move) for move in model.moves], np.int16)
    s, m = np.full_like(x, STUCK), np.full_like(x, STUCK)
    rows, h = np.arange(len(x)), np.tile(model.h0, (len(x), 1))
    for step in range(x.shape[1]):
        known = x[rows, step] >= 0
        rows, h = rows[known], h[known]
        said, h = stepped(model, h, x[rows, step])
        act = decisions(model, said).act
        s[rows, step] = np.where(act == STUCK, STUCK, act // len(moves))
        m[rows, step] = np.where(act == STUCK, STUCK, moves[act % len(moves)])
        if isinstance(model, Dfst):  # powers of two keep numbers in range, and their bits as they are
            h = np.ldexp(h, -np.frexp(np.abs(h).max(1, keepdims=True, initial=0))[1])
    return s, m


def prediction_place(traces: Traces, row: int, step: int) -> str:
    """A step of a trace in words: which, and on what input."""
    text = traces.inputs[row].replace("\n", "/")
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    return f"trace {row}, step {step}, on `{shown}`"
