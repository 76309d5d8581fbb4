"""The way in to noise: put it into traces, and learn from traces that have some."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import nullcontext

from compiler.arguments import SECONDS, AgentLike, Path, Say, as_program, at_least, listener, one_of, whole
from gridlang.terminal.notes import paced
from learners.api.data import TracesLike, as_traces
from learners.api.training import DEVICES
from learners.learning.noise_text import cleaning_line
from learners.learning.noisy_rounds import NoisyLearned
from learners.learning.noisy_rounds import learn_noisy as learn_noisy_from
from learners.learning.noisy_run_folder import run_folder
from learners.methods.noise.cleaning import CleaningPlan, RoundOfCleaning
from learners.methods.noise.corruption import KINDS, corrupted
from learners.traces.dataset import Traces
from learners.training.recipes import changed, load_recipe


def corrupt(traces: TracesLike, rate: float, kinds: str | Iterable[str] = KINDS, *, seed: int = 0) -> Traces:
    """The traces with every read, write and move, or those of some kinds, replaced with probability `rate`.

    What replaces it is any other, all equally likely. Inputs and source are left out: they show the truth.

    >>> import gridlang as gl
    >>> clean = gl.trace("examples/increment.grid", rule="worlds", count=30)
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
    return corrupted(as_traces(traces), rate, named, seed)


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
    run: Path | None = None,
    resume: bool = False,
    progress: Say | None = None,
) -> NoisyLearned:
    """Learns an agent from traces of which reads, writes and moves are partly wrong.

    `table` is the one that makes the records likeliest, `traces` is what then happened, and so many `seeds`
    learn from it. Nothing is asked of `against` but the final measurement, and without it every tenth trace
    is held out. The rounds are kept in the folder `run`, so that `resume` can go on.

    >>> import gridlang as gl
    >>> noisy = gl.corrupt(gl.trace("examples/increment.grid", rule="worlds", count=200), 0.05)
    >>> learned = gl.learn_noisy(noisy, seeds=0, against="examples/increment.grid")
    >>> learned.verdicts["worlds"], round(learned.cleaned.judgement.rates.moves, 2)
    ('proven', 0.05)
    """
    one_of("device", device, DEVICES)
    at_least(1, rounds=rounds, dim=dim, iterations=iterations)
    at_least(0, seeds=seeds, seed=seed)
    if resume and run is None:
        raise ValueError("resume goes on with a run in a folder; name it with run")
    seen, expert = as_traces(traces, noisy=True), None if against is None else as_program(against).table
    settings = changed(load_recipe(recipe, seen.name), iterations=iterations, dim=dim)
    plan = CleaningPlan(settings, rounds, seed, device)
    tell = listener(progress) or (lambda _: None)
    paced_tell = paced(tell, SECONDS)

    def ended(done: RoundOfCleaning) -> None:
        tell(cleaning_line(done))

    measured = expert is not None
    kept = nullcontext() if run is None else run_folder(os.fspath(run), seen, plan, measured, resume)
    with kept as folder:
        return learn_noisy_from(
            seen,
            plan,
            tuple(range(seed, seed + seeds)),
            expert,
            folder,
            on_round=ended,
            progress=lambda text: paced_tell(lambda: text),
        )
