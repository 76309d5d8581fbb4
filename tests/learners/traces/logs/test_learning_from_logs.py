"""From a log to the machine that made it, without an expert: hold out, grow, train, extract, predict."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest

import gridlang as gl
from gridlang.compiler.lockstep.prediction import dfst_answers, table_answers
from gridlang.learners.traces.logs.reading import log_of
from gridlang.learners.training.growing import grown, split, without_expert
from gridlang.learners.training.limits import LIMITS
from gridlang.learners.training.recipes import changed, load_recipe
from gridlang.learners.training.train import Trained, TrainingPlan, train
from gridlang.source import Source
from tests.programs import EXAMPLES
from tests.support.command_line import answer, invoke

LOGS = EXAMPLES / "logs"
COFFEE = LOGS / "coffee.jsonl"
WHAT_FITS = 0  # iterations of a recipe that leaves them open


def plan_of(traces: gl.Traces, iterations: int = 3000) -> TrainingPlan:
    return TrainingPlan(traces, changed(load_recipe("fast"), iterations=iterations), (0,), "cpu")


@pytest.mark.long
def test_a_log_gives_back_the_machine_that_made_it(tmp_path: Path) -> None:
    """Train, extract, run, predict, view and report a coffee machine whose states nobody said."""
    model, learned = str(tmp_path / "coffee.safetensors"), str(tmp_path / "coffee.grid")
    data = answer("train", str(COFFEE), "-o", model, "--iterations", "3000", "--device", "cpu")
    assert data["claims"]["learned_from"]["consistent"] and data["claims"]["held_out"]["consistent"]
    assert data["claims"]["held_out"]["traces"] == 20
    assert answer("extract", model, "-o", learned)["states"] == 5
    assert "# `o` stands for 'coffee'" in Path(learned).read_text()
    assert gl.equiv(LOGS / "coffee.dot", learned, scope="inputs").equivalent
    assert answer("run", model, "wpb")["result"] == "kko"
    assert answer("eval", model, "--traces", str(tmp_path / "coffee.run" / "held-out.npz"))["prediction"][
        "consistent"
    ]
    assert "200 of 200 traces" in invoke("eval", learned, "--traces", str(COFFEE)).stdout
    assert "consistent with all 200 traces" in invoke("extract", model, "--traces", str(COFFEE)).stderr
    page = str(tmp_path / "coffee.html")
    assert invoke("report", str(tmp_path / "coffee.run"), "-o", page).exit_code == 0
    assert invoke("view", model, "-o", str(tmp_path / "coffee.svg")).exit_code == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("log", "expert", "scope"), [("increment.csv", "increment.grid", "worlds"), ("thirds.abbadingo", "", "")]
)
def test_logs_of_grids_and_of_words_give_back_what_made_them(
    log: str, expert: str, scope: str, tmp_path: Path
) -> None:
    traces = gl.load_traces(LOGS / log)
    model = gl.train(traces, iterations=3000, device="cpu")[0]
    file = tmp_path / "model.safetensors"
    model.save(file)
    learned = tmp_path / "learned.grid"
    answer("extract", str(file), "--traces", str(LOGS / log), "-o", str(learned))
    assert gl.predict(learned, traces).consistent
    if expert:
        extracted = gl.extract(model).table
        assert extracted and gl.equiv(EXAMPLES / expert, extracted, scope=scope).equivalent
    else:
        for number in range(200):
            assert gl.run(learned, f"{number:b}").result == f"{number:b}{'-' if number % 3 else '+'}"


def test_a_model_and_its_table_answer_alike_and_lose_the_thread_where_they_know_no_symbol() -> None:
    table = gl.load(EXAMPLES / "add2.grid").table
    traces = gl.trace(EXAMPLES / "add2.grid")
    exact = gl.compile(EXAMPLES / "add2.grid")
    for left, right in zip(dfst_answers(exact, traces.x), table_answers(table, traces.x), strict=True):
        assert np.array_equal(left, right)
    reads = traces.x.copy()
    reads[:, 3] = -2
    answers = table_answers(table, reads)[0]
    assert np.array_equal(answers, dfst_answers(exact, reads)[0])
    assert (answers[:, 3:] == -1).all() and np.array_equal(answers[:, :3], traces.s[:, :3])


def test_two_logs_of_one_machine_are_matched_by_their_labels() -> None:
    seen = log_of(Source("a.json", json.dumps([[["coin", "ok"], ["tea", "cup"]]]))).traces
    other = log_of(Source("b.json", json.dumps([[["cold", "no"], ["coin", "ok"]], [["coin", "ok"]]]))).traces
    model = gl.train(seen, dim=3, iterations=800, device="cpu")[0]
    shown = gl.predict(model, other)
    assert (shown.traces, shown.predicted, shown.first) == (3, 2, (0, 0))


def test_what_is_held_out_was_never_shown() -> None:
    random = Random(0)
    runs = [[[random.choice("ab"), "x"] for _ in range(random.randint(1, 4))] for _ in range(200)]
    traces = log_of(Source("a.json", json.dumps(runs))).traces
    kept, held = split(traces, 0.2, 0)
    assert held is not None and len(kept) + len(held) == len(traces)
    assert not set(kept.inputs) & set(held.inputs) and "" in kept.inputs
    assert split(gl.load_traces(LOGS / "increment.csv"), 0.0, 0)[1] is None
    plan = plan_of(gl.trace(EXAMPLES / "add2.grid"))
    assert without_expert(plan, None) == (plan, None)


@pytest.mark.long
def test_states_are_grown_in_short_trials_until_they_suffice_or_no_longer_help(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    traces, tried = gl.load_traces(COFFEE), list[int]()

    def told(plan: TrainingPlan) -> list[Trained]:
        tried.append(plan.recipe.iterations)
        return train(plan)

    monkeypatch.setattr("gridlang.learners.training.growing.train", told)
    widths = grown(plan_of(traces, WHAT_FITS), None, None)
    assert [width.states for width in widths] == [4, 8] and widths[-1].suffices
    assert tried == [LIMITS.trial_iterations] * 2
    noise = np.random.default_rng(0)
    s = np.where((traces.s > 0) & (noise.random(traces.s.shape) < 0.3), 5, traces.s).astype(np.int16)
    noisy = gl.Traces(
        traces.x, s, traces.m, traces.length, traces.ending, traces.inputs, traces.symbols, "noisy"
    )
    kept, held = split(noisy, 0.1, 0)
    widths = grown(plan_of(kept, 1000), held, None)
    assert not widths[-1].suffices and widths[-1].states < 256
