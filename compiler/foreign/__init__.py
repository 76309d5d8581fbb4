"""Files of other tools, both ways: one module a tool, with a reader and a writer; registered here."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from gridlang.compiler.foreign.imported import Imported, imported_source
from gridlang.diagnostics import fail
from gridlang.file_kinds import FileFormat, format_of
from gridlang.loading import load_source
from gridlang.program import Program
from gridlang.source import Source

FORMATS: dict[str, FileFormat[Imported]] = {
    "turingmachine": FileFormat(
        "gridlang.compiler.foreign.turingmachine_io",
        (".yaml", ".yml"),
        re.compile(r"(\s*(#.*)?\n)*[^\n]*\S:"),
        "a machine for turingmachine.io",
    ),
    "bbchallenge": FileFormat(
        "gridlang.compiler.foreign.bbchallenge",
        (".bb",),
        re.compile(r"\s*([0-9][LR][A-Z]|---)+(_([0-9][LR][A-Z]|---)+)*\s*$"),
        "a machine in the one-line format of bbchallenge.org",
    ),
}


def foreign_format(source: Source) -> FileFormat[Imported]:
    """The format of another tool's file; GridError where neither its ending nor its text tells."""
    known = format_of(source, FORMATS)
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
