"""Between protocol and project: URIs and paths, ranges and spans, in the encoding that was agreed on."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from gridlang.compiler.language_server.analysis import Summary, path_of
from gridlang.compiler.language_server.project import Project
from gridlang.diagnostics import Edit
from gridlang.source import Source, Span

Params = dict[str, Any]  # an object of the protocol, as JSON has it
ENCODINGS: dict[str, Callable[[str], int]] = {  # units of a character
    "utf-8": lambda char: len(char.encode("utf-8", "surrogatepass")),
    "utf-16": lambda char: 1 + (char > "\uffff"),
    "utf-32": len,
}


class Held(NamedTuple):
    """An open document: its URI as the client writes it, its version, and how its lines end."""

    uri: str
    version: int | None
    line_end: str


class Documents:
    """The open documents of a client, the project that they are part of, and what is known of them."""

    def __init__(self) -> None:
        self.project = Project()
        self.encoding = "utf-16"
        self.snippets = False  # whether the client takes placeholders in what is completed
        self.current: Callable[[str], Summary] = lambda _: Summary()  # what is known of a path's present text
        self._held: dict[str, Held] = {}

    def path(self, uri: str) -> str:
        """The real path of a document; one without a path counts as in the first folder."""
        parts = urlsplit(uri if uri.startswith("file:") else "")
        path = unquote(parts.path, errors="surrogateescape")
        if parts.netloc:
            path = f"//{parts.netloc}{path}"
        elif re.match("/[A-Za-z]:", path):
            path = path[1:]
        if not path or "\0" in path:
            folder = next(iter(self.project.folders), os.getcwd())
            name = os.path.basename(uri.rpartition(":")[2]).replace("\0", "")
            path = os.path.join(folder, name or "untitled")
        return os.path.realpath(path)

    def uri(self, path: str) -> str:
        """The URI of a file, as the client wrote it where the file is open."""
        return self._held[path].uri if path in self._held else Path(path).as_uri()

    def version(self, path: str) -> int | None:
        return self._held[path].version if path in self._held else None

    def open(self, uri: str, version: int | None, text: str) -> str:
        """Takes the text of a document, and gives its path."""
        path = self.path(uri)
        self._held[path] = Held(uri, version, "\r\n" if "\r\n" in text else "\n")
        self.project.open[path] = document_text(text)
        return path

    def close(self, uri: str) -> str:
        path = self.path(uri)
        self._held.pop(path, None)
        self.project.open.pop(path, None)
        return path

    def offset(self, path: str, position: Params) -> int:
        """The offset of a place; places after the end of a line, or of the text, are that end."""
        source = self.project.source(path) or Source(path, "")
        if position["line"] >= len(source.starts):
            return len(source.text)
        text = source.line(position["line"] + 1)
        spent = list(accumulate(map(ENCODINGS[self.encoding], text), initial=0))
        return source.starts[position["line"]] + min(len(text), bisect_left(spent, position["character"]))

    def position(self, source: Source, offset: int) -> Params:
        line, column = source.position(min(offset, len(source.text)))
        before = source.line(line)[: column - 1]
        units = len(before) if before.isascii() else sum(map(ENCODINGS[self.encoding], before))
        return {"line": line - 1, "character": units}

    def range(self, span: Span) -> Params:
        start, end = (self.position(span.source, at) for at in (span.start, max(span[1:])))
        return {"start": start, "end": end}

    def location(self, span: Span) -> Params:
        return {"uri": self.uri(path_of(span)), "range": self.range(span)}

    def workspace_edit(self, edits: Iterable[Edit]) -> Params:
        changes: dict[str, list[Params]] = {}
        for edit in edits:
            changes.setdefault(self.uri(path_of(edit.span)), []).append(self.text_edit(edit))
        return {"changes": changes}

    def text_edit(self, edit: Edit) -> Params:
        held = self._held.get(path_of(edit.span))
        text = edit.replacement.replace("\n", held.line_end if held else "\n")
        return {"range": self.range(edit.span), "newText": text}


def document_text(text: str) -> str:
    """The text of an editor with plain line ends, each line as long as before.

    The mark that may stand before all text becomes a blank: without it columns would shift.
    """
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return " " + plain[1:] if plain.startswith("\ufeff") else plain
