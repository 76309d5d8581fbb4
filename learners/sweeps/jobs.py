"""Training as a job: one data file, one recipe and a block of seeds; bytes in, bytes out.

A worker that sees the folder of whoever started it trains there; any other in a cache folder of its own.
"""

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

from gridlang.diagnostics import Diagnostic, GridError
from gridlang.files import cache_folder
from gridlang.learners.methods.registry import train_by_method
from gridlang.learners.runtime.folder_lock import held
from gridlang.learners.runtime.json_records import record_from_json
from gridlang.learners.traces.dataset import traces_from_bytes
from gridlang.learners.training.journal import MEASURES, METRICS
from gridlang.learners.training.method_choice import BY_DFST, MethodChoice
from gridlang.learners.training.recipes import Floats, Recipe
from gridlang.learners.training.train import LOCK, Trained, TrainedFurther, TrainingPlan
from gridlang.table_json import table_from_json

MARK = ".sweep"  # the lock of whoever runs a sweep in a folder; its note names the run
OF_TRAIN = ("--resume", "--restart")  # A sweep has no such options, so hints that name one are left out.


@dataclass(frozen=True, slots=True, eq=False)
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
    command: str = ""  # what was typed to start the sweep
    method: MethodChoice = BY_DFST
    begun: Floats | None = None  # (models, weights) to start from; None: random ones

    @property
    def plan(self) -> TrainingPlan:
        traces, how = traces_from_bytes(self.traces), (self.device, self.command, self.method)
        return TrainingPlan(traces, self.recipe, self.seeds, *how, begun=self.begun)

    @property
    def evaluation(self) -> dict[str, Any] | None:
        """What the models are evaluated on, in brief; None where they are not."""
        if not self.digits:
            return None
        return {"digits": self.digits, "expert": hashlib.sha256(self.expert.encode()).hexdigest()}

    def train(self, folder: str, resume: bool) -> TrainedFurther:
        """The models; a sweep trains none of them further."""
        models = train_by_method(self.plan, folder, resume=resume)
        return TrainedFurther(models, models[0].seconds, 0)

    def run(self) -> JobResult:
        """Trains and evaluates; continues an earlier attempt. A failure is a result too."""
        try:
            return _run(self)
        except GridError as error:
            return JobResult(self.name, problem=in_words(error))
        except KeyboardInterrupt:
            return JobResult(self.name, problem="it was stopped")
        except MemoryError:
            return JobResult(self.name, problem="there is too little memory")
        except Exception as error:
            return JobResult(self.name, problem=f"{type(error).__name__}: {error}")


@dataclass(frozen=True, slots=True)
class ModelResult:
    """The result of one seed."""

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
    seconds: float = 0.0  # of training
    further: int = 0  # seeds that were trained further


def in_words(error: GridError) -> str:
    """What is wrong and what helps, in a line."""
    return "; ".join(map(_told, error.diagnostics))


def _told(diagnostic: Diagnostic) -> str:
    hint = diagnostic.hint
    told = hint and not any(option in hint for option in OF_TRAIN)
    return f"{diagnostic.message} ({hint})" if told else diagnostic.message


def _run(spec: JobSpec) -> JobResult:
    plan = spec.plan
    shared = _sees(spec)
    folder = spec.folder if shared else _own_folder(plan)
    with held(folder, LOCK, patient=True):  # An earlier attempt may not have ended yet.
        begun = any(name.startswith("checkpoint.") for name in os.listdir(folder))
        trained, seconds, further = spec.train(folder, begun)
        models = tuple(map(model_result, trained, _verdicts(spec, trained)))
        files = (*_kept(folder), *_weights(trained))
    if not shared:
        shutil.rmtree(folder, ignore_errors=True)
    return JobResult(spec.name, models, files, seconds=round(seconds, 3), further=further)


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
    from gridlang.learners.evaluation.evaluate import Evaluator

    table = table_from_json(spec.expert)
    return [model.diverged < 0 and Evaluator(model.dfst, table).at(spec.digits).passed for model in trained]


def model_result(model: Trained, passed: bool | None = None) -> ModelResult:
    """The facts about a model, without its weights."""
    loss = None if np.isnan(model.loss) else model.loss
    lost = model.diverged if model.diverged >= 0 else None
    return ModelResult(model.seed, loss, model.iterations, round(model.seconds, 3), lost, passed)


def _weights(trained: Sequence[Trained]) -> Iterator[tuple[str, bytes]]:
    for model in trained:
        if model.diverged < 0:
            yield f"seed-{model.seed}.safetensors", model.model.to_bytes()


def _kept(folder: str) -> Iterator[tuple[str, bytes]]:
    """The files of a training, without checkpoints."""
    for name in ("run.json", METRICS, MEASURES):
        with suppress(OSError), open(os.path.join(folder, name), "rb") as file:
            yield name, file.read()


def result_to_json(spec: JobSpec, result: JobResult) -> str:
    """The content of `result.json`; its presence says that the job has ended."""
    about = {"format": "gridlang-job/1", "data": spec.data, "recipe": spec.recipe.name}
    models = [asdict(model) for model in result.models]
    whole = {"seconds": result.seconds, "further": result.further}
    return json.dumps({**about, "evaluation": spec.evaluation, **whole, "models": models}, indent=1)


def result_from_json(spec: JobSpec, text: str) -> JobResult | None:
    """What `result_to_json` wrote; None where it is damaged, or where another evaluation is wanted."""
    try:
        data = json.loads(text)
        models = [record_from_json(ModelResult, model) for model in data["models"]]
        evaluation = data["evaluation"]
        seconds, further = float(data.get("seconds", 0)), int(data.get("further", 0))  # Older ones have none.
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if tuple(model.seed for model in models) != spec.seeds:
        return None
    if spec.evaluation is None:
        models = [ModelResult(**{**asdict(model), "passed": None}) for model in models]
    elif evaluation != spec.evaluation:
        return None
    return JobResult(spec.name, tuple(models), seconds=seconds, further=further)
