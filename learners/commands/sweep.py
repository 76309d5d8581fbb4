"""`gridlang sweep`: train many seeds and recipes, on this machine or on Ray."""

from __future__ import annotations

import os
import time
from typing import Annotated

import click

from gridlang.learners.api.training import Device
from gridlang.options import File, Option
from gridlang.terminal.console import say, show_progress
from gridlang.terminal.options import Answer, as_command

MOST_SEEDS = 100_000  # a folder may hold one for each


@as_command("sweep")
def command(
    data: tuple[File, ...],
    *,
    output: Annotated[File, Option("Folder of the sweep.", spelt=("-o", "--output"))],
    recipe: Annotated[
        tuple[str, ...],
        Option("proof, fast, paper, or a file NAME.toml; may be repeated.", usual="proof"),
    ] = (),
    seeds: Annotated[int, Option("Seeds to train.", 1, MOST_SEEDS)] = 32,
    seed: Annotated[int, Option("First seed.", 0)] = 0,
    iterations: Annotated[int | None, Option("Override the recipes' iterations.", 1)] = None,
    dim: Annotated[int | None, Option("States of the models.", 1, usual="each expert's")] = None,
    device: Device = "auto",
    ray: Annotated[
        str | None,
        Option(
            "Ray cluster to run on: HOST:PORT; local starts one here; none uses no Ray.",
            usual="RAY_ADDRESS if it is set and Ray is installed, else none",
            metavar="ADDRESS",
        ),
    ] = None,
    digits: Annotated[int | None, Option("Length to evaluate each model at (RLG).", 1)] = None,
) -> Answer:
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
    from gridlang.learners.sweeps import jobs_of, place_named, run_sweep

    if os.path.exists(output) and not os.path.isdir(output):
        raise click.UsageError(f"{output} is a file; -o names the folder of the sweep")
    changes = {"iterations": iterations, "dim": dim}
    wanted = jobs_of(data, recipe or ("proof",), digits or 0, device, **changes)
    begun = time.monotonic()

    def watch(jobs: int, ended: int, failed: int) -> None:
        minutes, seconds = divmod(int(time.monotonic() - begun), 60)
        show_progress(f"{ended}/{jobs} jobs ended, {failed} failed  {minutes}:{seconds:02}")

    try:
        outcome = run_sweep(output, wanted, range(seed, seed + seeds), place_named(ray, device), watch)
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from what was kept", err=True)
        raise
    failed = [f"{each['job']} failed: {each['message']}" for each in outcome["failed"]]
    again = ["the same command tries again; remove a job's folder to start it over"] if failed else []
    lines = [*in_columns(map(summary, read_runs([output]))), f"wrote {os.path.join(output, 'sweep.json')}"]
    return Answer(lines, outcome, holds=not failed, notes=failed + again)
