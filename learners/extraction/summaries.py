"""What was extracted, in words, as source and as data."""

from __future__ import annotations

import os
from typing import Any

from learners.extraction.extract import EXACT, Extraction
from learners.extraction.saturation import INPUTS, Growth
from learners.extraction.table_to_source import table_to_families


def source_of(found: Extraction, model: str, raw: bool) -> str:
    """The extracted table as source; empty if there is none."""
    table = found.raw if raw else found.table
    if table is None:
        return ""
    first = f"# Extracted from {os.path.basename(model)}: {summary(found)}."
    return f"{first}\n# {explored(found)}.\n{table_to_families(table)}"


def summary(found: Extraction) -> str:
    """`12 states from 25 clusters of hidden vectors`."""
    if found.scope == EXACT:
        return f"its weights spell out {counted(found.states, 'state')}"
    return f"{counted(found.states, 'state')} from {counted(found.clusters, 'cluster')} of hidden vectors"


def explored(found: Extraction) -> str:
    """What the claim rests on."""
    if found.scope == EXACT:
        return "Exact: what the weights do is read off, not observed"
    longest = max((each.length for each in found.history if each.scope == INPUTS), default=0)
    inputs = f", inputs of up to {longest}" if longest and INPUTS in found.scope else ""
    return f"Observed on {found.scope}{inputs}: {found.steps:,} steps, {found.longest:,} in the longest run"


def counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def extraction_data(
    found: Extraction, model: str, against: str | None, output: str | None, source: str, seconds: float
) -> dict[str, Any]:
    """All that was found as JSON; the source itself only where it was written to no file."""
    table = found.table
    return {
        "model": model,
        "against": against,
        "output": output,
        "states": found.states if table else None,
        "rules": table.transitions if table else None,
        "clusters": found.clusters if table else None,
        "points": len(found.centres) if table else None,
        "saturated": found.saturated,
        "refused": found.refused or None,
        "code": found.refusal.code if found.refusal else None,
        "hint": found.refusal.hint if found.refusal else None,
        "explored": found.scope,
        "steps": found.steps,
        "longest": found.longest,
        "bound": found.bound or None,
        "tolerance": found.tolerance or None,
        "spread": found.spread if table else None,
        "gap": found.gap if table else None,
        "margin": found.margin if table else None,
        "history": [growth_data(each) for each in found.history],
        "seconds": round(seconds, 3),
        **({} if output or not source else {"source": source}),
    }


def growth_data(growth: Growth) -> dict[str, Any]:
    return growth._asdict()
