"""The coverage of traces, and the content of a file of them, in words and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from gridlang.diagnostics import counted
from gridlang.learners.traces.choosing.coverage import Coverage
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.traces.limits import LIMITS
from gridlang.learners.traces.one_trace import ENDINGS
from gridlang.learners.traces.recording import origins


def coverage_lines(name: str, traces: Traces, shown: Coverage) -> list[str]:
    """Where traces are from, how they end, and what they show of the agent."""
    rows = [("from", _origin(part)) for part in origins(traces)]
    rows += [("", str(part["note"])) for part in origins(traces) if "note" in part]
    lost = [part["stuck_at_once"] for part in origins(traces) if "stuck_at_once" in part]
    rows += [("", f"{count} left out: stuck before their first step") for count in lost]
    rows.append(_ended(shown.endings))
    rows.append(("rules", f"{shown.covered:,} of {shown.reachable:,} exercised"))
    rows += [("missing", _missing(shown))] if shown.missing else []
    rows += [("states", _states(shown))]
    return _lines(name, shown.traces, shown.steps, shown.longest, rows)


def traces_data(traces: Traces) -> dict[str, Any]:
    """What is in a file, as JSON."""
    endings = Counter(traces.ending)
    return {
        "traces": len(traces),
        "steps": traces.steps,
        "longest": int(traces.length.max()),
        "endings": {word: endings[outcome] for outcome, word in ENDINGS.items()},
        "symbols": list(traces.symbols),
        "input": traces.input or None,
    }


def traces_lines(traces: Traces) -> list[str]:
    """What is in a file, in words."""
    data = traces_data(traces)
    rows = [_ended(data["endings"]), ("symbols", " ".join(traces.symbols))]
    rows += [("inputs", traces.input)] if traces.input else []
    return _lines(traces.name, len(traces), traces.steps, data["longest"], rows)


def _lines(name: str, traces: int, steps: int, longest: int, rows: Iterable[tuple[str, str]]) -> list[str]:
    size = f"{counted(traces, 'trace')}, {counted(steps, 'step')} in all, {longest:,} the longest"
    return [f"{name}: {size}", *(f"  {label:<9}{text}" for label, text in rows)]


def _ended(endings: Mapping[str, int]) -> tuple[str, str]:
    return "ended", ", ".join(f"{n:,} {ending}" for ending, n in endings.items() if n)


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
