"""A report that follows runs in progress: made anew when their folders change, measured when they rest."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

from compiler.local_pages import TYPES, Answer, LocalServer
from gridlang.diagnostics import GridError
from learners.learning.learn import LOCK as LEARN_LOCK
from learners.reports.limits import LIMITS
from learners.reports.page import report_to_html
from learners.reports.reporting import ReportPlan, make_report
from learners.runtime.folder_lock import is_held
from learners.training.train import LOCK as TRAIN_LOCK

ENDINGS = (".json", ".jsonl", ".safetensors")  # files of a run that have news

Change = tuple[str, int, int]


class Following:
    """The page of runs as they are now; `look` sees to it that it stays so."""

    def __init__(self, plan: ReportPlan, tell: Callable[[str], None] = lambda _: None) -> None:
        """GridError where there is no run to follow."""
        self.plan, self.tell = plan, tell
        self.known: tuple[Change, ...] = ()
        self.rest = 0.0  # until then nothing is looked at
        self.measured = False
        self.page = b""
        self._make(0.0)

    def pages(self, path: str) -> Answer | None:
        return Answer(TYPES["html"], self.page) if path == "/" else None

    def look(self) -> None:
        """Makes the page anew if there is something new; with what is measured, once all runs are at rest."""
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
        self.tell("new")
        ended = time.monotonic()
        making = (ended - begun) / LIMITS.page_share if self.running else 0.0
        self.rest = ended + max(LIMITS.page_seconds, making)


def _changes(folder: str, depth: int) -> Iterator[Change]:
    """What tells one moment of a folder from another: its files, and whether somebody is at work in it."""
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
        following.tell = server.tell
        server.open(browser)
        server.serve(following.look)
