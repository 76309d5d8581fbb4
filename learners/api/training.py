"""The API to training: models from traces."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, TypeAlias

from gridlang.compiler.given import NONE, AgentLike, Path, Say, as_program, counting, is_weights, model_file
from gridlang.diagnostics import fail
from gridlang.learners.api.data import is_traces
from gridlang.learners.train.method import DFST, METHODS, Method, method_named
from gridlang.loading import load_source
from gridlang.options import Option, checked
from gridlang.program import Program
from gridlang.source import Source
from gridlang.terminal.notes import SECONDS, paced

if TYPE_CHECKING:
    from gridlang.compiler.tensors.model import Model
    from gridlang.learners.traces.dataset import Traces, TracesLike
    from gridlang.learners.train.recipes import RecipeLike
    from gridlang.learners.train.run import Trained, TrainingPlan, TrainingProgress

    # the plan first, then progress in words and numbers
    TrainingEvent: TypeAlias = TrainingPlan | str | TrainingProgress

RECIPES = Option("proof, fast, paper, or a file NAME.toml.", usual="proof", metavar="TEXT")
DEVICES = ("auto", "cuda", "cpu", "torch")
Device: TypeAlias = Annotated[
    str, Option("Where to train; auto uses a GPU if there is one; torch is the definition.", choices=DEVICES)
]


@checked
def train(
    data: TracesLike | AgentLike,
    *,
    method: Annotated[
        str,
        Option(
            "Train a DFST by gradients; ask the expert; or merge states of the traces.",
            choices=tuple(METHODS),
        ),
    ] = DFST,
    recipe: Annotated[RecipeLike | None, RECIPES] = None,
    iterations: Annotated[int | None, Option("Override the recipe's iterations.", 1)] = None,
    dim: Annotated[int | None, Option("States.", 1, usual="as many as the expert has")] = None,
    seed: Annotated[int, Option("First seed.", 0, 2**32 - 1)] = 0,
    seeds: Annotated[int, Option("Seeds to train at once.", 1, 4096)] = 1,
    device: Device = "auto",
    output: Path | None = None,
    run: Path | None = None,
    resume: Annotated[bool, Option("Continue an interrupted run.")] = False,
    restart: Annotated[bool, Option("Discard an earlier run with this output.")] = False,
    scope: Annotated[
        str | None,
        Option(
            "For ask: where the prover looks for differences.",
            choices=METHODS["ask"]["scope"],
            usual="worlds",
        ),
    ] = None,
    order: Annotated[
        str | None,
        Option(
            "For merge: the order in which states are merged.",
            choices=METHODS["merge"]["order"],
            usual="evidence",
        ),
    ] = None,
    progress: Say | None = None,
    on_event: Callable[[TrainingEvent], None] | None = None,
) -> TrainedModels:
    """Learns models from traces, or from an agent, which is first recorded by looking at its states.

    An interrupted run continues with `resume`, and ends with the same weights, bit for bit.

    In Python, the best model comes first, and `model.training` tells how each was made; its loss is None if
    it diverged. The recipe may also be settings, such as {"lr": 0.01}. The best model is written to `output`.
    The folder `run` keeps metrics, checkpoints, what was typed, and with `output` the models. Traces that do
    not say how many states their agent has need `dim` for a DFST. `on_event` is given the plan,
    words, and how training goes.

    >>> import gridlang as gl
    >>> traces = gl.trace("examples/increment.grid", rule="worlds", count=50)
    >>> models = gl.train(traces, seeds=2, iterations=20)
    >>> sorted(model.training["seed"] for model in models)
    [0, 1]
    """
    from gridlang.learners.runtime.folder_lock import held
    from gridlang.learners.train import run as training
    from gridlang.learners.train.engine_choice import refuse_device
    from gridlang.learners.train.recipes import changed, load_recipe

    how = method_named(method, scope=scope, order=order)
    if resume and restart:
        raise ValueError("give resume or restart, not both")
    with_folder(run, resume=resume, restart=restart)
    source = as_learnable(data)
    if how.trained:
        refuse_device(device)
    tell = on_event or InWords(progress)
    named = load_recipe(recipe, os.path.basename(source.name))
    chosen = changed(named, iterations=iterations, dim=dim)
    traces, expert = _material(source, how, seed, tell)
    numbers = tuple(range(seed, seed + seeds))
    plan = training.TrainingPlan(traces, chosen, numbers, device, method=how, expert=expert and expert.table)
    tell(plan)
    folder = os.fspath(run) if run is not None else None
    if how.trained:
        carry_out: Callable[..., list[Trained]] = training.train
    else:
        from gridlang.learners.methods.models import found_models as carry_out
    with held(folder, training.LOCK) if folder is not None else nullcontext():
        trained = carry_out(plan, folder, resume=resume, restart=restart, on_event=tell)
        if output is not None:
            training.write_models(trained, os.fspath(output), folder)
    return TrainedModels(plan, trained)


def _material(
    source: Traces | Program, how: Method, seed: int, tell: Callable[[str], None]
) -> tuple[Traces, Program | None]:
    """The traces for a method, and the agent if the method queries it."""
    if how.asks:
        from gridlang.learners.traces.choosing.reads import first_reads

        expert = expert_of(source)
        return first_reads(expert), expert
    if not isinstance(source, Program):
        return source, None
    from gridlang.learners.traces.choosing.sampling import default_traces

    return default_traces(source, seed, counting(tell, f"runs of {source.name}")), None


def as_learnable(data: TracesLike | AgentLike, definitions: Mapping[str, str] = NONE) -> Traces | Program:
    """Traces, or an agent to record; GridError for a model."""
    if not isinstance(data, Program) and is_traces(data):
        from gridlang.learners.traces.dataset import as_traces

        return as_traces(data)
    if is_weights(data):
        hint = "give traces (.npz, .jsonl) or an agent (.grid)"
        raise fail("G123", "a model is not what is learned from", hint, model_file(data))
    return as_program(data, definitions)  # type: ignore[arg-type]


def expert_of(source: Traces | Program) -> Program:
    """The agent to query; of traces, the one they carry. GridError if they carry none."""
    if isinstance(source, Program):
        return source
    if not source.source:
        hint = "give the agent (.grid), or learn from the traces: --method merge"
        raise fail("G123", f"these traces of `{source.name}` do not carry an agent that could be asked", hint)
    return load_source(Source(f"<source in the traces of {source.name}>", source.source))


def with_folder(run: Path | None, **wanted: bool) -> None:
    """ValueError if an earlier run is meant but its folder is not given."""
    for name, asked in wanted.items():
        if asked and run is None:
            raise ValueError(f"{name} is about an earlier run: give its folder too, as run=FOLDER")


class InWords:
    """Tells the events of training in words, progress about once a second."""

    def __init__(self, say: Say | None) -> None:
        self.say: Say = say or (lambda _: None)
        self.paced = paced(say, SECONDS)

    def __call__(self, event: TrainingEvent) -> None:
        from gridlang.learners.train.run import TrainingProgress

        match event:
            case str():
                self.paced(lambda: event)
            case TrainingProgress() as at:
                so_far, rate = f"iteration {at.iteration:,} of {at.iterations:,}", f"{at.rate:,.0f} it/s"
                self.paced(lambda: f"{so_far}, {at.loss_text}, {rate}", at.iteration == at.iterations)


class TrainedModels(list["Model"]):
    """The models of a run, the best first; `trained` has them by seed, with their losses.

    >>> import gridlang as gl
    >>> issubclass(gl.TrainedModels, list)
    True
    """

    def __init__(self, plan: TrainingPlan, trained: Sequence[Trained]) -> None:
        ranked = sorted(trained, key=lambda each: (each.diverged >= 0, each.loss))
        super().__init__(each.model for each in ranked)
        self.plan, self.trained = plan, tuple(trained)
        self.best = ranked[0] if ranked and ranked[0].diverged < 0 else None
