"""The folders of `train`, `sweep` and `learn`, read as runs: their curves, and the result of each seed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count, takewhile
from pathlib import Path
from statistics import median
from typing import Any

from gridlang.diagnostics import fail
from gridlang.learners.learning.rounds import LOCK as LEARN_LOCK
from gridlang.learners.learning.seed_verdicts import PROVEN
from gridlang.learners.runtime.folder_lock import is_held
from gridlang.learners.runtime.json_records import damaged, object_in, objects_in
from gridlang.learners.train.journal import MEASURES, METRICS
from gridlang.learners.train.run import LOCK as TRAIN_LOCK

HINT = "name a folder that `train`, `sweep` or `learn` has left: NAME.run, NAME.learn, or that of `sweep -o`"
FACTS = ("recipe", "data", "versions", "engine", "gpu", "command")

Curve = dict[int, float]  # values by iteration


@dataclass(slots=True)
class Seed:
    """The curves and the result of a seed; None or empty where it is not known."""

    losses: Curve = field(default_factory=dict)
    lengths: Curve = field(default_factory=dict)  # RLG, the length passed in training
    loss: float | None = None
    diverged: int | None = None  # the iteration at which the loss was no longer finite
    rlg: float | None = None  # the last of its lengths
    passed: bool | None = None  # at the length that a sweep evaluates
    verdict: str = ""
    states: int | None = None
    reason: str = ""


@dataclass(slots=True)
class Run:
    """One line of the figures: the seeds that one recipe trained on one set of traces."""

    label: str
    agent: str
    iterations: int = 0  # asked for
    done: int = 0  # the last iteration that is written about
    seeds: dict[int, Seed] = field(default_factory=dict)
    rounds: list[tuple[int, int]] = field(default_factory=list)  # of `learn`: iterations, seeds proven
    digits: int = 0  # the length that a sweep evaluates
    seconds: float = 0.0  # of training
    facts: dict[str, Any] = field(default_factory=dict)  # how it was made
    running: bool = False  # a process is at work in its folder
    ended: bool = True

    @property
    def state(self) -> str:
        """Whether it is in progress, finished or interrupted, and how far it has come."""
        if self.ended and not self.running:
            return "finished"
        return f"{'in progress' if self.running else 'interrupted'} at {self.done:,} of {self.iterations:,}"

    def as_json(self) -> dict[str, Any]:
        """All but the curves, which the folder holds."""
        told = asdict(self)
        seeds = [{"seed": number, **seed} for number, seed in told["seeds"].items()]
        for seed in seeds:
            del seed["losses"], seed["lengths"]
        return {**told, "state": self.state, "seeds": seeds}


def read_runs(paths: Sequence[str]) -> list[Run]:
    """All runs in the folders; jobs of a sweep that differ in their seeds alone are one."""
    folders = [folder for path in paths for folder in _folders_in(path)]
    above = os.path.commonpath(map(os.path.dirname, folders))
    runs: dict[str, Run] = {}
    for folder in folders:
        try:
            learns = os.path.exists(os.path.join(folder, "learning.json"))
            about = object_in(os.path.join(folder, "learning.json" if learns else "run.json"))
            first, last = min(about["seeds"]), max(about["seeds"])
            span = f"-{first}-{last}" if first < last else f"-{first}"
            label = os.path.relpath(folder, above).removesuffix(".run").removesuffix(span)
            run = runs.setdefault(label, Run(label, str(about["name"])))
            (_add_rounds if learns else _add)(run, folder, about)
        except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            raise damaged(folder, f"{type(error).__name__} {error}") from None
    return list(runs.values())


def _folders_in(path: str) -> list[str]:
    for pattern in ("learning.json", "run.json", "*/run.json"):
        if found := sorted(Path(path).absolute().glob(pattern)):
            return [str(file.parent) for file in found]
    raise fail("G172", "there is no run here", HINT, path)


def _add(run: Run, folder: str, about: Mapping[str, Any], after: int = 0) -> None:
    """Adds a folder of `train`, which a job of a sweep is too, and a round of `learn` `after` others."""
    metrics, measures = (objects_in(os.path.join(folder, name)) for name in (METRICS, MEASURES))
    end = metrics[-1] if metrics else {"iteration": 0, "seconds": 0.0}
    result = object_in(os.path.join(folder, "result.json"))
    asked, done = int(about.get("ended") or about["recipe"]["iterations"]), int(end["iteration"])
    final = about.get("losses")  # refitting changes models after the last line of metrics
    passed = {model["seed"]: model["passed"] for model in result.get("models", ())}
    seeds = [run.seeds.setdefault(int(number), Seed()) for number in about["seeds"]]
    for place, (number, seed) in enumerate(zip(about["seeds"], seeds, strict=True)):
        losses, lengths = _curve(metrics, "loss", place, after), _curve(measures, "rlg", place, after)
        seed.losses, seed.lengths = seed.losses | losses, seed.lengths | lengths
        lost = [int(line["iteration"]) for line in metrics if line["loss"][place] is None]
        seed.loss = None if lost else float(final[place]) if final else _last(losses)
        seed.diverged, seed.rlg, seed.passed = lost[0] if lost else None, _last(lengths), passed.get(number)
    all_lost = all(seed.diverged is not None for seed in seeds)
    run.iterations, run.done = max(run.iterations, after + asked), max(run.done, after + done)
    run.digits = int(result.get("digits", run.digits))
    run.seconds += float(end["seconds"])
    run.facts = {key: about[key] for key in FACTS if about.get(key)} | run.facts
    run.running |= is_held(folder, TRAIN_LOCK)
    run.ended &= bool(result) or done >= asked or all_lost


def _add_rounds(run: Run, folder: str, about: Mapping[str, Any]) -> None:
    """Adds a folder of `learn`: its rounds follow each other on one axis."""
    run.seeds, run.ended = {int(seed): Seed() for seed in about["seeds"]}, False
    rounds = (os.path.join(folder, f"round-{number}") for number in count(1))
    for place in takewhile(lambda place: os.path.exists(os.path.join(place, "run.json")), rounds):
        _add(run, place, object_in(os.path.join(place, "run.json")), run.iterations)
        summary = object_in(os.path.join(place, "round.json"))
        for result in summary.get("results", ()):
            seed = run.seeds[int(result["seed"])]
            seed.verdict, seed.states = str(result["verdict"]), result.get("states")
            shown = f"differs on {result['counterexample']}" if result.get("counterexample") else ""
            seed.reason = "; ".join(filter(None, [str(result.get("reason") or ""), shown]))
        run.rounds.append((run.iterations, sum(seed.verdict == PROVEN for seed in run.seeds.values())))
        run.ended = bool(summary)
    run.running = is_held(folder, LEARN_LOCK)


def _curve(lines: Sequence[Mapping[str, Any]], key: str, place: int, after: int) -> Curve:
    """The numbers that the lines hold under a key, at one place."""
    values = {after + int(line["iteration"]): line[key][place] for line in lines if key in line}
    return {at: float(value) for at, value in values.items() if value is not None}


def _last(curve: Curve) -> float | None:
    return [*curve.values()][-1] if curve else None


def summary(run: Run) -> dict[str, str]:
    seeds = run.seeds.values()
    ranked = sorted((seed.loss, number) for number, seed in run.seeds.items() if seed.loss is not None)
    lengths = [seed.rlg for seed in seeds if seed.rlg is not None]
    passing = sum(seed.passed is True for seed in seeds)
    return {
        "run": run.label,
        "seeds": f"{len(seeds)}",
        "loss, median": f"{median(loss for loss, _ in ranked):.1e}" if ranked else "",
        "loss, best": f"{ranked[0][0]:.1e}" if ranked else "",
        "best seed": f"{ranked[0][1]}" if ranked else "",
        "RLG, median": f"{median(lengths):g}" if lengths else "",
        "RLG, best": f"{max(lengths):,.0f}" if lengths else "",
        "pass": f"{passing} at {run.digits:,}" if run.digits else "",
        "proven": f"{run.rounds[-1][1]}" if run.rounds else "",
        "seconds": f"{run.seconds:,.1f}",
        "state": run.state,
    }


def in_rows(lines: Iterable[Mapping[str, str]]) -> list[list[str]]:
    """A table without columns that are empty in all lines; its head first."""
    found = list(lines)
    heads = [head for head in found[0] if any(line[head] for line in found)]
    return [heads, *([line[head] for head in heads] for line in found)]


def in_columns(lines: Iterable[Mapping[str, str]]) -> list[str]:
    """The table for a terminal."""
    rows = in_rows(lines)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
