"""An extraction in words, as source and as data."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import Any

from gridlang.compiler.extraction.exploration import INPUTS, WORLDS
from gridlang.compiler.extraction.extract import EXACT, Extraction
from gridlang.diagnostics import counted
from gridlang.table import Table


def source_of(extraction: Extraction, model: str, raw: bool) -> str:
    """The extracted table as source, with what it rests on as comments; empty if there is none."""
    if extraction.table is None:
        return ""
    seen = f"{counted(extraction.clusters, 'cluster')} of hidden vectors, and only rules that were seen"
    what = seen if raw and extraction.scope != EXACT else summary(extraction)
    first = f"# Extracted from {os.path.basename(model)}: {what}."
    return "\n".join([first, f"# {explored(extraction)}.", extraction.to_source(raw)])


def summary(extraction: Extraction) -> str:
    """`12 states from 25 clusters of hidden vectors, with 30 pairs guessed`."""
    if extraction.scope == EXACT:
        return f"its weights spell out {counted(extraction.states, 'state')}"
    states, clusters = counted(extraction.states, "state"), counted(extraction.clusters, "cluster")
    return f"{states} from {clusters} of hidden vectors, with {counted(extraction.guessed, 'pair')} guessed"


def explored(extraction: Extraction) -> str:
    """The evidence of the claim."""
    if extraction.scope == EXACT:
        return "Exact: read from the weights, not observed"
    tried = max((each.length for each in extraction.history if each.scope == INPUTS), default=0)
    longest = extraction.drifts_beyond or tried
    inputs = f", inputs of up to {longest}" if longest and INPUTS in extraction.scope else ""
    steps = f"{extraction.steps:,} steps, {extraction.longest:,} in the longest run"
    snapped = "on longer ones its float vectors drift, and with snapped inference it stays on this graph"
    return (
        f"Observed on {extraction.scope}{inputs}: {steps}{f'; {snapped}' if extraction.drifts_beyond else ''}"
    )


def evidence_lines(extraction: Extraction, model: str, raw: bool, details: bool) -> Iterator[str]:
    """What a table rests on: what was seen of the model, guessed, and found in formulas."""
    yield f"{model}: {summary(extraction)}"
    yield f"  {explored(extraction)}"
    yield from (f"  {odd}" for odd in extraction.odd)
    if extraction.scope == EXACT:
        return
    if details:
        fewest, exact = counted(extraction.fewest, "state"), extraction.bound == extraction.fewest
        numbers = f"spread {extraction.spread:.2g}, gap {extraction.gap:.2g}"
        smallest = f"the smallest table {'has' if exact else 'known has'} {fewest}"
        yield f"  clusters: {numbers}, least margin {extraction.margin:.2g}; {smallest}"
    if extraction.guessed and not raw:
        never = "the model was never seen on them, or where they lead; --raw leaves them out"
        yield f"  {counted(extraction.guessed, 'pair')} guessed: {never}"


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
        "fewest": extraction.fewest or None,
        "bound": extraction.bound or None,
        "odd": [each._asdict() for each in extraction.odd],
        "tolerance": extraction.tolerance or None,
        "spread": extraction.spread if table else None,
        "gap": extraction.gap if table else None,
        "margin": extraction.margin if table else None,
        "history": [each._asdict() for each in extraction.history],
        "seconds": round(seconds, 3),
        **({} if output or not source else {"source": source}),
    }


def provenance(extraction: Extraction, table: Table, weights: bytes, seed: int) -> dict[str, Any]:
    """Of a table of an extraction: the digest of the weights, what they were run on, and what was guessed."""
    is_raw = table is not extraction.table or extraction.scope == EXACT
    runs = {scope: sum(g.runs for g in extraction.history if g.scope == scope) for scope in (INPUTS, WORLDS)}
    return {
        "weights_sha256": hashlib.sha256(weights).hexdigest(),
        "scope": extraction.scope,
        "seed": seed,
        "worlds": runs[WORLDS],
        "inputs": runs[INPUTS],
        "longest": extraction.longest,
        "steps": extraction.steps,
        "merging": "none" if is_raw else "folded",
        "guessed": 0 if is_raw else extraction.guessed,
        "states": len(table.states),
        "clusters": extraction.clusters,
    }
