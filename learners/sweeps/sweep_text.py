"""The result of a sweep, as a table in text."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence

from learners.sweeps.jobs import JobSpec
from learners.sweeps.sweep import LOW_LOSS, Sweep


def sweep_table(sweep: Sweep, digits: int) -> list[str]:
    """A line per data file and recipe; names to the left, numbers to the right."""
    good = f"passed at {digits:,}" if digits else f"loss < {LOW_LOSS:.0e}"
    by_line: dict[tuple[str, str], list[JobSpec]] = defaultdict(list)
    for job in sweep.jobs:
        by_line[job.data, job.recipe.name].append(job)
    table = [("task", "recipe", "seeds", good, "median loss", "seconds")]
    table += [(*names, *_numbers(sweep, jobs)) for names, jobs in by_line.items()]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            f"{cell:<{width}}" if i < 2 else f"{cell:>{width}}" for i, (cell, width) in enumerate(cells)
        )
        for cells in (list(zip(line, widths, strict=True)) for line in table)
    ]


def _numbers(sweep: Sweep, jobs: Sequence[JobSpec]) -> tuple[str, str, str, str]:
    """Seeds, how many are good, the median loss of those that have not diverged, and seconds of all jobs."""
    asked = sum(len(job.seeds) for job in jobs)
    ended = [part for job in jobs if (part := sweep.result(job).models)]
    models = [model for part in ended for model in part]
    losses = [model.loss for model in models if model.loss is not None]
    good = sum(model.passed is True for model in models)
    if not jobs[0].digits:
        good = sum(loss < LOW_LOSS for loss in losses)
    return (
        f"{len(models)} of {asked}" if len(models) < asked else f"{asked}",
        f"{good}/{len(models)} {good / len(models):4.0%}" if models else "-",
        f"{statistics.median(losses):.2e}" if losses else "-",
        f"{sum(part[0].seconds for part in ended):,.1f}",
    )
