"""A training run: many seeds, metrics and checkpoints in a folder, and models at the end."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from gridlang import __version__
from gridlang.compiler.tensors.dfst import Dfst
from gridlang.compiler.tensors.model import DFST_FORMAT, NEGATIVE, STUCK, Model
from gridlang.diagnostics import fail
from gridlang.files import make_folder, write_whole
from gridlang.learners.runtime.processes import stop_requests
from gridlang.learners.traces.dataset import Traces, digest
from gridlang.learners.traces.limits import LIMITS as TRACE_LIMITS
from gridlang.learners.training.engine import (
    AnyShape,
    Engine,
    Shape,
    Share,
    State,
    TrainingJob,
    fresh,
    networks,
)
from gridlang.learners.training.engine_choice import device_errors, open_engine
from gridlang.learners.training.journal import MEASURES, RESTART, Journal, check_same, clear, read_checkpoint
from gridlang.learners.training.limits import LIMITS
from gridlang.learners.training.measuring import Measuring, prepared
from gridlang.learners.training.method_choice import BY_DFST, MethodChoice
from gridlang.learners.training.recipes import AdamSchedule, Floats, Recipe, fitted
from gridlang.table import BLANK, MOVES, Table
from gridlang.terminal.notes import tell_once

RUN_FORMAT = "gridlang-run/1"
LOCK = ".train"  # the lock of whoever trains in a folder


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


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """One model at the end of a run."""

    seed: int
    model: Model
    loss: float  # of the last line of metrics, NaN where it diverged
    iterations: int
    seconds: float
    diverged: int  # iteration; -1 is never

    @property
    def dfst(self) -> Dfst:
        """The model of a run of DFSTs."""
        assert isinstance(self.model, Dfst)
        return self.model


class TrainedFurther(NamedTuple):
    """The final models, the seconds of training, and the number of seeds trained further."""

    models: list[Trained]
    seconds: float
    seeds: int


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPlan:
    """What to train, on what, and how."""

    traces: Traces
    recipe: Recipe
    seeds: tuple[int, ...]
    device: str = "auto"
    command: str = ""  # what to type to train it again
    method: MethodChoice = BY_DFST
    shares: tuple[Share, ...] = ()  # of the traces, one a seed; empty where each learns from all
    expert: Table | None = None  # to be asked, by methods that ask
    begun: Floats | None = None  # (models, weights) to start from; None: random ones

    def __post_init__(self) -> None:
        """Fits what the recipe leaves open: a plan has nothing open."""
        if self.recipe.dim or self.traces.states or self.method.network:
            object.__setattr__(self, "recipe", fitted(self.recipe, self.shape.parameters, self.traces))

    @property
    def shape(self) -> AnyShape:
        if self.method.network:
            sizes = self.method.architecture, self.traces, self.recipe.dim
            shape: AnyShape = networks("shapes").network_shape(*sizes)
            return shape
        dim = self.recipe.dim or self.traces.states or 0
        if not dim:
            raise fail("G123", "these traces do not say how many states the expert has", "give --dim N")
        return Shape(len(self.traces.symbols), dim)

    def job(self, state: State) -> TrainingJob[AnyShape]:
        """The job of an engine, from a state on."""
        return TrainingJob(self.traces, self.shape, self.recipe, self.seeds, state, self.shares)

    def identity(self) -> dict[str, Any]:
        """What a checkpoint must agree with to be resumed."""
        return {
            "recipe": self.recipe.as_json(),
            "seeds": list(self.seeds),
            "traces": digest(self.traces),
            "dim": self.shape.dim,
            "symbols": list(self.traces.symbols),
            "method": self.method.as_json(),
            **({"shares": [list(share) for share in self.shares]} if self.shares else {}),
            **({"begun": sha256(self.begun.tobytes()).hexdigest()} if self.begun is not None else {}),
        }


def train(
    plan: TrainingPlan,
    folder: str | None = None,
    *,
    resume: bool = False,
    restart: bool = False,
    progress: Callable[[TrainingProgress], None] = lambda _: None,
    snapshots: Sequence[int] = (),
    on_snapshot: Callable[[int, Floats], None] = lambda _, __: None,
) -> list[Trained]:
    """Trains all seeds; with a folder, keeps metrics, measures and checkpoints there, and goes on from them.

    `on_snapshot` is given the weights (models, parameters) at each of the iterations `snapshots`.
    A KeyboardInterrupt that one of the callbacks raises ends the run with a checkpoint. Whoever names a
    folder holds its LOCK, or that of a folder around it.
    """
    with device_errors(len(plan.seeds)):
        identity = plan.identity()
        state, before = _begin(plan, identity, folder, resume, restart)
        job = plan.job(state)
        ready = prepared(job) if folder is not None else None
        engine = open_engine(plan.device, job)
        versions = _versions(engine)
        _compare_engines(before, versions)
        if folder and restart:
            clear(folder)
        about = {**identity, **versions, "command": before.get("command") or plan.command}
        journal = Journal(folder, plan.recipe, about, state.iteration, before)
        measuring = Measuring(
            job,
            lambda weights: to_model(plan, weights, {}),
            partial(journal.keep, MEASURES),
            on_gpu=_on_gpu(engine),
            ready=ready,
        )
        name, data = plan.traces.name, described(plan.traces)
        journal.open({"format": RUN_FORMAT, "name": name, "data": data, **about})

        def tell(losses: Floats) -> None:
            if journal.at in snapshots:
                on_snapshot(journal.at, engine.state().weights)
            total, seconds = plan.recipe.iterations, journal.elapsed
            progress(TrainingProgress(journal.at, total, losses, seconds, journal.rate))
            if stopped.is_set():
                raise KeyboardInterrupt

        with stop_requests() as stopped, closing(measuring):
            _loop(plan.recipe, engine, journal, measuring, snapshots, tell)
        final = engine.state()
        journal.checkpoint(final)
    return _models(plan, final, journal, versions)


def _loop(
    recipe: Recipe,
    engine: Engine,
    journal: Journal,
    measuring: Measuring,
    snapshots: Sequence[int],
    tell: Callable[[Floats], None],
) -> None:
    """Advances a piece at a time; between two pieces a checkpoint can be taken, and the run be stopped."""
    total, pace, stops = recipe.iterations, 1, sorted({*snapshots, *measuring.points})
    while journal.at < total:
        at = journal.at
        stop = min(total, at + pace, *stops[(due := bisect_right(stops, at)) : due + 1])
        begun = time.monotonic()
        losses = journal.add(engine.advance(_schedule(recipe, at, stop)))
        pace = _next_pace(pace, stop - at, time.monotonic() - begun)
        measuring.at(journal.at, journal.elapsed, engine.state)
        try:
            tell(losses)
        except KeyboardInterrupt:
            journal.checkpoint(engine.state())
            raise
        if np.isnan(losses).all():
            return  # Every seed has diverged.
        if journal.checkpoint_is_due():
            journal.checkpoint(engine.state())


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
    plan: TrainingPlan, identity: dict[str, Any], folder: str | None, resume: bool, restart: bool
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
            check_same(before, identity, folder)
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


def _models(plan: TrainingPlan, final: State, journal: Journal, versions: dict[str, Any]) -> list[Trained]:
    models, seconds = [], journal.elapsed
    for model, seed in enumerate(plan.seeds):
        lost = int(final.diverged[model])
        loss, done = (float("nan"), lost) if lost >= 0 else (float(journal.losses[model]), final.iteration)
        about = {"loss": None if np.isnan(loss) else loss, "iterations": done, "seconds": round(seconds, 3)}
        learned = to_model(plan, final.weights[model], {"seed": seed, **about, **versions})
        models.append(Trained(seed, learned, loss, done, seconds, lost))
    return models


def to_model(plan: TrainingPlan, flat: Floats, about: dict[str, Any]) -> Model:
    """A model with all that is known of how it was made."""
    traces, shape = plan.traces, plan.shape
    recipe = {"recipe": plan.recipe.as_json(), "dim": shape.dim}
    metadata = {**metadata_of(traces), "training": training_data(plan, {**recipe, **about})}
    if isinstance(shape, Shape):
        return Dfst(*shape.tensors(flat), traces.symbols, tuple(MOVES), metadata)
    network: Model = networks("network").network_of(shape, flat.copy(), traces.symbols, metadata)
    return network


def training_data(plan: TrainingPlan, about: Mapping[str, Any]) -> str:
    """How a model was made, as its metadata keep it."""
    training = {"method": plan.method.as_json(), "data": described(plan.traces), **about}
    return json.dumps(training, ensure_ascii=False)


def metadata_of(traces: Traces) -> dict[str, str]:
    """What a model takes over from the traces that it was learned from."""
    return {
        "format": DFST_FORMAT,
        "name": traces.name,
        "symbols": json.dumps(traces.symbols, ensure_ascii=False),
        "moves": json.dumps(list(MOVES)),
        "blank": BLANK,
        "classes": json.dumps(traces.classes, ensure_ascii=False),
        **({"input": traces.input} if traces.input else {}),
        **({"source": traces.source} if traces.source else {}),
        **({STUCK: NEGATIVE} if traces.strict else {}),
    }


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


def write_models(models: Sequence[Trained], output: str, folder: str | None) -> Trained | None:
    """Writes each model into the folder, and the best to `output`; None where all have diverged."""
    alive = [model for model in models if model.diverged < 0]
    for model in alive if folder else []:
        write_whole(os.path.join(folder or "", f"seed-{model.seed}.safetensors"), model.model.to_bytes())
    best = min(alive, key=lambda model: model.loss, default=None)
    if best:
        write_whole(output, best.model.to_bytes())
    return best
