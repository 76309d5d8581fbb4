"""What was extracted, in words, as source and as data."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from gridlang.diagnostics import counted
from learners.extraction.extract import EXACT, Extraction
from learners.extraction.saturation import INPUTS, Growth
from learners.extraction.table_to_source import table_to_families


def source_of(extraction: Extraction, model: str, raw: bool, comments: Iterable[str] = ()) -> str:
    """The extracted table as source, comments in front of its agent; empty if there is none."""
    table = extraction.raw if raw else extraction.table
    if table is None:
        return ""
    seen = f"{counted(extraction.clusters, 'cluster')} of hidden vectors, and only rules that were seen"
    what = seen if raw and extraction.scope != EXACT else summary(extraction)
    first = f"# Extracted from {os.path.basename(model)}: {what}."
    about = [first, f"# {explored(extraction)}.", *(f"# {comment}" for comment in comments)]
    return "\n".join([*about, table_to_families(table)])


def summary(extraction: Extraction) -> str:
    """`12 states from 25 clusters of hidden vectors, with 30 pairs guessed`."""
    if extraction.scope == EXACT:
        return f"its weights spell out {counted(extraction.states, 'state')}"
    states, clusters = counted(extraction.states, "state"), counted(extraction.clusters, "cluster")
    return f"{states} from {clusters} of hidden vectors, with {counted(extraction.guessed, 'pair')} guessed"


def explored(extraction: Extraction) -> str:
    """What the claim rests on."""
    if extraction.scope == EXACT:
        return "Exact: what the weights do is read off, not observed"
    tried = max((each.length for each in extraction.history if each.scope == INPUTS), default=0)
    longest = extraction.drifts_beyond or tried
    inputs = f", inputs of up to {longest}" if longest and INPUTS in extraction.scope else ""
    steps = f"{extraction.steps:,} steps, {extraction.longest:,} in the longest run"
    snapped = "on longer ones its float vectors drift, and with snapped inference it stays on this graph"
    return (
        f"Observed on {extraction.scope}{inputs}: {steps}{f'; {snapped}' if extraction.drifts_beyond else ''}"
    )


def extraction_data(
    extraction: Extraction, model: str, against: str | None, output: str | None, source: str, seconds: float
) -> dict[str, Any]:
    """All that was found as JSON; the source itself only where it was written to no file."""
    table = extraction.table
    return {
        "model": model,
        "against": against,
        "output": output,
        "states": extraction.states if table else None,
        "rules": table.transitions if table else None,
        "clusters": extraction.clusters if table else None,
        "guessed": extraction.guessed if table else None,
        "points": len(extraction.centres) if table else None,
        "saturated": extraction.saturated,
        "refused": extraction.refused or None,
        "code": extraction.refusal.code if extraction.refusal else None,
        "hint": extraction.refusal.hint if extraction.refusal else None,
        "explored": extraction.scope,
        "steps": extraction.steps,
        "longest": extraction.longest,
        "drifts_beyond": extraction.drifts_beyond or None,
        "bound": extraction.bound or None,
        "tolerance": extraction.tolerance or None,
        "spread": extraction.spread if table else None,
        "gap": extraction.gap if table else None,
        "margin": extraction.margin if table else None,
        "history": [growth_data(each) for each in extraction.history],
        "seconds": round(seconds, 3),
        **({} if output or not source else {"source": source}),
    }


def growth_data(growth: Growth) -> dict[str, Any]:
    return growth._asdict()
