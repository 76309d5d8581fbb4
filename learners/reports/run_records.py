"""A run: its curves, rounds and seeds, and whether it is in progress or was interrupted."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, NamedTuple

from gridlang.diagnostics import counted
from gridlang.learners.reports.limits import LIMITS
from gridlang.learners.traces.choosing.rules import OF_WORLDS, OLDER
from gridlang.learners.traces.limits import LIMITS as TRACES

MOST_COUNTED = 10**15  # no run does more iterations; floats hold all whole numbers up to there
# Kinds of folders; a sweep leaves what `train` leaves.
TRAIN, LEARN = "train", "learn"


@dataclass(frozen=True, slots=True)
class Curves:
    """Lines over one axis, each by its name, such as `seed 3`; None where a line has no point."""

    iterations: tuple[int, ...]
    lines: Mapping[str, tuple[float | None, ...]]

    def thinned(self) -> Curves:
        """Some of the points, half of them even on a linear axis, half on a logarithmic one, and the last."""
        count, half = len(self.iterations), LIMITS.line_points // 2
        if count <= 2 * half:
            return self
        evenly = (round(i * (count - 1) / half) for i in range(half + 1))
        early = (min(count, int(count ** (i / half))) - 1 for i in range(half + 1))
        places = sorted({*evenly, *early})

        def kept(values: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(values[place] for place in places)

        return Curves(kept(self.iterations), {name: kept(row) for name, row in self.lines.items()})


def seed_name(seed: int) -> str:
    return f"seed {seed}"


def curves_of(lines: Sequence[Mapping[str, Any]], key: str, seeds: Sequence[int]) -> tuple[Curves, ...]:
    """What lines of a run's file hold under a key, a column for each seed; nothing where none has it."""
    rows = [line for line in lines if len(line.get(key) or ()) == len(seeds)]
    if not rows:
        return ()
    columns = {
        seed_name(seed): tuple(number(row[key][place]) for row in rows) for place, seed in enumerate(seeds)
    }
    return (Curves(_iterations(rows), columns),)


