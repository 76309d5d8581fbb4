"""From the folders of runs to a report: read, measured on request, drawn, and summed up in words.

A report that follows runs in progress is made anew when their folders change, and measured when they rest.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any, NamedTuple

from gridlang import __version__
from gridlang.compiler.local_pages import TYPES, Answer, LocalServer
from gridlang.diagnostics import GridError
from gridlang.learners.learning.rounds import LOCK as LEARN_LOCK
from gridlang.learners.reports.limits import LIMITS
from gridlang.learners.reports.line_charts import pictures
from gridlang.learners.reports.measures import TraceCoverage, best_seed, measured
from gridlang.learners.reports.page import Report, report_to_html
from gridlang.learners.reports.run_folders import read_run_records
from gridlang.learners.reports.run_records import RunRecord
from gridlang.learners.runtime.folder_lock import is_held
from gridlang.learners.training.train import LOCK as TRAIN_LOCK
from gridlang.program import Program

ENDINGS = (".json", ".jsonl", ".safetensors")  # files of a run that have news

Change = tuple[str, int, int]


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
    runs = ", ".join(plan.runs)
    made = f"Written by gridlang {__version__} from {runs}, {time.strftime('%Y-%m-%d %H:%M')}."
    name = os.path.basename(os.path.abspath(plan.runs[0]))
    title = name.removesuffix(".json").removesuffix(".run").removesuffix(".learn") or "run"
    if len(plan.runs) > 1:
        title = " and ".join(dict.fromkeys(record.agent for record in records))
    return Report(title, records, pictures(records), shown, best, made, plan.command, plan.follows)


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


class Following:
    """The page of runs as they are now; `look` sees to it that it stays so."""

    def __init__(self, plan: ReportPlan) -> None:
        """GridError where there is no run to follow."""
        self.plan = plan
        self.known: tuple[Change, ...] = ()
        self.rest = 0.0  # until then nothing is looked at
        self.measured = False
        self.page, self.made = b"", 0
        self._make(0.0)

    def pages(self, path: str) -> Answer | None:
        """The page, and how often it was made, which it asks for."""
        if path == "/made":
            return Answer(TYPES["txt"], str(self.made).encode())
        return Answer(TYPES["html"], self.page) if path == "/" else None

    def look(self) -> None:
        """Renews the page if anything is new; measures once all runs are at rest."""
        if time.monotonic() < self.rest:
            return
        now = tuple(change for run in self.plan.runs for change in _changes(run, LIMITS.folder_depth))
        if now != self.known:
            self.known, self.measured = now, False
            self._make(0.0)
        elif not self.measured and not self.running and self.plan.seconds:
            self._make(self.plan.seconds)
            self.measured = True

    def _make(self, seconds: float) -> None:
        begun = time.monotonic()
        scope = self.plan.scope if seconds else ""
        try:
            report = make_report(self.plan._replace(seconds=seconds, scope=scope))
        except GridError:
            if not self.page:
                raise
            return  # A file that is written just now is read the next time.
        self.running = any(record.running for record in report.records)
        self.page = report_to_html(report).encode()
        self.made += 1
        ended = time.monotonic()
        making = (ended - begun) / LIMITS.page_share if self.running else 0.0
        self.rest = ended + max(LIMITS.page_seconds, making)


def _changes(folder: str, depth: int) -> Iterator[Change]:
    """The state of a folder: its files, and whether a process works in it."""
    held = is_held(folder, TRAIN_LOCK) or is_held(folder, LEARN_LOCK)
    yield folder, int(held), 0
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        for entry in entries:
            if entry.name.endswith(ENDINGS):
                about = entry.stat()
                yield entry.path, about.st_mtime_ns, about.st_size
            elif depth > 1 and entry.is_dir():
                yield from _changes(entry.path, depth - 1)
    except OSError:
        return  # a file, which does not change, or a folder that is being removed


def follow(plan: ReportPlan, port: int, browser: bool) -> None:
    """Serves the page on this machine until Ctrl-C."""
    following = Following(plan._replace(follows=True))
    with LocalServer(following.pages, port) as server:
        server.open(browser)
        server.serve(following.look)
