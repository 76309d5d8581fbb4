"""`gridlang train`: learn models from traces, by any of the methods."""

from __future__ import annotations

import math
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

import gridlang as gl
from gridlang.compiler.targets import refuse_compiled
from gridlang.diagnostics import GridError, counted, listing
from gridlang.learners.commands.learning_options import MethodName, MethodsCommand, options_for
from gridlang.learners.methods.registry import method_named
from gridlang.learners.training.method_choice import DFST
from gridlang.terminal.console import emit, say, show_progress
from gridlang.terminal.options import (
    answering,
    command_line,
    defines,
    refuse_folder,
    refuse_overwriting,
    training_device_option,
)

if TYPE_CHECKING:
    from gridlang.learners.api.training import TrainedModels, TrainingEvent
    from gridlang.learners.training.train import Trained, TrainingPlan, TrainingProgress

SHOWN = 40  # seeds, a line each


@click.command("train", cls=MethodsCommand)
@click.argument("data", type=click.Path())
@click.option(
    "-o", "--output", type=click.Path(), help="File of the best model.  [default: NAME.safetensors]"
)
@click.option("--method", default=DFST, type=MethodName(), help="How to learn it.")
@click.option(
    "--recipe",
    help="proof, fast, paper, network, or a file NAME.toml.  [default: proof; network for networks]",
)
@click.option("--iterations", type=click.IntRange(1), help="Override the recipe's iterations.")
@click.option("--lr", type=click.FloatRange(0, min_open=True), help="Override the recipe's learning rate.")
@click.option(
    "--dim", type=click.IntRange(1), help="States, or a network's width.  [default: fits the expert]"
)
@click.option("--seed", default=0, type=click.IntRange(0, 2**32 - 1), help="First seed.")
@click.option("--seeds", default=1, type=click.IntRange(1, 4096), help="Seeds to train at once.")
@training_device_option("auto uses a GPU if there is one; torch is plain PyTorch, and slow.")
@click.option("--resume", is_flag=True, help="Continue an interrupted run.")
@click.option("--restart", is_flag=True, help="Discard an earlier run with this output.")
@defines
@answering
def command(
    data: str, output: str | None, definitions: dict[str, str], as_json: bool, **options: Any
) -> bool:
    """Learn a model from DATA: traces (`.npz`, `.jsonl`), or an agent (`.grid`), which is
    first recorded by looking at its states.

    The default method trains a DFST; the others are listed below. Metrics, checkpoints and the models of all
    seeds go to NAME.run/ beside the output; `gridlang report` shows them, even during the run. An interrupted
    run continues with --resume, and ends with the same weights, bit for bit.

    \b
    gridlang train add2.npz -o add2.safetensors
    gridlang train add2.npz --recipe paper --seeds 32
    gridlang train palindrome.grid --seeds 4
    gridlang train add2.grid --method ask           queries instead of traces
    gridlang train add2.npz --method merge
    gridlang train add2.npz --method gru --seeds 8
    gridlang train mine.jsonl --method merge        traces of another program
    gridlang train add2.npz --resume
    """
    from gridlang.learners.api.training import as_learnable

    options = options_for(options["method"], options)
    if options["resume"] and options["restart"]:
        raise click.UsageError("give --resume or --restart, not both")
    source = as_learnable(data, definitions)
    if isinstance(source, gl.Traces) and definitions:
        raise click.UsageError("-D is for agents; traces have no parameters")
    path = output or f"{os.path.basename(source.name) or 'model'}.safetensors"
    refuse_overwriting(path, data)
    refuse_folder(path)
    refuse_compiled(path)
    folder = f"{path.removesuffix('.safetensors')}.run"
    shown = _Shown(as_json)
    typed = command_line("--resume", "--restart", "--json")
    try:
        models = gl.train(source, output=path, run=folder, command=typed, on_event=shown, **options)
    except KeyboardInterrupt:
        say(f"interrupted; {_kept(folder, shown.iterations)}", err=True)
        raise
    except GridError:
        if shown.ended:
            say(f"the models could not be written; {_kept(folder, shown.iterations)}", err=True)
        raise
    if as_json:
        numbers = [_numbers(model) for model in models.trained]
        written = path if models.best else None
        cost = _cost(models)
        emit({"output": written, "run": folder, **cost, "models": numbers})
    else:
        report = _report if method_named(models.plan.method.name).trained else _report_table
        report(models, path, folder)
    return models.best is not None


