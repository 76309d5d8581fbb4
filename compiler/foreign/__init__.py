"""Files of other tools, both ways: one module a tool, with a reader and a writer; registered here."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from compiler.foreign.imported import Imported
from gridlang.diagnostics import fail
from gridlang.source import Source


class Format(NamedTuple):
    """The file format of a tool: its usual endings, how a text in it begins, and the module that knows it."""

    module: str
    endings: tuple[str, ...]
    begins: re.Pattern[str]
    about: str

    def read(self, source: Source) -> Imported:
        reader: Callable[[Source], Imported] = import_module(f"compiler.foreign.{self.module}").read
        return reader(source)


FORMATS = {
    "turingmachine": Format(
        "turingmachine_io",
        (".yaml", ".yml"),
        re.compile(r"(\s*(#.*)?\n)*[^\n]*\S:"),
        "a machine for turingmachine.io",
    ),
    "jflap": Format("jflap", (".jff", ".jflap", ".xml"), re.compile(r"\s*<"), "an automaton for JFLAP"),
    "bbchallenge": Format(
        "bbchallenge",
        (".bb",),
        re.compile(r"\s*([0-9][LR][A-Z]|---)+(_([0-9][LR][A-Z]|---)+)*\s*$"),
        "a machine in the one-line format of bbchallenge.org",
    ),
    "mealy-dot": Format(
        "mealy_dot",
        (".dot", ".gv"),
        re.compile(r"\s*(strict\s+)?digraph\b"),
        "a Mealy machine as DOT, as AALpy reads it",
    ),
}


def format_of(source: Source) -> Format:
    """The format of a file, by its ending, else by how its text begins; GridError where neither tells."""
    ending = os.path.splitext(source.path)[1].lower()
    for known in FORMATS.values():
        if ending in known.endings:
            return known
    for name in ("bbchallenge", "jflap", "mealy-dot", "turingmachine"):
        if FORMATS[name].begins.match(source.text):
            return FORMATS[name]
    hint = f"say which it is with --from {', '.join(FORMATS)}"
    raise fail("G194", "it cannot be told which tool this file is from", hint, source.path)
