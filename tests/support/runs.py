"""Runs of a few iterations, for tests of what is told of them."""

from __future__ import annotations

from pathlib import Path

from gridlang.learners.traces.choosing.sampling import make_traces, sampling_plan
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.train.recipes import changed, load_recipe
from gridlang.learners.train.run import TrainingPlan, train, write_models
from gridlang.loading import load
from gridlang.program import Program
from tests.programs import EXAMPLES

HOSTILE = '"><script>alert(1)</script>'


def program() -> Program:
    return load(str(EXAMPLES / "increment.grid"))


def traces(agent: Program) -> Traces:
    return make_traces(agent, [sampling_plan(agent.table, "inputs", count=12, long=4)], 0)


def trained(folder: Path, seeds: tuple[int, ...], agent: Program | None = None) -> Path:
    """A run of a few iterations, as `train` leaves it."""
    recipe = changed(load_recipe("fast", "increment"), iterations=40, lr=None, dim=None)
    folder.mkdir(parents=True)
    models = train(TrainingPlan(traces(agent or program()), recipe, seeds, "cpu"), str(folder))
    write_models(models, str(folder / "best.safetensors"), str(folder))
    return folder
