"""`Trace`: one of many traces in symbols; some of them; and all of them as a table of steps."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt

from gridlang.diagnostics import fail
from gridlang.outcomes import Outcome
from gridlang.table import MOVES

ENDINGS = {Outcome.HALTED: "halted", Outcome.STUCK: "stuck", Outcome.BUDGET: "cut"}  # what files say


class ManyTraces(Protocol):
    """What `Traces` hold: rows of numbers of symbols and moves."""

    @property
    def x(self) -> npt.NDArray[np.int16]: ...
    @property
    def s(self) -> npt.NDArray[np.int16]: ...
    @property
    def m(self) -> npt.NDArray[np.int16]: ...
    @property
    def length(self) -> npt.NDArray[np.int32]: ...
    @property
    def ending(self) -> tuple[Outcome, ...]: ...
    @property
    def inputs(self) -> tuple[str, ...]: ...
    @property
    def symbols(self) -> tuple[str, ...]: ...
    def __len__(self) -> int: ...


Some = TypeVar("Some", bound=ManyTraces)


class TraceStep(NamedTuple):
    """What a step reads, writes and moves; where the agent is stuck, it writes and moves nothing."""

    read: str
    write: str | None
    move: str | None


class Trace(NamedTuple):
    """One run: what it was on, how it ended, and its steps."""

    input: str
    ending: Outcome
    steps: tuple[TraceStep, ...]

    def __repr__(self) -> str:
        return f"Trace({self.input!r}: {ENDINGS[self.ending]} after {len(self.steps):,} steps)"


def trace_at(traces: ManyTraces, row: int) -> Trace:
    """The trace of a row; IndexError beyond the last."""
    if not -len(traces) <= row < len(traces):
        raise IndexError(f"there is no trace {row}: they are 0 to {len(traces) - 1:,}")
    until, symbols = int(traces.length[row]), traces.symbols
    columns = (part[row, :until].tolist() for part in (traces.x, traces.s, traces.m))
    steps = tuple(
        TraceStep(symbols[x], symbols[s] if s >= 0 else None, MOVES[m] if m >= 0 else None)
        for x, s, m in zip(*columns, strict=True)
    )
    return Trace(traces.inputs[row], traces.ending[row], steps)


def chosen(traces: Some, rows: npt.NDArray[np.intp]) -> Some:
    """Some of the traces, in the order given."""
    if not len(rows):
        raise fail("G100", "no trace is left", f"there are {len(traces):,}, from 0 on")
    steps = int(traces.length[rows].max())
    fewer: Any = replace(
        cast("Any", traces),
        x=traces.x[rows, :steps],
        s=traces.s[rows, :steps],
        m=traces.m[rows, :steps],
        length=traces.length[rows],
        ending=tuple(traces.ending[i] for i in rows),
        inputs=tuple(traces.inputs[i] for i in rows),
    )
    return cast("Some", fewer)


def traces_to_pandas(traces: ManyTraces) -> Any:
    """A DataFrame with a row for each step; GridError where pandas is missing."""
    try:
        pd = import_module("pandas")
    except ModuleNotFoundError:
        raise fail("G200", "a DataFrame needs pandas", "install it with `pip install pandas`") from None
    rows, steps = np.nonzero(np.arange(traces.x.shape[1]) < traces.length[:, None])
    symbols, moves = np.array([*traces.symbols, None]), np.array([*MOVES, None])  # -1 is the last: None
    return pd.DataFrame(
        {
            "trace": rows,
            "step": steps,
            "read": symbols[traces.x[rows, steps]],
            "write": symbols[traces.s[rows, steps]],
            "move": moves[traces.m[rows, steps]],
        }
    )
