"""Traces, what they show, and what was extracted, as a notebook shows them. Every word is escaped."""

from __future__ import annotations

from compiler.drawing.templates import macro
from compiler.notebooks import graph_of
from gridlang.display import register
from gridlang.loading import Program
from gridlang.table import MOVES
from learners.extraction.extract import EXACT, Extraction
from learners.extraction.summaries import explored, summary
from learners.traces.coverage import Coverage
from learners.traces.dataset import Traces

HTML = "learners/notebook.html"
SHOWN = 6  # traces: enough to see what they are like
STEPS = 12  # of each, which fill a line
MISSING = 20  # rules never exercised that are named


def show_traces(traces: Traces) -> str:
    """How many there are, and the first of them."""
    words = f"{len(traces):,} traces, {traces.steps:,} steps, {int(traces.length.max()):,} in the longest"
    lines = []
    for row in range(min(SHOWN, len(traces))):
        length = int(traces.length[row])
        acts = [
            f"{traces.symbols[traces.x[row, t]]}→{traces.symbols[traces.s[row, t]]} {MOVES[traces.m[row, t]]}"
            for t in range(min(length, STEPS))
        ]
        told = ", ".join(acts) + (" …" if length > STEPS else "")
        lines.append((traces.inputs[row], f"{length:,}", traces.ending[row], told))
    more = f"and {len(traces) - SHOWN:,} more" if len(traces) > SHOWN else ""
    return macro(HTML, "traces")(traces.name, words, lines, more)


def show_coverage(coverage: Coverage) -> str:
    """What is shown of the agent, and the rules that no trace exercises."""
    parts = [("rules exercised", coverage.covered, coverage.reachable)]
    if coverage.possible is not None:
        parts.append(("pairs of states told apart", coverage.told_apart or 0, coverage.possible))
    lines = [(name, f"{part:,}", f"{whole:,}", f"{part / max(1, whole):.0%}") for name, part, whole in parts]
    missing = ", ".join(f"{state} on {symbol}" for state, symbol in coverage.missing[:MISSING])
    missing += " …" if len(coverage.missing) > MISSING else ""
    return macro(HTML, "coverage")(f"{coverage.traces:,} traces, {coverage.steps:,} steps", lines, missing)


def show_extraction(extraction: Extraction) -> str:
    """The state graph with what it rests on, or why there is none."""
    table = extraction.table
    if table is None:
        return macro(HTML, "refusal")(extraction.refused)
    words = f"{summary(extraction)}. {explored(extraction)}"
    if extraction.scope != EXACT:
        numbers = extraction.spread, extraction.gap, extraction.margin
        words += "; spread {:.2g}, gap {:.2g}, least margin {:.2g}".format(*numbers)
    return macro(HTML, "extraction")(table.name, words, graph_of(Program(table, f"<{table.name}>")))


register(Traces, show_traces)
register(Coverage, show_coverage)
register(Extraction, show_extraction)
