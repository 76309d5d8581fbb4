"""Many trainings: of each data file and recipe all seeds, in processes of this machine or on a Ray cluster.

A job trains some seeds in a folder as `train` leaves it; its `result.json` says that all is there.
"""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from gridlang import __version__
from gridlang.compiler.given import carried_agent, is_kind, load_program
from gridlang.diagnostics import GridError, fail
from gridlang.files import make_folder, write_whole
from gridlang.learners.evaluation.evaluate import Evaluator
from gridlang.learners.runtime.folder_lock import held
from gridlang.learners.runtime.hardware import core_numbers, cores, gpu_names, no_gpu
from gridlang.learners.runtime.json_records import object_in, record_from_json
from gridlang.learners.runtime.processes import Done, in_processes, shares
from gridlang.learners.traces.choosing.sampling import default_traces
from gridlang.learners.traces.dataset import read_traces
from gridlang.learners.train.engine_choice import ON_CPU
from gridlang.learners.train.journal import check_same
from gridlang.learners.train.recipes import changed, load_recipe
from gridlang.learners.train.run import LOCK, ModelResult, Trained, TrainingPlan, train, write_seeds
from gridlang.terminal.notes import tell_once

SWEEP_LOCK = ".sweep"
RESULT = "result.json"
Watch = Callable[[int, int, int], None]  # told how many jobs there are, have ended and have failed
NO_RAY, RAY_SECONDS = "none", 5.0  # in place of a cluster's address; for one to answer


class Job(NamedTuple):
    """The training of some seeds: all that a process needs, wherever it runs.

    What is to be learned is a job that has no seeds and no folder yet.
    """

    data: str
    plan: TrainingPlan
    digits: int = 0  # length at which models are evaluated; 0 is not at all
    folder: str = ""

    @property
    def kind(self) -> str:
        return f"{self.data}-{self.plan.recipe.name}"

    @property
    def about(self) -> dict[str, Any]:
        return {"data": self.data, "recipe": self.plan.recipe.name, "digits": self.digits}


def work(job: Job) -> str:
    """Trains and evaluates, or goes on with it, in the job's folder; what went wrong, or nothing."""
    try:
        with held(job.folder, LOCK, patient=True):  # An earlier attempt may not have ended yet.
            begun = any(name.startswith("checkpoint.") for name in os.listdir(job.folder))
            learned = train(job.plan, job.folder, resume=begun)
            write_seeds(learned, job.folder)
            results = [model.result(_passes(model, job.digits)) for model in learned]
            told = {"format": "gridlang-job/1", **job.about, "models": list(map(asdict, results))}
            write_whole(os.path.join(job.folder, RESULT), json.dumps(told, indent=1))
    except GridError as error:
        return error.diagnostics[0].message
    except KeyboardInterrupt:
        return "it was stopped"
    return ""


def _passes(model: Trained, digits: int) -> bool | None:
    """Whether it passes at this length, beside the agent whose source it carries."""
    if not digits or model.diverged >= 0:
        return False if digits else None
    return Evaluator(model.model, carried_agent(model.model, "the model", "").table).at(digits).passed


def work_afar(job: Job, version: str) -> tuple[str, dict[str, bytes]]:
    """Does a job on a machine that may have disks of its own: what went wrong, and the job's files."""
    if version != __version__:
        return f"gridlang {__version__} here, {version} there: install the same version on all machines", {}
    with TemporaryDirectory() as folder:
        if problem := work(job._replace(folder=folder)):
            return problem, {}
        files = (file for file in Path(folder).iterdir() if not file.name.startswith((".", "checkpoint.")))
        return "", {file.name: file.read_bytes() for file in files}


class Place(NamedTuple):
    """Where jobs run: how many at once, on which GPUs, if any, and Ray, if not on this machine."""

    at_once: int
    gpus: Sequence[str]
    ray: Any = None

    def does(self, jobs: Sequence[Job]) -> Iterator[Done[Job, str]]:
        """What went wrong with each job, or nothing, as it ends."""
        if self.ray:
            return _on_ray(self.ray, jobs, bool(self.gpus))
        at_once = min(self.at_once, len(jobs))
        return in_processes(work, jobs, at_once, free=shares(at_once, core_numbers(), self.gpus))


def _on_ray(ray: Any, jobs: Sequence[Job], on_gpu: bool) -> Iterator[Done[Job, str]]:
    """Each job as a task with a GPU or a core, repeated if its node is lost; its files are sent back."""
    task = ray.remote(num_cpus=1, num_gpus=int(on_gpu))(work_afar)
    waiting = {task.remote(job, __version__): job for job in jobs}
    while waiting:
        for each in ray.wait(list(waiting), timeout=0.2)[0]:
            job = waiting.pop(each)
            try:
                problem, files = ray.get(each)
            except ray.exceptions.RayError as error:
                problem, files = _in_a_line(getattr(error, "cause", error)), {}
            # the result last, since it says that all is there
            for name in sorted(files, key=lambda name: name == RESULT):
                make_folder(job.folder)
                write_whole(os.path.join(job.folder, name), files[name])
            yield Done(job, problem, "", 0.0)


def _in_a_line(message: object) -> str:
    """Of what Ray says its first sentence, without tracebacks and logs."""
    return "".join(str(message).strip().splitlines()[:1])[:200]


