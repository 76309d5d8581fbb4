"""Diagnostics as one types: a check waits until typing pauses, and ends when the text is another."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from lsprotocol import types as lsp

from compiler.language_server.analysis import Finding, Spot, Summary
from compiler.language_server.documents import Documents
from compiler.language_server.jobs import Failed, Jobs
from gridlang.diagnostics import counted
from gridlang.source import MAX_BYTES, Source, Span

PAUSE = 0.15  # Seconds without a change before a text is checked; who types on is not done.
LONGEST_CHECK = 10.0  # Seconds; larger agents are checked on the command line.
_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}


class Checks:
    """The check of each open document: the one that is under way, and what the last one has shown."""

    def __init__(self, documents: Documents, publish: Callable[[lsp.PublishDiagnosticsParams], None]) -> None:
        self.documents, self.publish = documents, publish
        self.jobs = Jobs()
        self.summaries: dict[str, tuple[int, Summary]] = {}  # With the version of the text, by path.
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._followed: set[asyncio.Task[None]] = set()  # Searches for open documents that depend on one.

    def changed(self, path: str, pause: float = PAUSE) -> None:
        """Checks a document anew, and the open ones that take something from it."""
        if path in self.documents.versions:
            self._check_soon(path, pause)
        task = asyncio.get_running_loop().create_task(self._check_others(path, pause))
        self._followed.add(task)
        task.add_done_callback(self._followed.discard)

    async def _check_others(self, path: str, pause: float) -> None:
        project = self.documents.project
        for other in list(self.documents.versions):
            if other != path and await self.documents.ask(project.depends_on, other, path):
                self._check_soon(other, pause)

    def check_all(self) -> None:
        for path in self.documents.versions:
            self._check_soon(path, PAUSE)

    def closed(self, path: str, uri: str) -> None:
        """A closed document shows nothing any more."""
        task = self._under_way.pop(path, None)
        if task:
            task.cancel()
        self.summaries.pop(path, None)
        self.publish(lsp.PublishDiagnosticsParams(uri, []))

    def summary(self, path: str) -> Summary:
        """What the last check has shown, whatever was typed since."""
        return self.summaries[path][1] if path in self.summaries else Summary()

    def current(self, path: str) -> Summary:
        """What is known of the text as it stands; findings of an older one would point elsewhere."""
        version, summary = self.summaries.get(path, (None, Summary()))
        if version == self.documents.versions.get(path):
            return summary
        return summary._replace(findings=(), rules={})

    def _check_soon(self, path: str, pause: float) -> None:
        task = self._under_way.pop(path, None)
        if task:
            task.cancel()
        if path not in self.documents.versions:
            return
        self._under_way[path] = asyncio.get_running_loop().create_task(self._check(path, pause))

    async def _check(self, path: str, pause: float) -> None:
        await asyncio.sleep(pause)
        project = self.documents.project
        version, text = self.documents.versions.get(path), project.open.get(path)
        if version is None or text is None:
            return
        if len(text) > MAX_BYTES:
            self._show(path, version, [self._note(f"no source may be larger than {MAX_BYTES:,} bytes")])
            return
        try:
            summary: Summary = await self.jobs.run(
                "summarise", path, text, dict(project.open), seconds=LONGEST_CHECK
            )
        except TimeoutError:
            self._show(path, version, [self._note("this takes too long to be checked while typing")])
            return
        except Failed as failure:
            self._show(path, version, [self._note(f"this could not be checked: {failure}")])
            return
        if self.documents.versions.get(path) != version:
            return
        self.summaries[path] = (version, _kept(summary, self.summary(path)))
        self._show(path, version, await self.documents.ask(self._diagnostics, path, summary))

    def _show(self, path: str, version: int, diagnostics: list[lsp.Diagnostic]) -> None:
        uri = self.documents.uri(path)
        self.publish(lsp.PublishDiagnosticsParams(uri, diagnostics, version))

    def _note(self, message: str) -> lsp.Diagnostic:
        start = lsp.Position(0, 0)
        severity = lsp.DiagnosticSeverity.Information
        return lsp.Diagnostic(lsp.Range(start, start), message, severity, source="gridlang")

    def _diagnostics(self, path: str, summary: Summary) -> list[lsp.Diagnostic]:
        """The findings in this file; those in others are told at the name of the file that has them."""
        own = [f for f in summary.findings if f.spot is None or f.spot.path == path]
        elsewhere = [f for f in summary.findings if f.spot is not None and f.spot.path != path]
        shown = [self.diagnostic(finding, path) for finding in own]
        return [*shown, self._elsewhere(path, elsewhere)] if elsewhere else shown

    def diagnostic(self, finding: Finding, path: str) -> lsp.Diagnostic:
        spot = finding.spot or Spot(path, 0, 0)
        hint = f"\n{finding.hint}" if finding.hint else ""
        unused = [lsp.DiagnosticTag.Unnecessary] if finding.code in ("G060", "G061", "G062") else None
        return lsp.Diagnostic(
            self.documents.range(self.documents.span(spot)),
            finding.message + hint,
            _SEVERITIES[finding.severity],
            finding.code,
            source="gridlang",
            tags=unused,
            related_information=[self._related(at, text) for at, text in finding.also] or None,
        )

    def _related(self, spot: Spot, text: str) -> lsp.DiagnosticRelatedInformation:
        location = lsp.Location(
            self.documents.uri(spot.path), self.documents.range(self.documents.span(spot))
        )
        return lsp.DiagnosticRelatedInformation(location, text)

    def _elsewhere(self, path: str, findings: list[Finding]) -> lsp.Diagnostic:
        """One diagnostic about all that is wrong in a file that this one takes something from."""
        first = findings[0]
        assert first.spot is not None
        names = self.documents.project.names(path)
        project = self.documents.project
        files = [o for o in names.occurrences if o.kind == "file"] if names else []
        leads = [
            o
            for o in files
            if (at := project.imported(path, o.name)) == first.spot.path
            or project.depends_on(at, first.spot.path)
        ]
        span = leads[0].span if leads else Span(Source(path, ""), 0, 0)
        other = os.path.basename(first.spot.path)
        message = f"{counted(len(findings), 'error')} in {other}: {first.message}"
        related = [self._related(f.spot, f.message) for f in findings if f.spot]
        return lsp.Diagnostic(
            self.documents.range(span),
            message,
            lsp.DiagnosticSeverity.Error,
            first.code,
            source="gridlang",
            related_information=related,
        )


def _kept(new: Summary, old: Summary) -> Summary:
    """The new summary; what an error hides is as it was before, but for rules, whose places are others."""
    if new.size:
        return new
    return new._replace(
        classes=new.classes or old.classes,
        values=new.values or old.values,
        states=old.states,
        gaps=old.gaps,
    )
