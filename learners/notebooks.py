"""Traces, coverage, evaluations and learning in notebooks. All text is escaped."""

from __future__ import annotations

from collections.abc import Sequence

from gridlang.compiler.drawing.templates import macro
from gridlang.display import register
from gridlang.learners.evaluation.eval_text import PASSED
from gridlang.learners.evaluation.evaluate import Evaluation, LengthSearch
from gridlang.learners.learning.rounds import Learned
from gridlang.learners.traces.choosing.coverage import Coverage
from gridlang.learners.traces.dataset import Traces
from gridlang.learners.traces.one_trace import ENDINGS
from gridlang.table import MOVES

HTML = "gridlang.learners/notebook.html"
SHOWN = 6  # traces shown
STEPS = 12  # of each: a line
MISSING = 20  # rules never exercised that are named
_LOOKS = {True: "good", False: "bad", None: "open"}


def show_traces(traces: Traces) -> str:
    """How many there are, and the first of them."""
    words = f"{len(traces):,} traces, {traces.steps:,} steps, {int(traces.length.max()):,} in the longest"
    lines = []
    for row in range(min(SHOWN, len(traces))):
        length = int(traces.length[row])
        acts = [_act(traces, row, t) for t in range(min(length, STEPS))]
        shown = ", ".join(acts) + (" …" if length > STEPS else "")
        lines.append((traces.inputs[row], f"{length:,}", ENDINGS[traces.ending[row]], shown))
    more = f"and {len(traces) - SHOWN:,} more" if len(traces) > SHOWN else ""
    return macro(HTML, "traces")(traces.name, words, lines, more)


def _act(traces: Traces, row: int, step: int) -> str:
    read, write, move = traces.x[row, step], traces.s[row, step], traces.m[row, step]
    does = "stuck" if write < 0 else f"{traces.symbols[write]} {MOVES[move]}"
    return f"{traces.symbols[read]}→{does}"


def show_coverage(coverage: Coverage) -> str:
    """The coverage, and the rules that no trace exercises."""
    parts = [("rules exercised", coverage.covered, coverage.reachable)]
    if coverage.possible is not None:
        parts.append(("pairs of states told apart", coverage.told_apart or 0, coverage.possible))
    lines = [(name, f"{part:,}", f"{whole:,}", f"{part / max(1, whole):.0%}") for name, part, whole in parts]
    missing = ", ".join(f"{state} on {symbol}" for state, symbol in coverage.missing[:MISSING])
    missing += " …" if len(coverage.missing) > MISSING else ""
    return macro(HTML, "coverage")(f"{coverage.traces:,} traces, {coverage.steps:,} steps", lines, missing)


def show_evaluation(evaluation: Evaluation) -> str:
    """Whether a length was passed, and on how many cases."""
    word = PASSED[evaluation.passed]
    return macro(HTML, "evaluation")(word, _LOOKS[evaluation.passed], _lengths([evaluation]))


def show_search(search: LengthSearch) -> str:
    """The largest length passed, and all that were tried."""
    return macro(HTML, "search")(f"{search.largest:,}", _lengths(search.tried))


def _lengths(tried: Sequence[Evaluation]) -> list[tuple[str, ...]]:
    return [
        (
            f"{evaluation.digits:,}",
            PASSED[evaluation.passed],
            f"{evaluation.cases:,}/{evaluation.count:,}",
            f"{evaluation.steps:,}",
            f"{evaluation.margin.value:.3g}" if evaluation.margin else "-",
        )
        for evaluation in tried
    ]


def show_learned(learned: Learned) -> str:
    """The result of each seed in its last round."""
    done = len(learned.proven) == len(learned.seeds)
    words = f"{len(learned.proven)} of {len(learned.seeds)} proven"
    lines = [
        (seed, number, result.verdict, result.states or "", result.reason or result.counterexample or "")
        for seed, (number, result) in learned.last.items()
    ]
    return macro(HTML, "learned")(words, "good" if done else "bad", lines)


register(Traces, show_traces)
register(Coverage, show_coverage)
register(Evaluation, show_evaluation)
register(LengthSearch, show_search)
register(Learned, show_learned)