class _Shown:
    """Announces the plan, and shows the progress on one line of a terminal."""

    def __init__(self, as_json: bool) -> None:
        self.as_json, self.iterations, self.ended = as_json, 0, False

    def __call__(self, event: TrainingEvent) -> None:
        from gridlang.learners.training.train import TrainingPlan

        if isinstance(event, str):
            show_progress(event)
        elif isinstance(event, TrainingPlan):
            self.iterations, self.ended = event.recipe.iterations, not method_named(event.method.name).trained
            if not self.as_json:
                _announce(event)
        else:
            self.ended = event.iteration == event.iterations
            _show(event)


def _kept(folder: str, iterations: int) -> str:
    """What is on disk of a run that ended early, and how to continue."""
    from gridlang.learners.training.journal import read_checkpoint

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
    traces, recipe, choice = plan.traces, plan.recipe, plan.method
    shown = "the agent answers" if plan.expert else f"{len(traces):,} traces, {traces.steps:,} steps"
    method = method_named(choice.name)
    how = ", ".join([method.name, *(f"{name} {value}" for name, value in choice.settings.items())])
    if method.architecture:
        dim = plan.shape.dim
        wide = f"a {method.name} of width {dim}" if choice.network else counted(dim, "state")
        how = f"{plan.shape.parameters:,} weights in {wide}"
    if method.trained:
        count = f"{len(plan.seeds)} seeds" if len(plan.seeds) > 1 else f"seed {plan.seeds[0]}"
        how += f"; recipe {recipe.name}, {recipe.iterations:,} iterations, {count}"
    say(f"{traces.name}: {shown}; {how}", err=True)


def _show(at: TrainingProgress) -> None:
    """Progress: iterations, loss, speed, time left."""
    minutes, seconds = divmod(int((at.iterations - at.iteration) / max(at.rate, 1e-9)), 60)
    left = f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if minutes >= 60 else f"{minutes}:{seconds:02}"
    full = round(20 * at.iteration / at.iterations)
    diverged = sum(map(math.isnan, at.losses))
    loss = at.loss_text + (f", {diverged} diverged" if diverged else "")
    bar = f"{'█' * full}{'░' * (20 - full)} {at.iteration:,}/{at.iterations:,}"
    show_progress(f"{bar}  {loss}  {at.rate:,.0f} it/s  {left} left")


def _report(models: TrainedModels, path: str, folder: str) -> None:
    for model in models.trained if len(models) <= SHOWN else []:
        diverged = f"diverged at iteration {model.diverged:,}"
        fit = model.model.training.get("refitted")
        states = f", refitted to {counted(fit['states'], 'state')}" if fit else ""
        loss = f"loss {model.loss:.3e}{states}"
        say(f"seed {model.seed:<5} {diverged if model.diverged >= 0 else loss}")
    lost = sum(model.diverged >= 0 for model in models.trained)
    if lost:
        say(f"{lost} of {len(models)} seeds diverged; a smaller --lr or a recipe with `clip` helps", err=True)
    if (best := models.best) is None:
        say("no model was written", err=True)
    else:
        say(f"wrote {path} (seed {best.seed}, {best.seconds:.1f} s); all seeds are in {folder}/")


def _report_table(models: TrainedModels, path: str, _: str) -> None:
    """The size of the table found, and what is known of it."""
    best = models.best
    if best is None:
        options = listing((f"--{name.replace('_', '-')}" for name in models.plan.method.settings), "or")
        say(f"no machine was found{f'; another {options} may help' if options else ''}", err=True)
        return
    training = best.dfst.training
    all_traces = f", consistent with all {len(models.plan.traces):,} traces"
    consistent = method_named(models.plan.method.name).consistent
    asked = ""
    if "queries" in training:
        rounds = counted(training["rounds"], "round")
        asked = f", {training['queries']:,} queries, {training['steps']:,} steps, {rounds}"
    say(f"{counted(len(best.dfst.h0), 'state')}{asked}{all_traces if consistent else ''}")
    say(f"wrote {path} ({best.seconds:.2f} s)")


def _cost(models: TrainedModels) -> dict[str, int]:
    """The traces or queries that were used."""
    traces = models.plan.traces
    asked = {"traces": 0, **models[0].training} if models.plan.expert is not None else {}
    shown = {"traces": len(traces), "queries": 0, "steps": traces.steps}
    return {name: asked.get(name, count) for name, count in shown.items()}


def _numbers(model: Trained) -> dict[str, Any]:
    from gridlang.learners.sweeps.jobs import model_result

    numbers = asdict(model_result(model))
    del numbers["passed"]  # nothing was evaluated
    return numbers
