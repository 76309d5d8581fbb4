"""Runs of methods that give a table at once, kept as runs of training are.

A table is kept as its exact weights, so that whatever reads a trained model reads it too.
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
from gridlang.learners.training.journal import METRICS, RESTART, clear
from gridlang.learners.training.train import (
    RUN_FORMAT,
    Trained,
    TrainingPlan,
    described,
    metadata_of,
    training_data,
)
from gridlang.table import Table


def learned_table(
    find: Callable[..., tuple[Table | None, Mapping[str, Any]]],
    plan: TrainingPlan,
    folder: str | None,
    *,
    resume: bool,
    restart: bool,
    on_event: Callable[[str], None],
    **_: Any,
) -> list[Trained]:
    """One model of the table that `find` finds, or none; with a folder, a run for `report` is kept there.

    An interrupted run begins again, with the same result.
    """
    if folder is not None:
        _open(folder, resume, restart)
    begun = time.monotonic()
    table, about = find(plan, folder, on_event)
    seconds = round(time.monotonic() - begun, 3)
    if table is None:
        return []
    if folder is not None:
        _keep(plan, folder, seconds, about)
    made = {"seed": plan.seeds[0], "loss": 0.0, "iterations": 1, "seconds": seconds, **about}
    exact = table_to_dfst(table)
    metadata = {**metadata_of(plan.traces), **exact.metadata, "training": training_data(plan, made)}
    return [Trained(plan.seeds[0], replace(exact, metadata=metadata), 0.0, 1, seconds, -1)]


def _open(folder: str, resume: bool, restart: bool) -> None:
    """Makes the folder; GridError if a run is there and neither resume nor restart is given."""
    make_folder(folder)
    if restart:
        clear(folder)
    elif not resume and os.path.exists(os.path.join(folder, "run.json")):
        raise fail("G121", "there is a run here already", f"continue with --resume, or {RESTART}", folder)


def _keep(plan: TrainingPlan, folder: str, seconds: float, about: Mapping[str, Any]) -> None:
    """Records the run in its folder, as training does."""
    traces = plan.traces
    versions = {"gridlang": __version__, "python": platform.python_version(), "numpy": np.__version__}
    run = {
        "format": RUN_FORMAT,
        "name": traces.name,
        "data": described(traces),
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
