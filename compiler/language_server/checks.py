"""Diagnostics as one types: a check waits until typing pauses, and ends when the text is another."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

from lsprotocol import types as lsp

from compiler.language_server.analysis import Summary, path_of, summarise
from compiler.language_server.documents import Documents
from compiler.language_server.jobs import Failed, Jobs
from compiler.language_server.limits import LIMITS
from gridlang.diagnostics import Diagnostic, counted
from gridlang.source import MAX_BYTES, Source, Span

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
        self.summaries: dict[str, tuple[int | None, Summary]] = {}  # with the version of the text, by path
        self.learned: Callable[[], None] = lambda: None  # called when more is known of a text than its words
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._followed: set[asyncio.Task[None]] = set()  # searches for open documents that depend on one

    def changed(self, path: str, pause: float = LIMITS.pause) -> None:
        """Checks a document anew, and the open ones that take something from it."""
        self._check_soon(path, pause)
        task = asyncio.get_running_loop().create_task(self._check_others(path, pause))
        self._followed.add(task)
        task.add_done_callback(self._followed.discard)

    async def _check_others(self, path: str, pause: float) -> None:
        project = self.documents.project
        for other in list(project.open):
            if other != path and await self.documents.ask(project.depends_on, other, path):
                self._check_soon(other, pause)

    def check_all(self) -> None:
        for path in self.documents.project.open:
            self._check_soon(path, LIMITS.pause)

    def closed(self, path: str, uri: str) -> None:
        """A closed document shows nothing any more; those that take something from it read the disk now."""
        self.summaries.pop(path, None)
        self.publish(lsp.PublishDiagnosticsParams(uri, []))
        self.changed(path)

    def current(self, path: str) -> Summary:
        """What is known of the text as it stands; findings of an older one would point elsewhere."""
        version, summary = self.summaries.get(path, (None, Summary()))
        return summary if version == self.documents.version(path) else summary.of_changed_text()

    def _check_soon(self, path: str, pause: float) -> None:
        task = self._under_way.pop(path, None)
        if task:
            task.cancel()
        if path in self.documents.project.open:
            self._under_way[path] = asyncio.get_running_loop().create_task(self._check(path, pause))

    async def _check(self, path: str, pause: float) -> None:
        await asyncio.sleep(pause)
        texts, version = dict(self.documents.project.open), self.documents.version(path)
        try:
            if len(texts[path]) > MAX_BYTES:
                raise Failed(f"no source may be larger than {MAX_BYTES:,} bytes")
            summary = await self.jobs.run(summarise, path, texts, seconds=LIMITS.longest_check)
        except Failed as failure:
            place = self.documents.range(Span(Source(path, ""), 0, 0))
            message, severity = f"this could not be checked: {failure}", lsp.DiagnosticSeverity.Information
            shown = [lsp.Diagnostic(place, message, severity, source="gridlang")]
        else:
            if self.documents.version(path) != version:
                return
            _, before = self.summaries.get(path, (None, Summary()))
            self.summaries[path] = (version, summary.after(before))
            if summary.states != before.states or summary.classes != before.classes:
                self.learned()
            shown = await self.documents.ask(self._diagnostics, path, summary)
        self.publish(lsp.PublishDiagnosticsParams(self.documents.uri(path), shown, version))

    def _diagnostics(self, path: str, summary: Summary) -> list[lsp.Diagnostic]:
        """The findings in this file; those in others are told at the name of the file that has them."""
        elsewhere = [(f, f.span) for f in summary.findings if f.span and path_of(f.span) != path]
        apart = [f for f, _ in elsewhere]
        shown = [self.diagnostic(finding) for finding in summary.findings if finding not in apart]
        return [*shown, self._elsewhere(path, elsewhere)] if elsewhere else shown

    def diagnostic(self, finding: Diagnostic) -> lsp.Diagnostic:
        hint = f"\n{finding.hint}" if finding.hint else ""
        unused = [lsp.DiagnosticTag.Unnecessary] if finding.code in ("G060", "G061", "G062") else None
        return lsp.Diagnostic(
            self.documents.range(finding.span or Span(Source("", ""), 0, 0)),
            _message(finding) + hint,
            _SEVERITIES[finding.severity],
            finding.code,
            source="gridlang",
            tags=unused,
            related_information=[self._related(*label) for label in finding.also] or None,
        )

    def _related(self, span: Span, text: str) -> lsp.DiagnosticRelatedInformation:
        return lsp.DiagnosticRelatedInformation(self.documents.location(span), text)

    def _elsewhere(self, path: str, findings: list[tuple[Diagnostic, Span]]) -> lsp.Diagnostic:
        """One diagnostic about all that is wrong in a file that this one takes something from."""
        first, place = findings[0]
        other, project = path_of(place), self.documents.project
        names = project.names(path)
        leads = [
            o.span
            for o in (names.occurrences if names else ())
            if o.kind == "file"
            and ((at := project.imported(path, o.name)) == other or project.depends_on(at, other))
        ]
        message = f"{counted(len(findings), 'error')} in {os.path.basename(other)}: {_message(first)}"
        return lsp.Diagnostic(
            self.documents.range(leads[0] if leads else Span(Source(path, ""), 0, 0)),
            message,
            lsp.DiagnosticSeverity.Error,
            first.code,
            source="gridlang",
            related_information=[self._related(span, _message(each)) for each, span in findings],
        )


def _message(finding: Diagnostic) -> str:
    return f"{finding.message}: {finding.label}" if finding.label else finding.message
