"""The folders of `train`, `sweep` and `learn`, read as runs: their curves, and the result of each seed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from math import isfinite
from pathlib import Path
from statistics import median
from typing import Any

from gridlang.compiler.tensors.dfst import read_dfst
from gridlang.diagnostics import fail
from gridlang.files import read_bytes
from gridlang.learners.learning.rounds import LOCK as LEARN_LOCK
from gridlang.learners.learning.seed_verdicts import PROVEN
from gridlang.learners.runtime.folder_lock import is_held
from gridlang.learners.train.journal import MEASURES, METRICS
from gridlang.learners.train.run import LOCK as TRAIN_LOCK

FILE_BYTES = 500_000_000  # no run leaves a larger file
MOST = 10**15  # iterations: floats hold all whole numbers up to there
HINT = "name a folder that `train`, `sweep` or `learn` has left: NAME.run, NAME.learn, or that of `sweep -o`"

Curve = dict[int, float | None]  # values by iteration; None is a gap
Rows = list[list[str]]  # of a table, its head first


@dataclass(slots=True)
class Seed:
    """The curves and the result of a seed; None or empty where it is not known."""

    losses: Curve = field(default_factory=dict)
    lengths: Curve = field(default_factory=dict)  # RLG, the length passed in training
    loss: float | None = None
    diverged: int | None = None  # the iteration at which the loss was no longer finite
    rlg: int | None = None  # the last of its lengths
    beyond: bool = False  # nothing longer was tried
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
    seeds: dict[int, Seed] = field(default_factory=dict)
    rounds: list[tuple[int, int]] = field(default_factory=list)  # of `learn`: iterations, seeds proven
    digits: int = 0  # the length that a sweep evaluates
    seconds: float = 0.0  # of training
    facts: dict[str, str] = field(default_factory=dict)
    running: bool = False  # a process is at work in its folder
    ended: bool = True

    def add(self, part: Run, after: int = 0) -> None:
        """Adds a part whose iterations come after so many: other seeds of a sweep, or a round of `learn`."""
        for number, seed in part.seeds.items():
            before = self.seeds.get(number, Seed())
            losses, lengths = (
                ours | {after + at: value for at, value in theirs.items()}
                for ours, theirs in ((before.losses, seed.losses), (before.lengths, seed.lengths))
            )
            self.seeds[number] = replace(seed, losses=losses, lengths=lengths)
        self.iterations = max(self.iterations, after + part.iterations)
        self.rounds, self.facts = self.rounds + part.rounds, {**part.facts, **self.facts}
        self.digits, self.seconds = max(self.digits, part.digits), self.seconds + part.seconds
        self.running, self.ended = self.running or part.running, self.ended and part.ended

    @property
    def done(self) -> int:
        """The last iteration that is written about."""
        return max((at for seed in self.seeds.values() for at in seed.losses), default=0)

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
        return {**told, "done": self.done, "state": self.state, "seeds": seeds}


def read_runs(paths: Sequence[str]) -> list[Run]:
    """All runs in the folders; jobs of a sweep that differ in their seeds alone are one."""
    folders = [os.path.abspath(folder) for path in paths for folder in _folders_in(path)]
    above = os.path.commonpath(map(os.path.dirname, folders))
    runs: dict[str, Run] = {}
    for folder in folders:
        try:
            part = _learned(folder) if _learns(folder) else _trained(folder)
        except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            hint = f"it was changed or damaged: {type(error).__name__} {str(error)[:80]}"
            raise fail("G173", "a file of this run cannot be read", hint, folder) from None
        first, last = min(part.seeds, default=0), max(part.seeds, default=0)
        span = f"-{first}" if first == last else f"-{first}-{last}"
        label = os.path.relpath(folder, above).removesuffix(".run").removesuffix(span)
        runs.setdefault(label, Run(label, part.agent)).add(part)
    return list(runs.values())


def _folders_in(path: str) -> list[str]:
    if os.path.isfile(path):
        raise fail("G172", "this is a file, not the folder of a run", HINT, path)
    if not os.path.isdir(path):
        raise fail("G001", "there is no such folder", HINT, path)
    if _learns(path) or os.path.exists(os.path.join(path, "run.json")):
        return [path]
    jobs = [str(file.parent) for file in sorted(Path(path).glob("*/run.json"))]
    if not jobs:
        raise fail("G172", "this folder holds no run", HINT, path)
    return jobs


def _learns(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, "learning.json"))


def _trained(folder: str) -> Run:
    """A folder of `train`, or one job of a sweep."""
    about, result = _json(folder, "run.json"), _json(folder, "result.json", {})
    metrics, measures = _lines(folder, METRICS), _lines(folder, MEASURES)
    run = Run(
        folder,
        str(about["name"]),
        _whole(about.get("ended") or about["recipe"]["iterations"]),
        digits=int((result.get("evaluation") or {}).get("digits", 0)),
        seconds=_number(metrics[-1]["seconds"]) or 0.0 if metrics else 0.0,
        facts=_facts(about),
        running=is_held(folder, TRAIN_LOCK),
    )
    passed = {model["seed"]: model["passed"] for model in result.get("models", ())}
    for place, number in enumerate(map(int, about["seeds"])):
        losses, lengths = _curve(metrics, "loss", place), _curve(measures, "rlg", place)
        # refitting has changed a finished model since the last line of metrics
        model = os.path.join(folder, f"seed-{number}.safetensors")
        loss = _number(read_dfst(model).training.get("loss")) if os.path.exists(model) else None
        run.seeds[number] = Seed(
            losses,
            lengths,
            _last(losses) if loss is None else loss,
            next((at for at, value in losses.items() if value is None), None),
            _last(lengths),
            beyond=bool(lengths) and measures[-1]["beyond"][place] is True,
            passed=passed.get(number),
        )
    all_lost = all(seed.diverged is not None for seed in run.seeds.values())
    run.ended = bool(result) or run.done >= run.iterations or all_lost
    return run


def _learned(folder: str) -> Run:
    """A folder of `learn`: its rounds follow each other on one axis."""
    about = _json(folder, "learning.json")
    run = Run(folder, str(about["name"]), facts=_facts(about), ended=False)
    run.seeds = {int(seed): Seed() for seed in about["seeds"]}
    for number in count(1):
        place = os.path.join(folder, f"round-{number}")
        if not os.path.exists(os.path.join(place, "run.json")):
            break
        run.add(_trained(place), run.iterations)
        summary = _json(place, "round.json", {})
        for result in summary.get("results", ()):
            seed = run.seeds[int(result["seed"])]
            seed.verdict, seed.states = str(result["verdict"]), result.get("states")
            shown = f"differs on {result['counterexample']}" if result.get("counterexample") else ""
            seed.reason = "; ".join(filter(None, [str(result.get("reason") or ""), shown]))
        run.rounds.append((run.iterations, sum(seed.verdict == PROVEN for seed in run.seeds.values())))
        run.ended = bool(summary)
    run.running = is_held(folder, LEARN_LOCK)
    return run


def _last(curve: Curve) -> Any:
    return [*curve.values()][-1] if curve else None


def _json(folder: str, name: str, otherwise: dict[str, Any] | None = None) -> dict[str, Any]:
    path = os.path.join(folder, name)
    if otherwise is not None and not os.path.exists(path):
        return otherwise
    data = json.loads(read_bytes(path, FILE_BYTES, path))
    if not isinstance(data, dict):
        raise TypeError(f"{name} holds no object")
    return data


def _lines(folder: str, name: str) -> list[dict[str, Any]]:
    """The objects in a `.jsonl` file; the line that is being written is left out."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    *lines, _ = read_bytes(path, FILE_BYTES, path).decode().split("\n")
    return list(map(json.loads, lines))