def place_named(address: str | None, device: str) -> Place:
    """The Ray cluster that is asked for, or that of RAY_ADDRESS, where Ray is installed; else this machine.

    The address is the user's own: Ray's note of a running cluster lies where everybody may write, and jobs
    that are sent to a stranger's cluster are the stranger's.
    """
    address = address or (os.environ.get("RAY_ADDRESS") if find_spec("ray") else None) or NO_RAY
    ray = None if address == NO_RAY else _connected(address)
    has = ray.cluster_resources() if ray else {"CPU": cores()}
    gpus = list(map(str, range(int(has.get("GPU", 0))))) if ray else gpu_names()
    if device == "cuda" and not gpus:
        raise no_gpu(ON_CPU)
    gpus = [] if device == "cpu" else gpus
    return Place(len(gpus) or max(1, int(has.get("CPU", 1))), gpus, ray)


def _connected(address: str) -> Any:
    """Ray, connected to a cluster."""
    if find_spec("ray") is None:
        raise fail("G132", "Ray is not installed", "install it with `pip install ray`, or leave --ray out")
    if address != "local":
        host, _, port = address.removeprefix("ray://").rpartition(":")
        try:  # Ray itself would wait for minutes.
            socket.create_connection((host.strip("[]"), int(port)), RAY_SECONDS).close()
        except (OSError, ValueError, OverflowError):
            raise fail("G132", f"no Ray cluster answers at {address}", "it is HOST:PORT") from None
    ray: Any = import_module("ray")
    # Ray would print pages of its logs on standard output, where only results belong.
    private: Any = import_module("ray._private.worker")
    private.print_to_stdstream = lambda data, **_: tell_once(f"Ray: {_in_a_line(data['lines'][0])}")
    try:
        ray.init(address, log_to_driver=False, logging_level="ERROR", ignore_reinit_error=True)
    except Exception as error:
        raise fail("G132", f"Ray cannot be used: {_in_a_line(error)}") from None
    return ray


def run_sweep(
    folder: str, wanted: Sequence[Job], seeds: Sequence[int], place: Place, watch: Watch = lambda *_: None
) -> dict[str, Any]:
    """Trains all seeds that have no result yet; what `sweep.json` in the folder holds.

    GridError, before anything is started, where the folder holds a sweep with other settings or where another
    process is at work in it.
    """
    with held(folder, SWEEP_LOCK):
        jobs = [job for each in wanted for job in _jobs(folder, each, seeds, place)]
        problems = dict[str, str]()  # of the jobs that have ended, or nothing
        try:
            watch(len(jobs), 0, 0)
            for done in place.does(jobs) if jobs else ():
                problems[os.path.basename(done.task.folder)] = done.problem or done.answer or ""
                watch(len(jobs), len(problems), sum(map(bool, problems.values())))
        finally:
            told = {
                "format": "gridlang-sweep/1",
                "folder": folder,
                "models": [line for each in wanted for line in _models(folder, each, seeds).values()],
                "failed": [{"job": name, "message": word} for name, word in problems.items() if word],
                "unfinished": [
                    name for job in jobs if (name := os.path.basename(job.folder)) not in problems
                ],
            }
            write_whole(os.path.join(folder, "sweep.json"), json.dumps(told, indent=1))
    return told


def _jobs(folder: str, whole: Job, seeds: Sequence[int], place: Place) -> Iterator[Job]:
    """Jobs for the seeds without a result: one each on CPUs; even shares for GPUs, which train many."""
    known = _models(folder, whole, seeds)
    left = [seed for seed in seeds if seed not in known]
    size = -(-len(left) // place.at_once) if place.gpus else 1
    for part in (tuple(left[at : at + size]) for at in range(0, len(left), size)):
        span = f"{part[0]}" if len(part) == 1 else f"{part[0]}-{part[-1]}"
        own = os.path.join(folder, f"{whole.kind}-{span}")
        yield whole._replace(folder=own, plan=replace(whole.plan, seeds=part))


def _models(folder: str, whole: Job, seeds: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The results so far, by seed; GridError where a job was begun with other settings."""
    found: dict[int, dict[str, Any]] = {}
    its_jobs = re.compile(rf"{re.escape(whole.kind)}-\d+(-\d+)?")
    for name in filter(its_jobs.fullmatch, sorted(os.listdir(folder))):
        job = os.path.join(folder, name)
        if before := object_in(os.path.join(job, "run.json")):
            same = {**whole.plan.identity(), "seeds": before.get("seeds")}
            check_same(before, same, job, "G130", "sweep into another folder")
        with suppress(GridError, ValueError, KeyError, TypeError):  # One that is damaged is trained again.
            result = object_in(os.path.join(job, RESULT))
            if all(result[key] == value for key, value in whole.about.items() if value):
                models = [record_from_json(ModelResult, model) for model in result["models"]]
                found |= {model.seed: whole.about | asdict(model) | {"folder": name} for model in models}
    return {seed: found[seed] for seed in seeds if seed in found}


def jobs_of(
    data: Sequence[str], recipes: Sequence[str], digits: int, device: str, **changes: int | None
) -> list[Job]:
    """All that is to be learned; whatever is wrong with it is told before anything starts."""
    wanted: list[Job] = []
    for path in data:
        traces = read_traces(path) if is_kind(path, "traces") else default_traces(load_program(path, {}))
        if digits and not traces.source:
            raise fail("G110", "these traces do not carry their source", "leave --digits out", path)
        for recipe in recipes:
            chosen = changed(load_recipe(recipe, traces.name), **changes)
            plan = TrainingPlan(traces, chosen, (), device)
            plan.identity()
            job = Job(Path(path).stem, plan, digits)
            if job.kind in (each.kind for each in wanted):
                raise fail("G134", f"two trainings are called `{job.kind}`", "rename one, or use two folders")
            wanted.append(job)
    return wanted
