"""Whether runs are in progress, finished or were interrupted; and what to type to have one again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import NamedTuple

from gridlang.diagnostics import counted
from learners.reports.run_records import LEARN, TRAIN, RunRecord
from learners.traces.choosing.rules import OF_WORLDS, OLDER

STEPS, OTHER_STEPS = (
    dict.fromkeys((*OF_WORLDS, "worlds"), 60),
    1_000,
)  # where traces are cut unless `trace --steps` says otherwise


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


def commands_for(record: RunRecord) -> list[str]:
    """The commands one after the other; none where not even the recipe is known."""
    typed = record.facts.get("command")
    commands = [str(typed)] if typed else _rebuilt(record)
    try:
        words = shlex.split(commands[0]) if commands else []
    except ValueError:  # Somebody has changed what was typed.
        return commands
    files = [word for word in words if word.endswith(".npz")]
    if record.kind == TRAIN and len(files) == 1:
        commands = [*_trace(record, files[0]), *commands]
    return commands


def _rebuilt(record: RunRecord) -> list[str]:
    """What older runs do not say, from their settings; whoever changed the recipe's file changes it again."""
    recipe, seeds = record.facts.get("recipe", {}), [outcome.seed for outcome in record.outcomes]
    if not recipe or not seeds or record.kind not in (TRAIN, LEARN):
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
        usual = all(plan[key] == STEPS.get(str(plan["rule"]), OTHER_STEPS) for plan in given)
        if given and not (key == "steps" and usual):
            words += [f"--{key}", str(given[0][key])]
    words += ["--peek-greedy"] if any(plan.get("greedy") for plan in plans) else []
    seed = plans[0].get("seed")
    return [shlex.join([*words, *(["--seed", str(seed)] if seed else []), "-o", file])]
