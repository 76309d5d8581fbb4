"""Between protocol and project: URIs and paths, ranges and spans, in the encoding that was agreed on."""

from __future__ import annotations

import asyncio
import os
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls import uris
from pygls.workspace import PositionCodec, TextDocument

from gridlang.compiler.language_server.analysis import path_of
from gridlang.compiler.language_server.project import Project
from gridlang.diagnostics import Edit
from gridlang.source import Source, Span

T = TypeVar("T")


class Documents:
    """The open documents of a client by path, and the project that they are part of."""

    def __init__(self) -> None:
        self.project = Project()
        self.codec = PositionCodec()
        self._held: dict[str, TextDocument] = {}
        self._lock = threading.Lock()

    async def ask(self, answer: Callable[..., T], *arguments: Any) -> T:
        """A function's answer about the project, in a thread: names of a large file take a second.

        One answer at a time; the server keeps listening meanwhile.
        """

        def alone() -> T:
            with self._lock:
                return answer(*arguments)

        return await asyncio.to_thread(alone)

    def path(self, uri: str) -> str:
        """The real path of a document; one without a path counts as in the first folder."""
        path = uris.to_fs_path(uri) if uri.startswith("file:") else None
        if path is None or "\0" in path:
            folder = next(iter(self.project.folders), os.getcwd())
            path = os.path.join(
                folder, os.path.basename(uri.rpartition(":")[2]).replace("\0", "") or "untitled"
            )
        return os.path.realpath(path)

    def uri(self, path: str) -> str:
        """The URI of a file, as the client wrote it where the file is open."""
        return self._held[path].uri if path in self._held else uris.from_fs_path(path) or ""

    def version(self, path: str) -> int | None:
        return self._held[path].version if path in self._held else None

    def opened(self, document: TextDocument) -> str:
        """Takes the text of a document, and gives its path."""
        path = self.path(document.uri)
        self._held[path] = document
        self.project.open[path] = document_text(document.source)
        return path

    def closed(self, uri: str) -> str:
        path = self.path(uri)
        self._held.pop(path, None)
        self.project.open.pop(path, None)
        return path

    def offset(self, path: str, position: lsp.Position) -> int:
        """The offset of a place; places after the end of a line, or of the text, are that end."""
        source = self.project.source(path) or Source(path, "")
        if position.line >= len(source.starts):
            return len(source.text)
        text = source.line(position.line + 1)
        spent = list(accumulate(map(self.codec.client_num_units, text), initial=0))
        return source.starts[position.line] + min(len(text), bisect_left(spent, position.character))

    def position(self, source: Source, offset: int) -> lsp.Position:
        line, column = source.position(min(offset, len(source.text)))
        before = source.line(line)[: column - 1]
        units = len(before) if before.isascii() else self.codec.client_num_units(before)
        return lsp.Position(line - 1, units)

    def range(self, span: Span) -> lsp.Range:
        return lsp.Range(*(self.position(span.source, at) for at in (span.start, max(span[1:]))))

    def location(self, span: Span) -> lsp.Location:
        return lsp.Location(self.uri(path_of(span)), self.range(span))

    def workspace_edit(self, edits: Iterable[Edit]) -> lsp.WorkspaceEdit:
        by_path: dict[str, list[lsp.TextEdit]] = {}
        for edit in edits:
            by_path.setdefault(path_of(edit.span), []).append(self.text_edit(edit))
        return lsp.WorkspaceEdit({self.uri(path): each for path, each in by_path.items()})

    def text_edit(self, edit: Edit) -> lsp.TextEdit:
        held = self._held.get(path_of(edit.span))
        end = "\r\n" if held and "\r\n" in held.source else "\n"
        return lsp.TextEdit(self.range(edit.span), edit.replacement.replace("\n", end))


def document_text(text: str) -> str:
    """The text of an editor with plain line ends, each line as long as before.

    The mark that may stand before all text becomes a blank: without it columns would shift.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return " " + plain[1:] if plain.startswith("\ufeff") else plain
