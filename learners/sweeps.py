"""Many trainings: of each data file and recipe all seeds, in processes of this machine or on a Ray cluster.

A job trains some seeds in a folder as `train` leaves it, and its `result.json` says that all is there, so a
sweep goes on where it was interrupted. Ray repeats a job whose node is lost on another node.
"""

from __future__ import annotations

import json
import os
import re
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from gridlang import __version__
from gridlang.compiler.given import load_program
from gridlang.diagnostics import GridError, fail
from gridlang.files import make_folder, write_whole
from gridlang.learners.evaluation.evaluate import Evaluator
from gridlang.learners.methods.models import learned_models
from gridlang.learners.runtime.folder_lock import held
from gridlang.learners.runtime.hardware import core_numbers, cores, gpu_names, no_gpu
from gridlang.learners.runtime.json_records import record_from_json
from gridlang.learners.runtime.processes import Done, in_processes, shares
from gridlang.learners.traces.choosing.sampling import default_traces
from gridlang.learners.traces.dataset import FILE_ENDINGS, read_traces
from gridlang.learners.train.engine_choice import ON_CPU
from gridlang.learners.train.journal import check_same
from gridlang.learners.train.recipes import changed, load_recipe
from gridlang.learners.train.run import LOCK, ModelResult, Trained, TrainingPlan, write_seeds
from gridlang.loading import load_source
from gridlang.source import Source
from gridlang.table import Table
from gridlang.table_json import table_to_json
from gridlang.terminal.notes import tell_once

SWEEP_LOCK = ".sweep"
RESULT = "result.json"
NO_RAY = "none"  # in place of a cluster's address
ANSWER_SECONDS = 5.0  # for a cluster to answer


class Training(NamedTuple):
    """What all jobs of a data file and a recipe have in common; the plan has no seeds yet."""

    data: str
    plan: TrainingPlan
    digits: int = 0  # length at which models are evaluated; 0 is not at all
    expert: Table | None = None

    @property
    def name(self) -> str:
        return f"{self.data}-{self.plan.recipe.name}"

    @property
    def about(self) -> dict[str, Any]:
        """What its results have in common."""
        expert = self.expert and sha256(table_to_json(self.expert).encode()).hexdigest()
        evaluation = {"digits": self.digits, "expert": expert} if expert else None
        return {"data": self.data, "recipe": self.plan.recipe.name, "evaluation": evaluation}


class Job(NamedTuple):
    """The training of some seeds: all that a process needs, wherever it runs."""

    folder: str
    training: Training


def work(job: Job) -> str:
    """Trains and evaluates, or goes on with it, in the job's folder; what went wrong, or nothing."""
    folder, (_, plan, digits, expert) = job.folder, job.training
    try:
        with held(folder, LOCK, patient=True):  # An earlier attempt may not have ended yet.
            begun = any(name.startswith("checkpoint.") for name in os.listdir(folder))
            learned = learned_models(plan, folder, resume=begun)
            write_seeds(learned, folder)
            models = [asdict(model.result(_passed(model, expert, digits))) for model in learned]
            told = {"format": "gridlang-job/1", **job.training.about, "models": models}
            write_whole(os.path.join(folder, RESULT), json.dumps(told, indent=1))
    except GridError as error:
        return error.diagnostics[0].message
    except KeyboardInterrupt:
        return "it was stopped"
    return ""


def _passed(model: Trained, expert: Table | None, digits: int) -> bool | None:
    if expert is None:
        return None
    return model.diverged < 0 and Evaluator(model.model, expert).at(digits).passed


def work_afar(job: Job, version: str) -> tuple[str, dict[str, bytes]]:
    """Does a job on a machine that may have disks of its own: what went wrong, and the job's files."""
    if version != __version__:
        told = f"the worker has gridlang {__version__}, and the sweep was started by {version}"
        return f"{told}: install the same version on all machines", {}
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
    """Each job as a task with one GPU, or else one core; it sends its files, since disks may be apart."""
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
    return f"{str(message).strip().partition(chr(10))[0]:.200}"


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
    ray: Any = import_module("ray")
    if address != "local" and not _answers(address):
        hint = "an address is HOST:PORT, as in 10.0.0.1:6379"
        raise fail("G132", f"no Ray cluster answers at {address}", hint)
    # Ray would print pages of its logs on standard output, where only results belong.
    private: Any = import_module("ray._private.worker")
    private.print_to_stdstream = lambda data, **_: tell_once(f"Ray: {_in_a_line(data['lines'][0])}")
    try:
        ray.init(address, log_to_driver=False, logging_level="ERROR", ignore_reinit_error=True)
    except Exception as error:
        raise fail("G132", f"Ray cannot be used: {_in_a_line(error)}") from None
    return ray


