"""Refitting: a model whose vectors show a machine on its traces becomes that machine, by its traces alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gridlang.compiler.judging.equivalence_query import SNAPPED, judge
from gridlang.compiler.tensors.dfst import table_to_dfst
from gridlang.learners.evaluation.quick_measures import MarginMeasure
from gridlang.learners.learning.counterexamples import first_traces
from gridlang.learners.learning.learn import learn
from gridlang.learners.learning.settings import LearnConfig
from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.train.engine import Shape
from gridlang.learners.train.recipes import Floats, load_recipe
from gridlang.learners.train.refitting import Refitting, refitted, shown_by
from gridlang.learners.train.run import TrainingPlan, train
from gridlang.loading import load
from gridlang.program import Program
from tests.programs import EXAMPLES
from tests.support.weights import rotated, strict

ADD2 = load(EXAMPLES / "add2.grid")
NOISE = 0.05


@pytest.fixture(scope="module")
def traces() -> Traces:
    return traces_of(ADD2)


def traces_of(program: Program, *, stuck: bool = False) -> Traces:
    return first_traces(program, "worlds", 200, 0, strict=stuck)


def test_a_model_that_errs_on_its_traces_is_right_on_all_of_them_and_proven_once_refitted(
    traces: Traces,
) -> None:
    model, measure = rotated(ADD2.table, noise=NOISE), MarginMeasure(traces, traces.steps)
    assert (measure.of(model) or -1) < 0
    fit = refitted(model, shown_by(traces))
    assert fit is not None and fit.states <= len(ADD2.table.states) and fit.loss < 1e-9
    assert (measure.of(fit.model) or -1) > 0.99
    verdict = judge(fit.model, ADD2.table, "worlds", snapped=True).verdict
    assert verdict.equivalent and verdict.subject == SNAPPED


def test_outputs_that_are_right_stay_as_they_are_but_for_rounding(traces: Traces) -> None:
    model = rotated(ADD2.table)
    fit = refitted(model, shown_by(traces))
    assert fit is not None
    for name in ("B", "C", "h0"):
        assert np.abs(getattr(fit.model, name) - getattr(model, name)).max() < 1e-4


def test_rounding_errors_do_not_grow_whatever_is_read(traces: Traces) -> None:
    fit, random = refitted(rotated(ADD2.table, noise=NOISE), shown_by(traces)), np.random.default_rng(1)
    assert fit is not None
    error = random.standard_normal(len(fit.model.h0))
    farthest = np.linalg.norm(error)
    for symbol in random.integers(0, len(fit.model.symbols), 10_000).tolist():
        error = fit.model.A[symbol] @ error
        assert np.linalg.norm(error) < 100 * farthest


def test_what_the_traces_show_decides_and_not_what_the_model_would_do(traces: Traces) -> None:
    model = rotated(ADD2.table, noise=NOISE)
    mistaken = replace(model, B=np.roll(model.B, 1, axis=1))  # writes another symbol everywhere
    fit = refitted(mistaken, shown_by(traces))
    assert fit is not None and (MarginMeasure(traces, traces.steps).of(fit.model) or -1) > 0.99


def test_a_strict_model_is_taught_where_its_agent_is_stuck() -> None:
    traces = traces_of(ADD2, stuck=True)
    fit = refitted(strict(ADD2.table), shown_by(traces))
    assert fit is not None and judge(fit.model, ADD2.table, "inputs", snapped=True).verdict.equivalent
    stuck = np.argwhere(traces.s == -1)[np.flatnonzero(traces.x[traces.s == -1] >= 0)]
    assert len(stuck)
    for row, step in stuck[:50].tolist():
        vector = fit.model.h0
        for symbol in traces.x[row, :step].tolist():
            vector = fit.model.A[symbol] @ vector
        said = (tensor[traces.x[row, step]] @ vector for tensor in (fit.model.B, fit.model.C))
        assert all((part < 0).all() for part in said)


@pytest.mark.parametrize("which", ["untrained", "too narrow", "infinite", "no direction"])
def test_vectors_that_show_no_machine_are_left_alone(which: str, traces: Traces) -> None:
    exact = table_to_dfst(ADD2.table)
    model = {
        "untrained": replace(exact, **_tensors(Shape(len(exact.symbols), 12).initial(0), 12)),
        "too narrow": replace(exact, **_tensors(Shape(len(exact.symbols), 4).initial(0), 4)),
        "infinite": replace(exact, A=np.full_like(exact.A, np.inf)),
        "no direction": replace(exact, h0=np.zeros_like(exact.h0)),
    }[which]
    assert refitted(model, shown_by(traces)) is None


def _tensors(flat: Floats, dim: int) -> dict[str, Floats]:
    tensors = Shape(len(ADD2.table.symbols), dim).tensors(flat)
    return dict(zip(("A", "B", "C", "h0"), tensors, strict=True))


def test_learn_proves_a_refitted_model_after_a_training_that_is_too_short_for_float_weights(
    tmp_path: Path,
) -> None:
    config = LearnConfig(
        load(EXAMPLES / "increment.grid"), load_recipe("proof"), (0,), worlds=40, rounds=1, device="cpu"
    )
    learned = learn(config, str(tmp_path))
    assert learned.proven == (0,) and learned.rounds[0].iterations < 1_000
    assert learned.model is not None and learned.model.training["refitted"]


def test_training_by_the_default_recipe_ends_where_a_model_can_be_refitted_and_by_that_of_the_paper_does_not() -> (
    None
):
    traces = make_traces(ADD2, [sampling_plan(ADD2.table, "reads", count=3_000)], 5)
    plans = (
        TrainingPlan(traces, replace(load_recipe(name), iterations=6_000), (0,), "cpu")
        for name in ("proof", "paper")
    )
    fit, raw = (train(plan)[0] for plan in plans)
    assert fit.model.training["refitted"] == {"states": 12} and "refitted" not in raw.model.training
    assert fit.iterations < raw.iterations == 6_000
    assert judge(fit.model, ADD2.table, "worlds", snapped=True).verdict.equivalent


def test_a_model_of_contradicting_traces_stays_as_it_is(traces: Traces) -> None:
    written = traces.s.copy()
    written[0, 0] = (written[0, 0] + 1) % len(traces.symbols)
    noisy = replace(traces, s=written)
    assert Refitting(noisy).sure(rotated(ADD2.table, noise=NOISE)) is None
