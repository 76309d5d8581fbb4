"""Learning until proven: trace, train, extract, prove; teach what was got wrong, and again.

A proof is an answer of an oracle that knows whether two agents are the same, so this is exact learning. Each
round has a folder with its traces, its training run, and a file for each model that was judged: a run that
was interrupted goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from compiler.dfst import Dfst, dfst_to_bytes, read_dfst
from gridlang.diagnostics import fail
from gridlang.display import Shown
from gridlang.files import read_bytes, write_whole
from gridlang.inputs import language_of
from gridlang.loading import Program, load
from gridlang.table import table_to_json
from learners.learning.counterexamples import Hard, first_traces, next_traces, world_count
from learners.learning.seed_verdicts import (
    DIVERGED,
    PROVEN,
    REFUSED,
    VERDICTS,
    Judged,
    Result,
    Trial,
    judge_all,
    result_from_json,
)
from learners.traces.dataset import Traces, read_traces, traces_to_bytes
from learners.training.checkpoints import NAMES
from learners.training.recipes import Recipe
from learners.training.train import Plan, Progress, Trained, train

FORMAT = "gridlang-learning/1"
ABOUT, ROUND = "learning.json", "round.json"
PATIENCE = 600.0  # seconds that a model may take to be judged
LENGTH = 12  # of inputs on which a model itself must follow what is extracted from it
LONGEST = 4  # times the iterations of the recipe, at most
NARROW = 8  # dimensions of a model at least: with fewer, training often comes to rest too early
MAX_BYTES = 2_000_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """What is to be learned, and how."""

    program: Program
    recipe: Recipe
    seeds: tuple[int, ...]
    scope: str = "worlds"
    rounds: int = 8
    worlds: int | None = None  # random worlds to begin with; None for a number that fits the agent
    device: str = "auto"
    any: bool = False  # whether one seed is enough
    radius: int | None = None
    length: int = LENGTH
    patience: float = PATIENCE

    def identity(self) -> dict[str, Any]:
        """What a run must agree with to be gone on with: all that changes what a round does."""
        return {
            "expert": hashlib.sha256(table_to_json(self.program.table).encode()).hexdigest(),
            "recipe": self.recipe.as_json(),
            "seeds": list(self.seeds),
            "scope": self.scope,
            "worlds": self.many_worlds,
            "radius": self.radius,
            "length": self.length,
        }

    @property
    def many_worlds(self) -> int:
        return world_count(self.program.table, self.scope) if self.worlds is None else self.worlds


@dataclass(frozen=True, slots=True)
class Round:
    """What a round did; `results` of the seeds that were not proven before it."""

    number: int
    traces: int
    steps: int  # of all traces
    hard: int  # cases that models got wrong before, all of them taught
    iterations: int
    loss: float | None  # the median
    training_seconds: float
    judging_seconds: float
    results: tuple[Result, ...]

    def count(self, verdict: str) -> int:
        return sum(result.verdict == verdict for result in self.results)

    def as_json(self) -> dict[str, Any]:
        results = [result.as_json() for result in self.results]
        return {**asdict(self), "results": results, **{word: self.count(word) for word in VERDICTS}}


@dataclass(frozen=True, slots=True)
class Learned(Shown):
    """A finished run: its rounds, and where its files are.

    >>> import gridlang as gl
    >>> learned = gl.learn("examples/increment.grid", scope="inputs", seeds=1, iterations=3000)
    >>> learned.proven, learned.program.run("1011").result
    ((0,), '1100')
    """

    folder: str
    seeds: tuple[int, ...]
    rounds: tuple[Round, ...]

    @property
    def last(self) -> dict[int, tuple[int, Result]]:
        """Of each seed its last round, and what became of it there."""
        found = {result.seed: (r.number, result) for r in self.rounds for result in r.results}
        return {seed: found[seed] for seed in self.seeds}

    @property
    def proven(self) -> tuple[int, ...]:
        return tuple(seed for seed, (_, result) in self.last.items() if result.verdict == PROVEN)

    @property
    def best(self) -> int | None:
        """The proven seed that follows the longest inputs, then with the fewest states, then clusters."""

        def rank(seed: int) -> tuple[int, int, int, float, int]:
            result = self.last[seed][1]
            return (
                -(result.followed_up_to or 0),
                result.states or 0,
                result.clusters or 0,
                -(result.margin or 0.0),
                seed,
            )

        return min(self.proven, key=rank, default=None)

    def file(self, seed: int, ending: str) -> str:
        """A file of a seed in its last round: `safetensors`, `grid`, or `certificate.json`."""
        return os.path.join(_round_folder(self.folder, self.last[seed][0]), f"seed-{seed}.{ending}")

    @property
    def model(self) -> Dfst | None:
        """The best proven model; None where none is."""
        return None if self.best is None else read_dfst(self.file(self.best, "safetensors"))

    @property
    def program(self) -> Program | None:
        """The program extracted from the best model, which is the one that the proof is about."""
        return None if self.best is None else load(self.file(self.best, "grid"))

    def __repr__(self) -> str:
        rounds = f"{len(self.rounds)} round{'' if len(self.rounds) == 1 else 's'}"
        return f"Learned({len(self.proven)} of {len(self.seeds)} seeds proven in {rounds}; {self.folder})"


def _nothing(_: object) -> None:
    """Watches nothing."""


class Watch(NamedTuple):
    """Who is told what; a KeyboardInterrupt from here ends the run, which can go on later."""

    traced: Callable[[Traces], None] = _nothing
    training: Callable[[Progress], None] = _nothing
    judged: Callable[[Result], None] = _nothing
    round: Callable[[Round], None] = _nothing


def learn(course: Course, folder: str, *, resume: bool = False, watch: Watch = Watch()) -> Learned:  # noqa: B008
    """Rounds until all seeds are proven, or one where that is enough, or until there are no more rounds."""
    if course.scope == "inputs" and language_of(course.program.table) is None:
        hint = "declare one in its source, or learn it on all worlds: --scope worlds"
        raise fail("G140", f"`{course.program.name}` has no input clause", hint, course.program.file)
    _open(course, folder, resume)
    rounds: list[Round] = []
    for number in range(1, course.rounds + 1):
        rounds.append(_Lesson(course, folder, number, tuple(rounds), watch).held())
        watch.round(rounds[-1])
        proven = len(Learned(folder, course.seeds, tuple(rounds)).proven)
        if proven == len(course.seeds) or (course.any and proven):
            break
    return Learned(folder, course.seeds, tuple(rounds))


def _open(course: Course, folder: str, resume: bool) -> None:
    """Makes the folder, or finds that the run in it is this one."""
    path = os.path.join(folder, ABOUT)
    identity = json.loads(json.dumps(course.identity()))
    if os.path.exists(path):
        before = _read_json(path)
        if not resume:
            hint = "go on with --resume, or name another folder with --run"
            raise fail("G160", "there is a run here already", hint, folder)
        other = [key for key, value in identity.items() if before.get(key) != value]
        if other:
            hint = "give what it was begun with, or name another folder with --run"
            raise fail("G160", f"this run was begun with another {other[0]}", hint, folder)
        return
    _make(folder)
    write_whole(
        path, json.dumps({"format": FORMAT, "name": course.program.name, **identity}, indent=1) + "\n"
    )


def _make(folder: str) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise fail("G009", f"cannot write here: {error.strerror}", file=folder) from None


def _read_json(path: str) -> dict[str, Any]:
    try:
        found = json.loads(read_bytes(path, MAX_BYTES, path))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        hint = "remove it, and its part of the run is done again"
        raise fail("G161", "this file of a run cannot be read", hint, path)
    return found


def _round_from_json(data: dict[str, Any]) -> Round:
    known = {each.name: data[each.name] for each in fields(Round)}
    return Round(**{**known, "results": tuple(map(result_from_json, data["results"]))})


def _round_folder(folder: str, number: int) -> str:
    return os.path.join(folder, f"round-{number}")


class _Lesson:
    """One round: what is done of it lies in its folder."""

    def __init__(
        self, course: Course, folder: str, number: int, before: tuple[Round, ...], watch: Watch
    ) -> None:
        self.course, self.number, self.before, self.watch = course, number, before, watch
        self.whole = folder
        self.folder = _round_folder(folder, number)
        last = Learned(folder, course.seeds, before).last if before else {}
        self.seeds = tuple(s for s in course.seeds if s not in last or last[s][1].verdict != PROVEN)

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def held(self) -> Round:
        """The round, from its file if it was finished before."""
        if os.path.exists(self.path(ROUND)):
            return _round_from_json(_read_json(self.path(ROUND)))
        _make(self.folder)
        hard = self._hard()
        traces = self._traces(hard)
        self.watch.traced(traces)
        models = self._trained(traces)
        begun = time.monotonic()
        results = self._judged(models)
        losses = [result.loss for result in results if result.loss is not None]
        found = Round(
            number=self.number,
            traces=len(traces),
            steps=traces.steps,
            hard=len(hard),
            iterations=self._recipe().iterations,
            loss=median(losses) if losses else None,
            training_seconds=round(models[0].seconds, 3),
            judging_seconds=round(time.monotonic() - begun, 3),
            results=results,
        )
        write_whole(self.path(ROUND), json.dumps(found.as_json()) + "\n")
        return found

    def _hard(self) -> list[Hard]:
        """What models got wrong in earlier rounds, pooled over the seeds."""
        return list(dict.fromkeys(h for r in self.before for result in r.results for h in result.hard))

    def _traces(self, hard: list[Hard]) -> Traces:
        path, course = self.path("traces.npz"), self.course
        if os.path.exists(path):
            return read_traces(path)
        seed = course.seeds[0] + 7_919 * (self.number - 1)
        if self.number == 1:
            traces = first_traces(course.program, course.scope, course.many_worlds, seed)
        else:
            before = read_traces(os.path.join(_round_folder(self.whole, self.number - 1), "traces.npz"))
            more = course.many_worlds // 4 if course.scope == "worlds" else 0
            traces = next_traces(course.program, before, hard, more, seed)
        write_whole(path, traces_to_bytes(traces))
        return traces

    def _recipe(self) -> Recipe:
        """The recipe for this round: one that left a seed refused was too short, and is doubled."""
        recipe, states = self.course.recipe, len(self.course.program.table.states)
        times = 2 ** sum(any(r.verdict == REFUSED for r in each.results) for each in self.before)
        dim = recipe.dim or max(states, NARROW)
        return replace(recipe, dim=dim, iterations=recipe.iterations * min(times, LONGEST))

    def _trained(self, traces: Traces) -> list[Trained]:
        """Every round trains afresh: what was learned without the hard cases would be in the way."""
        plan = Plan(traces, self._recipe(), self.seeds, self.course.device)
        begun = any(os.path.exists(self.path(name)) for name in NAMES)
        models = train(plan, self.folder, resume=begun, progress=self.watch.training)
        for model in models:
            path = self.path(f"seed-{model.seed}.safetensors")
            if model.diverged < 0 and not os.path.exists(path):
                write_whole(path, dfst_to_bytes(model.dfst))
        return models

    def _judged(self, models: list[Trained]) -> tuple[Result, ...]:
        """Judges what has not been judged yet; every result is kept as it comes."""
        found: dict[int, Result] = {}
        losses = {model.seed: None if np.isnan(model.loss) else float(model.loss) for model in models}
        trials = []
        for model in models:
            kept = self.path(f"seed-{model.seed}.json")
            if model.diverged >= 0:
                reason = f"it diverged at iteration {model.diverged:,}"
                found[model.seed] = Result(model.seed, DIVERGED, reason=reason)
            elif os.path.exists(kept):
                found[model.seed] = result_from_json(_read_json(kept))
            else:
                trials.append(self._trial(model.seed))

        def keep(judged: Judged) -> None:
            result = replace(judged.result, loss=losses[judged.result.seed])
            found[result.seed] = result
            for ending, text in (("grid", judged.source), ("certificate.json", judged.certificate)):
                if text:
                    write_whole(self.path(f"seed-{result.seed}.{ending}"), text)
            write_whole(self.path(f"seed-{result.seed}.json"), json.dumps(result.as_json()) + "\n")
            self.watch.judged(result)

        judge_all(trials, self.course.patience, keep)
        return tuple(found[seed] for seed in self.seeds)

    def _trial(self, seed: int) -> Trial:
        program, path = self.course.program, self.path(f"seed-{seed}.safetensors")
        return Trial(
            seed=seed,
            file=path,
            model=read_bytes(path, MAX_BYTES, path),
            expert=table_to_json(program.table),
            expert_file=program.file,
            expert_source=read_bytes(program.file, MAX_BYTES, program.file),
            scope=self.course.scope,
            radius=self.course.radius,
            length=self.course.length,
            round=self.number,
        )
