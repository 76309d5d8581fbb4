"""What recipes leave open is what fits the model and its traces, whatever the agent is called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gridlang.learners.learning.counterexamples import first_traces
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from gridlang.learners.train.engine import Shape
from gridlang.learners.train.recipes import fitted, load_recipe
from gridlang.learners.train.run import TrainingPlan
from gridlang.loading import load
from gridlang.outcomes import Outcome
from tests.programs import EXAMPLES

# Symbols and states, the steps of traces by the paper's rule, and the paper's iterations.
TASKS = {
    "add2": (4, 12, 63, 500_000),
    "add10": (12, 20, 63, 500_000),
    "mult2": (4, 27, 464, 3_000_000),
    "mult10": (12, 95, 464, 3_000_000),
}


def traces_of(steps: int, many: int = 100) -> Traces:
    """Traces of `steps` steps each, of an agent that stays where it is."""
    rows = np.zeros((many, steps), np.int16)
    length = np.full(many, steps, np.int32)
    return Traces(
        rows, rows, rows, length, (Outcome.BUDGET,) * many, ("_",) * many, ("_", "1"), "idler", states=3
    )


def test_an_agent_by_another_name_gets_the_same_traces_and_the_same_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gridlang.learners.traces.choosing.sampling.LIMITS", replace(TRACE_LIMITS, pool=500))
    (tmp_path / "add.grid").write_bytes((EXAMPLES / "add.grid").read_bytes())
    seen = []
    for name in ("add10", "plus"):
        file = tmp_path / f"{name}.grid"
        file.write_text(f'agent {name} = add(base = 10) from "add.grid"\n')
        program = load(file)
        traces = first_traces(program, "inputs", 50, 0)
        plans = [TrainingPlan(traces, load_recipe(recipe, name), (0,)) for recipe in ("proof", "fast")]
        seen.append((traces.inputs, [plan.recipe for plan in plans]))
        assert all(plan.recipe.lr and plan.recipe.iterations and plan.recipe.decay >= 0 for plan in plans)
    assert seen[0] == seen[1]


def test_larger_models_and_longer_traces_get_a_lower_rate_and_more_iterations() -> None:
    recipe = load_recipe("proof")
    sizes = (Shape(4, 12), 30), (Shape(12, 40), 60), (Shape(12, 40), 120), (Shape(22, 90), 240)
    found = [fitted(recipe, shape.parameters, traces_of(steps)) for shape, steps in sizes]
    assert [each.lr for each in found] == sorted({each.lr for each in found}, reverse=True)
    assert [each.iterations for each in found] == sorted({each.iterations for each in found})
    own = replace(recipe, lr=0.5, iterations=7, decay=0.25)
    assert fitted(own, Shape(22, 90).parameters, traces_of(240)) == own


def test_each_of_many_traces_is_shown_four_times() -> None:
    recipe, weights = load_recipe("proof"), Shape(4, 4).parameters
    few, many = (fitted(recipe, weights, traces_of(2, count)) for count in (1_000, 200_000))
    assert few.iterations == recipe.least
    assert many.iterations * recipe.batch >= 4 * 200_000 > few.iterations * recipe.batch


def test_the_fast_recipe_clips_and_takes_at_most_a_fifth_of_the_papers_iterations() -> None:
    for symbols, states, steps, iterations in TASKS.values():
        fast = fitted(load_recipe("fast"), Shape(symbols, states).parameters, traces_of(steps))
        assert fast.name == "fast" and fast.clip > 0 and fast.dim == 0
        assert fast.iterations * 5 <= iterations
        assert bool(fast.decay) == (steps < 200)  # Over long traces the bias of decay adds up.
