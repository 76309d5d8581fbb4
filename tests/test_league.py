"""The league: what is trained in one place is judged in another."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.league_judging import Draw, Merging, first_traces, merged, recorded
from benchmarks.league_models import Learned, Models, keep, kept, stacked
from gridlang.compiler.tensors.dfst import dfst_from_bytes, dfst_to_bytes, table_to_dfst
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.learners.traces.dataset import Traces
from gridlang.loading import load
from gridlang.program import Program
from tests.programs import EXAMPLES


def drawn(program: Program, rule: str, count: int) -> Traces:
    return make_traces(program, [sampling_plan(program.table, rule, count=count)], 7)


def test_models_come_back_as_they_were_kept(tmp_path: Path) -> None:
    exact = dfst_to_bytes(table_to_dfst(load(EXAMPLES / "increment.grid").table))
    models = Models([Learned(0, 20, 0.5, exact), Learned(1, 19, 0.5, b"")], {"cores": 2, "gpu": True})
    keep(models, tmp_path / "line.zip")
    assert kept(tmp_path / "line.zip") == models


def test_a_draw_has_its_own_share_of_traces_that_are_trained_on_together() -> None:
    program = load(EXAMPLES / "increment.grid")
    parts = [drawn(program, rule, 5) for rule in ("uniform", "random-reads", "inputs")]
    whole, shares = stacked(parts)
    for part, share in zip(parts, shares, strict=True):
        rows = slice(share.first, share.first + share.number)
        assert np.array_equal(whole.x[rows, : part.x.shape[1]], part.x)
        assert np.array_equal(whole.length[rows], part.length)


def test_a_table_is_merged_from_the_first_traces_of_a_draw(tmp_path: Path) -> None:
    file = str(tmp_path / "draw.npz")
    assert recorded(Draw("increment", "random-reads", 7, 40, 5, 200, file)) == 40
    assert len(first_traces(file, 30)) == 30 and len(first_traces(file, 50)) == 40
    _, model = merged(Merging((30, 0), file, 30))
    expert = load(EXAMPLES / "increment.grid").table
    assert dfst_from_bytes(model).A.shape[1] == len(expert.states)
