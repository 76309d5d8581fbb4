"""Whether runs are in progress, finished, or were interrupted, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gridlang.diagnostics import counted
from learners.reports.commands_again import commands_for
from learners.reports.run_records import LEARN, TRAIN, RunRecord

LIVE, FINISHED, INTERRUPTED = "live", "finished", "interrupted"  # classes of the style sheet


class RunState(NamedTuple):
    """How runs stand, in a word and in words; both are empty for what no folder tells."""

    look: str = ""
    words: str = ""


def state_of(records: Sequence[RunRecord]) -> RunState:
    """Of one run, or of several together."""
    known = [record for record in records if record.kind in (TRAIN, LEARN)]
    if len(known) == 1:
        return _state_of_one(known[0])
    if not known:
        return RunState()
    running = sum(record.running for record in known)
    broken = sum(not record.running and not record.ended for record in known)
    if running:
        return RunState(LIVE, f"{running} of {counted(len(known), 'run')} in progress")
    if broken:
        return RunState(INTERRUPTED, f"at rest: {broken} of {counted(len(known), 'run')} interrupted")
    return RunState(FINISHED, f"finished: all {len(known)} runs are at rest")


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
