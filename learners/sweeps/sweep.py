"""Sweeps: many data files, recipes and seeds as independent jobs, resumable, with a summary."""

from __future__ import annotations

import json
import os
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from gridlang.compiler.arguments import NONE
from gridlang.compiler.program_files import load_program
from gridlang.diagnostics import GridError, fail
from gridlang.files import write_whole
from gridlang.learners.runtime.folder_lock import held
from gridlang.learners.sweeps.jobs import MARK, JobResult, JobSpec, in_words, result_from_json, result_to_json
from gridlang.learners.sweeps.pools import Lost, Pool
from gridlang.learners.traces.choosing.sampling import default_traces
from gridlang.learners.traces.dataset import FILE_ENDINGS, Traces, read_traces, traces_to_bytes
from gridlang.learners.training.recipes import Recipe, changed, load_recipe
from gridlang.learners.training.train import TrainingPlan
from gridlang.loading import definitions_for, load_source
from gridlang.source import Source
from gridlang.table import Table
from gridlang.table_json import table_to_json

FORMAT = "gridlang-sweep/1"
LOW_LOSS = 1e-7  # of a model that has converged


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A data file, and the expert that its models are evaluated against."""

    name: str
    traces: Traces
    recipes: tuple[Recipe, ...]  # with the changes of the task's own section
    expert: Table | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """What all jobs of a sweep have in common."""

    seeds: tuple[int, ...]
    together: int | None = None  # seeds in a job; None is what suits where it runs
    device: str = "auto"
    digits: int = 0  # at which models are evaluated; 0 is not at all
    command: str = ""  # what to type to sweep again


class Standing(NamedTuple):
    """How far a sweep is, in jobs."""

    done: int
    running: int
    failed: int
    all: int
    stopping: bool


@dataclass(frozen=True, slots=True)
class Sweep:
    """The jobs, and the results of those that have ended."""

    folder: str
    jobs: tuple[JobSpec, ...]
    results: dict[str, JobResult]  # by the names of the jobs

    @property
    def failed(self) -> list[JobResult]:
        return [self.results[job.name] for job in self.jobs if self.result(job).problem]

    def result(self, job: JobSpec) -> JobResult:
        return self.results.get(job.name) or JobResult(job.name)

    def as_json(self) -> dict[str, Any]:
        """What `sweep.json` holds."""
        return {
            "format": FORMAT,
            "folder": self.folder,
            "models": [line for job in self.jobs for line in self._lines(job)],
            "failed": [{"job": result.name, "message": result.problem} for result in self.failed],
            "unfinished": [job.name for job in self.jobs if job.name not in self.results],
        }

    def _lines(self, job: JobSpec) -> Iterator[dict[str, Any]]:
        for model in self.result(job).models:
            line = {"data": job.data, "recipe": job.recipe.name, **asdict(model), "folder": job.name}
            if not job.digits:
                del line["passed"]
            yield line


def run_sweep(
    folder: str,
    tasks: Sequence[Task],
    settings: Settings,
    pool: Pool,
    watch: Callable[[Standing], None] = lambda _: None,
) -> Sweep:
    """Runs all jobs that have not ended before; `sweep.json` in the folder tells what became of them.

    Ctrl-C lets running jobs end with a checkpoint. GridError, before anything is started, where the folder
    holds a sweep with other settings or where another process is at work in it.
    """
    folder = os.path.abspath(folder)
    with held(folder, MARK) as mark:
        jobs = planned_jobs(folder, mark, tasks, settings, pool)
        sweep = opened(folder, jobs)
        try:
            run_jobs(sweep, pool, watch)
        finally:
            write_whole(os.path.join(folder, "sweep.json"), json.dumps(sweep.as_json(), indent=1))
    return sweep


def opened(folder: str, jobs: Iterable[JobSpec]) -> Sweep:
    """The jobs, with the results of those that have ended before."""
    jobs = tuple(jobs)
    return Sweep(folder, jobs, {job.name: old for job in jobs if (old := _ended(job))})


def run_jobs(sweep: Sweep, pool: Pool, watch: Callable[[Standing], None]) -> None:
    """Runs the jobs that have no result yet; each result is added when its files are written."""
    try:
        for done in _results(sweep, pool, watch):
            sweep.results[done.name] = done
    except BaseException:
        pool.stop()
        raise


def _results(sweep: Sweep, pool: Pool, watch: Callable[[Standing], None]) -> Iterator[JobResult]:
    """The results of jobs as they end, their files written; after Ctrl-C only those that ended well."""
    left = [job for job in sweep.jobs if job.name not in sweep.results]
    waiting = dict(zip(pool.submit(left), left, strict=True)) if left else {}
    interrupted = False
    while waiting:
        failed, running = len(sweep.failed), min(pool.at_once, len(waiting))
        watch(Standing(len(sweep.results) - failed, running, failed, len(sweep.jobs), interrupted))
        try:
            ended = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED).done
        except KeyboardInterrupt:
            interrupted = True
            pool.stop()
            continue
        for future in ended:
            job = waiting.pop(future)
            result = _kept(job, future)
            if not (interrupted and result.problem):
                yield result
    if interrupted:
        raise KeyboardInterrupt


def _kept(job: JobSpec, future: Future[JobResult]) -> JobResult:
    """Writes the files of a job; `result.json` last, since it says that all is there."""
    if future.cancelled():
        return JobResult(job.name, problem="it was not started")
    try:
        result = future.result()
        if result.problem:
            return result
        os.makedirs(job.folder, exist_ok=True)
        for name, data in (*result.files, ("result.json", result_to_json(job, result).encode())):
            write_whole(os.path.join(job.folder, name), data)
    except GridError as error:
        return JobResult(job.name, problem=in_words(error))
    except (OSError, Lost) as error:
        return JobResult(job.name, problem=str(error))
    return replace(result, files=())


def _ended(job: JobSpec) -> JobResult | None:
    """The result of a job that has ended before."""
    try:
        with open(os.path.join(job.folder, "result.json"), encoding="utf-8") as file:
            return result_from_json(job, file.read())
    except (OSError, ValueError):
        return None


def planned_jobs(
    folder: str, mark: str, tasks: Sequence[Task], settings: Settings, pool: Pool
) -> list[JobSpec]:
    """A job for each task, recipe and block of seeds; blocks that were begun before stay as they are."""
    pairs = sum(len(task.recipes) for task in tasks)
    size = settings.together or _block_size(len(settings.seeds), pairs, pool)
    jobs = []
    for task in tasks:
        traces, expert = traces_to_bytes(task.traces), table_to_json(task.expert) if task.expert else ""
        for recipe in task.recipes:
            of = f"{task.name}-{recipe.name}"
            begun = begun_blocks(folder, of, partial(TrainingPlan, task.traces, recipe))
            for block in blocks(settings.seeds, size, begun):
                name = f"{of}-{span(block)}"
                fields = (name, os.path.join(folder, name), mark, task.name, traces, recipe, block)
                more = (settings.device, settings.digits, expert)
                jobs.append(JobSpec(*fields, *more, command=settings.command))
    # `a` by `b-c` is called as `a-b` by `c` is.
    refuse_twins("jobs", [job.name for job in jobs], "rename a data file or a recipe")
    return jobs


def refuse_twins(what: str, names: Sequence[str], hint: str = "rename one") -> None:
    """GridError if two have one name: folders are made of names."""
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise fail("G134", f"two {what} are called `{name}`", f"{hint}, or sweep into two folders")


def _block_size(seeds: int, pairs: int, pool: Pool) -> int:
    """A GPU trains many seeds as fast as one; on CPUs each worker gets its share."""
    return seeds if pool.on_gpu else -(-seeds // -(-pool.at_once // pairs))


def blocks(seeds: Iterable[int], size: int, begun: Iterable[Sequence[int]] = ()) -> list[tuple[int, ...]]:
    """The seeds in runs of at most `size`; blocks already begun stay whole where they are wanted whole."""
    left = set(seeds)
    parts: list[list[int]] = []
    for block in begun:
        if left.issuperset(block):
            parts.append(sorted(block))
            left.difference_update(block)
    kept = len(parts)
    for seed in sorted(left):
        if len(parts) > kept and parts[-1][-1] == seed - 1 and len(parts[-1]) < size:
            parts[-1].append(seed)
        else:
            parts.append([seed])
    return sorted(map(tuple, parts))


def span(block: Sequence[int]) -> str:
    return f"{block[0]}" if len(block) == 1 else f"{block[0]}-{block[-1]}"


def begun_blocks(
    folder: str, of: str, plan: Callable[[tuple[int, ...]], TrainingPlan]
) -> list[tuple[int, ...]]:
    """The blocks of seeds that this folder holds of a name; GridError if they had another plan."""
    begun = []
    for name in sorted(os.listdir(folder)):
        match = re.fullmatch(rf"{re.escape(of)}-(\d+)(?:-(\d+))?", name)
        settings = _run_settings(os.path.join(folder, name)) if match else None
        if match is None or settings is None:
            continue
        block = tuple(range(int(match[1]), int(match[2] or match[1]) + 1))
        for key, value in plan(block).identity().items():
            if settings.get(key) != value:
                noun = {"recipe": "settings", "traces": "traces", "dim": "dimensions"}.get(key, key)
                hint = "use the settings it began with, or sweep into another folder"
                raise fail("G130", f"`{name}` began with other {noun}", hint, folder)
        begun.append(block)
    return begun


def _run_settings(folder: str) -> dict[str, Any] | None:
    try:
        with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
            settings = json.load(file)
    except (OSError, ValueError, RecursionError):
        return None
    return settings if isinstance(settings, dict) else None


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
        traces = read_traces(path) if path.endswith(FILE_ENDINGS) else default_traces(load_program(path, own))
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
    if set(table.symbols) != set(traces.symbols):
        raise fail("G085", f"the expert and the traces in {path} have other symbols", file=against or path)
    return table
