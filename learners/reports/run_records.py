"""What is known of a run: its curves, its rounds, and what became of each seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from learners.reports.curves import Curves, number, whole

# Kinds of folders, and of records; a sweep leaves what `train` leaves.
TRAIN, LEARN, BENCHMARK, PROOFS = "train", "learn", "record", "proofs"


@dataclass(frozen=True, slots=True)
class SeedRecord:
    """What became of a seed; None where it is not known."""

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
        """What was found when the seed was judged, as `SeedResult.as_json` tells it."""
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
    """A round of `learn`: what was taught, and what became of each seed that was in it."""

    number: int
    traces: int
    hard: int
    iterations: int
    seconds: float
    verdicts: Mapping[int, str]
    counts: Mapping[str, int] = field(default_factory=dict)  # where no more than that is known

    def count(self, verdict: str) -> int:
        """How many seeds had this verdict at its end."""
        return self.counts.get(verdict, list(self.verdicts.values()).count(verdict))


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
        return self.kind in (LEARN, PROOFS) or any(outcome.verdict for outcome in self.outcomes)

    @property
    def done(self) -> int:
        """The iterations that have been written about."""
        return max((part.iterations[-1] for part in self.losses if part.iterations), default=0)

    @property
    def speed(self) -> float | None:
        """Iterations a second, of all lines together at last."""
        last = [values[-1] for part in self.speeds for values in part.lines.values() if values]
        return sum(each for each in last if each) or None
