"""A training run: many seeds, metrics and checkpoints in a folder, and models at the end."""

from __future__ import annotations

import json
import os
import platform
import shlex
import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from gridlang import __version__
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.diagnostics import fail
from gridlang.files import make_folder, write_whole
from gridlang.learners.runtime.processes import stop_requests
from gridlang.learners.traces.dataset import Traces, digest
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from gridlang.learners.train.engine import Engine, Shape, State, TrainingJob, fresh
from gridlang.learners.train.engine_choice import device_errors, open_engine
from gridlang.learners.train.journal import MEASURES, RESTART, Journal, check_same, clear, read_checkpoint
from gridlang.learners.train.limits import LIMITS
from gridlang.learners.train.measuring import Measuring
from gridlang.learners.train.method import BY_DFST, Method
from gridlang.learners.train.model_metadata import metadata_of
from gridlang.learners.train.recipes import AdamSchedule, Floats, Recipe, fitted
from gridlang.learners.train.settling import Settling
from gridlang.table import MOVES, Table
from gridlang.terminal.notes import tell_once

RUN_FORMAT = "gridlang-run/1"
LOCK = ".train"  # the lock of whoever trains in a folder


def what_was_typed() -> str:
    """What began this process, to be typed again."""
    return shlex.join([os.path.basename(sys.argv[0]), *sys.argv[1:]])


class TrainingProgress(NamedTuple):
    """Progress of a run, reported about once a second."""

    iteration: int
    iterations: int
    losses: Floats  # (models,) means over this line of metrics so far; NaN where diverged
    seconds: float  # with those before a resumption
    rate: float  # iterations a second

    @property
    def loss_text(self) -> str:
        """The median loss of the models that have not diverged."""
        alive = self.losses[~np.isnan(self.losses)]
        return f"loss {np.median(alive):.2e}" if len(alive) else "all diverged"


@dataclass(frozen=True, slots=True)
class ModelResult:
    """The facts about a model, without its weights."""

    seed: int
    loss: float | None  # None where the model diverged
    iterations: int
    seconds: float  # training of all seeds together
    diverged: int | None  # iteration at which the loss was no longer finite
    passed: bool | None = None  # None where nothing was evaluated, or memory was too small


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """One model at the end of a run."""

    seed: int
    model: Dfst
    loss: float  # of the last line of metrics, NaN where it diverged
    iterations: int
    seconds: float
    diverged: int  # iteration; -1 is never

    def result(self, passed: bool | None = None) -> ModelResult:
        loss = None if np.isnan(self.loss) else self.loss
        lost = self.diverged if self.diverged >= 0 else None
        return ModelResult(self.seed, loss, self.iterations, round(self.seconds, 3), lost, passed)


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPlan:
    """What to train, on what, and how."""

    traces: Traces
    recipe: Recipe
    seeds: tuple[int, ...]
    device: str = "auto"
    command: str = field(default_factory=what_was_typed)
    method: Method = BY_DFST
    expert: Table | None = None  # to be asked, by methods that ask
    begun: Floats | None = None  # (models, weights) to start from; None: random ones
    measured: bool = True  # RLG and margins, where it has a folder; who asks for a proof needs none

    def __post_init__(self) -> None:
        """Fits what the recipe leaves open: a plan has nothing open."""
        if self.recipe.dim or self.traces.states:
            object.__setattr__(self, "recipe", fitted(self.recipe, self.shape.parameters, self.traces))

    @property
    def shape(self) -> Shape:
        dim = self.recipe.dim or self.traces.states or 0
        if not dim:
            raise fail("G123", "these traces do not say how many states the expert has", "give --dim N")
        return Shape(len(self.traces.symbols), dim)

    def job(self, state: State) -> TrainingJob:
        """The job of an engine, from a state on."""
        return TrainingJob(self.traces, self.shape, self.recipe, self.seeds, state)

    def identity(self) -> dict[str, Any]:
        """What a checkpoint must agree with to be resumed."""
        return {
            "recipe": self.recipe.as_json(),
            "seeds": list(self.seeds),
            "traces": digest(self.traces),
            "dim": self.shape.dim,
            "symbols": list(self.traces.symbols),
            "method": self.method.as_json(),
            **({"begun": sha256(self.begun.tobytes()).hexdigest()} if self.begun is not None else {}),
        }


