"""Where an extracted table comes from, as a certificate says it: which weights, seen on what, merged how."""

from __future__ import annotations

import hashlib
from typing import Any

from gridlang.table import Table
from learners.extraction.extract import EXACT, Extraction
from learners.extraction.saturation import INPUTS, WORLDS

RAW, FOLDED = "none", "folded"


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
        "merging": RAW if is_raw else FOLDED,
        "guessed": 0 if is_raw else extraction.guessed,
        "states": len(table.states),
        "clusters": extraction.clusters,
    }
