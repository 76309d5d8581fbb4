"""What is known of a run: its curves, its rounds, and what became of each seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# These are the kinds of folders; a sweep leaves what `train` leaves.
TRAIN, LEARN, BENCHMARK = "train", "learn", "record"


@dataclass(frozen=True, slots=True)
class SeedRecord:
    """What became of a seed; None where it is not known."""

    seed: int
    loss: float | None = None
    diverged: int | None = None  # The loss was no longer finite at this iteration.
    model: str = ""  # This is the model's file.
    passed: bool | None = None  # It passed at the length that a sweep evaluates.
    length: int | None = None  # It passed RLG up to this length.
    beyond: bool = False  # It may go further, since it passed all that was tried.
    verdict: str = ""
    reason: str = ""
    states: int | None = None
    clusters: int | None = None
    margin: float | None = None
    follows: int | None = None  # The weights do what was extracted up to this length of inputs.
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
    iterations: int  # So many were asked for.
    # The losses at an iteration are of the seeds still there.
    losses: tuple[tuple[int, tuple[float, ...]], ...]
    outcomes: tuple[SeedRecord, ...]
    lengths: tuple[tuple[int, tuple[int, ...]], ...] = ()  # RLG of some seeds at an iteration.
    digits: int = 0  # `passed` and a record's share are about so many digits.
    seconds: float = 0.0  # The training took so long.
    rounds: tuple[RoundRecord, ...] = ()
    traces: str = ""  # This is their file, where the folder holds it.
    # The facts are the recipe, the data, versions and the like.
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def done(self) -> int:
        """The iterations that have been written about."""
        return self.losses[-1][0] if self.losses else 0
