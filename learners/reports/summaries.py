"""What a run has come to: measured as far as that is wanted, in a line, and as data."""

from __future__ import annotations

from dataclasses import asdict
from statistics import median
from typing import Any

from gridlang.console import progress_line
from gridlang.diagnostics import fail
from gridlang.loading import Program
from learners.learning.learn import PATIENCE
from learners.reports.measures import (
    Shown,
    coverage_of,
    expert_of,
    is_judged,
    with_lengths,
    with_verdicts,
)
from learners.reports.run_records import RECORD, Strand


def measured(
    strand: Strand, given: Program | None, data: str | None, seconds: float, scope: str
) -> tuple[Strand, Shown | None]:
    """The strand with what its models and traces tell, as far as that is wanted and can be had."""
    if strand.kind == RECORD or not (seconds or scope):
        return strand, None
    expert = expert_of(strand, given)
    if expert is None and scope:
        hint = "name the expert with --against FILE"
        raise fail("G110", f"the models of {strand.label} do not carry their source", hint)
    if expert and seconds:
        strand = with_lengths(strand, expert.table, seconds, progress_line(f"symbols: RLG of {strand.label}"))
    if expert and scope:
        tell = progress_line(f"of {len(strand.outcomes)} models of {strand.label} judged")
        strand = with_verdicts(strand, expert, scope, PATIENCE, tell)
    return strand, coverage_of(strand, expert, data, seconds) if seconds else None


def strand_line(strand: Strand) -> str:
    """`32 seeds  loss 1.2e-05  RLG 300, best 2,400  31 proven`."""
    outcomes = strand.outcomes
    losses = [o.loss for o in outcomes if o.loss is not None]
    lengths = [o.length for o in outcomes if o.length is not None]
    parts = [f"{len(outcomes):>3} seed{'s' if len(outcomes) > 1 else ' '}"]
    parts += [f"loss {median(losses):.1e}"] if losses else []
    parts += [f"RLG {median(lengths):g}, best {max(lengths):,}"] if lengths else []
    parts += [f"{sum(o.verdict == 'proven' for o in outcomes)} proven"] if is_judged(strand) else []
    return "  ".join(parts)


def strand_data(strand: Strand, shown: Shown | None) -> dict[str, Any]:
    """A strand as JSON; what is not known of a seed is left out."""
    coverage = shown.coverage.as_json() if shown and shown.coverage else None
    return {
        "label": strand.label,
        "kind": strand.kind,
        "agent": strand.agent,
        "iterations": strand.iterations,
        "done": strand.done,
        "seconds": round(strand.seconds, 3),
        "rounds": len(strand.rounds),
        "seeds": [{k: v for k, v in asdict(o).items() if v not in (None, "")} for o in strand.outcomes],
        "coverage": coverage,
    }
