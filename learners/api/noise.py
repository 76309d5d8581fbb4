"""The API to noise: add it to traces, and learn from noisy ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import nullcontext

from gridlang.compiler.arguments import AgentLike, Path, Say, as_program, one_of, whole
from gridlang.compiler.tensors.dfst import dfst_to_bytes
from gridlang.compiler.traces.dataset import Traces
from gridlang.files import write_whole
from gridlang.learners.api.data import TracesLike, as_traces
from gridlang.learners.api.training import InWords
from gridlang.learners.learning.noisy_rounds import NoisyLearned, run_folder
from gridlang.learners.learning.noisy_rounds import learn_noisy as learn_noisy_from
from gridlang.learners.methods.noise.cleaning import CleaningPlan, RoundOfCleaning
from gridlang.learners.methods.noise.corruption import EVEN, KINDS, SHAPES, corrupted
from gridlang.learners.training.engine_choice import DEVICES, refuse_device
from gridlang.learners.training.recipes import changed, load_recipe


def corrupt(
    traces: TracesLike,
    rate: float,
    kinds: str | Iterable[str] = KINDS,
    *,
    shape: str = EVEN,
    seed: int = 0,
) -> Traces:
    """The traces with each read, write and move, or those of some kinds, replaced with probability `rate`.

    If the `shape` is even, every replacement is equally likely, wherever it is. In bursts, half of the
    records of eight steps in a row are wrong, and as many in all; if confused, a symbol or a move is always
    taken for the next one of its kind. Inputs and source are left out: they show the truth.

    >>> import gridlang as gl
    >>> clean = gl.trace("examples/increment.grid", rule="peek-worlds", count=30)
    >>> noisy = gl.corrupt(clean, 0.1, "moves")
    >>> int((noisy.m != clean.m).sum()), int((noisy.x != clean.x).sum())
    (42, 0)
    """
    if not 0 <= rate < 1:
        raise ValueError(f"a rate is 0 or more and below 1, not {rate}")
    whole(seed=seed)
    named = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    for kind in named:
        one_of("kind", kind, KINDS)
    one_of("shape", shape, SHAPES)
    return corrupted(as_traces(traces), rate, named, seed, shape)


def learn_noisy(
    traces: TracesLike,
    *,
    against: AgentLike | None = None,
    rounds: int = 8,
    seeds: int = 4,
    seed: int = 0,
    recipe: str = "proof",
    iterations: int | None = None,
    dim: int | None = None,
    device: str = "auto",
    output: Path | None = None,
    run: Path | None = None,
    resume: bool = False,
    command: str = "",
    progress: Say | None = None,
    on_event: Callable[[str | RoundOfCleaning], None] | None = None,
) -> NoisyLearned:
    """Learns an agent from traces whose reads, writes and moves are partly wrong.

    `table` is the one that makes the records likeliest, `traces` is what happened if it is right, and `seeds`
    models learn from that. `against` serves the final measurement alone; without it, every tenth trace is
    held out. The table is written as exact weights to `output`. The folder `run` keeps the rounds and the
    `command` to type again; `resume` continues them. `on_event` is given words and each round.

    >>> import gridlang as gl
    >>> noisy = gl.corrupt(gl.trace("examples/increment.grid", rule="peek-worlds", count=40), 0.05)
    >>> learned = gl.learn_noisy(noisy, seeds=0, against="examples/increment.grid")
    >>> learned.verdicts["worlds"], round(learned.cleaned.judgement.rates.moves, 2)
    ('proven', 0.05)
    """
    one_of("device", device, DEVICES)
    whole(1, rounds=rounds, dim=dim, iterations=iterations)
    whole(0, seeds=seeds, seed=seed)
    if resume and run is None:
        raise ValueError("resume goes on with a run in a folder; name it with run")
    refuse_device(device, network=False)
    seen, expert = as_traces(traces, noisy=True), None if against is None else as_program(against).table
    settings = changed(load_recipe(recipe, seen.name), iterations=iterations, dim=dim)
    plan = CleaningPlan(settings, rounds, seed, device)
    tell = on_event or InWords(progress)
    known = seen, plan, expert is not None, resume, command
    with nullcontext() if run is None else run_folder(os.fspath(run), *known) as folder:
        models = tuple(range(seed, seed + seeds))
        learned = learn_noisy_from(seen, plan, models, expert, folder, on_event=tell)
    if output is not None:
        write_whole(os.fspath(output), dfst_to_bytes(learned.model))
    return learned
