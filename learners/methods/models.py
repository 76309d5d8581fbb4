"""Methods that find a table, and train nothing: their plan carried out, and kept as a run.

They give its exact weights, so that whatever reads a trained model reads it too.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gridlang import __version__
from gridlang.compiler.tensors.dfst import table_to_dfst
from gridlang.diagnostics import fail
from gridlang.files import make_folder, write_whole
from gridlang.learners.train import run as training
from gridlang.learners.train.journal import METRICS, RESTART, clear
from gridlang.learners.train.model_metadata import metadata_of
from gridlang.learners.train.run import Trained, TrainingPlan
from gridlang.table import Table


def found_models(
    plan: TrainingPlan,
    folder: str | None = None,
    *,
    resume: bool = False,
    restart: bool = False,
    on_event: Callable[[str], None] = lambda _: None,
) -> list[Trained]:
    """The one model of a plan; `on_event` is told in words.

    With a folder the run is kept there; resumed, it begins again, with the same result.
    """
    if folder is not None:
        make_folder(folder)
        if restart:
            clear(folder)
        elif not resume and os.path.exists(os.path.join(folder, "run.json")):
            raise fail("G121", "there is a run here already", f"continue with --resume, or {RESTART}", folder)
    begun = time.monotonic()
    table, about = _found(plan, on_event)
    seconds = round(time.monotonic() - begun, 3)
    if folder is not None:
        _keep(plan, folder, seconds, about)
    made = {"seed": plan.seeds[0], "loss": 0.0, "iterations": 1, "seconds": seconds, **about}
    exact = table_to_dfst(table)
    told = {"training": training.training_data(plan, made)}
    model = replace(exact, metadata={**metadata_of(plan.traces), **exact.metadata, **told})
    return [Trained(plan.seeds[0], model, 0.0, 1, seconds, -1)]


def _found(plan: TrainingPlan, tell: Callable[[str], None]) -> tuple[Table, Mapping[str, int]]:
    """The table that a method finds, and what that took."""
    settings = plan.method.settings
    if not plan.method.asks:
        from gridlang.learners.methods.merging.merge import merged

        result = merged(plan.traces, settings["order"], lambda states: tell(f"merging: {states:,} states"))
        return result.table, {"merges": result.merges}
    from gridlang.compiler.extraction.asking import ask  # loads the prover
    from gridlang.compiler.weights.families.readable import named

    assert plan.expert is not None
    asked = ask(
        plan.expert,
        settings["scope"],
        lambda states, queries: tell(f"asking: {states:,} states, {queries:,} queries"),
    )
    return named(asked.table), {"queries": asked.queries, "steps": asked.steps, "rounds": asked.rounds}


def _keep(plan: TrainingPlan, folder: str, seconds: float, about: Mapping[str, Any]) -> None:
    """Records the run in its folder, as training does."""
    traces = plan.traces
    versions = {"gridlang": __version__, "python": platform.python_version(), "numpy": np.__version__}
    run = {
        "format": training.RUN_FORMAT,
        "name": traces.name,
        "data": training.described(traces),
        "recipe": {"name": plan.method.name, "iterations": 1},
        "method": plan.method.as_json(),
        "seeds": list(plan.seeds[:1]),
        "symbols": list(traces.symbols),
        "engine": plan.method.name,
        "gpu": "",
        "versions": versions,
        "command": plan.command,
        **about,
    }
    # A table that is consistent with its traces has no loss.
    line = {"iteration": 1, "lr": 0.0, "loss": [0.0], "seconds": seconds, "rate": 0.0}
    write_whole(os.path.join(folder, "run.json"), json.dumps(run, indent=1) + "\n")
    write_whole(os.path.join(folder, METRICS), json.dumps(line) + "\n")
