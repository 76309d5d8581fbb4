"""The API to learning until proven."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Mapping
from inspect import signature
from typing import Any, overload

from gridlang.compiler import arguments
from gridlang.compiler.arguments import AgentLike, Path, Say, as_program
from gridlang.compiler.program_files import read_file
from gridlang.files import write_whole
from gridlang.learners.api.training import InWords, TrainingEvent, with_folder
from gridlang.learners.learning.learn import learn as learn_in
from gridlang.learners.learning.learn_text import round_line
from gridlang.learners.learning.rounds import Learned, RoundResult
from gridlang.learners.learning.settings import Event, LearnConfig, OnEvent, learn_config
from gridlang.learners.methods.asking.black_box import LearnedBlackBox, Step, learn_black_box
from gridlang.learners.train.engine_choice import DEVICES, refuse_device
from gridlang.learners.train.method import AUTO, refuse_training
from gridlang.learners.train.recipes import RecipeLike
from gridlang.learners.train.run import TrainingProgress
from gridlang.loading import load
from gridlang.program import Program

FOR_BOTH = ("agent", "seed", "progress", "on_event")
FOR_FUNCTIONS = ("start", "symbols", "extra", "steps")


@overload
def learn(
    agent: Step,
    *,
    symbols: str,
    start: Any = None,
    extra: int = 2,
    steps: int = 3_000_000,
    seed: int = 0,
    progress: Say | None = None,
    on_event: OnEvent | None = None,
) -> LearnedBlackBox: ...
@overload
def learn(
    agent: AgentLike,
    *,
    scope: str = "worlds",
    method: str = AUTO,
    strict: bool = False,
    seeds: int | None = None,
    seed: int = 0,
    any: bool = False,
    recipe: RecipeLike | None = None,
    iterations: int | None = None,
    device: str = "auto",
    output: Path | None = None,
    certificate: Path | None = None,
    run: Path | None = None,
    resume: bool = False,
    progress: Say | None = None,
    on_event: OnEvent | None = None,
) -> Learned: ...
def learn(
    agent: AgentLike | Step,
    *,
    start: Any = None,
    symbols: str | None = None,
    extra: int = 2,
    steps: int = 3_000_000,
    scope: str = "worlds",
    method: str = AUTO,
    strict: bool = False,
    seeds: int | None = None,
    seed: int = 0,
    any: bool = False,
    recipe: RecipeLike | None = None,
    iterations: int | None = None,
    device: str = "auto",
    output: Path | None = None,
    certificate: Path | None = None,
    run: Path | None = None,
    resume: bool = False,
    progress: Say | None = None,
    on_event: OnEvent | None = None,
) -> Learned | LearnedBlackBox:
    """Learns an agent, by asking it or from its traces, until the program is proven to do the same.

    The `method` auto is `ask`, which puts questions to the agent until the prover finds no difference, and
    sees none of its states; it is dfst if `seeds`, `recipe`, `iterations` or `device` is given. A round of
    training records traces, trains all seeds, extracts a program from each, and proves it at the `scope`,
    worlds or inputs; the next round teaches what models got wrong. It ends when all seeds are proven, or with
    `any` one, or after the rounds of the `recipe`, which is given as to `train`. With `strict`, a model must
    be stuck where the agent is, and that is proven too. `model` and `program` are the best ones; the model is
    written to `output`, its proof to `certificate`. The folder `run` keeps the rounds, and `resume` continues
    them; without a folder they are gone when Python ends. `on_event` is given each event of the run.

    The agent may also be a function: `step(state, symbol)` returns `(write, move, state)`, or None if it is
    stuck, and halts by writing what it read with the move S. It is asked from `start` on, about `symbols` and
    the blank, and the table is tested, not proven: it is equal if the function has at most `extra` states
    more. `steps` limits the calls.

    >>> import gridlang as gl
    >>> learned = gl.learn("examples/increment.grid")
    >>> learned.method, learned.proven
    ('ask', (0,))
    >>> gl.learn("examples/increment.grid", scope="inputs", seeds=1, iterations=3000).method
    'dfst'
    """
    _refuse_options(locals(), callable(agent))
    tell = on_event or RoundsInWords(progress)
    if callable(agent):
        arguments.whole(0, extra=extra, steps=steps, seed=seed)
        return learn_black_box(agent, start, symbols, extra, steps, seed, tell)
    arguments.one_of("scope", scope, ("worlds", "inputs"))
    arguments.one_of("device", device, DEVICES)
    refuse_training(method, seeds)
    arguments.whole(1, seeds=seeds)
    arguments.whole(0, seed=seed)
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
        match event:
            case LearnConfig():
                self.seeds = len(event.seeds)
            case RoundResult():
                self.say(round_line(event, self.seeds))
            case str() | TrainingProgress():
                super().__call__(event)
