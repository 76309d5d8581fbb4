"""`gridlang train`: learn models from traces, by any of the methods."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import click

from gridlang.diagnostics import GridError, listing
from gridlang.terminal.console import clear_progress, emit, progress_line, say, show_progress
from gridlang.terminal.options import (
    command_line,
    defines,
    definitions_of,
    guarded,
    json_option,
    refuse_folder,
    refuse_overwriting,
    training_device_option,
)
from learners.commands.method_options import MethodName, MethodsCommand, settings_of
from learners.training.method_choice import DFST

if TYPE_CHECKING:
    from learners.evaluation.log_claims import LogClaims
    from learners.methods.method import Method
    from learners.traces.dataset import Traces
    from learners.training.train import Trained, TrainingPlan, TrainingProgress


@click.command("train", cls=MethodsCommand)
@click.argument("data", type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="The best model; NAME.safetensors unless given.")
@click.option("--method", default=DFST, show_default=True, type=MethodName(), help="How it is learned.")
@click.option("--recipe", help="fast unless given, or network for one; paper; or a file NAME.toml.")
@click.option("--iterations", type=click.IntRange(1), help="Instead of what the recipe says.")
@click.option("--lr", type=click.FloatRange(0, min_open=True), help="Instead of what the recipe says.")
@click.option("--dim", type=click.IntRange(1), help="States, or a network's width; else as fits the expert.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0, 2**32 - 1), help="The first seed."
)
@click.option("--seeds", default=1, show_default=True, type=click.IntRange(1, 4096), help="How many at once.")
@training_device_option("auto takes a GPU where there is one; torch is plain PyTorch, slow.")
@click.option(
    "--held-out",
    type=click.FloatRange(0, 0.9),
    metavar="SHARE",
    help="Of the traces, not learned from but predicted; 0.1 of those without an expert unless given.",
)
@click.option("--resume", is_flag=True, help="Go on with an interrupted run.")
@click.option("--restart", is_flag=True, help="Throw an earlier run with this output away.")
@click.option("--tensorboard", type=click.Path(), help="Also write event files, to DIR/NAME.", metavar="DIR")
@defines
@json_option
@guarded
def command(
    data: str,
    output: str | None,
    recipe: str | None,
    definitions: tuple[str, ...],
    as_json: bool,
    **given: Any,
) -> None:
    """Learn a model from DATA: traces (`.npz`), anyone's log (`.csv`, `.jsonl`), or an agent (`.grid`), whose
    traces are made first.

    A DFST is trained unless --method says otherwise. Metrics, checkpoints and all seeds' models go to
    NAME.run/ beside the output; `gridlang report` shows it all, also while the run goes on. A run that is
    interrupted, or killed, goes on with --resume and ends with the same weights, bit for bit.

    \b
    gridlang train add2.npz -o add2.safetensors
    gridlang train add2.npz --recipe paper --seeds 32
    gridlang train palindrome.grid --seeds 4
    gridlang train add2.npz --method merge
    gridlang train add2.npz --method sat --most-states 20
    gridlang train add2.npz --method gru --seeds 8
    gridlang train coffee.csv                       a log: columns trace,input,output or trace,read,write,move
    gridlang train add2.npz --resume
    gridlang train add2.npz --tensorboard logs      then: tensorboard --logdir logs
    """
    from learners.api.training import as_learnable, training_set
    from learners.methods.registry import method_named, train_by_method
    from learners.runtime.folder_lock import held
    from learners.traces.dataset import Traces
    from learners.training.growing import growth_line, without_expert
    from learners.training.recipes import changed, load_recipe
    from learners.training.tensorboard import EventFiles
    from learners.training.train import LOCK, TrainingPlan

    by = method_named(given["method"])
    method = by.choice(**settings_of(by.name, given))
    if given["resume"] and given["restart"]:
        raise click.UsageError("give --resume or --restart, not both")
    source = as_learnable(data, definitions_of(definitions))
    if isinstance(source, Traces) and definitions:
        raise click.UsageError("-D is for agents; traces have no parameters")
    name = os.path.basename(source.name) or "model"
    chosen = load_recipe(recipe or by.recipe or "fast", name)
    chosen = changed(chosen, iterations=given["iterations"], lr=given["lr"], dim=given["dim"])
    path = _output(output or f"{name}.safetensors", data)
    folder = f"{path.removesuffix('.safetensors')}.run"
    seeds = tuple(range(given["seed"], given["seed"] + given["seeds"]))
    traces = training_set(source, given["seed"], progress_line(f"runs of {name}"))
    clear_progress()
    typed = command_line("--resume", "--restart", "--json")
    plan = TrainingPlan(traces, chosen, seeds, given["device"], typed, method)
    plan, withheld = without_expert(plan, given["held_out"], show_progress)
    clear_progress()
    if not as_json:
        _announce(plan, by)
        if line := growth_line(plan.traces.data):
            say(f"  states tried, {line}", err=True)
    how = {key: given[key] for key in ("resume", "restart")} | {"on_event": _show}
    with held(folder, LOCK):
        if given["tensorboard"]:
            events = os.path.join(given["tensorboard"], os.path.basename(folder).removesuffix(".run"))
            how["listen"] = EventFiles(events, seeds)
        try:
            models = train_by_method(plan, folder, **how)
        except KeyboardInterrupt:
            clear_progress()
            say(f"interrupted; {_kept(folder, plan.recipe.iterations)}", err=True)
            raise
        clear_progress()
        best = _written(models, path, folder, plan.recipe.iterations)
        claims = _claims(best, plan, withheld, folder)
    if not by.trained and not as_json:
        _report_table(plan, by, best, path)
    else:
        _report(models, best, path, folder, as_json, claims)
    if claims is not None and not as_json:
        say(*(f"  {line}" for line in claims.lines()))
    if best is None:
        raise click.exceptions.Exit(1)


def _output(path: str, data: str) -> str:
    """Where the model goes: no folder, and not the data."""
    refuse_overwriting(path, [data], "is the file that is learned from; write to another one with -o")
    refuse_folder(path)
    return path


def _written(models: list[Trained], path: str, folder: str, iterations: int) -> Trained | None:
    from learners.training.train import write_models

    try:
        return write_models(models, path, folder)
    except GridError:
        say(f"the models could not be written; {_kept(folder, iterations)}", err=True)
        raise


def _kept(folder: str, iterations: int) -> str:
    """What is on disk of a run that ended early, and how to go on."""
    from learners.training.checkpoints import read_checkpoint

    try:
        checkpoint = read_checkpoint(folder)
    except GridError:
        checkpoint = None
    if checkpoint is None:
        return "nothing of the run was kept, so it begins anew next time"
    at = checkpoint[0].iteration
    if at == iterations:
        return f"the run is in {folder}, write them with --resume"
    return f"the run is in {folder} up to iteration {at:,}, go on with --resume"


def _announce(plan: TrainingPlan, by: Method) -> None:
    traces, recipe = plan.traces, plan.recipe
    if by.architecture:
        how = f"{plan.shape.parameters:,} weights in {_width(plan)}"
    else:
        how = ", ".join([by.name, *(f"{name} {value}" for name, value in plan.method.settings.items())])
    if by.trained:
        count = f"{len(plan.seeds)} seeds" if len(plan.seeds) > 1 else f"seed {plan.seeds[0]}"
        how += f"; recipe {recipe.name}, {recipe.iterations:,} iterations, {count}"
    say(f"{traces.name}: {len(traces):,} traces, {traces.steps:,} steps; {how}", err=True)


def _width(plan: TrainingPlan) -> str:
    """The states of DFSTs, or the layers of networks."""
    if not plan.method.network:
        return f"{plan.shape.dim} states"
    return f"a {plan.method.name} of width {plan.shape.dim}"


def _show(at: TrainingProgress | str) -> None:
    """One line on a terminal: how far, how good, how fast, how long still."""
    if isinstance(at, str):
        show_progress(at)
        return
    from learners.training.train_text import loss_text

    left = (at.iterations - at.iteration) / max(at.rate, 1e-9)
    share = at.iteration / at.iterations
    bar = "█" * round(20 * share) + "░" * (20 - round(20 * share))
    diverged = sum(map(math.isnan, at.losses))
    loss = loss_text(at.losses) + (f", {diverged} diverged" if diverged else "")
    show_progress(
        f"{bar} {at.iteration:,}/{at.iterations:,}  {loss}  {at.rate:,.0f} it/s  {_clock(left)} left"
    )


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


def _claims(
    best: Trained | None, plan: TrainingPlan, withheld: Traces | None, folder: str
) -> LogClaims | None:
    """What is claimed where nobody knows the expert; what was held out is kept in the folder."""
    from gridlang.files import write_whole
    from learners.evaluation.log_claims import claims_of
    from learners.traces.dataset import traces_to_bytes
    from learners.training.held_out import KEPT, has_expert

    if best is None or (withheld is None and has_expert(plan.traces)):
        return None
    if withheld is not None:
        write_whole(os.path.join(folder, KEPT), traces_to_bytes(withheld))
    return claims_of(best.model, plan.traces, withheld)


def _report(
    models: list[Trained],
    best: Trained | None,
    path: str,
    folder: str,
    as_json: bool,
    claims: LogClaims | None,
) -> None:
    if as_json:
        numbers = [_numbers(model) for model in models]
        said = claims.as_json() if claims else None
        emit({"output": path if best else None, "run": folder, "models": numbers, "claims": said})
        return
    for model in models if len(models) <= 40 else []:
        if model.diverged >= 0:
            say(f"seed {model.seed:<5} diverged at iteration {model.diverged:,}")
        else:
            say(f"seed {model.seed:<5} loss {model.loss:.3e}")
    lost = sum(model.diverged >= 0 for model in models)
    if lost:
        say(f"{lost} of {len(models)} seeds diverged; a smaller --lr or a recipe with `clip` helps", err=True)
    if best is None:
        say("no model was written", err=True)
        return
    say(f"wrote {path} (seed {best.seed}, {best.seconds:.1f} s); all seeds are in {folder}/")


def _report_table(plan: TrainingPlan, by: Method, best: Trained | None, path: str) -> None:
    """How large the table is that was found, and what is known of it."""
    if best is None:
        options = listing((f"--{name.replace('_', '-')}" for name in plan.method.settings), "or")
        say(f"no machine was found{f'; another {options} may help' if options else ''}", err=True)
        return
    training = best.dfst.training
    least = "; no consistent machine is smaller" if training.get("minimal") else ""
    if "lower_bound" in training and not least:
        least = f"; no consistent machine has fewer than {training['lower_bound']}"
    consistent = f", consistent with all {len(plan.traces):,} traces" if by.consistent else ""
    say(f"{len(best.dfst.h0)} states{consistent}{least}")
    if training.get("uncertified"):
        say(f"  that is found by the solver, not certified: {training['uncertified']}")
    if training.get("certificate"):
        beside = os.path.join(os.path.dirname(path), training["certificate"])
        say(f"wrote {beside}, which `gridlang verify` checks")
    say(f"wrote {path} ({best.seconds:.2f} s)")


def _numbers(model: Trained) -> dict[str, Any]:
    loss = None if math.isnan(model.loss) else model.loss
    return {
        "seed": model.seed,
        "loss": loss,
        "iterations": model.iterations,
        "seconds": round(model.seconds, 3),
        "diverged": model.diverged if model.diverged >= 0 else None,
    }
