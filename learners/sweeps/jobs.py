"""The jobs of a sweep: one data file, one recipe and a block of seeds; bytes in, bytes out."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from compiler.tensors.dfst import dfst_to_bytes
from gridlang import __version__
from gridlang.diagnostics import Diagnostic, GridError, fail
from gridlang.files import cache_folder
from gridlang.table_json import table_from_json
from learners.runtime.folder_lock import held
from learners.runtime.json_records import record_from_json
from learners.traces.dataset import traces_from_bytes
from learners.training.journal import MEASURES, METRICS
from learners.training.recipes import Recipe
from learners.training.train import LOCK, Trained, TrainingPlan, train

MARK = ".sweep"  # the lock of whoever runs a sweep in a folder; its note names the run
OF_TRAIN = ("--resume", "--restart")  # A sweep has no such options, so hints that name one are left out.


@dataclass(frozen=True, slots=True)
class JobSpec:
    """All that a worker needs, wherever it runs."""

    name: str
    folder: str  # where the sweep keeps the job: an absolute path, which the worker may not see
    mark: str  # the content of the MARK beside it, if the worker does see it
    data: str  # name of the data file
    traces: bytes
    recipe: Recipe
    seeds: tuple[int, ...]
    device: str = "auto"
    digits: int = 0  # length at which models are evaluated; 0 is not at all
    expert: str = ""  # table to evaluate against, as JSON
    threads: int | None = None  # of evaluation; None is all cores
    command: str = ""  # what was typed to start the sweep
    version: str = __version__

    @property
    def plan(self) -> TrainingPlan:
        return TrainingPlan(
            traces_from_bytes(self.traces), self.recipe, self.seeds, self.device, self.command
        )

    @property
    def evaluation(self) -> dict[str, Any] | None:
        """What the models are evaluated on, in brief; None where they are not."""
        if not self.digits:
            return None
        return {"digits": self.digits, "expert": hashlib.sha256(self.expert.encode()).hexdigest()}


@dataclass(frozen=True, slots=True)
class ModelResult:
    """What became of one seed."""

    seed: int
    loss: float | None  # None where the model diverged
    iterations: int
    seconds: float  # training of all seeds of the job
    diverged: int | None  # iteration at which the loss was no longer finite
    passed: bool | None = None  # None where nothing was evaluated, or memory was too small


@dataclass(frozen=True, slots=True)
class JobResult:
    """What a job leaves: a line a model and files, or a problem."""

    name: str
    models: tuple[ModelResult, ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
    problem: str = ""


def run_job(spec: JobSpec) -> JobResult:
    """Trains and evaluates; goes on from where an earlier attempt stopped. A failure is a result too."""
    try:
        return _run(spec)
    except GridError as error:
        return JobResult(spec.name, problem=in_words(error))
    except KeyboardInterrupt:
        return JobResult(spec.name, problem="it was stopped")
    except MemoryError:
        return JobResult(spec.name, problem="there is too little memory")
    except Exception as error:
        return JobResult(spec.name, problem=f"{type(error).__name__}: {error}")


def in_words(error: GridError) -> str:
    """What is wrong and what helps, in a line."""
    return "; ".join(map(_told, error.diagnostics))


def _told(diagnostic: Diagnostic) -> str:
    hint = diagnostic.hint
    told = hint and not any(option in hint for option in OF_TRAIN)
    return f"{diagnostic.message} ({hint})" if told else diagnostic.message


def _run(spec: JobSpec) -> JobResult:
    if spec.version != __version__:
        message = f"the worker has gridlang {__version__}, and the sweep was started by {spec.version}"
        raise fail("G133", message, "install the same version on all machines")
    plan = spec.plan
    shared = _sees(spec)
    folder = spec.folder if shared else _own_folder(plan)
    with held(folder, LOCK, patient=True):  # An earlier attempt may not have ended yet.
        begun = any(name.startswith("checkpoint.") for name in os.listdir(folder))
        trained = train(plan, folder, resume=begun)
        models = tuple(map(_numbers, trained, _verdicts(spec, trained)))
        files = (*_kept(folder), *_weights(trained))
    if not shared:
        shutil.rmtree(folder, ignore_errors=True)
    return JobResult(spec.name, models, files)


def _sees(spec: JobSpec) -> bool:
    """Whether this process sees the files of whoever started the sweep."""
    try:
        with open(os.path.join(os.path.dirname(spec.folder), MARK), encoding="utf-8") as file:
            return file.read() == spec.mark
    except (OSError, ValueError):
        return False


def _own_folder(plan: TrainingPlan) -> str:
    """On a machine of its own: the same job finds its checkpoint here when it comes back."""
    name = hashlib.sha256(json.dumps(plan.identity(), sort_keys=True).encode()).hexdigest()
    return os.path.join(cache_folder(), "sweeps", name)


def _verdicts(spec: JobSpec, trained: Sequence[Trained]) -> list[bool | None]:
    """Whether each model passes; one that diverged does not."""
    if not spec.digits:
        return [None] * len(trained)
    from learners.evaluation.evaluate import Evaluator

    table = table_from_json(spec.expert)
    return [
        model.diverged < 0 and Evaluator(model.dfst, table, threads=spec.threads).at(spec.digits).passed
        for model in trained
    ]


def _numbers(model: Trained, passed: bool | None) -> ModelResult:
    loss = None if np.isnan(model.loss) else model.loss
    lost = model.diverged if model.diverged >= 0 else None
    return ModelResult(model.seed, loss, model.iterations, round(model.seconds, 3), lost, passed)


def _weights(trained: Sequence[Trained]) -> Iterator[tuple[str, bytes]]:
    for model in trained:
        if model.diverged < 0:
            yield f"seed-{model.seed}.safetensors", dfst_to_bytes(model.dfst)


def _kept(folder: str) -> Iterator[tuple[str, bytes]]:
    """What training leaves in its folder, besides checkpoints."""
    for name in ("run.json", METRICS, MEASURES):
        with suppress(OSError), open(os.path.join(folder, name), "rb") as file:
            yield name, file.read()


def result_to_json(spec: JobSpec, result: JobResult) -> str:
    """The content of `result.json`; its presence says that the job has ended."""
    about = {"format": "gridlang-job/1", "data": spec.data, "recipe": spec.recipe.name}
    models = [asdict(model) for model in result.models]
    return json.dumps({**about, "evaluation": spec.evaluation, "models": models}, indent=1)


def result_from_json(spec: JobSpec, text: str) -> JobResult | None:
    """What `result_to_json` wrote; None where it is damaged, or where another evaluation is wanted."""
    try:
        data = json.loads(text)
        models = [record_from_json(ModelResult, model) for model in data["models"]]
        evaluation = data["evaluation"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if tuple(model.seed for model in models) != spec.seeds:
        return None
    if spec.evaluation is None:
        models = [ModelResult(**{**asdict(model), "passed": None}) for model in models]
    elif evaluation != spec.evaluation:
        return None
    return JobResult(spec.name, tuple(models))