def train(
    plan: TrainingPlan,
    folder: str | None = None,
    *,
    resume: bool = False,
    restart: bool = False,
    on_event: Callable[[TrainingProgress], None] = lambda _: None,
) -> list[Trained]:
    """Trains all seeds; with a folder, keeps metrics, measures and checkpoints there, and goes on from them.

    A piece of iterations at a time, whose size changes no bit; between two pieces models may settle, a
    checkpoint can be taken, and the run be stopped. A KeyboardInterrupt that `on_event` raises ends the run
    with a checkpoint. Whoever names a folder holds its LOCK, or that of a folder around it.
    """
    recipe, many = plan.recipe, len(plan.seeds)
    with device_errors(many), stop_requests() as stopped:
        state, before = _begin(plan, folder, resume, restart)
        run = _Run(plan, state, before, folder, restart)
        journal, settling, pace = run.journal, run.settling, 1
        stops = sorted({*run.measuring.points, *settling.points, recipe.iterations})
        ended = journal.at >= recipe.iterations or len(settling.models) == many
        with closing(run.measuring):
            while not ended:
                begun, at = time.monotonic(), journal.at
                stop = min(at + pace, stops[bisect_right(stops, at)])
                losses = run.engine.advance(_schedule(recipe, at, stop))
                pace = _next_pace(pace, stop - at, time.monotonic() - begun)
                for model, settled in settling.models.items():
                    losses[model] = settled.loss
                settling.at(stop, losses[:, -1])
                training = set(np.flatnonzero(~np.isnan(losses[:, -1])).tolist()) - settling.models.keys()
                ended = stop == recipe.iterations or not training
                means = journal.add(losses, last=ended)
                run.measuring.at(stop, journal.elapsed, settling.state, last=ended)
                total = stop if ended else recipe.iterations
                try:
                    on_event(TrainingProgress(stop, total, means, journal.elapsed, journal.rate))
                    if stopped.is_set():
                        raise KeyboardInterrupt
                except KeyboardInterrupt:
                    journal.checkpoint(settling.state(), settling.models)
                    raise
                if journal.checkpoint_is_due() and not ended:
                    journal.checkpoint(settling.state(), settling.models)
        final = settling.state()
        journal.checkpoint(final, settling.models)
        models = _models(plan, final, run)
        journal.end(run.about, [model.loss for model in models])
    return models


class _Run:
    """An opened run: its engine, and what records, measures and refits beside it."""

    def __init__(
        self, plan: TrainingPlan, state: State, before: dict[str, Any], folder: str | None, restart: bool
    ) -> None:
        job, identity = plan.job(state), plan.identity()
        self.engine = open_engine(plan.device, job)
        self.versions = _versions(self.engine)
        _compare_engines(before, self.versions)
        if folder and restart:
            clear(folder)
        kept = {**identity, **self.versions, "command": before.get("command") or plan.command}
        self.journal = Journal(folder, plan.recipe, kept, state.iteration, before)

        def as_model(weights: Floats) -> Dfst:
            return to_model(plan, weights, {})

        keep = partial(self.journal.keep, MEASURES)
        self.measuring = Measuring(job, as_model, keep, anything=plan.measured and folder is not None)
        self.settling = Settling(job, self.engine, as_model, before)
        name, data = plan.traces.name, described(plan.traces)
        self.about = {"format": RUN_FORMAT, "name": name, "data": data, **kept}
        self.journal.open(self.about)


def _schedule(recipe: Recipe, first: int, last: int) -> AdamSchedule:
    """Computed in whole blocks from iteration 0 on, so that no cut of a run can change a bit."""
    block = LIMITS.room
    begin = first // block * block
    blocks = [recipe.adam_schedule(at, block) for at in range(begin, last, block)]
    whole = AdamSchedule(*(np.concatenate(columns) for columns in zip(*blocks, strict=True)))
    return whole.between(first - begin, last - begin)


