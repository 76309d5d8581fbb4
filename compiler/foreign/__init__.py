"""Files of other tools, both ways: one module a tool, with a reader and a writer; registered here."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from gridlang.compiler.foreign.imported import Imported, imported_source
from gridlang.diagnostics import fail
from gridlang.loading import load_source
from gridlang.program import Program
from gridlang.source import Source


class Format(NamedTuple):
    """The module that reads a format, its usual endings, and how a text in it begins."""

    module: str
    endings: tuple[str, ...]
    begins: re.Pattern[str]

    def read(self, source: Source) -> Imported:
        reader: Callable[[Source], Imported] = import_module(self.module).read
        return reader(source)


FORMATS = {
    "bbchallenge": Format(
        "gridlang.compiler.foreign.bbchallenge",
        (".bb",),
        re.compile(r"\s*([0-9][LR][A-Z]|---)+(_([0-9][LR][A-Z]|---)+)*\s*$"),
    ),
    "turingmachine": Format(
        "gridlang.compiler.foreign.turingmachine_io",
        (".yaml", ".yml"),
        re.compile(r"(\s*(#.*)?\n)*[^\n]*\S:"),
    ),
}


def foreign_format(source: Source) -> Format:
    """The format of another tool's file; GridError where neither its ending nor its text tells."""
    ending = os.path.splitext(source.path)[1].lower()
    by_ending = (each for each in FORMATS.values() if ending in each.endings)
    by_text = (each for each in FORMATS.values() if each.begins.match(source.text))
    known = next(by_ending, None) or next(by_text, None)
    if known is None:
        hint = f"say which it is with --from {', '.join(FORMATS)}"
        raise fail("G194", "it cannot be told which tool this file is from", hint, source.path)
    return known


class ImportedFile(NamedTuple):
    """The agent in a file of another tool, its source, and what had to change."""

    program: Program
    source: str
    notes: tuple[str, ...]


def import_source(source: Source, origin: str | None = None) -> ImportedFile:
    """Another tool's machine as an agent that does the same; `origin` names its format."""
    imported = (FORMATS[origin] if origin else foreign_format(source)).read(source)
    text = imported_source(imported, os.path.basename(source.path).strip("<>"))
    return ImportedFile(load_source(Source(source.path, text)), text, imported.notes)
