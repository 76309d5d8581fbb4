"""The API to training: models from traces, and learning until proven."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, TypeAlias

from gridlang.compiler import arguments
from gridlang.compiler.arguments import (
    NONE,
    AgentLike,
    Path,
    Say,
    as_program,
    is_weights,
    model_file,
)
from gridlang.compiler.program_files import read_file
from gridlang.compiler.tensors.model import Model
from gridlang.diagnostics import fail
from gridlang.files import write_whole
from gridlang.learners.api.data import is_traces
from gridlang.learners.learning.learn import learn as learn_in
from gridlang.learners.learning.learn_text import round_line
from gridlang.learners.learning.rounds import Learned, RoundResult
from gridlang.learners.learning.settings import Event, LearnConfig, OnEvent, learn_config, on_cluster
from gridlang.learners.learning.training_further import Unconverged
from gridlang.learners.methods.method import Method
from gridlang.learners.methods.registry import AUTO, method_named, refuse_training, train_by_method
from gridlang.learners.runtime.folder_lock import held
from gridlang.learners.traces.choosing.reads import first_reads
from gridlang.learners.traces.choosing.sampling import default_traces
from gridlang.learners.traces.dataset import Traces, TracesLike, as_traces
from gridlang.learners.training.engine_choice import DEVICES, refuse_device
from gridlang.learners.training.method_choice import DFST
from gridlang.learners.training.recipes import changed, load_recipe
from gridlang.learners.training.train import LOCK, Trained, TrainingPlan, TrainingProgress, write_models
from gridlang.loading import load, load_source
from gridlang.program import Program
from gridlang.source import Source
from gridlang.terminal.notes import SECONDS, paced

# the plan first, then progress in words and numbers
TrainingEvent: TypeAlias = TrainingPlan | str | TrainingProgress


def train(
    data: TracesLike | AgentLike,
    *,
    method: str = DFST,
    recipe: str | None = None,
    iterations: int | None = None,
    lr: float | None = None,
    dim: int | None = None,
    seed: int = 0,
    seeds: int = 1,
    device: str = "auto",
    output: Path | None = None,
    run: Path | None = None,
    resume: bool = False,
    restart: bool = False,
    command: str = "",
    progress: Say | None = None,
    on_event: Callable[[TrainingEvent], None] | None = None,
    **settings: Any,
) -> TrainedModels:
    """Learns models from traces, or from an agent, which is recorded first; a list, the best model first.

    The method is dfst, ask, merge, lstm, gru, transformer, or one that was added. ask and merge give one
    model, exact weights of the table they find; ask is given no traces, but puts questions to the agent
    itself, and `model.training` counts them. Each method has its own `settings`: ask a `scope`, worlds,
    inputs or table; merge an `order`, evidence or breadth. `seeds` models are trained at once, from `seed`
    on. The recipe is proof, fast, paper, network, or a file NAME.toml; iterations, lr and dim, the states of
    a model or the width of a network, replace what it says. The best model is written to `output`.
    The folder `run` keeps metrics, checkpoints, the `command` to type again, and with `output` the models;
    `resume` continues an interrupted run. `model.training` tells how a model was made; its loss is None if it
    diverged. Traces that do not say how many states their agent has need `dim` for a DFST. `on_event` is
    given the plan, words, and how training goes.

    >>> import gridlang as gl
    >>> traces = gl.trace("examples/increment.grid", rule="scrambled", count=50)
    >>> models = gl.train(traces, seeds=2, iterations=20)
    >>> sorted(model.training["seed"] for model in models)
    [0, 1]
    """
    arguments.one_of("device", device, DEVICES)
    how = method_named(method)
    if resume and restart:
        raise ValueError("give resume or restart, not both")
    _with_folder(run, resume=resume, restart=restart)
    arguments.whole(1, seeds=seeds)
    arguments.whole(0, seed=seed)
    choice, source = how.choice(**settings), as_learnable(data)
    if how.trained:
        refuse_device(device, choice.network)
    tell = on_event or InWords(progress)
    named = load_recipe(recipe or how.recipe or "proof", os.path.basename(source.name))
    chosen = changed(named, iterations=iterations, lr=lr, dim=dim)
    traces, expert = _shown(source, how, seed, tell)
    plan = TrainingPlan(traces, chosen, tuple(range(seed, seed + seeds)), device, command, choice)
    plan = replace(plan, expert=expert and expert.table)
    tell(plan)
    folder = os.fspath(run) if run is not None else None
    with held(folder, LOCK) if folder is not None else nullcontext():
        trained = train_by_method(plan, folder, resume=resume, restart=restart, on_event=tell)
        if output is not None:
            write_models(trained, os.fspath(output), folder)
    return TrainedModels(plan, trained)


def _shown(
    source: Traces | Program, how: Method, seed: int, tell: Callable[[str], None]
) -> tuple[Traces, Program | None]:
    """The traces that a method is given, and the agent if it may ask one."""
    if how.asks:
        expert = expert_of(source)
        return first_reads(expert), expert
    if isinstance(source, Traces):
        return source, None
    return default_traces(source, seed, arguments.counting(tell, f"runs of {source.name}")), None


def as_learnable(data: TracesLike | AgentLike, definitions: Mapping[str, str] = NONE) -> Traces | Program:
    """Traces, or an agent to record; GridError for a model."""
    if isinstance(data, Traces) or is_traces(data):
        return as_traces(data)
    if is_weights(data):
        hint = "give traces (.npz, .jsonl) or an agent (.grid)"
        raise fail("G123", "a model is not what is learned from", hint, model_file(data))
    return as_program(data, definitions)


def expert_of(source: Traces | Program) -> Program:
    """The agent to ask; of traces, the one they carry. GridError if they carry none."""
    if isinstance(source, Program):
        return source
    if not source.source:
        hint = "give the agent (.grid), or learn from the traces: --method merge"
        raise fail("G123", f"these traces of `{source.name}` do not carry an agent that could be asked", hint)
    return load_source(Source(f"<source in the traces of {source.name}>", source.source))


def _with_folder(run: Path | None, **wanted: bool) -> None:
    """ValueError if an earlier run is meant but its folder is not given."""
    for name, asked in wanted.items():
        if asked and run is None:
            raise ValueError(f"{name} is about an earlier run: give its folder too, as run=FOLDER")


class InWords:
    """Tells the events of a run in words, progress about once a second."""

    def __init__(self, say: Say | None) -> None:
        self.say: Say = arguments.listener(say) or (lambda _: None)
        self.paced, self.seeds = paced(say, SECONDS), 0

    def __call__(self, event: Event | TrainingEvent) -> None:
        match event:
            case LearnConfig():
                self.seeds = len(event.seeds)
            case str():
                self.paced(lambda: event)
            case TrainingProgress() as at:
                so_far, rate = f"iteration {at.iteration:,} of {at.iterations:,}", f"{at.rate:,.0f} it/s"
                self.paced(lambda: f"{so_far}, {at.loss_text}, {rate}", at.iteration == at.iterations)
            case Unconverged():
                self.say(str(event))
            case RoundResult():
                self.say(round_line(event, self.seeds))


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
    ray: str | None = None,
    output: Path | None = None,
    certificate: Path | None = None,
    run: Path | None = None,
    resume: bool = False,
    command: str = "",
    progress: Say | None = None,
    on_event: OnEvent | None = None,
) -> Learned:
    """Learns an agent, by asking it or from its traces, until the program is proven to do the same.

    The `method` auto is `ask`, which puts questions to the agent until the prover finds no difference, and
    sees none of its states; it is dfst if `seeds`, `recipe`, `iterations`, `dim`, `worlds`, `device` or `ray`
    is given. A round of training records traces, trains all seeds, extracts a program from each, and proves
    it at the `scope`, worlds or inputs; the next round teaches what models got wrong. It ends when all seeds
    are proven, or with `any` one, or after `rounds` rounds. With `strict`, a model must be stuck where the
    agent is, and that is proven too. Seeds are trained and judged on the Ray cluster at the address `ray`, or
    at RAY_ADDRESS; `none` uses this machine. `model` and `program` are the best ones; the model is written to
    `output`, its proof to `certificate`. The folder `run` keeps the rounds and the `command` to type again,
    and `resume` continues them; without a folder they are gone when Python ends. `on_event` is given each
    event of the run.

    >>> import gridlang as gl
    >>> learned = gl.learn("examples/increment.grid")
    >>> learned.method, learned.proven
    ('ask', (0,))
    >>> gl.learn("examples/increment.grid", scope="inputs", seeds=1, iterations=3000).method
    'dfst'
    """
    arguments.one_of("scope", scope, ("worlds", "inputs"))
    arguments.one_of("device", device, DEVICES)
    refuse_training(method, seeds, ray)
    arguments.whole(1, seeds=seeds, rounds=rounds, length=length)
    arguments.whole(0, seed=seed, worlds=worlds)
    arguments.whole(0, 8, radius=radius)  # larger windows outgrow every limit
    _with_folder(run, resume=resume)
    tell = on_event or InWords(progress)
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
        ray=ray,
        scope=scope,
        strict=strict,
        rounds=rounds,
        worlds=worlds,
        device=device,
        any=any,
        radius=radius,
        length=length,
        command=command,
    )
    with on_cluster(config, ray) as config:
        if method_named(config.method.name).trained and not config.cluster:
            refuse_device(device, config.method.network)
        tell(config)
        learned = learn_in(config, folder, resume=resume, on_event=tell)
    for path, ending in ((output, "safetensors"), (certificate, "certificate.json")):
        if path is not None and learned.best is not None:
            write_whole(os.fspath(path), read_file(learned.file(learned.best, ending)))
    return learned


def _kept_until_exit() -> str:
    folder = tempfile.mkdtemp(prefix="gridlang-learn-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _on_disk(program: Program, folder: str) -> Program:
    """The program with a file, which a proof names."""
    if os.path.isfile(program.file):
        return program
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{program.name}.json")
    program.save(path)
    return program._replace(file=load(path).file)


class TrainedModels(list[Model]):
    """The models of a run, the best first; `trained` has them by seed, with their losses."""

    def __init__(self, plan: TrainingPlan, trained: Sequence[Trained]) -> None:
        ranked = sorted(trained, key=lambda each: (each.diverged >= 0, each.loss))
        super().__init__(each.model for each in ranked)
        self.plan, self.trained = plan, tuple(trained)
        self.best = ranked[0] if ranked and ranked[0].diverged < 0 else None
