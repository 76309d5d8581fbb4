"""Files of other tools, both ways: one module a tool, with a reader and a writer; registered here."""

from __future__ import annotations

import re

from compiler.foreign.imported import Imported
from gridlang.diagnostics import fail
from gridlang.file_formats import FileFormat, format_of
from gridlang.source import Source

FORMATS: dict[str, FileFormat[Imported]] = {
    "turingmachine": FileFormat(
        "compiler.foreign.turingmachine_io",
        (".yaml", ".yml"),
        re.compile(r"(\s*(#.*)?\n)*[^\n]*\S:"),
        "a machine for turingmachine.io",
    ),
    "jflap": FileFormat(
        "compiler.foreign.jflap", (".jff", ".jflap", ".xml"), re.compile(r"\s*<"), "an automaton for JFLAP"
    ),
    "bbchallenge": FileFormat(
        "compiler.foreign.bbchallenge",
        (".bb",),
        re.compile(r"\s*([0-9][LR][A-Z]|---)+(_([0-9][LR][A-Z]|---)+)*\s*$"),
        "a machine in the one-line format of bbchallenge.org",
    ),
    "mealy-dot": FileFormat(
        "compiler.foreign.mealy_dot",
        (".dot", ".gv"),
        re.compile(r"\s*(strict\s+)?digraph\b"),
        "a Mealy machine as DOT, as AALpy reads it",
    ),
}


def foreign_format(source: Source) -> FileFormat[Imported]:
    """The format of another tool's file; GridError where neither its ending nor its text tells."""
    known = format_of(source, FORMATS)
    if known is None:
        hint = f"say which it is with --from {', '.join(FORMATS)}"
        raise fail("G194", "it cannot be told which tool this file is from", hint, source.path)
    return known
