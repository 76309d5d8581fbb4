"""Runs of `learn` in benchmarks: they tell how far they are, end in time, and are recorded alike."""

from __future__ import annotations

import sys
import time
from typing import Any

from benchmarks.timing import OutOfTime
from gridlang.learners.learning.learn_text import round_line
from gridlang.learners.learning.rounds import Learned, RoundResult
from gridlang.learners.learning.seed_verdicts import PROVEN, SeedResult
from gridlang.learners.learning.settings import Event, LearnConfig
from gridlang.learners.train.run import TrainingProgress

SHOWN = 150  # characters of the reason why a seed is not proven: a line or two


class LearnClock:
    """Raises OutOfTime when time is over, and tells how far a run is."""

    def __init__(self, config: LearnConfig, deadline: float) -> None:
        self.name, self.seeds = config.program.name, len(config.seeds)
        self.deadline, self.tenth = deadline, -1

    def on_event(self, event: Event) -> None:
        match event:
            case TrainingProgress():
                self.training(event)
            case RoundResult():
                self.round(event)
            case SeedResult():
                self.check()

    def check(self) -> None:
        if time.monotonic() > self.deadline:
            raise OutOfTime

    def training(self, at: TrainingProgress) -> None:
        if at.iteration * 10 // at.iterations != self.tenth:
            self.tenth = at.iteration * 10 // at.iterations
            losses = " ".join(f"{loss:.0e}" for loss in at.losses[:8])
            line = f"{self.name}: {at.iteration:,}/{at.iterations:,}  {1e6 / at.rate:.0f} us/it"
            print(f"{line}  {at.seconds:.0f} s  {losses}", file=sys.stderr, flush=True)
        self.check()

    def round(self, done: RoundResult) -> None:
        print(f"{self.name}: {round_line(done, self.seeds)}", flush=True)
        for result in done.results:
            if result.verdict != PROVEN:
                why = (result.reason or repr(result.counterexample))[:SHOWN]
                print(f"  seed {result.seed}: {result.verdict} {why}", flush=True)
        self.check()


def seconds_of(learned: Learned) -> dict[str, float]:
    """What all rounds took together."""
    return {
        "training_seconds": round(sum(each.training_seconds for each in learned.rounds), 1),
        "judging_seconds": round(sum(each.judging_seconds for each in learned.rounds), 1),
    }


def history_of(learned: Learned) -> dict[str, list[dict[str, Any]]]:
    """The rounds, and what became of each seed in its last one."""
    rounds = [each.as_json() for each in learned.rounds]
    last = [{**result.as_json(), "round": number} for number, result in learned.last.values()]
    return {
        "history": [{key: value for key, value in each.items() if key != "results"} for each in rounds],
        "last": [{key: value for key, value in each.items() if key != "hard"} for each in last],
    }
