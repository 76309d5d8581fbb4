"""Traces as a DataFrame of pandas, where it is installed."""

from __future__ import annotations

import sys

import pytest

import gridlang as gl
from tests.programs import EXAMPLES

INCREMENT = EXAMPLES / "increment.grid"


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
