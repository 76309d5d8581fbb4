"""What to type to have a run again: what was typed, or what a folder tells of that."""

from __future__ import annotations

import shlex

from learners.reports.run_records import LEARN, TRAIN, RunRecord
from learners.traces.choosing.rules import OF_WORLDS, OLDER

STEPS, OTHER_STEPS = (
    dict.fromkeys((*OF_WORLDS, "worlds"), 60),
    1_000,
)  # where traces are cut unless `trace --steps` says otherwise


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
