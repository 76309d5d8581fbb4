"""Curves of a run: the numbers of its seeds over iterations and time, as they were recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from statistics import median
from typing import Any, NamedTuple

from learners.reports.limits import LIMITS

MOST_COUNTED = 10**15  # no run does more iterations; floats hold all whole numbers up to there


@dataclass(frozen=True, slots=True)
class Curves:
    """Lines over one axis, each by its name, such as `seed 3`; None where a line has no point."""

    iterations: tuple[int, ...]
    seconds: tuple[float | None, ...]
    lines: Mapping[str, tuple[float | None, ...]]
    beyond: Mapping[str, tuple[bool, ...]] = field(default_factory=dict)  # where a value is only a least one

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

        lines, beyond = (
            {name: kept(row) for name, row in each.items()} for each in (self.lines, self.beyond)
        )
        return Curves(kept(self.iterations), kept(self.seconds), lines, beyond)


def seed_name(seed: int) -> str:
    return f"seed {seed}"


def curves_of(
    lines: Sequence[Mapping[str, Any]], key: str, seeds: Sequence[int], beyond: str = ""
) -> tuple[Curves, ...]:
    """What lines of a run's file hold under a key, a column for each seed; nothing where none has it."""
    rows = [line for line in lines if len(line.get(key) or ()) == len(seeds)]
    if not rows:
        return ()
    columns = {
        seed_name(seed): tuple(number(row[key][place]) for row in rows) for place, seed in enumerate(seeds)
    }
    more = {}
    if beyond:
        flags = [row.get(beyond) or [False] * len(seeds) for row in rows]
        more = {seed_name(seed): tuple(bool(row[place]) for row in flags) for place, seed in enumerate(seeds)}
    return (Curves(*_axes(rows), columns, more),)


def speed_curves(lines: Sequence[Mapping[str, Any]]) -> tuple[Curves, ...]:
    """Iterations a second, each over the time since the point before: single lines are too short for it."""
    iterations, seconds = _axes(lines)
    every = max(1, len(lines) // LIMITS.speed_points)
    places = [place for place in range(every - 1, len(lines), every) if seconds[place] is not None]
    speeds: list[float | None] = []
    before = 0, 0.0
    for place in places:
        at = iterations[place], seconds[place] or 0.0
        speeds.append((at[0] - before[0]) / (at[1] - before[1]) if at[1] > before[1] else None)
        before = at
    axes = tuple(iterations[place] for place in places), tuple(seconds[place] for place in places)
    return (Curves(*axes, {"speed": tuple(speeds)}),) if places else ()


def rate_curves(lines: Sequence[Mapping[str, Any]], key: str, name: str) -> tuple[Curves, ...]:
    """What lines of metrics hold under a key for all seeds together."""
    rows = [line for line in lines if number(line.get(key)) is not None]
    return (Curves(*_axes(rows), {name: tuple(number(row[key]) for row in rows)}),) if rows else ()


def _axes(rows: Iterable[Mapping[str, Any]]) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
    rows = list(rows)
    iterations = tuple(count(row["iteration"]) for row in rows)
    return iterations, tuple(number(row.get("seconds")) for row in rows)


def chained(parts: Sequence[tuple[Curves, int, float]]) -> tuple[Curves, ...]:
    """Curves one behind the other, each with the iterations and seconds before it: the rounds of `learn`."""
    if not parts:
        return ()
    names = dict.fromkeys(name for part, _, _ in parts for name in part.lines)
    iterations = tuple(at + after for part, after, _ in parts for at in part.iterations)
    seconds = tuple(s if s is None else s + before for part, _, before in parts for s in part.seconds)

    def row(name: str, kind: str, nothing: Any) -> tuple[Any, ...]:
        rows = (getattr(part, kind).get(name, [nothing] * len(part.iterations)) for part, _, _ in parts)
        return tuple(value for values in rows for value in values)

    lines = {name: row(name, "lines", None) for name in names}
    return (Curves(iterations, seconds, lines, {name: row(name, "beyond", False) for name in names}),)


class Middle(NamedTuple):
    """The median of all lines at an iteration, with the least and the most."""

    iteration: int
    seconds: float | None
    middle: float
    low: float
    high: float


def middles(curves: Sequence[Curves]) -> list[Middle]:
    """The lines of all curves as a band, at each iteration where there is a point."""
    at: dict[int, list[float]] = {}
    when: dict[int, list[float]] = {}
    for part in curves:
        for place, (iteration, seconds) in enumerate(zip(part.iterations, part.seconds, strict=True)):
            values = [value for line in part.lines.values() if (value := line[place]) is not None]
            if values:
                at.setdefault(iteration, []).extend(values)
                when.setdefault(iteration, []).extend([] if seconds is None else [seconds])
    return [
        Middle(i, median(when[i]) if when[i] else None, median(at[i]), min(at[i]), max(at[i]))
        for i in sorted(at)
    ]


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
