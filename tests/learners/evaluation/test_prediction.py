"""Predictions of traces: models and tables answer them alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import gridlang as gl
from gridlang.learners.evaluation.prediction import model_answers, table_answers
from tests.programs import EXAMPLES


def test_a_model_and_its_table_answer_alike_and_lose_the_thread_where_they_know_no_symbol() -> None:
    table = gl.load(EXAMPLES / "add2.grid").table
    traces = gl.trace(EXAMPLES / "add2.grid")
    exact = gl.compile(EXAMPLES / "add2.grid")
    for left, right in zip(model_answers(exact, traces.x), table_answers(table, traces.x), strict=True):
        assert np.array_equal(left, right)
    reads = traces.x.copy()
    reads[:, 3] = -2
    answers = table_answers(table, reads)[0]
    assert np.array_equal(answers, model_answers(exact, reads)[0])
    assert (answers[:, 3:] == -1).all() and np.array_equal(answers[:, :3], traces.s[:, :3])


def test_traces_over_other_symbols_are_predicted_as_far_as_they_are_known() -> None:
    traces = gl.trace(EXAMPLES / "add2.grid", inputs=["1+1", "10+0"])
    other = replace(traces, symbols=("_", "0", "7", "+"))
    shown = gl.predict(EXAMPLES / "add2.grid", other)
    assert (shown.traces, shown.predicted, shown.first) == (2, 0, (0, 0))
