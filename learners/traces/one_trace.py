"""`Trace`: one run in symbols, and the words that files use for how it ended."""

from __future__ import annotations

from typing import NamedTuple

from gridlang.outcomes import Outcome

ENDINGS = {Outcome.HALTED: "halted", Outcome.STUCK: "stuck", Outcome.BUDGET: "cut"}  # what files say


class TraceStep(NamedTuple):
    """What a step reads, writes and moves; where the agent is stuck, it writes and moves nothing."""

    read: str
    write: str | None
    move: str | None


class Trace(NamedTuple):
    """One run: what it was on, how it ended, and its steps."""

    input: str
    ending: Outcome
    steps: tuple[TraceStep, ...]

    def __repr__(self) -> str:
        return f"Trace({self.input!r}: {ENDINGS[self.ending]} after {len(self.steps):,} steps)"