def _curve(lines: Sequence[Mapping[str, Any]], key: str, place: int) -> Curve:
    """What the lines hold under a key, at one place."""
    return {_whole(line["iteration"]): _number(line[key][place]) for line in lines if key in line}


def _whole(value: Any) -> int:
    number = int(value)
    if not 0 <= number <= MOST:
        raise ValueError("a number is out of range")
    return number


def _number(value: object) -> float | None:
    """A finite number, or None for anything else."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return float(value) if known else None  # type: ignore[arg-type]


def _facts(about: Mapping[str, Any]) -> dict[str, str]:
    """How a run was made, where that has the right form."""
    tables = {key: about.get(key) for key in ("recipe", "data", "versions")}
    facts = {key: _pairs(table) for key, table in tables.items() if isinstance(table, dict)}
    return facts | {key: str(about[key]) for key in ("engine", "gpu", "command") if about.get(key)}


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items() if not isinstance(value, dict | list))


def summary(runs: Sequence[Run]) -> Rows:
    """A line per run."""
    losses_of = ("loss, median", "loss, best", "best seed")
    rows = [["run", "seeds", *losses_of, "RLG, median", "RLG, best", "pass", "proven", "seconds", "state"]]
    for run in runs:
        seeds = run.seeds.values()
        ranked = sorted((seed.loss, number) for number, seed in run.seeds.items() if seed.loss is not None)
        losses = [loss for loss, _ in ranked]
        lengths = [seed.rlg for seed in seeds if seed.rlg is not None]
        row = [run.label, f"{len(seeds)}"]
        row += [f"{median(losses):.1e}", f"{losses[0]:.1e}", f"{ranked[0][1]}"] if losses else ["", "", ""]
        most = max(lengths, default=0)
        more = any(seed.beyond for seed in seeds if seed.rlg == most)
        row += [f"{median(lengths):g}", f"{'≥ ' * more}{most:,.0f}"] if lengths else ["", ""]
        row += [f"{sum(seed.passed is True for seed in seeds)} at {run.digits:,}" if run.digits else ""]
        row += [f"{sum(seed.verdict == PROVEN for seed in seeds)}" if run.rounds else ""]
        rows.append([*row, f"{run.seconds:,.1f}", run.state])
    return without_empty_columns(rows)


def without_empty_columns(rows: Rows) -> Rows:
    full = [place for place in range(len(rows[0])) if any(row[place] for row in rows[1:])]
    return [[row[place] for place in full] for row in rows]


def in_columns(rows: Rows) -> list[str]:
    """A table for a terminal; names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    last = len(widths) - 1
    return [
        "  ".join(
            cell.ljust(width) if place in (0, last) else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
