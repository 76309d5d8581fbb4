"""What was learned from noisy traces, in words and as JSON."""

from __future__ import annotations

from typing import Any

from gridlang.diagnostics import counted
from learners.learning.noisy_rounds import Explained, NoisyLearned
from learners.methods.noise.cleaning import RoundOfCleaning
from learners.methods.noise.corruption import KINDS, Rates


def noisy_data(learned: NoisyLearned, output: str, scope: str) -> dict[str, Any]:
    """All of it; `proven` is null where no expert measured it."""
    clean = learned.cleaned
    return {
        "proven": learned.verdicts[scope] == "proven" if learned.verdicts else None,
        "scope": scope,
        "rounds": clean.rounds,
        "found_again": clean.found_again,
        "traces": len(clean.traces),
        **clean.judgement.as_json(),
        "states": len(clean.best.table.states),
        "verdicts": learned.verdicts,
        "consistent": learned.explained.as_json(),
        "held_out": learned.held_out.as_json() if learned.held_out else None,
        "seeds": [seed.as_json() for seed in learned.seeds],
        "output": output,
    }


def cleaning_line(done: RoundOfCleaning) -> str:
    """`round 2: 12 states; 1,730 steps judged wrong; noise 5.0 % of reads, …`."""
    states = counted(done.states, "state")
    return f"round {done.number}: {states}; {done.judged_wrong:,} steps judged wrong; {_rates(done.rates)}"


def learned_lines(learned: NoisyLearned) -> list[str]:
    """What is judged of the traces, and what is claimed of the table and of the models."""
    clean, told = learned.cleaned, learned.cleaned.judgement
    bounds = ", ".join(
        f"{kind} {_percent(low)} to {_percent(high)}" for kind, (low, high) in told.bounds.items()
    )
    table = f"the likeliest table ({counted(len(clean.best.table.states), 'state')})"
    lines = [
        f"{told.wrong:,} of {told.steps:,} steps judged wrong, {told.sure:,} of them surely",
        _rates(told.rates),
        f"95 % intervals: {bounds}",
        f"{table} was found in {counted(clean.found_again, 'round')} of {clean.rounds}",
    ]
    if learned.verdicts:
        lines += [f"{table}: {_verdicts(learned.verdicts)}"]
        lines += [f"seed {seed.seed}: {_seed(seed.refused, seed.verdicts)}" for seed in learned.seeds]
    else:
        lines.append(f"consistent with {_explained(learned.explained)}")
    if learned.held_out is not None:
        lines.append(f"of traces that were held out, consistent with {_explained(learned.held_out)}")
    return lines


def _explained(told: Explained) -> str:
    return f"{told.agree:,} of {told.steps:,} steps as they were recorded"


def _seed(refused: str, verdicts: dict[str, str]) -> str:
    return f"nothing extracted: {refused}" if refused else _verdicts(verdicts)


def _verdicts(verdicts: dict[str, str]) -> str:
    return ", ".join(f"{verdict} on all {scope}" for scope, verdict in verdicts.items())


def _rates(rates: Rates) -> str:
    return "noise in " + ", ".join(f"{_percent(getattr(rates, kind))} of {kind}" for kind in KINDS)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
