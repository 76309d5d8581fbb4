"""The way in to training: models from traces, and learning until proven."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial

from compiler.arguments import (
    NONE,
    SECONDS,
    AgentLike,
    Path,
    Say,
    as_program,
    at_least,
    at_most,
    counting,
    is_weights,
    listener,
    model_file,
    one_of,
)
from compiler.tensors.model import Model
from gridlang.diagnostics import fail
from gridlang.loading import load
from gridlang.program import Program
from gridlang.terminal.notes import paced
from learners.api.data import TracesLike, as_traces, is_traces
from learners.learning.learn import learn as learn_in
from learners.learning.learn_text import merged_line, round_line
from learners.learning.rounds import Learned, RoundResult
from learners.learning.settings import SILENT, LearnCallbacks, learn_config
from learners.learning.training_on import Unconverged
from learners.methods.train import train_by_method
from learners.runtime.folder_lock import held
from learners.traces.dataset import Traces
from learners.traces.sampling import default_traces
from learners.training.growing import without_expert
from learners.training.journal import unheard
from learners.training.methods import AUTO, DFST, METHODS, TABLES, method_of, usual_recipe
from learners.training.recipes import changed, load_recipe
from learners.training.tensorboard import EventFiles
from learners.training.train import LOCK, TrainingPlan, TrainingProgress
from learners.training.train_text import loss_text

DEVICES = ("auto", "cuda", "cpu", "torch")


def train(
    data: TracesLike | AgentLike,
    *,
    method: str = DFST,
    recipe: str | None = None,
    iterations: int | None = None,
    lr: float | None = None,
    dim: int | None = None,
    order: str | None = None,
    most_states: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    seeds: int = 1,
    device: str = "auto",
    run: Path | None = None,
    resume: bool = False,
    restart: bool = False,
    tensorboard: Path | None = None,
    held_out: float | None = None,
    progress: Say | None = None,
) -> list[Model]:
    """Learns models from traces, or from an agent, whose traces are made first; the best model comes first.

    The method is dfst, merge, sat, lstm, gru or transformer; merge and sat give one model, exact weights of
    the table that they find, or none: merge in an `order`, evidence or breadth, and sat for at most so many
    `seconds` and of at most `most_states`. So many `seeds` are trained at once, from `seed` on. The recipe is
    fast, paper, proof, network, or a file NAME.toml; iterations, lr and dim, the states of a model or the
    width of a network, replace what it says. With a folder `run`, metrics and checkpoints are kept there,
    and `resume` goes on where an interrupted run has stopped.
    `model.training` tells how a model was made; its loss is None where it diverged. Event files for
    TensorBoard go to `tensorboard`/NAME, if that is given with `run`. Of traces without an expert, as those
    of a log, a tenth is `held_out` unless another share is given, and a DFST's states are grown from few.

    >>> import gridlang as gl
    >>> traces = gl.trace("examples/increment.grid", rule="worlds", count=50)
    >>> models = gl.train(traces, seeds=2, iterations=20)
    >>> sorted(model.training["seed"] for model in models)
    [0, 1]
    """
    one_of("device", device, DEVICES)
    one_of("method", method, METHODS)
    if resume and restart:
        raise ValueError("give resume or restart, not both")
    _with_folder(run, resume=resume, restart=restart)
    if tensorboard is not None and run is None:
        raise ValueError("event files are of a run that is kept: give its folder too, as run=FOLDER")
    at_least(1, seeds=seeds)
    at_least(0, seed=seed)
    source = as_learnable(data)
    traces = training_set(source, seed, counting(progress, f"runs of {source.name}"))
    named = load_recipe(recipe or usual_recipe(method, "fast"), traces.name)
    chosen = changed(named, iterations=iterations, lr=lr, dim=dim)
    how = method_of(method, order=order, most_states=most_states, seconds=seconds)
    plan = TrainingPlan(traces, chosen, tuple(range(seed, seed + seeds)), device, method=how)
    plan, _ = without_expert(plan, held_out, listener(progress))
    folder = os.fspath(run) if run is not None else None
    with held(folder, LOCK) if folder is not None else nullcontext():
        listen = EventFiles(os.path.join(tensorboard, traces.name), plan.seeds) if tensorboard else unheard
        trained = train_by_method(
            plan, folder, resume=resume, restart=restart, progress=_told(progress), listen=listen
        )
    ranked = sorted(trained, key=lambda each: (each.diverged >= 0, each.loss))
    return [each.model for each in ranked]


def as_learnable(data: TracesLike | AgentLike, definitions: Mapping[str, str] = NONE) -> Traces | Program:
    """Traces, or an agent whose traces can be made; GridError for a model, of which nothing is learned."""
    if isinstance(data, Traces) or is_traces(data):
        return as_traces(data)
    if is_weights(data):
        hint = "give traces (.npz), a log (.csv, .jsonl) or an agent (.grid)"
        raise fail("G123", "a model is not what is learned from", hint, model_file(data))
    return as_program(data, definitions)


def training_set(source: Traces | Program, seed: int, progress: Callable[[int], None]) -> Traces:
    """The traces themselves; those of an agent are made, in numbers that are good to learn from."""
    return source if isinstance(source, Traces) else default_traces(source, seed, progress)


def _with_folder(run: Path | None, **wanted: bool) -> None:
    """ValueError if an earlier run is meant, and no folder says which."""
    for name, asked in wanted.items():
        if asked and run is None:
            raise ValueError(f"{name} is about an earlier run: give its folder too, as run=FOLDER")


def _told(say: Say | None) -> Callable[[TrainingProgress], None]:
    """Tells where a run stands, about once a second and at its end."""
    tell = paced(say, SECONDS)
    return lambda at: tell(partial(_standing, at), at.iteration == at.iterations)


def _standing(at: TrainingProgress) -> str:
    about = f"{loss_text(at.losses)}, {at.rate:,.0f} it/s"
    return f"iteration {at.iteration:,} of {at.iterations:,}, {about}"


def learn(
    agent: AgentLike,
    *,
    scope: str = "worlds",
    method: str = AUTO,
    strict: bool = False,
    seeds: int | None = None,
    seed: int = 0,
    any: bool = False,
    rounds: int = 8,
    recipe: str | None = None,
    iterations: int | None = None,
    dim: int | None = None,
    worlds: int | None = None,
    radius: int | None = None,
    length: int = 12,
    device: str = "auto",
    run: Path | None = None,
    resume: bool = False,
    progress: Say | None = None,
) -> Learned:
    """Learns an agent from its traces until what is extracted is proven to do the same.

    The `method` auto merges states first, and trains where what comes of that is not proven, or at once where
    something is said about training: `seeds`, `recipe`, `iterations`, `dim` or `device`. Each round records
    traces, trains all seeds, extracts a program from each, and proves it at the `scope`, worlds or inputs;
    what a model gets wrong is taught in the next. It ends when all seeds are proven, or with `any` when one
    is, or after so many rounds. If `strict`, a model is taught to be stuck where the agent is, and that is
    proven too. `model` and `program` are the best ones. The rounds are kept in the folder `run`, so that
    `resume` can go on; without one they are gone when Python ends.

    >>> import gridlang as gl
    >>> learned = gl.learn("examples/increment.grid")
    >>> learned.method, learned.proven
    ('merge', (0,))
    >>> gl.learn("examples/increment.grid", scope="inputs", seeds=1, iterations=3000).method
    'dfst'
    """
    one_of("scope", scope, ("worlds", "inputs"))
    one_of("device", device, DEVICES)
    one_of("method", method, (AUTO, *METHODS))
    if method in TABLES and seeds not in (None, 1):
        raise ValueError(f"{method} draws nothing at random: it has one answer, not {seeds}")
    at_least(1, seeds=seeds, rounds=rounds, length=length)
    at_least(0, seed=seed, worlds=worlds, radius=radius)
    at_most(8, radius=radius)  # Windows beyond it outgrow every limit.
    _with_folder(run, resume=resume)
    folder = _kept_until_exit() if run is None else os.fspath(run)
    program = _on_disk(as_program(agent), folder)
    config = learn_config(
        program,
        recipe=recipe,
        iterations=iterations,
        dim=dim,
        seed=seed,
        seeds=seeds,
        method=method,
        scope=scope,
        strict=strict,
        rounds=rounds,
        worlds=worlds,
        device=device,
        any=any,
        radius=radius,
        length=length,
    )
    callbacks = _callbacks(progress, len(config.seeds))
    return learn_in(config, folder, resume=resume, callbacks=callbacks)


def _callbacks(say: Say | None, seeds: int) -> LearnCallbacks:
    tell = listener(say)
    if tell is None:
        return SILENT

    def ended(done: RoundResult) -> None:
        tell(round_line(done, seeds))

    def merged(done: RoundResult) -> None:
        tell(merged_line(done))

    def unconverged(model: Unconverged) -> None:
        tell(str(model))

    prepare = paced(tell, SECONDS)
    return LearnCallbacks(
        preparing=lambda text: prepare(lambda: text),
        training=_told(tell),
        round=ended,
        merged=merged,
        unconverged=unconverged,
    )


def _kept_until_exit() -> str:
    folder = tempfile.mkdtemp(prefix="gridlang-learn-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _on_disk(program: Program, folder: str) -> Program:
    """The program with a file: a proof says which file it is about."""
    if os.path.isfile(program.file):
        return program
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{program.name}.json")
    program.save(path)
    return program._replace(file=load(path).file)