def speed_curves(lines: Sequence[Mapping[str, Any]]) -> tuple[Curves, ...]:
    """Iterations a second, each over the time since the point before: single lines are too short for it."""
    iterations, seconds = _iterations(lines), [number(line.get("seconds")) for line in lines]
    every = max(1, len(lines) // LIMITS.speed_points)
    places = [place for place in range(every - 1, len(lines), every) if seconds[place] is not None]
    speeds: list[float | None] = []
    before = 0, 0.0
    for place in places:
        at = iterations[place], seconds[place] or 0.0
        speeds.append((at[0] - before[0]) / (at[1] - before[1]) if at[1] > before[1] else None)
        before = at
    return (Curves(tuple(iterations[p] for p in places), {"speed": tuple(speeds)}),) if places else ()


def rate_curves(lines: Sequence[Mapping[str, Any]]) -> tuple[Curves, ...]:
    """The learning rate, which all seeds share."""
    rows = [line for line in lines if number(line.get("lr")) is not None]
    rates = {"learning rate": tuple(number(row["lr"]) for row in rows)}
    return (Curves(_iterations(rows), rates),) if rows else ()


def _iterations(rows: Iterable[Mapping[str, Any]]) -> tuple[int, ...]:
    return tuple(count(row["iteration"]) for row in rows)


def count(value: Any) -> int:
    """A whole number; ValueError for one that no run has counted up to."""
    counted = int(value)
    if not 0 <= counted <= MOST_COUNTED:
        raise ValueError("a number is out of range")
    return counted


def duration(*values: Any) -> float:
    """Seconds together; ValueError for what no run has taken."""
    seconds = sum(map(float, values))
    if not 0 <= seconds <= MOST_COUNTED:
        raise ValueError("a time is out of range")
    return seconds


def number(value: object) -> float | None:
    """A finite number, or None for anything else."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return float(value) if known else None  # type: ignore[arg-type]


def whole(value: object) -> int | None:
    """A whole number, or None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


@dataclass(frozen=True, slots=True)
class SeedRecord:
    """The result of a seed; None if unknown."""

    seed: int
    loss: float | None = None
    diverged: int | None = None  # the iteration at which the loss was no longer finite
    model: str = ""  # its file
    passed: bool | None = None  # at the length that a sweep evaluates
    length: int | None = None  # up to which it passed RLG
    beyond: bool = False  # It passed all that was tried, and may go further.
    verdict: str = ""
    reason: str = ""
    states: int | None = None
    clusters: int | None = None
    margin: float | None = None
    follows: int | None = None  # the length of inputs up to which the weights do what was extracted
    counterexample: str | None = None
    round: int | None = None
    certificate: str = ""

    def with_result(self, result: Mapping[str, Any]) -> SeedRecord:
        """The judgement of the seed, as in `SeedResult.as_json`."""
        return replace(
            self,
            verdict=str(result.get("verdict", "")),
            reason=str(result.get("reason") or ""),
            states=whole(result.get("states")),
            clusters=whole(result.get("clusters")),
            margin=number(result.get("margin")),
            follows=whole(result.get("followed_up_to")),
            counterexample=str(result["counterexample"]) if result.get("counterexample") else None,
        )


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """A round of `learn`: its traces, and the result of each seed in it."""

    number: int
    traces: int
    hard: int
    iterations: int
    seconds: float
    verdicts: Mapping[int, str]
    ended: bool = True  # All its seeds are judged.

    def count(self, verdict: str) -> int:
        """How many seeds had this verdict at its end."""
        return list(self.verdicts.values()).count(verdict)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One line of the charts: the seeds that one recipe trained on one set of traces."""

    label: str
    kind: str
    agent: str
    iterations: int  # asked for
    losses: tuple[Curves, ...]  # a part for each block of seeds that a sweep has trained
    outcomes: tuple[SeedRecord, ...]
    lengths: tuple[Curves, ...] = ()  # RLG, of all seeds or of some
    margins: tuple[Curves, ...] = ()
    learning_rates: tuple[Curves, ...] = ()
    speeds: tuple[Curves, ...] = ()  # iterations a second
    digits: int = 0  # of the inputs that `passed` and a record's share are about
    seconds: float = 0.0  # of training
    rounds: tuple[RoundRecord, ...] = ()
    traces: str = ""  # their file, where the folder holds it
    facts: Mapping[str, Any] = field(default_factory=dict)  # recipe, data, versions and the like
    running: bool = False  # A process is at work in its folder.
    ended: bool = False  # All that was asked for is done.

    @property
    def plans(self) -> list[dict[str, Any]]:
        """The plans by which its traces were made; none where that is not known."""
        made = self.facts.get("data", {}).get("made")
        parts = made.get("joined", [made]) if isinstance(made, dict) else []
        known = isinstance(parts, list) and all(isinstance(part, dict) for part in parts)
        return parts if known else []

    @property
    def known_losses(self) -> list[float]:
        return [o.loss for o in self.outcomes if o.loss is not None]

    @property
    def known_lengths(self) -> list[int]:
        return [o.length for o in self.outcomes if o.length is not None]

    @property
    def is_judged(self) -> bool:
        return self.kind == LEARN or any(outcome.verdict for outcome in self.outcomes)

    @property
    def done(self) -> int:
        """The iterations that have been written about."""
        return max((part.iterations[-1] for part in self.losses if part.iterations), default=0)

    @property
    def is_through(self) -> bool:
        """Whether there is nothing left to train."""
        return self.done >= self.iterations or all(o.diverged is not None for o in self.outcomes)

    @property
    def speed(self) -> float | None:
        """Iterations a second, of all lines together at last."""
        last = [values[-1] for part in self.speeds for values in part.lines.values() if values]
        return sum(each for each in last if each) or None


def chained(runs: Sequence[RunRecord], name: str) -> tuple[Curves, ...]:
    """The curves of this name of runs one behind the other, such as rounds; a block of seeds at a time."""
    blocks = max((len(getattr(run, name)) for run in runs), default=0)
    return tuple(_chain(runs, name, block) for block in range(blocks))


def _chain(runs: Sequence[RunRecord], name: str, block: int) -> Curves:
    parts, before, iterations = list[Curves](), 0, list[int]()
    for run in runs:
        for part in getattr(run, name)[block : block + 1]:
            parts.append(part)
            iterations += [before + at for at in part.iterations]
        before += run.iterations

    def row(line: str) -> tuple[float | None, ...]:
        rows = (part.lines.get(line, [None] * len(part.iterations)) for part in parts)
        return tuple(value for values in rows for value in values)

    names = dict.fromkeys(line for part in parts for line in part.lines)
    return Curves(tuple(iterations), {line: row(line) for line in names})


LIVE, FINISHED, INTERRUPTED = "live", "finished", "interrupted"  # classes of the style sheet


class RunState(NamedTuple):
    """How runs stand, in a word and in words."""

    look: str
    words: str


def state_of(records: Sequence[RunRecord]) -> RunState:
    """Of one run, or of several together."""
    if len(records) == 1:
        return _state_of_one(records[0])
    running = sum(record.running for record in records)
    broken = sum(not record.running and not record.ended for record in records)
    if running:
        return RunState(LIVE, f"{running} of {counted(len(records), 'run')} in progress")
    if broken:
        return RunState(INTERRUPTED, f"at rest: {broken} of {counted(len(records), 'run')} interrupted")
    return RunState(FINISHED, f"finished: all {len(records)} runs are at rest")


def _state_of_one(record: RunRecord) -> RunState:
    if record.running:
        return RunState(LIVE, _progress(record))
    if record.ended:
        return RunState(FINISHED, "finished: the run is at rest")
    where = f"at iteration {record.done:,} of {record.iterations:,}" if record.done else "at its start"
    typed = "".join(commands_for(record)[-1:]).removesuffix(" --resume")
    how = f"; to continue: {typed} --resume" if typed else ""
    return RunState(INTERRUPTED, f"at rest: interrupted {where}{how}")


def _progress(record: RunRecord) -> str:
    left = record.iterations - record.done
    if not left:
        return "in progress: models are judged" if record.kind == LEARN else "in progress: it is at its end"
    state = f"in progress: iteration {record.done:,} of {record.iterations:,}"
    if not record.speed:
        return state
    return f"{state}, {record.speed:,.0f} iterations a second, {clock(left / record.speed)} left"


def clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def commands_for(record: RunRecord) -> list[str]:
    """The commands one after the other; none where not even the recipe is known."""
    typed = record.facts.get("command")
    commands = [str(typed)] if typed else _rebuilt(record)
    try:
        words = shlex.split(commands[0]) if commands else []
    except ValueError:  # the recorded command was changed
        return commands
    files = [word for word in words if word.endswith(".npz")]
    if record.kind == TRAIN and len(files) == 1:
        commands = [*_trace(record, files[0]), *commands]
    return commands


def _rebuilt(record: RunRecord) -> list[str]:
    """The command of older runs, from their settings; it assumes that the recipe's file has not changed."""
    recipe, seeds = record.facts.get("recipe", {}), [outcome.seed for outcome in record.outcomes]
    if not recipe or not seeds:
        return []
    words = ["gridlang", record.kind]
    if record.kind == LEARN:
        words += [f"{record.agent}.grid"]
        words += ["--scope", str(record.facts["scope"])] if record.facts.get("scope") else []
    else:
        words.append(f"{record.agent}.npz")
    words += ["--recipe", str(recipe.get("name", "")), "--iterations", str(recipe.get("iterations", ""))]
    return [shlex.join([*words, "--seed", str(seeds[0]), "--seeds", str(len(seeds))])]


def _trace(record: RunRecord, file: str) -> list[str]:
    """How the traces were made, if a command of ours made them, all by the same settings."""
    plans = record.plans
    if not plans or not all("rule" in plan for plan in plans):
        return []
    words = ["gridlang", "trace", f"{record.agent}.grid"]
    for plan in plans:
        rule = OLDER.get(str(plan["rule"]), str(plan["rule"]))
        words += ["--rule", f"{rule}:{plan['count']}" if plan.get("count") else rule]
    for key in ("short", "long", "steps"):
        given = [plan for plan in plans if plan.get(key) is not None]
        usual = all(plan[key] == _usual_steps(str(plan["rule"])) for plan in given)
        if given and not (key == "steps" and usual):
            words += [f"--{key}", str(given[0][key])]
    words += ["--peek-greedy"] if any(plan.get("greedy") for plan in plans) else []
    seed = plans[0].get("seed")
    return [shlex.join([*words, *(["--seed", str(seed)] if seed else []), "-o", file])]


def _usual_steps(rule: str) -> int:
    """Where traces are cut unless `trace --steps` says otherwise."""
    return TRACES.world_steps if OLDER.get(rule, rule) in OF_WORLDS else TRACES.input_steps
