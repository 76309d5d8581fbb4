"""What is known of a run: its curves, its rounds, and what became of each seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

TRAIN, LEARN, BENCHMARK = "train", "learn", "record"  # what has left it; a sweep leaves what `train` does


@dataclass(frozen=True, slots=True)
class SeedRecord:
    """What became of a seed; None where it is not known."""

    seed: int
    loss: float | None = None
    diverged: int | None = None  # at this iteration
    model: str = ""  # its file
    passed: bool | None = None  # at the length that a sweep was asked to evaluate
    length: int | None = None  # RLG: the largest length passed
    beyond: bool = False  # whether it may go further: all that was tried was passed
    verdict: str = ""
    reason: str = ""
    states: int | None = None
    clusters: int | None = None
    margin: float | None = None
    follows: int | None = None  # the length of inputs up to which the weights do what was extracted
    counterexample: str | None = None
    round: int | None = None
    certificate: str = ""


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """A round of `learn`: what was taught, and what became of each seed that was in it."""

    number: int
    traces: int
    hard: int
    iterations: int
    seconds: float
    verdicts: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One line of the charts: the seeds that one recipe trained on one set of traces."""

    label: str
    kind: str
    agent: str
    iterations: int  # asked for
    losses: tuple[tuple[int, tuple[float, ...]], ...]  # at an iteration, those of the seeds still there
    outcomes: tuple[SeedRecord, ...]
    lengths: tuple[tuple[int, tuple[int, ...]], ...] = ()  # RLG of some seeds at an iteration
    digits: int = 0  # that `passed` and a record's share are about
    seconds: float = 0.0  # of training
    rounds: tuple[RoundRecord, ...] = ()
    traces: str = ""  # their file, where the folder holds it
    facts: Mapping[str, Any] = field(default_factory=dict)  # recipe, data, versions and the like

    @property
    def done(self) -> int:
        """The iterations that have been written about."""
        return self.losses[-1][0] if self.losses else 0