def _answers(address: str) -> bool:
    """Whether a cluster answers; Ray itself would wait for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS).close()
    except (OSError, ValueError, OverflowError):
        return False
    return True


def run_sweep(
    folder: str,
    trainings: Sequence[Training],
    seeds: Sequence[int],
    place: Place,
    watch: Callable[[int, int, int], None] = lambda *_: None,
) -> dict[str, Any]:
    """Trains all seeds that have no result yet; what `sweep.json` in the folder holds.

    GridError, before anything is started, where the folder holds a sweep with other settings or where another
    process is at work in it. `watch` is told how many jobs there are, have ended and have failed.
    """
    folder = os.path.abspath(folder)
    with held(folder, SWEEP_LOCK):
        jobs = [job for training in trainings for job in _jobs(folder, training, seeds, place)]
        failed, ended = dict[str, str](), set[str]()
        try:
            watch(len(jobs), 0, 0)
            for done in place.does(jobs) if jobs else ():
                ended.add(done.task.folder)
                if problem := done.problem or done.answer:
                    failed[os.path.basename(done.task.folder)] = problem
                watch(len(jobs), len(ended), len(failed))
        finally:
            models = [line for training in trainings for line in _models(folder, training, seeds).values()]
            told = {
                "format": "gridlang-sweep/1",
                "folder": folder,
                "models": models,
                "failed": [{"job": name, "message": problem} for name, problem in failed.items()],
                "unfinished": [os.path.basename(job.folder) for job in jobs if job.folder not in ended],
            }
            write_whole(os.path.join(folder, "sweep.json"), json.dumps(told, indent=1))
    return told


def _jobs(folder: str, training: Training, seeds: Sequence[int], place: Place) -> Iterator[Job]:
    """Jobs for the seeds without a result: one each on CPUs; even shares for GPUs, which train many."""
    known = _models(folder, training, seeds)
    left = [seed for seed in seeds if seed not in known]
    size = -(-len(left) // place.at_once) if place.gpus else 1
    for part in (tuple(left[at : at + size]) for at in range(0, len(left), size)):
        name = f"{training.name}-{part[0]}" if len(part) == 1 else f"{training.name}-{part[0]}-{part[-1]}"
        yield Job(os.path.join(folder, name), training._replace(plan=replace(training.plan, seeds=part)))


def _models(folder: str, training: Training, seeds: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The results so far, by seed; GridError where a job was begun with other settings."""
    found: dict[int, dict[str, Any]] = {}
    about = {"data": training.data, "recipe": training.plan.recipe.name}
    for name in sorted(os.listdir(folder)):
        if not re.fullmatch(rf"{re.escape(training.name)}-\d+(-\d+)?", name):
            continue
        before, result = (_object(os.path.join(folder, name, file)) for file in ("run.json", RESULT))
        if isinstance(before.get("recipe"), dict):
            same = {**training.plan.identity(), "seeds": before.get("seeds")}
            check_same(before, same, os.path.join(folder, name), "G130", "sweep into another folder")
        if all(result.get(key) == value for key, value in training.about.items() if value):
            with suppress(ValueError, KeyError, TypeError):  # One that is damaged is trained again.
                models = [record_from_json(ModelResult, model) for model in result["models"]]
                found |= {model.seed: {**about, **asdict(model), "folder": name} for model in models}
    return {seed: found[seed] for seed in seeds if seed in found}


def _object(path: str) -> dict[str, Any]:
    """The object in a file; empty where there is none."""
    data = None
    with suppress(OSError, ValueError, RecursionError), open(path, encoding="utf-8") as file:
        data = json.load(file)
    return data if isinstance(data, dict) else {}


def trainings_of(
    data: Sequence[str], recipes: Sequence[str], digits: int, device: str, **changes: int | None
) -> list[Training]:
    """All that is to be learned; whatever is wrong with it is told before anything starts."""
    trainings = []
    for path in data:
        traces = read_traces(path) if path.endswith(FILE_ENDINGS) else default_traces(load_program(path, {}))
        expert = None
        if digits and not traces.source:
            raise fail("G110", "these traces do not carry their source", "leave --digits out", path)
        if digits:
            expert = load_source(Source(f"<source in {path}>", traces.source)).table
        for recipe in recipes:
            chosen = changed(load_recipe(recipe, traces.name), **changes)
            plan = TrainingPlan(traces, chosen, (), device)
            plan.identity()
            name = os.path.splitext(os.path.basename(path))[0] or path
            trainings.append(Training(name, plan, digits, expert))
    ((twin, times),) = Counter(training.name for training in trainings).most_common(1)
    if times > 1:
        hint = "rename a data file or a recipe, or sweep into two folders"
        raise fail("G134", f"two trainings are called `{twin}`", hint)
    return trainings
