"""What is known of a run: its curves, its rounds, and what became of each seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from learners.reports.curves import Curves

# These are the kinds of folders, and of records; a sweep leaves what `train` leaves.
TRAIN, LEARN, BENCHMARK, PROOFS = "train", "learn", "record", "proofs"


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
    counts: Mapping[str, int] = field(default_factory=dict)  # Where no more than that is known.

    def count(self, verdict: str) -> int:
        """How many seeds had this verdict at its end."""
        return self.counts.get(verdict, list(self.verdicts.values()).count(verdict))


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One line of the charts: the seeds that one recipe trained on one set of traces."""

    label: str
    kind: str
    agent: str
    iterations: int  # So many were asked for.
    losses: tuple[Curves, ...]  # A sweep has trained in several blocks of seeds, which have a part each.
    outcomes: tuple[SeedRecord, ...]
    lengths: tuple[Curves, ...] = ()  # RLG, of all seeds or of some.
    margins: tuple[Curves, ...] = ()
    learning_rates: tuple[Curves, ...] = ()
    speeds: tuple[Curves, ...] = ()  # Iterations a second.
    digits: int = 0  # `passed` and a record's share are about so many digits.
    seconds: float = 0.0  # The training took so long.
    rounds: tuple[RoundRecord, ...] = ()
    traces: str = ""  # This is their file, where the folder holds it.
    # The facts are the recipe, the data, versions and the like.
    facts: Mapping[str, Any] = field(default_factory=dict)
    running: bool = False  # A process is at work in its folder.

    @property
    def done(self) -> int:
        """The iterations that have been written about."""
        return max((part.iterations[-1] for part in self.losses if part.iterations), default=0)

    @property
    def speed(self) -> float | None:
        """Iterations a second, of all lines together at last."""
        last = [values[-1] for part in self.speeds for values in part.lines.values() if values]
        return sum(each for each in last if each) or None
