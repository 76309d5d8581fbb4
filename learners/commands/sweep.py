"""`gridlang sweep`: train many seeds and recipes, on this machine or on Ray."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from gridlang.console import clear_progress, emit, show_progress
from gridlang.diagnostics import fail
from gridlang.options import guarded, json_option

if TYPE_CHECKING:
    from gridlang.table import Table
    from learners.sweeps.sweep import Standing, Sweep, Task
    from learners.traces.dataset import Traces

MOST_SEEDS = 100_000
SHOWN = 20  # seeds that diverged


@click.command("sweep")
@click.argument("data", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", "folder", required=True, type=click.Path(), help="The folder of the sweep.")
@click.option(
    "--recipe",
    "recipes",
    multiple=True,
    default=("fast",),
    show_default=True,
    help="fast, paper, or a file NAME.toml; may be repeated.",
)
@click.option("--seeds", default=32, show_default=True, type=click.IntRange(1, MOST_SEEDS), help="How many.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="The first seed.")
@click.option(
    "--together",
    type=click.IntRange(1, 4096),
    help="Seeds trained in one job.  [default: all on a GPU; a share for each worker on CPUs]",
)
@click.option("--iterations", type=click.IntRange(1), help="Instead of what the recipes say.")
@click.option("--dim", type=click.IntRange(1), help="States of the models; else as each expert has.")
@click.option(
    "--device",
    default="auto",
    show_default=True,
    type=click.Choice(("auto", "cuda", "cpu", "torch")),
    help="auto takes GPUs where there are any; torch is plain PyTorch, slow.",
)
@click.option("--jobs", type=click.IntRange(1, 4096), help="Jobs at once.  [default: one a GPU, or a core]")
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="Run on this Ray cluster; auto: the one that runs here; local: start one here; none: do without.  "
    "[default: auto where Ray is installed and a cluster runs, else none]",
)
@click.option("--digits", type=click.IntRange(1), help="Evaluate each model at this length (RLG).")
@click.option("--against", type=click.Path(), help="The expert; else the source that the traces carry.")
@json_option
@guarded
def command(
    data: tuple[str, ...], folder: str, recipes: tuple[str, ...], as_json: bool, **given: Any
) -> None:
    """Train many seeds by several recipes on several DATA: traces (`.npz`), or agents, whose traces are made.

    Each data file, recipe and block of seeds is a job with a folder of its own, NAME-RECIPE-SEEDS. The same
    command again goes on: jobs that have ended are kept, others resume from their checkpoints, and more
    seeds, recipes or data may be asked for. A job that fails is reported, and the others go on.
    `sweep.json` in the folder lists all models. Exits with 1 if a job failed.

    \b
    gridlang sweep add2.npz -o runs                                     32 seeds, recipe fast
    gridlang sweep add2.npz add10.npz -o runs --recipe fast --recipe paper --digits 100
    gridlang sweep mult2.npz -o runs --seeds 8 --together 2 --device cpu --jobs 4
    gridlang sweep mult10.npz -o runs --ray 10.0.0.1:6379               on a Ray cluster
    """
    from learners.sweeps.pools import open_pool
    from learners.sweeps.sweep import Settings, run_sweep

    if given["against"] and not given["digits"]:
        raise click.UsageError("--against is for evaluation; give --digits N too")
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise click.UsageError(f"{folder} is a file; -o names the folder of the sweep")
    tasks = _tasks(data, recipes, given)
    seeds = tuple(range(given["seed"], given["seed"] + given["seeds"]))
    settings = Settings(seeds, given["together"], given["device"], given["digits"] or 0)
    pool = open_pool(given["ray"], given["device"], given["jobs"])
    if not as_json:
        _announce(tasks, len(seeds), pool.about)
    try:
        sweep = run_sweep(folder, tasks, settings, pool, _progress())
    except KeyboardInterrupt:
        clear_progress()
        click.echo("interrupted; nothing is lost: the same command goes on with it", err=True)
        raise
    finally:
        pool.close()
    clear_progress()
    _report(sweep, folder, settings.digits, as_json)
    if sweep.failed:
        raise click.exceptions.Exit(1)


def _tasks(data: Sequence[str], recipes: Sequence[str], given: dict[str, Any]) -> list[Task]:
    """All that is to be learned; whatever is wrong with it is told before anything starts."""
    from learners.sweeps.sweep import Task
    from learners.training.recipes import changed, load_recipe
    from learners.training.train import TrainingPlan

    names = _distinct("data files", data)
    _distinct("recipes", recipes)
    found = []
    for path, name in zip(data, names, strict=True):
        traces = _traces(path)
        chosen = tuple(
            changed(load_recipe(recipe, traces.name), iterations=given["iterations"], dim=given["dim"])
            for recipe in recipes
        )
        for recipe in chosen:
            TrainingPlan(traces, recipe, ()).identity()
        expert = _expert(traces, path, given["against"]) if given["digits"] else None
        found.append(Task(name, traces, chosen, expert))
    return found


def _distinct(what: str, paths: Sequence[str]) -> list[str]:
    """The names that folders are made of."""
    names = [os.path.splitext(os.path.basename(path))[0] or path for path in paths]
    for name in names:
        if names.count(name) > 1:
            raise fail("G134", f"two {what} are called `{name}`", "rename one, or sweep into two folders")
    return names


def _traces(path: str) -> Traces:
    from learners.traces.dataset import read_traces

    if path.endswith(".npz"):
        return read_traces(path)
    from compiler.program_files import load_program
    from learners.traces.sampling import default_traces

    return default_traces(load_program(path, {}))


def _expert(traces: Traces, path: str, against: str | None) -> Table:
    """What models are held against; its alphabet must be that of the traces."""
    from gridlang.loading import load_source
    from gridlang.source import Source

    if against is not None:
        from compiler.program_files import load_program

        table = load_program(against, {}).table
    elif traces.source:
        table = load_source(Source(f"<source in {path}>", traces.source)).table
    else:
        hint = "name the expert with --against FILE"
        raise fail("G110", "these traces do not carry their source", hint, path)
    if set(table.symbols) != set(traces.symbols):
        raise fail("G085", f"the expert and the traces in {path} have other symbols", file=against or path)
    return table


def _announce(tasks: Sequence[Task], seeds: int, where: str) -> None:
    recipes = len(tasks[0].recipes)
    parts = ((len(tasks), "data file"), (recipes, "recipe"), (seeds, "seed"))
    counts = " × ".join(f"{n:,} {noun}{'s' if n > 1 else ''}" for n, noun in parts)
    click.echo(f"{counts}, on {where}", err=True)


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
    for line in _table(sweep, digits):
        click.echo(line)
    lost = [line for line in sweep.as_json()["models"] if line["diverged"] is not None]
    for line in lost[:SHOWN]:
        which = f"{line['data']}, {line['recipe']}, seed {line['seed']}"
        click.echo(f"{which} diverged at iteration {line['diverged']:,}", err=True)
    if len(lost) > SHOWN:
        click.echo(f"{len(lost) - SHOWN:,} more seeds diverged", err=True)
    for result in sweep.failed:
        click.echo(f"{result.name} failed: {result.problem}", err=True)
    if sweep.failed:
        hint = "the same command tries again; remove a job's folder to begin it anew"
        click.echo(f"{len(sweep.failed)} of {len(sweep.jobs)} jobs failed; {hint}", err=True)
    click.echo(f"wrote {os.path.join(folder, 'sweep.json')}")


def _table(sweep: Sweep, digits: int) -> list[str]:
    """Aligned columns; names to the left, numbers to the right."""
    from learners.sweeps.sweep import LOW_LOSS, rows

    good = f"passed at {digits:,}" if digits else f"loss < {LOW_LOSS:.0e}"
    table = [("task", "recipe", "seeds", good, "median loss", "seconds")]
    for row in rows(sweep):
        seeds = f"{row.models} of {row.seeds}" if row.models < row.seeds else f"{row.seeds}"
        share = f"{row.good}/{row.models} {row.good / row.models:4.0%}" if row.models else "-"
        loss = "-" if row.loss is None else f"{row.loss:.2e}"
        table.append((row.data, row.recipe, seeds, share, loss, f"{row.seconds:,.1f}"))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            f"{cell:<{width}}" if i < 2 else f"{cell:>{width}}" for i, (cell, width) in enumerate(cells)
        )
        for cells in (list(zip(line, widths, strict=True)) for line in table)
    ]
