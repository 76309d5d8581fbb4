"""What traces show of an agent, in words."""

from __future__ import annotations

from typing import Any

from learners.traces.coverage import Coverage
from learners.traces.dataset import Traces
from learners.traces.joining import origins
from learners.traces.limits import LIMITS


def coverage_lines(name: str, traces: Traces, shown: Coverage) -> list[str]:
    """Where traces are from, how they end, and what they show of the agent."""
    rows = [("from", _origin(part)) for part in origins(traces)]
    rows += [("", str(part["note"])) for part in origins(traces) if "note" in part]
    lost = [part["stuck_at_once"] for part in origins(traces) if "stuck_at_once" in part]
    rows += [("", f"{count} left out: stuck before their first step") for count in lost]
    rows.append(("ended", ", ".join(f"{n:,} {ending}" for ending, n in shown.endings.items() if n)))
    rows.append(("rules", f"{shown.covered:,} of {shown.reachable:,} exercised"))
    rows += [("missing", _missing(shown))] if shown.missing else []
    rows += [("states", _states(shown))]
    steps = f"{shown.steps:,} steps in all, {shown.longest:,} the longest"
    return [f"{name}: {shown.traces:,} traces, {steps}", *(f"  {label:<9}{text}" for label, text in rows)]


def _origin(part: dict[str, Any]) -> str:
    """`paper: p 1, q 3, N 20, seed 0`."""
    labels = {"short": "p", "long": "q", "count": "N", "seed": "seed"}
    sizes = ", ".join(f"{label} {part[key]}" for key, label in labels.items() if key in part)
    name = part.get("rule") or part.get("file") or "elsewhere"
    return f"{name}{', greedy' if part.get('greedy') else ''}{': ' if sizes else ''}{sizes}"


def _missing(shown: Coverage) -> str:
    by_state: dict[str, list[str]] = {}
    for state, symbol in shown.missing:
        by_state.setdefault(state, []).append(symbol)
    texts = [f"{state} on {' '.join(symbols)}" for state, symbols in by_state.items()]
    hidden = len(texts) - LIMITS.missing_shown
    more = f", and in {hidden:,} more states" if hidden > 0 else ""
    return ", ".join(texts[: LIMITS.missing_shown]) + more


def _states(shown: Coverage) -> str:
    if shown.pairs is None or shown.told_apart is None or shown.possible is None:
        return f"{shown.states:,} reached"
    text = f"{shown.states:,} reached, {shown.told_apart:,} of {shown.pairs:,} pairs told apart"
    if shown.alike:
        return f"{text}; not, for one, {shown.alike[0][0]} and {shown.alike[0][1]}"
    return f"{text}; no traces tell more" if shown.told_apart < shown.pairs else text
