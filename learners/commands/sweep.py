"""`gridlang sweep`: train many seeds and recipes, on this machine or on Ray."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from gridlang.learners.commands.learning_options import ray_option
from gridlang.terminal.console import emit, say, show_progress
from gridlang.terminal.options import answering, command_line, defines, training_device_option

if TYPE_CHECKING:
    from gridlang.learners.sweeps.sweep import Standing, Sweep, Task

MOST_SEEDS = 100_000  # each has a folder of its own
SHOWN = 20  # diverged seeds, a line each


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
@click.option(
    "--together",
    type=click.IntRange(1, 4096),
    help="Seeds per job.  [default: all on a GPU; a share for each worker on CPUs]",
)
@click.option("--iterations", type=click.IntRange(1), help="Override the recipes' iterations.")
@click.option("--dim", type=click.IntRange(1), help="States of the models.  [default: each expert's]")
@training_device_option("auto uses GPUs if there are any; torch is plain PyTorch, and slow.")
@click.option(
    "--jobs", type=click.IntRange(1, 4096), help="Jobs at once.  [default: one per GPU, or per core]"
)
@ray_option
@click.option("--digits", type=click.IntRange(1), help="Length to evaluate each model at (RLG).")
@click.option("--against", type=click.Path(), help="The expert.  [default: the source in the traces]")
@defines
@answering
def command(
    data: tuple[str, ...], folder: str, recipes: tuple[str, ...], as_json: bool, **given: Any
) -> bool:
    """Train many seeds with several recipes on several DATA: traces (`.npz`), or agents, recorded first.

    Each data file, recipe and block of seeds is a job with its own folder, NAME-RECIPE-SEEDS. The same
    command again continues the sweep: finished jobs are kept, others resume from their checkpoints, and
    seeds, recipes and data may be added. A job that fails is reported, and the others continue. `sweep.json`
    in the folder lists all models. Exits with 1 if a job failed.

    \b
    gridlang sweep add2.npz -o runs                                     32 seeds, recipe proof
    gridlang sweep add2.npz add10.npz -o runs --recipe fast --recipe paper --digits 100
    gridlang sweep mult2.npz -o runs --seeds 8 --together 2 --device cpu --jobs 4
    gridlang sweep mult10.npz -o runs --ray 10.0.0.1:6379               on a Ray cluster
    """
    from gridlang.learners.sweeps.pools import open_pool
    from gridlang.learners.sweeps.sweep import Settings, run_sweep, tasks_of
    from gridlang.learners.traces.dataset import FILE_ENDINGS

    if given["against"] and not given["digits"]:
        raise click.UsageError("--against is for evaluation; give --digits N too")
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise click.UsageError(f"{folder} is a file; -o names the folder of the sweep")
    if given["definitions"] and not given["against"] and all(path.endswith(FILE_ENDINGS) for path in data):
        raise click.UsageError("-D is for agents; traces have no parameters")
    choices = {name: given[name] for name in ("iterations", "dim", "against", "definitions")}
    tasks = tasks_of(data, recipes, evaluated=bool(given["digits"]), **choices)
    seeds = tuple(range(given["seed"], given["seed"] + given["seeds"]))
    how = given["together"], given["device"], given["digits"] or 0
    settings = Settings(seeds, *how, command_line("--json"))
    pool = open_pool(given["ray"], given["device"], given["jobs"])
    if not as_json:
        _announce(tasks, len(seeds), pool.about)
    try:
        sweep = run_sweep(folder, tasks, settings, pool, _progress())
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from what was kept", err=True)
        raise
    finally:
        pool.close()
    _report(sweep, folder, settings.digits, as_json)
    return not sweep.failed


def _announce(tasks: Sequence[Task], seeds: int, where: str) -> None:
    recipes = len(tasks[0].recipes)
    parts = ((len(tasks), "data file"), (recipes, "recipe"), (seeds, "seed"))
    counts = " × ".join(f"{n:,} {noun}{'s' if n > 1 else ''}" for n, noun in parts)
    say(f"{counts}, on {where}", err=True)


def _progress() -> Callable[[Standing], None]:
    """One line on a terminal: jobs done, running and failed, and the time."""
    begun = time.monotonic()

    def show(at: Standing) -> None:
        failed = f", {at.failed} failed" if at.failed else ""
        minutes, seconds = divmod(int(time.monotonic() - begun), 60)
        running = f"{at.running} {'stopping, Ctrl-C again kills them' if at.stopping else 'running'}"
        show_progress(f"{at.done}/{at.all} jobs done, {running}{failed}  {minutes}:{seconds:02}")

    return show


def _report(sweep: Sweep, folder: str, digits: int, as_json: bool) -> None:
    if as_json:
        emit(sweep.as_json())
        return
    from gridlang.learners.sweeps.sweep import sweep_table

    say(*sweep_table(sweep, digits))
    lost = [line for line in sweep.as_json()["models"] if line["diverged"] is not None]
    for line in lost[:SHOWN]:
        which = f"{line['data']}, {line['recipe']}, seed {line['seed']}"
        say(f"{which} diverged at iteration {line['diverged']:,}", err=True)
    if len(lost) > SHOWN:
        say(f"{len(lost) - SHOWN:,} more seeds diverged", err=True)
    for result in sweep.failed:
        say(f"{result.name} failed: {result.problem}", err=True)
    if sweep.failed:
        hint = "the same command tries again; remove a job's folder to start it over"
        say(f"{len(sweep.failed)} of {len(sweep.jobs)} jobs failed; {hint}", err=True)
    say(f"wrote {os.path.join(folder, 'sweep.json')}")
