"""The files of a run of learning: a folder per round, with its results."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from gridlang.compiler.tensors.dfst import read_dfst
from gridlang.compiler.tensors.model import Model
from gridlang.diagnostics import counted, fail
from gridlang.display import Shown
from gridlang.files import make_folder, write_whole
from gridlang.learners.learning.expert_questions import ALL_SEEN, UnseenRules
from gridlang.learners.learning.seed_verdicts import ON_INPUTS, PROVEN, VERDICTS, SeedResult, result_from_json
from gridlang.learners.runtime.json_records import damaged, object_in, record_from_json
from gridlang.learners.train.method import DFST
from gridlang.learners.train.run import what_was_typed
from gridlang.loading import load
from gridlang.program import Program

FORMAT = "gridlang-learning/1"
ABOUT, ROUND = "learning.json", "round.json"
TRACES, UNSEEN = "traces.npz", "unseen.json"
LOCK = ".learn"  # lock file in the folder of a run

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What a round did; `results` of the seeds that were not proven before it."""

    number: int
    traces: int
    steps: int  # of all traces
    hard: int  # examples that models got wrong before, all of them taught
    iterations: int
    loss: float | None  # the median
    training_seconds: float
    judging_seconds: float
    results: tuple[SeedResult, ...]
    queries: int = 0  # questions to the expert, of a method that asks

    def count(self, verdict: str) -> int:
        return sum(result.verdict == verdict for result in self.results)

    def as_json(self) -> dict[str, Any]:
        results = [result.as_json() for result in self.results]
        return {**asdict(self), "results": results, **{word: self.count(word) for word in VERDICTS}}


@dataclass(frozen=True, slots=True)
class Learned(Shown):
    """A run so far: its rounds, and where its files are.

    >>> import gridlang as gl
    >>> learned = gl.learn("examples/increment.grid", scope="inputs", seeds=1, iterations=3000)
    >>> learned.proven, learned.program.run("1011").result
    ((0,), '1100')
    """

    folder: str
    seeds: tuple[int, ...]
    rounds: tuple[RoundResult, ...]
    unseen: UnseenRules = ALL_SEEN  # rules that no run of the expert shows
    method: str = DFST

    @property
    def last(self) -> dict[int, tuple[int, SeedResult]]:
        """Each seed's last round and result; empty before the first round."""
        last = {result.seed: (each.number, result) for each in self.rounds for result in each.results}
        return {seed: last[seed] for seed in self.seeds if seed in last}

    @property
    def proven(self) -> tuple[int, ...]:
        return tuple(seed for seed, (_, result) in self.last.items() if result.verdict == PROVEN)

    @property
    def proven_on_inputs(self) -> tuple[int, ...]:
        """The seeds that are proven on all declared inputs, where all worlds could not be settled."""
        return tuple(seed for seed, (_, result) in self.last.items() if result.verdict == ON_INPUTS)

    @property
    def unfinished(self) -> tuple[int, ...]:
        """The seeds that another round may prove, on all worlds or on declared inputs."""
        finished = {seed for seed, (_, result) in self.last.items() if result.finished}
        return tuple(seed for seed in self.seeds if seed not in finished)

    @property
    def best(self) -> int | None:
        """The proven seed that follows the longest inputs, then with the fewest states, then clusters.

        Where none is proven on all worlds, one that is on all inputs.
        """

        def rank(seed: int) -> tuple[int, int, int, float, int]:
            result = self.last[seed][1]
            return (
                -(result.followed_up_to or 0),
                result.states or 0,
                result.clusters or 0,
                -(result.margin or 0.0),
                seed,
            )

        return min(self.proven or self.proven_on_inputs, key=rank, default=None)

    def file(self, seed: int, ending: str) -> str:
        """A file of a seed in its last round: `safetensors`, `grid`, or `certificate.json`."""
        return os.path.join(round_folder(self.folder, self.last[seed][0]), f"seed-{seed}.{ending}")

    @property
    def model(self) -> Model | None:
        """The best proven model; None where none is."""
        return None if self.best is None else read_dfst(self.file(self.best, "safetensors"))

    @property
    def program(self) -> Program | None:
        """The program extracted from the best model, which is the one that the proof is about."""
        return None if self.best is None else load(self.file(self.best, "grid"))

    def __repr__(self) -> str:
        proven = f"{len(self.proven)} of {counted(len(self.seeds), 'seed')} proven"
        length = self.last[self.best][1].followed_up_to if self.best is not None else None
        seen = f"; the best float weights followed their table on inputs of up to {length}"
        rounds = counted(len(self.rounds), "round")
        return f"Learned({proven} in {rounds}{seen if length else ''}; {self.folder})"


def open_run(folder: str, name: str, identity: dict[str, Any], resume: bool) -> None:
    """Makes the folder, or makes sure that the run in it is this one."""
    path = os.path.join(folder, ABOUT)
    wanted = json.loads(json.dumps(identity))
    if os.path.exists(path):
        before = object_in(path)
        if not resume:
            hint = "continue with --resume, or name another file with -o"
            raise fail("G160", "there is a run here already", hint, folder)
        other = [key for key, value in wanted.items() if before.get(key) != value]
        if other:
            hint = "use the settings it began with, or name another file with -o"
            raise fail("G160", f"this run began with another {other[0]}", hint, folder)
        return
    make_folder(folder)
    about = {"format": FORMAT, "name": name, **wanted, "command": what_was_typed()}
    write_whole(path, json.dumps(about, indent=1) + "\n")


def round_folder(folder: str, number: int) -> str:
    return os.path.join(folder, f"round-{number}")


def read_kept(path: str, from_json: Callable[[dict[str, Any]], Kept], **known: int) -> Kept:
    """What was kept in a file of a run; GridError where it is damaged, or of another round or seed."""
    try:
        kept = from_json(object_in(path))
    except (ValueError, KeyError, TypeError):
        raise damaged(path) from None
    if any(getattr(kept, name) != value for name, value in known.items()):
        raise damaged(path)
    return kept


def round_from_json(data: dict[str, Any]) -> RoundResult:
    """What `as_json` gave; ValueError, KeyError or TypeError for anything else."""
    return record_from_json(RoundResult, data, results=tuple(map(result_from_json, data["results"])))
