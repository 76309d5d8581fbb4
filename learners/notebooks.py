"""Traces, what they show, and what was extracted, as a notebook shows them. Every word is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from compiler.notebooks import BAD, GOOD, OPEN, captioned, graph_of, pill, rows
from gridlang.display import register
from gridlang.loading import Program
from gridlang.table import MOVES
from learners.evaluation.evaluate import Evaluation, Search
from learners.extraction.extract import EXACT, Extraction
from learners.extraction.summaries import explored, summary
from learners.learning.rounds import Learned
from learners.traces.coverage import Coverage
from learners.traces.dataset import Traces

SHOWN = 6  # traces
STEPS = 12  # of each


def show_traces(traces: Traces) -> str:
    """How many there are, and the first of them."""
    words = f"<b>{escape(traces.name)}</b>: {len(traces):,} traces, {traces.steps:,} steps, "
    words += f"{int(traces.length.max()):,} in the longest"
    lines = []
    for row in range(min(SHOWN, len(traces))):
        length = int(traces.length[row])
        acts = [
            f"{traces.symbols[traces.x[row, t]]}→{traces.symbols[traces.s[row, t]]} {MOVES[traces.m[row, t]]}"
            for t in range(min(length, STEPS))
        ]
        told = ", ".join(acts) + (" …" if length > STEPS else "")
        lines.append((traces.inputs[row], f"{length:,}", traces.ending[row], told))
    more = f"<i>and {len(traces) - SHOWN:,} more</i>" if len(traces) > SHOWN else ""
    return captioned(words, rows(("input", "steps", "ends", "reads → writes, moves"), lines) + more)


def show_coverage(coverage: Coverage) -> str:
    """What is shown of the agent, and the rules that no trace exercises."""
    parts = [("rules exercised", coverage.covered, coverage.reachable)]
    if coverage.possible is not None:
        parts.append(("pairs of states told apart", coverage.told_apart or 0, coverage.possible))
    lines = [(name, f"{part:,}", f"{whole:,}", f"{part / max(1, whole):.0%}") for name, part, whole in parts]
    missing = ", ".join(f"{state} on {symbol}" for state, symbol in coverage.missing[:20])
    more = " …" if len(coverage.missing) > 20 else ""
    note = f"<div>never exercised: {escape(missing)}{more}</div>" if missing else ""
    words = f"{coverage.traces:,} traces, {coverage.steps:,} steps"
    return captioned(words, rows(("", "shown", "of", ""), lines) + note)


def show_extraction(found: Extraction) -> str:
    """The state graph with what it rests on, or why there is none."""
    if found.table is None:
        return captioned(f"{pill('refused', BAD)} {escape(found.refused)}", "")
    words = f"{pill('extracted', GOOD)} <b>{escape(found.table.name)}</b>: {escape(summary(found))}. "
    words += escape(explored(found))
    if found.scope != EXACT:
        words += f"; spread {found.spread:.2g}, gap {found.gap:.2g}, least margin {found.margin:.2g}"
    return captioned(words, graph_of(Program(found.table, f"<{found.table.name}>")))


def show_evaluation(evaluation: Evaluation) -> str:
    """Whether a length was passed, and on how much that rests."""
    return captioned(_passed(evaluation.passed), _lengths([evaluation]))


def show_search(search: Search) -> str:
    """The largest length passed, and all that were tried."""
    return captioned(f"largest length passed: <b>{search.largest:,}</b>", _lengths(search.tried))


def _passed(passed: bool | None) -> str:
    return {True: pill("passed", GOOD), False: pill("failed", BAD), None: pill("unknown", OPEN)}[passed]


def _lengths(tried: Sequence[Evaluation]) -> str:
    words = {True: "passed", False: "failed", None: "unknown"}
    lines = [
        (
            f"{each.digits:,}",
            words[each.passed],
            f"{each.cases:,}/{each.count:,}",
            f"{each.steps:,}",
            f"{each.margin.value:.3g}" if each.margin else "-",
        )
        for each in tried
    ]
    return rows(("digits", "result", "cases", "steps", "margin"), lines)


def show_learned(learned: Learned) -> str:
    """What became of each seed in its last round."""
    done = len(learned.proven) == len(learned.seeds)
    words = f"{len(learned.proven)} of {len(learned.seeds)} proven"
    lines = [
        (seed, number, result.verdict, result.states or "", result.reason or result.counterexample or "")
        for seed, (number, result) in learned.last.items()
    ]
    return captioned(
        pill(words, GOOD if done else BAD), rows(("seed", "round", "verdict", "states", "why"), lines)
    )


register(Traces, show_traces)
register(Coverage, show_coverage)
register(Extraction, show_extraction)
register(Evaluation, show_evaluation)
register(Search, show_search)
register(Learned, show_learned)
