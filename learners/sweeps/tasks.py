"""The tasks of a sweep: what is learned, by which recipes, and what the models are held against."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from compiler.arguments import NONE
from compiler.program_files import load_program
from gridlang.diagnostics import fail
from gridlang.loading import definitions_for, load_source
from gridlang.source import Source
from gridlang.table import Table
from learners.sweeps.sweep import Task, refuse_twins
from learners.traces.choosing.sampling import default_traces
from learners.traces.dataset import Traces, read_traces
from learners.training.recipes import changed, load_recipe
from learners.training.train import TrainingPlan


def tasks_of(
    data: Sequence[str],
    recipes: Sequence[str],
    *,
    iterations: int | None = None,
    dim: int | None = None,
    evaluated: bool = False,
    against: str | None = None,
    definitions: Mapping[str, str] = NONE,
) -> list[Task]:
    """All that is to be learned; whatever is wrong with it is told before anything starts.

    Definitions are for the agents among the data, and for the expert, that have the parameter.
    """
    given = definitions_for([*data, *([against] if against else [])], definitions)
    names = [os.path.splitext(os.path.basename(path))[0] or path for path in data]
    refuse_twins("data files", names)
    tasks = []
    for path, name, own in zip(data, names, given[: len(data)], strict=True):
        traces = default_traces(load_program(path, own)) if not path.endswith(".npz") else read_traces(path)
        asked = (
            changed(load_recipe(recipe, traces.name), iterations=iterations, dim=dim) for recipe in recipes
        )
        plans = [TrainingPlan(traces, recipe, ()) for recipe in asked]
        for plan in plans:
            plan.identity()
        chosen = tuple(plan.recipe for plan in plans)
        refuse_twins("recipes", [recipe.name for recipe in chosen])
        expert = _expert(traces, path, against, given[-1]) if evaluated else None
        tasks.append(Task(name, traces, chosen, expert))
    return tasks


def _expert(traces: Traces, path: str, against: str | None, definitions: Mapping[str, str]) -> Table:
    """What models are held against; its alphabet must be that of the traces."""
    if against is not None:
        table = load_program(against, definitions).table
    elif traces.source:
        table = load_source(Source(f"<source in {path}>", traces.source)).table
    else:
        hint = "name the expert with --against FILE"
        raise fail("G110", "these traces do not carry their source", hint, path)
    if set(table.symbols) != set(table.alphabet.spelling(traces.alphabet).symbols):
        raise fail("G085", f"the expert and the traces in {path} have other symbols", file=against or path)
    return table
