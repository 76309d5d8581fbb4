"""What a log shows, and what was learned from it, in words and as data."""

from __future__ import annotations

from collections import Counter
from typing import Any

from gridlang.diagnostics import counted
from learners.traces.dataset import ENDINGS, Traces
from learners.traces.logs.contradictions import contradictions
from learners.traces.logs.legend import legend_line, legend_of

KINDS = {"grid": "runs on a grid", "mealy": "runs of a Mealy machine", "words": "labelled words"}


def log_data(traces: Traces) -> dict[str, Any]:
    """A log as JSON."""
    told = contradictions(traces)
    endings = Counter(traces.ending)
    return {
        "traces": len(traces),
        "steps": traces.steps,
        "longest": int(traces.length.max()),
        "endings": {ending: endings[ending] for ending in ENDINGS},
        "symbols": list(traces.symbols),
        "legend": legend_of(traces),
        "input": traces.input or None,
        "pasts": told.tree,
        "contradictions": told.steps,
    }


def log_lines(traces: Traces) -> list[str]:
    """A log in words: how much of it there is, what its symbols are, and how much of it can be learned."""
    data = log_data(traces)
    legend = legend_of(traces)
    kind = KINDS.get(str(traces.data.get("log")), "")
    rows = [("from", f"{traces.data['runs']:,} {kind}")] if kind else []
    rows.append(("ended", ", ".join(f"{n:,} {ending}" for ending, n in data["endings"].items() if n)))
    rows.append(("symbols", " ".join(traces.symbols)))
    rows += [("legend", legend_line(legend))] if legend else []
    rows += [("inputs", f"{traces.input}, letter = {' '.join(traces.classes[0][1])}")] if traces.input else []
    apart = f"; {counted(data['contradictions'], 'step')} contradict others" if data["contradictions"] else ""
    rows.append(("pasts", f"{data['pasts']:,} different ones{apart}"))
    steps = f"{traces.steps:,} steps in all, {data['longest']:,} the longest"
    return [
        f"{traces.name}: {len(traces):,} traces, {steps}",
        *(f"  {label:<9}{text}" for label, text in rows),
    ]
