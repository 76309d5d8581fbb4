"""`gridlang train`: learn models from traces, by any of the methods."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import click

import gridlang as gl
from gridlang.compiler.targets import refuse_compiled
from gridlang.diagnostics import GridError, counted
from gridlang.files import make_folder
from gridlang.learners.api.training import as_learnable, train
from gridlang.learners.train.method import DFST, method_named
from gridlang.options import Definitions, File, output_option
from gridlang.terminal.console import say, show_progress
from gridlang.terminal.options import Answer, as_command, refuse_unwritable, typed

if TYPE_CHECKING:
    from gridlang.learners.api.training import TrainedModels, TrainingEvent
    from gridlang.learners.train.run import Trained, TrainingPlan, TrainingProgress

SHOWN = 40  # seeds, a line each


@as_command("train", train)
def command(
    data: File,
    *,
    output: Annotated[File | None, output_option("NAME.safetensors", "File of the best model.")] = None,
    definitions: Definitions,
    as_json: bool,
    **options: Any,
) -> Answer:
    """Metrics, checkpoints and the models of all seeds go to NAME.run/ beside the output; `gridlang report`
    shows them, even during the run.

    \b
    gridlang train add2.npz -o add2.safetensors
    gridlang train add2.npz --recipe paper --seeds 32
    gridlang train palindrome.grid --seeds 4
    gridlang train add2.grid --method ask           queries instead of traces
    gridlang train add2.npz --method merge
    gridlang train mine.jsonl --method merge        traces of another program
    gridlang train add2.npz --resume
    """
    _refuse_options_of_others(options["method"], options)
    if options["resume"] and options["restart"]:
        raise click.UsageError("give --resume or --restart, not both")
    source = as_learnable(data, definitions)
    if isinstance(source, gl.Traces) and definitions:
        raise click.UsageError("-D is for agents; traces have no parameters")
    path = output or f"{os.path.basename(source.name) or 'model'}.safetensors"
    refuse_compiled(path)
    make_folder(os.path.dirname(path) or ".")  # where that fails, nothing was announced yet
    refuse_unwritable(path, data)
    folder = f"{path.removesuffix('.safetensors')}.run"
    printer = _Printer(as_json)
    try:
        models = train(source, output=path, run=folder, on_event=printer, **options)
    except KeyboardInterrupt:
        say(f"interrupted; {_kept(folder, printer.iterations)}", err=True)
        raise
    except GridError:
        if printer.ended:
            say(f"the models could not be written; {_kept(folder, printer.iterations)}", err=True)
        raise
    written = path if models.best else None
    numbers = {"output": written, "run": folder, **_cost(models), "models": [*map(_numbers, models.trained)]}
    lines = _lines if models.plan.method.trained else _table_lines
    lost = sum(model.diverged >= 0 for model in models.trained)
    smaller = f"{lost} of {len(models)} seeds diverged; a recipe with a smaller `lr` or `clip` helps"
    notes = ([smaller] if lost else []) + ([] if written else ["no model was written"])
    return Answer(lines(models, path, folder), numbers, bool(written), notes)


def _refuse_options_of_others(name: str, given: Mapping[str, Any]) -> None:
    """UsageError for a typed option that the method does not read."""
    try:
        method = method_named(name, scope=given["scope"], order=given["order"])
    except ValueError as error:
        raise click.UsageError(f"--method {error}") from None
    for option in [] if method.trained else typed("recipe", "iterations", "dim", "seeds", "device"):
        raise click.UsageError(f"{option} is for models that are trained; --method {name} does not read it")


class _Printer:
    """Announces the plan, and shows the progress on one line of a terminal."""

    def __init__(self, as_json: bool) -> None:
        self.as_json, self.iterations, self.ended = as_json, 0, False

    def __call__(self, event: TrainingEvent) -> None:
        from gridlang.learners.train.run import TrainingPlan

        if isinstance(event, str):
            show_progress(event)
        elif isinstance(event, TrainingPlan):
            self.iterations, self.ended = event.recipe.iterations, not event.method.trained
            if not self.as_json:
                _announce(event)
        else:
            self.ended = event.iteration == event.iterations
            _show(event)


def _kept(folder: str, iterations: int) -> str:
    """Says how much of an interrupted run is on disk, and how to continue."""
    from gridlang.learners.train.journal import read_checkpoint

    try:
        checkpoint = read_checkpoint(folder)
    except GridError:
        checkpoint = None
    if checkpoint is None:
        return "nothing of the run was kept; it starts over next time"
    at = checkpoint[0].iteration
    if at == iterations:
        return f"the run is in {folder}, write them with --resume"
    return f"the run is in {folder} up to iteration {at:,}, continue with --resume"


def _announce(plan: TrainingPlan) -> None:
    traces, recipe, method = plan.traces, plan.recipe, plan.method
    data = "the agent answers" if plan.expert else f"{len(traces):,} traces, {traces.steps:,} steps"
    how = ", ".join([method.name, *(f"{name} {value}" for name, value in method.settings.items())])
    if method.name == DFST:
        how = f"{plan.shape.parameters:,} weights in {counted(plan.shape.dim, 'state')}"
    if method.trained:
        count = f"{len(plan.seeds)} seeds" if len(plan.seeds) > 1 else f"seed {plan.seeds[0]}"
        how += f"; recipe {recipe.name}, {recipe.iterations:,} iterations, {count}"
    say(f"{traces.name}: {data}; {how}", err=True)


def _show(at: TrainingProgress) -> None:
    """Progress: iterations, loss, speed, time left."""
    minutes, seconds = divmod(int((at.iterations - at.iteration) / max(at.rate, 1e-9)), 60)
    left = f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if minutes >= 60 else f"{minutes}:{seconds:02}"
    full = round(20 * at.iteration / at.iterations)
    diverged = sum(map(math.isnan, at.losses))
    loss = at.loss_text + (f", {diverged} diverged" if diverged else "")
    bar = f"{'█' * full}{'░' * (20 - full)} {at.iteration:,}/{at.iterations:,}"
    show_progress(f"{bar}  {loss}  {at.rate:,.0f} it/s  {left} left")


def _lines(models: TrainedModels, path: str, folder: str) -> Iterator[str]:
    for model in models.trained if len(models) <= SHOWN else []:
        diverged = f"diverged at iteration {model.diverged:,}"
        fit = model.model.training.get("refitted")
        states = f", refitted to {counted(fit['states'], 'state')}" if fit else ""
        loss = f"loss {model.loss:.3e}{states}"
        yield f"seed {model.seed:<5} {diverged if model.diverged >= 0 else loss}"
    if best := models.best:
        yield f"wrote {path} (seed {best.seed}, {best.seconds:.1f} s); all seeds are in {folder}/"


def _table_lines(models: TrainedModels, path: str, _: str) -> Iterator[str]:
    """The size of the table found, and what is known of it."""
    best = models.best
    assert best is not None
    training, cost = best.model.training, f"consistent with all {len(models.plan.traces):,} traces"
    if models.plan.expert is not None:
        rounds = counted(training["rounds"], "round")
        cost = f"{training['queries']:,} queries, {training['steps']:,} steps, {rounds}"
    yield f"{counted(len(best.model.h0), 'state')}, {cost}"
    yield f"wrote {path} ({best.seconds:.2f} s)"


def _cost(models: TrainedModels) -> dict[str, int]:
    """The traces or queries that were used."""
    traces = models.plan.traces
    queries = {"traces": 0, **models[0].training} if models.plan.expert is not None else {}
    known = {"traces": len(traces), "queries": 0, "steps": traces.steps}
    return {name: queries.get(name, count) for name, count in known.items()}


def _numbers(model: Trained) -> dict[str, Any]:
    numbers = asdict(model.result())
    del numbers["passed"]  # nothing was evaluated
    return numbers
