"""`gridlang sweep`: train many seeds and recipes, on this machine or on Ray."""

from __future__ import annotations

import os
import time

import click

from gridlang.learners.commands.learning_options import training_device_option
from gridlang.terminal.console import emit, say, show_progress
from gridlang.terminal.options import answering

MOST_SEEDS = 100_000  # a folder may hold one for each


@click.command("sweep")
@click.argument("data", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", "folder", required=True, type=click.Path(), help="Folder of the sweep.")
@click.option(
    "--recipe",
    "recipes",
    multiple=True,
    default=("proof",),
    help="proof, fast, paper, or a file NAME.toml; may be repeated.",
)
@click.option("--seeds", default=32, type=click.IntRange(1, MOST_SEEDS), help="Seeds to train.")
@click.option("--seed", default=0, type=click.IntRange(0), help="First seed.")
@click.option("--iterations", type=click.IntRange(1), help="Override the recipes' iterations.")
@click.option("--dim", type=click.IntRange(1), help="States of the models.  [default: each expert's]")
@training_device_option("auto uses GPUs if there are any; torch is plain PyTorch, and slow.")
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="Ray cluster to run on: HOST:PORT; local starts one here; none uses no Ray.  "
    "[default: RAY_ADDRESS if it is set and Ray is installed, else none]",
)
@click.option("--digits", type=click.IntRange(1), help="Length to evaluate each model at (RLG).")
@answering
def command(
    data: tuple[str, ...],
    folder: str,
    recipes: tuple[str, ...],
    seeds: int,
    seed: int,
    iterations: int | None,
    dim: int | None,
    device: str,
    ray: str | None,
    digits: int | None,
    as_json: bool,
) -> bool:
    """Train many seeds with several recipes on several DATA: traces (`.npz`), or agents, recorded first.

    On CPUs each seed is a job in a process of its own, on GPUs an even share of the seeds. The same command
    continues the sweep: finished jobs are kept, others resume from their checkpoints, and seeds, recipes and
    data may be added. A job that fails is reported, and the others continue. `sweep.json` in the folder lists
    all models. Exits with 1 if a job failed.

    \b
    gridlang sweep add2.npz -o runs                                     32 seeds, recipe proof
    gridlang sweep add2.npz add10.npz -o runs --recipe fast --recipe paper --digits 100
    gridlang sweep mult10.npz -o runs --ray 10.0.0.1:6379               on a Ray cluster
    """
    from gridlang.learners.reports.runs import in_columns, read_runs, summary
    from gridlang.learners.sweeps import place_named, run_sweep, trainings_of

    if os.path.exists(folder) and not os.path.isdir(folder):
        raise click.UsageError(f"{folder} is a file; -o names the folder of the sweep")
    changes = {"iterations": iterations, "dim": dim}
    trainings = trainings_of(data, recipes, digits or 0, device, **changes)
    begun = time.monotonic()

    def watch(jobs: int, ended: int, failed: int) -> None:
        minutes, seconds = divmod(int(time.monotonic() - begun), 60)
        show_progress(f"{ended}/{jobs} jobs ended, {failed} failed  {minutes}:{seconds:02}")

    try:
        told = run_sweep(folder, trainings, range(seed, seed + seeds), place_named(ray, device), watch)
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from what was kept", err=True)
        raise
    if as_json:
        emit(told)
        return not told["failed"]
    say(*in_columns(summary(read_runs([folder]))))
    for each in told["failed"]:
        say(f"{each['job']} failed: {each['message']}", err=True)
    if told["failed"]:
        say("the same command tries again; remove a job's folder to start it over", err=True)
    say(f"wrote {os.path.join(folder, 'sweep.json')}")
    return not told["failed"]
