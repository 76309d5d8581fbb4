"""What a run has come to: measured as far as that is wanted, in a line, and as data."""

from __future__ import annotations

from dataclasses import asdict
from statistics import median
from typing import Any

from gridlang.diagnostics import fail
from gridlang.program import Program
from gridlang.terminal.console import progress_line
from learners.learning.limits import LIMITS
from learners.reports.measures import (
    TraceCoverage,
    coverage_of,
    expert_of,
    is_judged,
    with_lengths,
    with_verdicts,
)
from learners.reports.run_records import BENCHMARK, PROOFS, RunRecord


def measured(
    record: RunRecord, given: Program | None, data: str | None, seconds: float, scope: str
) -> tuple[RunRecord, TraceCoverage | None]:
    """The run with what its models and traces tell, as far as that is wanted and can be had."""
    if record.kind in (BENCHMARK, PROOFS) or not (seconds or scope):
        return record, None
    expert = expert_of(record, given)
    if expert is None and scope:
        hint = "name the expert with --against FILE"
        raise fail("G110", f"the models of {record.label} do not carry their source", hint)
    if expert and seconds:
        record = with_lengths(record, expert.table, seconds, progress_line(f"symbols: RLG of {record.label}"))
    if expert and scope:
        tell = progress_line(f"of {len(record.outcomes)} models of {record.label} judged")
        record = with_verdicts(record, expert, scope, LIMITS.patience, tell)
    return record, coverage_of(record, expert, data, seconds) if seconds else None


def record_line(record: RunRecord) -> str:
    """`32 seeds  loss 1.2e-05  RLG 300, best 2,400  31 proven`."""
    outcomes = record.outcomes
    losses = [o.loss for o in outcomes if o.loss is not None]
    lengths = [o.length for o in outcomes if o.length is not None]
    parts = [f"{len(outcomes):>3} seed{'s' if len(outcomes) > 1 else ' '}"]
    parts += [f"loss {median(losses):.1e}"] if losses else []
    parts += [f"RLG {median(lengths):g}, best {max(lengths):,}"] if lengths else []
    parts += [f"{sum(o.verdict == 'proven' for o in outcomes)} proven"] if is_judged(record) else []
    return "  ".join(parts)


def record_data(record: RunRecord, shown: TraceCoverage | None) -> dict[str, Any]:
    """A run as JSON; what is not known of a seed is left out."""
    coverage = shown.coverage.as_json() if shown and shown.coverage else None
    return {
        "label": record.label,
        "kind": record.kind,
        "agent": record.agent,
        "iterations": record.iterations,
        "done": record.done,
        "seconds": round(record.seconds, 3),
        "rounds": len(record.rounds),
        "seeds": [{k: v for k, v in asdict(o).items() if v not in (None, "")} for o in record.outcomes],
        "coverage": coverage,
    }
