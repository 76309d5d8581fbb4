"""From the folders of runs to a report: read, measured as far as that is wanted, drawn; and told in words."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import asdict
from statistics import median
from typing import Any, NamedTuple

from gridlang import __version__
from gridlang.program import Program
from gridlang.terminal.console import clear_progress
from learners.reports.best_seed import best_seed
from learners.reports.measures import TraceCoverage, measured
from learners.reports.page import Report
from learners.reports.pictures import pictures
from learners.reports.run_folders import read_run_records
from learners.reports.run_records import RunRecord


class ReportPlan(NamedTuple):
    """What a report is about, and how much is measured for it."""

    runs: Sequence[str]
    expert: Program | None
    data: str | None
    seconds: float  # for each thing that is measured; 0 is not at all
    scope: str  # that models are proven on; none are extracted where it is empty
    command: str  # makes the page again
    follows: bool = False


def make_report(plan: ReportPlan) -> Report:
    """Everything that the page shows; GridError where a folder holds no run."""
    records, shown, best = [], {}, {}
    for record in read_run_records(plan.runs):
        known, coverage = measured(record, plan.expert, plan.data, plan.seconds, plan.scope)
        records.append(known)
        if coverage:
            shown[record.label] = coverage
        if plan.seconds and (seed := best_seed(known, plan.seconds)):
            best[record.label] = seed
    clear_progress()
    runs = ", ".join(plan.runs)
    made = f"Written by gridlang {__version__} from {runs}, {time.strftime('%Y-%m-%d %H:%M')}."
    title = title_of(plan.runs, records)
    return Report(title, records, pictures(records), shown, best, made, plan.command, plan.follows)


def title_of(runs: Sequence[str], records: Sequence[RunRecord]) -> str:
    if len(runs) > 1:
        return " and ".join(dict.fromkeys(record.agent for record in records))
    name = os.path.basename(os.path.abspath(runs[0]))
    return name.removesuffix(".json").removesuffix(".run").removesuffix(".learn") or "run"


def record_line(record: RunRecord) -> str:
    """`32 seeds  loss 1.2e-05  RLG 300, best 2,400  31 proven`."""
    outcomes, losses, lengths = record.outcomes, record.known_losses, record.known_lengths
    parts = [f"{len(outcomes):>3} seed{'s' if len(outcomes) > 1 else ' '}"]
    parts += [f"loss {median(losses):.1e}"] if losses else []
    parts += [f"RLG {median(lengths):g}, best {max(lengths):,}"] if lengths else []
    parts += [f"{sum(o.verdict == 'proven' for o in outcomes)} proven"] if record.is_judged else []
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
