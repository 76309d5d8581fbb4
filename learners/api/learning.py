"""The API to learning until proven."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, overload

from gridlang.compiler.given import AgentLike, Path, Say, as_program, read_file
from gridlang.files import write_whole
from gridlang.learners.api.training import RECIPES, Device, InWords, with_folder
from gridlang.learners.train.method import AUTO, METHODS, refuse_training
from gridlang.loading import load
from gridlang.options import Option, checked
from gridlang.program import Program

if TYPE_CHECKING:
    from gridlang.learners.api.training import TrainingEvent
    from gridlang.learners.learning.rounds import Learned
    from gridlang.learners.learning.settings import Event, OnEvent
    from gridlang.learners.methods.asking.black_box import LearnedBlackBox, Step
    from gridlang.learners.train.recipes import RecipeLike

FOR_BOTH = ("agent", "seed", "progress", "on_event")
FOR_FUNCTIONS = ("start", "symbols", "extra", "steps")


@overload
def learn(agent: Step, *, symbols: str, **options: Any) -> LearnedBlackBox: ...
@overload
def learn(agent: AgentLike, **options: Any) -> Learned: ...
@checked  # type: ignore[misc]
def learn(
    agent: AgentLike | Step,
    *,
    start: Any = None,
    symbols: str | None = None,
    extra: Annotated[int, Option("", 0)] = 2,
    steps: Annotated[int, Option("", 0)] = 3_000_000,
    scope: Annotated[
        str,
        Option("Prove it on all worlds, or on all declared inputs.", choices=("worlds", "inputs")),
    ] = "worlds",
    method: Annotated[
        str,
        Option("auto asks the expert, or trains a dfst if you say how to train.", choices=(AUTO, *METHODS)),
    ] = AUTO,
    strict: Annotated[bool, Option("Also learn and prove where the expert is stuck.")] = False,
    seeds: Annotated[
        int | None, Option("Seeds to train at once.", 1, 4096, usual="4; 1 if nothing is random")
    ] = None,
    seed: Annotated[int, Option("First seed.", 0, 2**31 - 1)] = 0,
    any: Annotated[bool, Option("Stop when one seed is proven, not all.")] = False,
    recipe: Annotated[RecipeLike | None, RECIPES] = None,
    iterations: Annotated[int | None, Option("Override the recipe's iterations per round.", 1)] = None,
    device: Device = "auto",
    output: Path | None = None,
    certificate: Annotated[
        Path | None, Option("Write the proof of the best model here, for `verify`.")
    ] = None,
    run: Path | None = None,
    resume: Annotated[bool, Option("Continue an interrupted run, or one with more rounds.")] = False,
    progress: Say | None = None,
    on_event: OnEvent | None = None,
) -> Learned | LearnedBlackBox:
    """Learns an agent until the result is proven to do the same.

    It queries the agent on sequences of reads, without looking at its states, until the prover finds no
    difference, which takes seconds. With `seeds`, `recipe` or any other option of training it learns from
    traces: each round records some, trains all seeds together, extracts a program from each, and proves it;
    the next round teaches what any model got wrong. Rules that no run on any world shows are left to a proof
    on declared inputs.

    In Python, `model` and `program` are the best ones; the model is written to `output`. The folder `run`
    keeps the rounds; without one they are gone when Python ends. `on_event` is given each event of the run.

    In Python, the agent may also be a function: `step(state, symbol)` returns `(write, move, state)`, or None
    if it is stuck, and halts by writing what it read with the move S. It is asked from `start` on, about
    `symbols` and the blank, and the table is tested, not proven: it is equal if the function has at most
    `extra` states more. `steps` limits the calls.

    >>> import gridlang as gl
    >>> learned = gl.learn("examples/increment.grid")
    >>> learned.method, learned.proven
    ('ask', (0,))
    >>> gl.learn("examples/increment.grid", scope="inputs", seeds=1, iterations=3000).method
    'dfst'
    """
    _refuse_options(locals(), callable(agent))
    from gridlang.learners.learning.learn import learn as learn_in
    from gridlang.learners.learning.settings import learn_config
    from gridlang.learners.train.engine_choice import refuse_device

    tell = on_event or RoundsInWords(progress)
    if callable(agent):
        from gridlang.learners.methods.asking.black_box import learn_black_box

        return learn_black_box(agent, start, symbols, extra, steps, seed, tell)
    refuse_training(method, seeds)
    with_folder(run, resume=resume)
    folder = _kept_until_exit() if run is None else os.fspath(run)
    program = _on_disk(as_program(agent), folder)
    config = learn_config(
        program,
        recipe=recipe,
        iterations=iterations,
        seed=seed,
        seeds=seeds,
        method=method,
        scope=scope,
        strict=strict,
        device=device,
        any=any,
    )
    if config.method.trained:
        refuse_device(device)
    tell(config)
    learned = learn_in(config, folder, resume=resume, on_event=tell)
    for path, ending in ((output, "safetensors"), (certificate, "certificate.json")):
        if path is not None and learned.best is not None:
            write_whole(os.fspath(path), read_file(learned.file(learned.best, ending)))
    return learned


def _refuse_options(given: Mapping[str, Any], function: bool) -> None:
    """ValueError for an option that is only for functions, or only for agents with a source."""
    for name, parameter in signature(learn).parameters.items():
        if name in FOR_BOTH or (name in FOR_FUNCTIONS) == function or given[name] == parameter.default:
            continue
        raise ValueError(f"{name} is for {'an agent with a source' if function else 'a function that acts'}")


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


class RoundsInWords(InWords):
    """Tells the rounds too."""

    seeds = 0

    def __call__(self, event: Event | TrainingEvent) -> None:
        from gridlang.learners.learning.learn_text import round_line
        from gridlang.learners.learning.rounds import RoundResult
        from gridlang.learners.learning.settings import LearnConfig

        match event:
            case LearnConfig():
                self.seeds = len(event.seeds)
            case RoundResult():
                self.say(round_line(event, self.seeds))
            case _:
                super().__call__(event)  # type: ignore[arg-type]
