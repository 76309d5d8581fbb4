"""From the folders of runs to a report: read, measured as far as that is wanted, drawn."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import NamedTuple

from gridlang import __version__
from gridlang.program import Program
from learners.reports.best_seed import best_seed
from learners.reports.page import Report
from learners.reports.pictures import pictures
from learners.reports.report_text import measured
from learners.reports.run_folders import read_run_records
from learners.reports.run_records import RunRecord


class ReportPlan(NamedTuple):
    """What a report is about, and how much is measured for it."""

    runs: Sequence[str]
    expert: Program | None
    data: str | None
    seconds: float  # For each thing that is measured; 0 is not at all.
    scope: str  # Models are extracted and proven on it; none are where it is empty.
    command: str  # Whoever types this makes the page again.
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
    runs = ", ".join(plan.runs)
    made = f"Written by gridlang {__version__} from {runs}, {time.strftime('%Y-%m-%d %H:%M')}."
    title = title_of(plan.runs, records)
    return Report(title, records, pictures(records), shown, best, made, plan.command, plan.follows)


def title_of(runs: Sequence[str], records: Sequence[RunRecord]) -> str:
    if len(runs) > 1:
        return " and ".join(dict.fromkeys(record.agent for record in records))
    name = os.path.basename(os.path.abspath(runs[0]))
    return name.removesuffix(".json").removesuffix(".run").removesuffix(".learn") or "run"
