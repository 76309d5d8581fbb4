"""Traces one by one, and the steps of a run."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import pytest

import gridlang as gl
from gridlang.table import DELTAS, MOVES
from tests.programs import EXAMPLES

INCREMENT, ANT = EXAMPLES / "increment.grid", EXAMPLES / "ant.grid"


def test_traces_are_indexed_and_iterated() -> None:
    traces = gl.trace(INCREMENT, inputs=["111", "0"])
    assert [trace.input for trace in traces] == ["111", "0"] and traces[-1] == traces[1]
    assert traces[0].steps == gl.run(INCREMENT, "111", trace=True).trace and traces[0].ending == "halted"
    with pytest.raises(IndexError, match="no trace 2"):
        traces[2]


def test_a_slice_is_traces_again_and_an_empty_one_an_error() -> None:
    traces = gl.trace(INCREMENT, inputs=["111", "0", "1", "00"])
    some = traces[1:]
    assert isinstance(some, gl.Traces) and list(some) == [traces[1], traces[2], traces[3]]
    assert [trace.input for trace in traces[::-2]] == ["00", "0"] and some.x.shape[1] == some.length.max()
    with pytest.raises(gl.GridError, match="no trace is left"):
        traces[4:]


def test_without_pandas_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(gl.GridError, match=r"G200[\s\S]*pip install pandas"):
        gl.trace(INCREMENT, inputs=["0"]).to_pandas()


def test_a_data_frame_has_a_row_for_each_step() -> None:
    pytest.importorskip("pandas")
    traces = gl.trace(INCREMENT, inputs=["111", "0"])
    frame = traces.to_pandas()
    assert len(frame) == traces.steps
    rows = frame[frame["trace"] == 1][["read", "write", "move"]].itertuples(index=False, name=None)
    assert list(rows) == list(traces[1].steps)


def test_steps_of_a_run_have_their_state_and_cell() -> None:
    steps: Any = gl.run(ANT, steps=200, trace=True).trace
    table = gl.load(ANT).table
    assert steps[0].state == table.states[0] and steps[0].cell == (0, 0)
    for step, after in pairwise(steps):
        entry = table.rows[table.states.index(step.state)][table.symbols.index(step.read)]
        assert entry is not None and table.states[entry.next] == after.state
        (dx, dy), (x, y) = DELTAS[MOVES.index(step.move)], step.cell
        assert after.cell == (x + dx, y + dy)