def _next_pace(pace: int, done: int, seconds: float) -> int:
    """How many iterations to do at once, after `done` took `seconds`."""
    if seconds < LIMITS.piece_seconds / 2:
        return max(pace, 2 * done)
    return max(1, done // 2) if seconds > LIMITS.piece_seconds * 2 else pace


def _begin(
    plan: TrainingPlan, folder: str | None, resume: bool, restart: bool
) -> tuple[State, dict[str, Any]]:
    """The state to start from, and what is known of the run so far."""
    shape, models = plan.shape, len(plan.seeds)
    if 12 * models * shape.parameters > TRACE_LIMITS.most_bytes:
        message = f"{models:,} models of {shape.parameters:,} weights are too many for one run"
        raise fail("G123", message, "train fewer seeds at once")
    if folder is not None:
        make_folder(folder)
        checkpoint = None if restart else read_checkpoint(folder)
        if checkpoint is not None:
            state, before = checkpoint
            if not resume:
                hint = f"continue with --resume, or {RESTART}"
                raise fail("G121", "there is a run here already", hint, folder)
            check_same(before, plan.identity(), folder)
            if state.weights.shape[1] != shape.parameters or state.iteration > plan.recipe.iterations:
                raise fail("G121", "this checkpoint is damaged: it is of another run", RESTART, folder)
            return checkpoint
        if resume:
            tell_once(f"there is no checkpoint in {folder}; starting at the beginning")
    state = fresh(shape, plan.seeds)
    return (state if plan.begun is None else replace(state, weights=plan.begun)), {}


def _compare_engines(before: dict[str, Any], versions: dict[str, Any]) -> None:
    """Resumed elsewhere, a run is as good, but rounds otherwise."""
    for key in ("engine", "gpu"):
        if before.get(key, versions[key]) != versions[key]:
            there, here = before[key] or "no GPU", versions[key] or "no GPU"
            tell_once(f"this run began on {there} and continues on {here}: some bits of its weights differ")
            return


def _models(plan: TrainingPlan, final: State, run: _Run) -> list[Trained]:
    models, seconds = [], run.journal.elapsed
    for model, seed in enumerate(plan.seeds):
        lost, settled = int(final.diverged[model]), run.settling.models.get(model)
        loss, done = (
            (float("nan"), lost) if lost >= 0 else (float(run.journal.losses[model]), final.iteration)
        )
        about: dict[str, Any] = {}
        if settled:
            loss, done, about = settled.loss, settled.iteration, {"refitted": {"states": settled.states}}
        about |= {"loss": None if np.isnan(loss) else loss, "iterations": done, "seconds": round(seconds, 3)}
        learned = to_model(plan, final.weights[model], {"seed": seed, **about, **run.versions})
        models.append(Trained(seed, learned, loss, done, seconds, lost))
    return models


def to_model(plan: TrainingPlan, flat: Floats, about: dict[str, Any]) -> Dfst:
    """A model with all that is known of how it was made."""
    traces, shape = plan.traces, plan.shape
    recipe = {"recipe": plan.recipe.as_json(), "dim": shape.dim}
    metadata = {**metadata_of(traces), "training": training_data(plan, {**recipe, **about})}
    return Dfst(*shape.tensors(flat), traces.symbols, tuple(MOVES), metadata)


def training_data(plan: TrainingPlan, about: Mapping[str, Any]) -> str:
    """How a model was made, as its metadata keep it."""
    training = {"method": plan.method.as_json(), "data": described(plan.traces), **about}
    return json.dumps(training, ensure_ascii=False)


@lru_cache(maxsize=8)
def described(traces: Traces) -> Mapping[str, Any]:
    """What was learned from."""
    sizes = {"traces": len(traces), "steps": traces.steps, "longest": int(traces.length.max())}
    return {**sizes, "digest": digest(traces), "made": dict(traces.data)}


def _versions(engine: Engine) -> dict[str, Any]:
    torch = sys.modules.get("torch")
    gpu = torch.cuda.get_device_name() if torch and _on_gpu(engine) else ""
    versions = {"gridlang": __version__, "python": platform.python_version(), "numpy": np.__version__}
    if torch:
        versions["torch"] = str(torch.__version__)
    return {"engine": engine.name, "gpu": gpu, "versions": versions}


def _on_gpu(engine: Engine) -> bool:
    return engine.name.endswith("cuda")


def write_seeds(models: Sequence[Trained], folder: str) -> None:
    """Writes each model that has not diverged; a file from before may be damaged."""
    for model in models:
        if model.diverged < 0:
            write_whole(os.path.join(folder, f"seed-{model.seed}.safetensors"), model.model.to_bytes())


def write_models(models: Sequence[Trained], output: str, folder: str | None) -> Trained | None:
    """Writes each model into the folder, and the best to `output`; None where all have diverged."""
    if folder:
        write_seeds(models, folder)
    alive = (model for model in models if model.diverged < 0)
    best = min(alive, key=lambda model: model.loss, default=None)
    if best:
        write_whole(output, best.model.to_bytes())
    return best
