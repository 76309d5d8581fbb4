"""Between protocol and project: URIs and paths, ranges and spans, in the encoding that was agreed on."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls import uris

from compiler.language_server.analysis import path_of
from compiler.language_server.positions import document_text, offset_at, place_of
from compiler.language_server.project import Project
from gridlang.diagnostics import Edit, Fix
from gridlang.source import Source, Span

T = TypeVar("T")


class Documents:
    """The open documents of a client, each with its version, and the project that they are part of."""

    def __init__(self) -> None:
        self.project = Project()
        self.encoding = "utf-16"
        self.versioned = False  # Whether the editor takes edits with the version that they are made for.
        self.versions: dict[str, int] = {}
        self.ends: dict[str, str] = {}  # The line ends of each document.
        self._uris: dict[str, str] = {}
        self._lock = threading.Lock()

    async def ask(self, answer: Callable[..., T], *arguments: Any) -> T:
        """What a function says about the project, in a thread: names of a large file take a second.

        One answer at a time; the server keeps listening meanwhile.
        """

        def alone() -> T:
            with self._lock:
                return answer(*arguments)

        return await asyncio.to_thread(alone)

    def path(self, uri: str) -> str:
        """The real path of a document; one that has none is taken to lie in the first folder."""
        path = uris.to_fs_path(uri) if uri.startswith("file:") else None
        if path is None or "\0" in path:
            folder = next(iter(self.project.folders), os.getcwd())
            path = os.path.join(
                folder, os.path.basename(uri.rpartition(":")[2]).replace("\0", "") or "untitled"
            )
        return os.path.realpath(path)

    def uri(self, path: str) -> str:
        """The URI of a file, as the client wrote it where the file is open."""
        return self._uris.get(path) or uris.from_fs_path(path) or ""

    def opened(self, uri: str, text: str, version: int) -> str:
        """Takes the text of a document, and gives its path."""
        path = self.path(uri)
        self._uris[path] = uri
        self.project.open[path] = document_text(text)
        self.versions[path] = version
        self.ends[path] = "\r\n" if "\r\n" in text else "\n"
        return path

    def closed(self, uri: str) -> str:
        path = self.path(uri)
        for kept in (self.project.open, self.versions, self.ends, self._uris):
            kept.pop(path, None)
        return path

    def offset(self, path: str, position: lsp.Position) -> int:
        source = self.project.source(path) or Source(path, "")
        return offset_at(source, position.line, position.character, self.encoding)

    def range(self, span: Span) -> lsp.Range:
        start, end = (place_of(span.source, at, self.encoding) for at in (span.start, max(span[1:])))
        return lsp.Range(lsp.Position(*start), lsp.Position(*end))

    def location(self, span: Span) -> lsp.Location:
        return lsp.Location(self.uri(path_of(span)), self.range(span))

    def text_edit(self, path: str, edit: Edit) -> lsp.TextEdit:
        text = edit.replacement.replace("\n", self.ends.get(path, "\n"))
        return lsp.TextEdit(self.range(edit.span), text)

    def workspace_edit(self, edits: Mapping[str, Iterable[Edit]]) -> lsp.WorkspaceEdit:
        """Edits by path, with the versions that they are made for where the editor wants them."""
        if not self.versioned:
            plain = {self.uri(path): [self.text_edit(path, e) for e in each] for path, each in edits.items()}
            return lsp.WorkspaceEdit(plain)
        changes = []
        for path, each in edits.items():
            document = lsp.OptionalVersionedTextDocumentIdentifier(self.uri(path), self.versions.get(path))
            changes.append(lsp.TextDocumentEdit(document, [self.text_edit(path, edit) for edit in each]))
        return lsp.WorkspaceEdit(document_changes=changes)

    def fix(self, fix: Fix) -> lsp.WorkspaceEdit:
        edits: dict[str, list[Edit]] = {}
        for edit in fix.edits:
            edits.setdefault(path_of(edit.span), []).append(edit)
        return self.workspace_edit(edits)
